r"""Names in sentences: isolated, so that they cannot change how the rest is read.

A name may be any text: a term of the glossary (a feature called "AUC"), or characters that change
the direction of the text after them. Sentences therefore enclose names in the Unicode isolates
U+2068 and U+2069; each output format replaces or removes these marks. Invisible characters are
spelled out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast._typing import JSON

NAME_START, NAME_END = "\u2068", "\u2069"
NAME = re.compile(f"({NAME_START}[^{NAME_START}{NAME_END}]*{NAME_END})")
"""A name in a sentence."""
INVISIBLE_CHARACTERS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that are invisible but affect others; tabs and line breaks count as spaces."""
RIGHT_TO_LEFT = {"R", "AL", "AN"}
NAME_KEYS = {
    *("feature", "stand_in", "in_group", "selector", "classifier", "direction", "trusted"),
    "command",
}
"""Entries of a report that are names, not sentences."""


def spell_out_invisible(text: str) -> str:
    """Return a text with invisible characters spelled out.

    >>> print(spell_out_invisible("a\u202eb"))
    a⟨U+202E⟩b
    """
    return INVISIBLE_CHARACTERS.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def isolate_name(name: str) -> str:
    """Return a name as sentences contain it: spelled out, between marks."""
    return f"{NAME_START}{spell_out_invisible(name)}{NAME_END}"


def remove_name_marks(text: str) -> str:
    r"""Return a sentence with its names as plain text.

    >>> remove_name_marks("Trust \u2068flavanoids\u2069.")
    'Trust flavanoids.'
    """
    return NAME.sub(lambda match: match[0][1:-1], text)


def to_plain_text(text: str) -> str:
    """Return a text for output without markup: no marks, invisible characters spelled out."""
    return spell_out_invisible(remove_name_marks(text))


def to_line(text: str) -> str:
    """Return plain text in which only names written from right to left keep their marks."""
    parts = NAME.split(text)
    return "".join(
        isolate_name(part[1:-1]) if place % 2 and _is_right_to_left(part) else to_plain_text(part)
        for place, part in enumerate(parts)
    )


def remove_all_name_marks(value: Any) -> JSON:  # noqa: ANN401  (any value of a report)
    """Return a document with the names in all sentences as plain text."""
    if isinstance(value, dict):
        return {
            key: item if key in NAME_KEYS else remove_all_name_marks(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [remove_all_name_marks(item) for item in value]
    return remove_name_marks(value) if isinstance(value, str) else value


def isolate_known_names(sentence: str, names: Iterable[str]) -> str:
    """Isolate names in a sentence that contains them as plain text, the longest first."""
    return replace_names(sentence, {name: isolate_name(name) for name in names})


def replace_names(sentence: str, titles: Mapping[str, str]) -> str:
    """Replace names in a sentence by titles, the longest first.

    >>> replace_names("f_score selects more.", {"f_score": "F statistic"})
    'F statistic selects more.'
    """
    names = sorted(filter(None, titles), key=lambda name: (-len(name), name))
    if not names:
        return sentence
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)"
    return re.sub(pattern, lambda match: titles[match[0]], sentence)


def _is_right_to_left(text: str) -> bool:
    return any(unicodedata.bidirectional(character) in RIGHT_TO_LEFT for character in text)


# Text in Markdown: shown literally, whatever it contains.

ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
MARKDOWN_CHARACTERS = re.compile(r"([\\`*{}\[\]|~$^])")
EDGE_UNDERSCORES = re.compile(r"(?<![^\W_])(_+)|(_+)(?![^\W_])")
"""Underscores that may start or end emphasis, unlike those between letters as in ``f_score``."""
AUTOMATIC_LINK = re.compile(r"(?i)\b(https?|ftp|mailto):|\b(www)\.")
"""Text that renderers turn into links."""
LINE_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
BLOCK_START = re.compile(r"^(?:([#+=-])(?=[#+=\s-]|$)|(\d+)([.)])(?=\s|$))")


def escape_markdown(text: object) -> str:
    r"""Return a text as one line of Markdown that shows it literally.

    Examples
    --------
    >>> print(escape_markdown("a|b *bold* <script> f_score _x_"))
    a\|b \*bold\* &lt;script&gt; f_score \_x\_
    >>> print(escape_markdown("![x](http://y)"))
    !\[x\](http&#58;//y)
    """
    line = to_line(" ".join(str(text).split())).translate(ENTITIES)
    line = MARKDOWN_CHARACTERS.sub(r"\\\1", line)
    line = EDGE_UNDERSCORES.sub(lambda match: match[0].replace("_", r"\_"), line)
    line = AUTOMATIC_LINK.sub(
        lambda match: f"{match[1]}&#58;" if match[1] else f"{match[2]}&#46;", line
    )
    return BLOCK_START.sub(_escape_block_start, line)


def _break_link(match: re.Match[str]) -> str:
    return f"{match[1]}&#58;" if match[1] else f"{match[2]}&#46;"


def _escape_block_start(match: re.Match[str]) -> str:
    """Keep the start of a line from becoming a heading or a list item."""
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def format_code_block(text: str) -> str:
    """Return a line as a code block; its fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{LINE_BREAKS.sub(' ', to_plain_text(text))}\n{fence}"
