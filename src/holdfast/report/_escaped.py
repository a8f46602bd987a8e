r"""Text inside Markdown: whatever it holds, it is shown as it is and does nothing."""

from __future__ import annotations

import re

from holdfast.report._names import line_text, plain_text

ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
SPECIAL = re.compile(r"([\\`*{}\[\]|~$^])")
EDGE = re.compile(r"(?<![^\W_])(_+)|(_+)(?![^\W_])")
"""Underscores that may begin or end emphasis: not those between letters, as in ``f_score``."""
LINK = re.compile(r"(?i)\b(https?|ftp|mailto):|\b(www)\.")
"""What pages turn into links by themselves."""
LINES = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
START = re.compile(r"^(?:([#+=-])(?=[#+=\s-]|$)|(\d+)([.)])(?=\s|$))")


def escaped(text: object) -> str:
    r"""Return a text as one line of Markdown that shows it literally.

    Examples
    --------
    >>> print(escaped("a|b *bold* <script> f_score _x_"))
    a\|b \*bold\* &lt;script&gt; f_score \_x\_
    >>> print(escaped("![x](http://y)"))
    !\[x\](http&#58;//y)
    """
    line = line_text(" ".join(str(text).split())).translate(ENTITIES)
    line = SPECIAL.sub(r"\\\1", line)
    line = EDGE.sub(lambda found: found[0].replace("_", r"\_"), line)
    line = LINK.sub(lambda found: f"{found[1]}&#58;" if found[1] else f"{found[2]}&#46;", line)
    return START.sub(_literal, line)


def _literal(found: re.Match[str]) -> str:
    """Keep the start of a line from becoming a heading or an item of a list."""
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def fenced(text: str) -> str:
    """Return a line as a block of code; its fence is longer than any run of ticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{LINES.sub(' ', plain_text(text))}\n{fence}"
