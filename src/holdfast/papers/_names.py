"""Names of files."""

from __future__ import annotations

import re

UNSAFE = re.compile(r"[^\w.]+", re.ASCII)


def file_name(text: str) -> str:
    """Return words as part of a file's name: what is no letter, digit or dot becomes a hyphen."""
    return UNSAFE.sub("-", text).strip("-")
