"""Selectors that estimate or control the number of false discoveries."""
