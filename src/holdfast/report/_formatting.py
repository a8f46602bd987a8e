"""How reports show names, numbers and other values, in sentences and in cells of tables."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from holdfast._formatting import (
    MISSING,
    format_number,
    join_texts,
    plural,
    spell_out_invisible,
)
from holdfast._typing import JSON
from holdfast.measures import get_measure
from holdfast.report._schema import FeatureRow, Report, SecondStudy, StandIn, Verdict
from holdfast.select import SELECTORS, SelectorRecord

MAX_NAME_LENGTH = 60
"""Most characters of a name in a sentence; tables and lists show all of it."""
MAX_LISTED = 8
"""Most names or titles in a list in a sentence."""


def is_known(value: object) -> TypeGuard[float]:
    """Return whether a value is a finite number: not None, NaN, infinite or ``pandas.NA``."""
    return isinstance(value, Real) and math.isfinite(value)


# Names and lists in sentences.


def format_name(name: object, longest: int = MAX_NAME_LENGTH) -> str:
    """Return a name as part of a sentence: isolated, on one line, shortened."""
    return isolate_name(shorten(name, longest))


def shorten(text: object, longest: int) -> str:
    """Return a text on one line, cut where it is too long."""
    line = " ".join(str(text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def join_names(names: Iterable[object]) -> str:
    """Join names: ``a, b and c``; beyond `MAX_LISTED`, give the number of the others."""
    return join_texts([format_name(name) for name in names], MAX_LISTED)


def shorten_list(names: Sequence[str], total: int, most: int = MAX_LISTED) -> list[str]:
    """Return the first names, and the number of the others.

    >>> shorten_list(["a", "b", "c"], 30, most=2), shorten_list(["a"], 1)
    (['a', 'b', 'and 28 more'], ['a'])
    """
    shown = list(names[:most])
    return [*shown, f"and {total - len(shown):,} more"] if total > len(shown) else shown


def format_feature_count(size: int | str) -> str:
    """Return how many features a selector selects, in words."""
    if size == "own":
        return "as many features as it chooses itself"
    return "1 feature" if size == 1 else f"{size:,} features"


def requested_size(cell: tuple[str, int | str] | None) -> int | None:
    """Return the size of a selector and size; None where the selector chooses its size."""
    return None if cell is None or cell[1] == "own" else int(cell[1])


# Selectors of a plan.


def get_selector_record(spec: JSON) -> SelectorRecord | None:
    """Return the record of a selector of a plan; None if it is not registered."""
    path = spec.get("class", "") if isinstance(spec, dict) else ""
    module, _, name = path.partition(":")
    # a plan gives the public import path, which may differ from the module of the class
    for record in _registered_selectors():
        package = record.kind.__module__.partition(".")[0]
        if name == record.kind.__name__ and module.partition(".")[0] == package:
            return record
    return None


@cache
def _registered_selectors() -> tuple[SelectorRecord, ...]:
    """Return all records, looked up once: searching the installed packages is slow."""
    return tuple(SELECTORS.all_records().values())


def get_selector_title(name: str, selectors: Sequence[dict[str, Any]]) -> str:
    """Return the title of a selector of a plan; its name if it is not registered."""
    spec = next((selector["object"] for selector in selectors if selector["name"] == name), None)
    record = get_selector_record(spec)
    return name if record is None or record.name == "any_selector" else record.title


# Numbers.


def format_number_cell(value: float | None) -> str:
    """Return a number with three decimals; large ones have none, tiny ones two digits.

    >>> [format_number_cell(value) for value in (0.12345, 1234.5, 0.00012, -0.0, None)]
    ['0.123', '1,234', '0.00012', '0', '–']
    """
    if not is_known(value):
        return MISSING
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) >= 0.001 else f"{value:.2g}"


def format_p_value(value: float | None) -> str:
    """Return a p-value; tiny ones as ``<0.001``.

    >>> format_p_value(0.0312), format_p_value(1e-9), format_p_value(1.0)
    ('0.031', '<0.001', '1.000')
    """
    if not is_known(value):
        return MISSING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def format_expected_count(value: float | None) -> str:
    """Return an expected number of features as a whole number.

    >>> format_expected_count(3.62), format_expected_count(None)
    ('4', '–')
    """
    return f"{value:,.0f}" if is_known(value) else MISSING


def format_chosen_size(mean: float | None, deviation: float | None) -> str:
    """Return how many features a selector selects that chooses the number itself.

    >>> format_chosen_size(7.25, 1.5), format_chosen_size(7.0, None), format_chosen_size(None, None)
    ('7.2 (sd 1.5)', '7.0', 'own')
    """
    if not is_known(mean):
        return "own"
    return f"{mean:.1f} (sd {deviation:.1f})" if is_known(deviation) else f"{mean:.1f}"


def format_data_values(*values: float | None) -> str:
    """Return numbers for the script of the page: separated by spaces, a dot for a missing one.

    >>> format_data_values(0.94, 188, None)
    '0.94 188 .'
    """
    return " ".join(f"{value:.6g}" if is_known(value) else "." for value in values)


# Intervals.


def format_range(low: str, high: str) -> str:
    """Return an interval from the texts of its ends; empty if one is missing or both are equal.

    >>> format_range("90%", "97%"), format_range("-0.1", "0.2"), format_range("2", "2")
    ('90–97%', '-0.1 to 0.2', '')
    """
    if low == high or MISSING in {low, high}:
        return ""
    if low.startswith("-"):
        return f"{low} to {high}"
    return f"{low.removesuffix('%')}–{high}"


def format_stability_interval(low: float | None, high: float | None, measure: str | None) -> str:
    """Return the interval of a stability, clipped to the range of its measure.

    >>> format_stability_interval(0.953, 1.01, "nogueira")
    '0.95–1.00'
    >>> format_stability_interval(1.0, 1.0, "nogueira"), format_stability_interval(None, 1, None)
    ('1.00', '')
    """
    if not (is_known(low) and is_known(high)):
        return ""
    first, last = (format_number(clip_to_measure(end, measure)) for end in (low, high))
    return format_range(first, last) or first


def clip_to_measure(value: float, measure: str | None) -> float:
    """Return a stability, clipped to the range of its measure."""
    if measure is None:
        return value
    record = get_measure(measure)
    return min(max(value, record.minimum), record.maximum)


# Cells and headings of tables.

EFFECT_NOT_KNOWN = "not known"
OBSERVED_EFFECT_HEADING = "observed effect (too high on average if selected)"
"""Heading of the effect size that is not corrected for the selection."""
EVIDENCE_SECTIONS = {"frequencies", "profile", "stripes", "similarity", "stand_ins"}
"""Sections of pictures that belong to the evidence."""


def format_cell(value: object) -> str:
    """Return any value of a table as text.

    >>> format_cell(True), format_cell(12000), format_cell(0.5), format_cell(["a", "b"])
    ('yes', '12,000', '0.500', 'a, b')
    >>> format_cell(None)
    '–'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if value is None or isinstance(value, float):
        return format_number_cell(value)
    return ", ".join(map(format_cell, value)) if isinstance(value, list | tuple) else str(value)


def format_effect(row: FeatureRow) -> str:
    """Return the effect size corrected for the selection, or that it is not known."""
    return format_number(row["effect"]) if is_known(row["effect"]) else EFFECT_NOT_KNOWN


def format_effect_interval(row: FeatureRow) -> str:
    """Return the interval of an effect size; empty if it is not known."""
    return format_range(format_number(row["effect_low"]), format_number(row["effect_high"]))


def format_stand_in_counts(stand_in: StandIn) -> str:
    """Return how often a stand-in is selected without and with the feature.

    >>> format_stand_in_counts({"count": 9, "n": 10, "count_with": 2, "n_with": 40})
    '9 of 10 without it, 2 of 40 with it'
    """
    return (
        f"{stand_in['count']:,} of {stand_in['n']:,} without it, "
        f"{stand_in['count_with']:,} of {stand_in['n_with']:,} with it"
    )


def replication_heading(second: SecondStudy) -> str:
    """Return the heading of the estimates from halves of the data."""
    if second["n_samples"] is None:
        return "replication stability"
    return f"two studies of {plural(second['n_samples'], second['noun'])}"


def prediction_heading(second: SecondStudy) -> str:
    """Return the heading of the predictions for studies as large as this one."""
    if second["at"] is None:
        return "predicted"
    return f"predicted for studies of {plural(second['at'], second['noun'])}"


def has_chance_agreement(second: SecondStudy) -> bool:
    """Return whether two random selections have anything in common by the measure."""
    return any(row["replication_chance"] for row in second["rows"])


def has_ranks(rows: Iterable[FeatureRow]) -> bool:
    """Return whether the rank of any feature is known: selectors of subsets give none."""
    return any(row["rank_low"] is not None for row in rows)


def shown_sections(report: Report) -> dict[str, bool]:
    """Return which of the optional sections have anything to show."""
    second = report["replication"]
    pictured = {figure["section"] for figure in report["figures"]}
    sections = (report["profile"], report["similarity"], report["stand_ins"])
    has_text = any(section["sentences"] or section["rows"] for section in sections)
    return {
        "replication": bool(second["sentences"] or second["rows"] or "cohorts" in second),
        "evidence": has_text or report["groups"] is not None or bool(pictured & EVIDENCE_SECTIONS),
    }


def verdict_sentences(verdict: Verdict) -> list[str]:
    """Return the sentences of a verdict in reading order."""
    parts = (verdict["headline"], verdict["why"], verdict["next_step"], verdict["certainty"])
    return [part for part in parts if part]


# Values as JSON can hold them, with None for what is missing.


def to_json_value(value: Any) -> JSON:  # noqa: ANN401  (any value of a table or a report)
    """Return a value as plain Python; NaN, infinities and missing values become None."""
    if isinstance(value, dict):
        return {str(key): to_json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [to_json_value(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_records(table: pd.DataFrame, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the rows of a table as dictionaries; of the columns given, those that it has."""
    names = [name for name in columns or table.columns if name in table]
    rows: list[dict[str, Any]] = [to_json_value(row) for row in table[names].to_dict("records")]
    return rows


# Names in sentences: isolated, so that they cannot change how the rest is read.
#
# A name may be any text: a term of the glossary (a feature called "AUC"), or characters that change
# the direction of the text after them. Sentences therefore enclose names in the Unicode isolates
# U+2068 and U+2069; each output format replaces or removes these marks. Invisible characters are
# spelled out.

NAME_START, NAME_END = "\u2068", "\u2069"
NAME = re.compile(f"({NAME_START}[^{NAME_START}{NAME_END}]*{NAME_END})")
"""A name in a sentence."""
RIGHT_TO_LEFT = {"R", "AL", "AN"}
NAME_KEYS = {
    *("feature", "stand_in", "in_group", "selector", "classifier", "direction", "trusted"),
    "command",
}
"""Entries of a report that are names, not sentences."""


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
    parts = NAME.split(text)  # names at odd places: the pattern is one capturing group
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
"""Start of a line that would make it a heading, a rule or a list item."""


def escape_markdown(text: object) -> str:
    r"""Return a text as one line of Markdown that shows it literally.

    Examples
    --------
    >>> print(escape_markdown("a|b *bold* <script> f_score _x_"))
    a\|b \*bold\* &lt;script&gt; f_score \_x\_
    >>> print(escape_markdown("![x](http://y)"))
    !\[x\](http&#58;//y)
    """
    # entities first: later steps add entities, which must stay
    line = to_line(" ".join(str(text).split())).translate(ENTITIES)
    line = MARKDOWN_CHARACTERS.sub(r"\\\1", line)
    line = EDGE_UNDERSCORES.sub(lambda match: match[0].replace("_", r"\_"), line)
    line = AUTOMATIC_LINK.sub(
        lambda match: f"{match[1]}&#58;" if match[1] else f"{match[2]}&#46;", line
    )
    return BLOCK_START.sub(
        lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", line
    )


def format_code_block(text: str) -> str:
    """Return a line as a code block; its fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{LINE_BREAKS.sub(' ', to_plain_text(text))}\n{fence}"
