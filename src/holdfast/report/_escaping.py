r"""Names inside sentences: set apart, and never able to change how the rest is read.

A name may be any text: a word that the glossary explains (a feature called "AUC"), or characters
that turn the direction of what follows. So sentences hold names between the two characters that
Unicode has for this, U+2068 and U+2069; whoever shows a sentence turns them into what its format
has, or takes them away. Characters that are not seen but act are spelled out.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


OPEN, CLOSE = "\u2068", "\u2069"
NAME = re.compile(f"({OPEN}[^{OPEN}{CLOSE}]*{CLOSE})")
"""A name in a sentence."""
ACTING = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that are not seen, but act on others; tabs and ends of lines are but spaces."""
LEFTWARD = {"R", "AL", "AN"}
VERBATIM = {
    *("feature", "stand_in", "in_group", "selector", "classifier", "direction", "trusted"),
    "command",
}
"""Entries of a report that hold names, no sentences."""


def visible(text: str) -> str:
    """Return a text with unseen characters spelled out.

    >>> print(visible("a\u202eb"))
    a⟨U+202E⟩b
    """
    return ACTING.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def isolate_name(name: str) -> str:
    """Return a name as sentences hold it: spelled out, and set apart."""
    return f"{OPEN}{visible(name)}{CLOSE}"


def bare(text: str) -> str:
    r"""Return a sentence with its names as plain text.

    >>> bare("Trust \u2068flavanoids\u2069.")
    'Trust flavanoids.'
    """
    return NAME.sub(lambda found: found[0][1:-1], text)


def plain_text(text: str) -> str:
    """Return a text to show where there is no markup: unseen characters are spelled out."""
    return visible(bare(text))


def line_text(text: str) -> str:
    """Return the same as `plain_text`, but keep names apart that are written to the left."""
    parts = NAME.split(text)
    return "".join(
        f"{OPEN}{visible(part[1:-1])}{CLOSE}" if at % 2 and _leftward(part) else plain_text(part)
        for at, part in enumerate(parts)
    )


def bare_all(value: Any) -> Any:  # noqa: ANN401  (whatever a report holds)
    """Return a document in which all sentences have their names as plain text."""
    if isinstance(value, dict):
        return {key: item if key in VERBATIM else bare_all(item) for key, item in value.items()}
    if isinstance(value, list):
        return [bare_all(item) for item in value]
    return bare(value) if isinstance(value, str) else value


def set_apart(sentence: str, names: Iterable[str]) -> str:
    """Set names apart in a sentence that was made elsewhere, the longest first."""
    return with_titles(sentence, {name: isolate_name(name) for name in names})


def with_titles(sentence: str, titles: Mapping[str, str]) -> str:
    """Put titles in place of names in a sentence that was made elsewhere, the longest first.

    >>> with_titles("f_score selects more.", {"f_score": "F statistic"})
    'F statistic selects more.'
    """
    known = sorted(filter(None, titles), key=lambda name: (-len(name), name))
    if not known:
        return sentence
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, known))})(?!\w)"
    return re.sub(pattern, lambda found: titles[found[0]], sentence)


def _leftward(text: str) -> bool:
    return any(unicodedata.bidirectional(character) in LEFTWARD for character in text)


# Text inside Markdown: whatever it holds, it is shown as it is and does nothing.

ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
SPECIAL = re.compile(r"([\\`*{}\[\]|~$^])")
EDGE = re.compile(r"(?<![^\W_])(_+)|(_+)(?![^\W_])")
"""Underscores that may begin or end emphasis: not those between letters, as in ``f_score``."""
LINK = re.compile(r"(?i)\b(https?|ftp|mailto):|\b(www)\.")
"""What pages turn into links by themselves."""
LINES = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
START = re.compile(r"^(?:([#+=-])(?=[#+=\s-]|$)|(\d+)([.)])(?=\s|$))")


def escape_markdown(text: object) -> str:
    r"""Return a text as one line of Markdown that shows it literally.

    Examples
    --------
    >>> print(escape_markdown("a|b *bold* <script> f_score _x_"))
    a\|b \*bold\* &lt;script&gt; f_score \_x\_
    >>> print(escape_markdown("![x](http://y)"))
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


def format_code_block(text: str) -> str:
    """Return a line as a block of code; its fence is longer than any run of ticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{LINES.sub(' ', plain_text(text))}\n{fence}"
