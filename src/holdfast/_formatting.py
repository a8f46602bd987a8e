"""Numbers, lists and names as text, for messages, tables and reports."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.measures import Measure

MISSING = "–"
"""Stands for a number that is missing or infinite."""


# Characters that nobody sees.

INVISIBLE_CHARACTERS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that are invisible but affect others.

They move the cursor, set colors, or change the direction of the text after them.
"""
LINE_BREAKS_AND_TABS = re.compile("[\t\n\r]")


def spell_out_invisible(text: str, *, breaks: bool = False) -> str:
    r"""Return a text with invisible characters spelled out.

    Names from data, file names and messages of other programs may hold any characters. Whatever
    writes them to a terminal, a table or a page spells them out; JSON and CSV keep them.

    Parameters
    ----------
    text : str
        Any text.
    breaks : bool, default False
        Whether to spell out line breaks and tabs as well, as in the cells of a table. Otherwise
        they stay, and count as spaces.

    Examples
    --------
    >>> from holdfast._formatting import spell_out_invisible
    >>> print(spell_out_invisible("a\u202eb\x1b[31m"))
    a⟨U+202E⟩b⟨U+001B⟩[31m
    >>> print(spell_out_invisible("a\nb", breaks=True))
    a⟨U+000A⟩b
    """
    text = INVISIBLE_CHARACTERS.sub(_spell_out, text)
    return LINE_BREAKS_AND_TABS.sub(_spell_out, text) if breaks else text


def join_lines(lines: Iterable[str]) -> str:
    r"""Join lines for a terminal; each stays one line, whatever names it contains.

    >>> print(join_lines(["a\nb", "c"]))
    a⟨U+000A⟩b
    c
    """
    return "\n".join(spell_out_invisible(line, breaks=True) for line in lines)


def _spell_out(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match[0]):04X}⟩"


# Lists and words.


def format_list(items: Iterable[object], most: int = 5) -> str:
    """Join items by commas; beyond `most`, only count the rest.

    >>> format_list("abc"), format_list("abcdef")
    ('a, b, c', 'a, b, c, d, e and 1 more')
    """
    texts = [spell_out_invisible(str(item), breaks=True) for item in items]
    extra = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {extra:,} more" if extra > 0 else "")


def join_texts(texts: Sequence[str], most: int | None = None, last: str = "and") -> str:
    """Join texts as in a sentence; beyond `most`, the last part counts the rest.

    >>> join_texts(["a", "b", "c"]), join_texts(["a", "b", "c", "d"], most=3, last="or")
    ('a, b and c', 'a, b or 2 more')
    """
    if most is not None and len(texts) > most:
        texts = [*texts[: most - 1], f"{len(texts) - most + 1:,} more"]
    return f" {last} ".join(part for part in (", ".join(texts[:-1]), *texts[-1:]) if part)


def plural(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "feature"), plural(2000, "feature")
    ('1 feature', '2,000 features')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def as_clause(sentence: str) -> str:
    """Return a sentence as part of another one: without capital letter and full stop."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


MAX_KNOWN_NAMES = 30
"""Most names that a message lists; chosen by hand, for some lines of a terminal."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for the nearest known name, else a list of all known names.

    Names are compared as given first, then in lower case.
    """
    names = sorted(known)
    nearest = nearest_name(str(name), names)
    return (
        f" Did you mean {nearest!r}?"
        if nearest
        else f" Known: {format_list(names, most=MAX_KNOWN_NAMES)}."
    )


def nearest_name(name: str, names: Sequence[str]) -> str:
    """Return the name with the most similar letters; empty if none is similar.

    >>> nearest_name("Jacard", ["dice", "jaccard"]), nearest_name("x", ["dice", "jaccard"])
    ('jaccard', '')
    """
    for text in (name, name.lower()):
        if nearest := difflib.get_close_matches(text, names, n=1):
            return nearest[0]
    return ""


# Numbers.


def format_number(value: float | None, decimals: int = 2, *, missing: str = MISSING) -> str:
    """Return a number with a fixed number of decimals, never ``-0.00``.

    >>> format_number(0.7), format_number(-0.001), format_number(0.7, 3), format_number(None)
    ('0.70', '0.00', '0.700', '–')
    """
    if value is None or not math.isfinite(value):
        return missing
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def format_percent(share: float | None, decimals: int = 1, *, missing: str = MISSING) -> str:
    """Return a share as a percentage with a fixed number of decimals.

    >>> format_percent(0.1234), format_percent(0.996, 0), format_percent(None)
    ('12.3%', '100%', '–')
    """
    if share is None or not math.isfinite(share):
        return missing
    return f"{100 * share:.{decimals}f}%"


def format_short_percent(share: float) -> str:
    """Return a share as a percentage with at most one decimal, more for shares near 0 and 1.

    >>> format_short_percent(0.9), format_short_percent(2 / 3), format_short_percent(0.0003)
    ('90%', '66.7%', '0.03%')
    """
    # more digits only where fewer would round to 0% or 100%
    digits = next((d for d in range(1, 16) if 0 < round(100 * share, d) < 100), 1)
    return f"{100 * share:.{digits}f}".rstrip("0").rstrip(".") + "%"


def format_whole_percent(share: float | None, *, missing: str = MISSING) -> str:
    """Return a share as a whole percentage that is 0% or 100% only for shares of 0 and 1.

    >>> [format_whole_percent(share) for share in (0.943, 0.999, 1.0, 0.001, None)]
    ['94%', '>99%', '100%', '<1%', '–']
    """
    if share is None or not math.isfinite(share):
        return missing
    percent = 100 * share
    if 99.5 <= percent < 100:
        return ">99%"
    return "<1%" if 0 < percent <= 0.5 else f"{percent:.0f}%"


def format_plus_minus(error: float, standard_error: float | None) -> str:
    """Return an error rate with its standard error, if there is one, in percent.

    >>> format_plus_minus(0.123, 0.01), format_plus_minus(0.123, None)
    ('12.3% ± 1.0%', '12.3%')
    """
    if standard_error is None or not math.isfinite(standard_error):
        return format_percent(error)
    return f"{format_percent(error)} ± {format_percent(standard_error)}"


def format_interval(low: float, high: float, measure: Measure) -> str:
    """Return an interval in brackets, cut to the range of its measure; empty if there is none."""
    if math.isnan(low) or math.isnan(high):
        return ""
    ends = (min(max(end, measure.minimum), measure.maximum) for end in (low, high))
    return " [{:.2f}, {:.2f}]".format(*ends)
