"""Compiled loops: arrays in, arrays out, no checks. Each has a naive twin in tests/naive.py."""
