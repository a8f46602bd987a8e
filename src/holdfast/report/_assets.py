"""What every page carries with it: its style, its templates, and a rule that it loads nothing."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources

from holdfast.report._colours import colour_rules


def style_sheet() -> str:
    """Return the style of pages, colours of pictures included."""
    return asset("style.css") + colour_rules()


def policy(style: str, script: str) -> str:
    """Return the content security policy: this style, this script, nothing else.

    Style attributes are let in, since pictures are full of them; they can load nothing, for no
    address is allowed.
    """
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src-elem '{_digest(style)}'; "
        "style-src-attr 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def asset(name: str) -> str:
    """Return the text of a template, style or script."""
    return (resources.files("holdfast.report") / "templates" / name).read_text(encoding="utf-8")
