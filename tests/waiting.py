"""Waiting for what other processes do."""

from __future__ import annotations

import time

PATIENCE = 600.0
"""Seconds until a test gives up on what usually takes a few, even on a busy machine."""


def until(condition, what: str):
    """Return what a condition gives as soon as it gives something."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {PATIENCE:g} s: {what}"
        time.sleep(0.02)
    return found
