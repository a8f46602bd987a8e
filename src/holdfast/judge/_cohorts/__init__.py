"""Cohorts: whether what is found in one of them recurs in another."""
