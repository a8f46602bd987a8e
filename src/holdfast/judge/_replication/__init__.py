"""Replication stability: what a second study would find, and how large it should be."""
