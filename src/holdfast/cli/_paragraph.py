"""Sentences in lines that end between words."""

from __future__ import annotations

import shutil
import textwrap
from typing import TextIO


def paragraph(text: str, stream: TextIO) -> str:
    """Return the text in lines as wide as the terminal; in one line where there is none."""
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
