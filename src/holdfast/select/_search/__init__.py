"""Searches for the best subset, one move after the other, whatever the criterion."""
