"""The table that a recommendation is made from: errors and stability side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast._text import did_you_mean, shortened
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge._pair import Pair

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.measures import Measure

    Array = NDArray[np.float64]

KEYS = ["selector", "classifier", "size"]
FOUND = ["stability", "low", "high", "chance"]
COLUMNS = [
    *KEYS,
    *("error", "standard_error", "stability", "low", "high", "chance"),
    *("p_value", "rpt", "front", "rival", "recommended"),
]


def candidates(
    errors: pd.DataFrame | None, stability: pd.DataFrame, measure: Measure
) -> pd.DataFrame:
    """Return a row for each pair: its error, and the stability of its selector at its size.

    Where no error is known, a row for each selector and size, without a classifier.
    """
    found = _of_measure(stability, measure.name)
    if errors is None or errors["error"].isna().all():
        rows = found[["selector", "size"]].assign(
            classifier=None, error=np.nan, standard_error=np.nan
        )
    else:
        rows = errors
    keys = ["selector", "size"] if measure.form == "subset" else ["selector"]
    known = {_key(row, keys): [row[name] for name in FOUND] for row in found.to_dict("records")}
    nothing = [np.nan] * len(FOUND)
    values = [known.get(_key(row, keys), nothing) for row in rows.to_dict("records")]
    table = rows[[*KEYS, "error", "standard_error"]].reset_index(drop=True).astype({"size": object})
    return table.join(pd.DataFrame(values, columns=FOUND, dtype=np.float64))


def _of_measure(stability: pd.DataFrame, measure: str) -> pd.DataFrame:
    chosen = stability[stability["measure"] == measure].rename(columns={"value": "stability"})
    if chosen.empty:
        known = list(dict.fromkeys(stability["measure"]))
        if not known:
            raise InvalidInputError(
                "the table of stability is empty, so nothing can be recommended; run a study "
                "with a measure of stability."
            )
        near = did_you_mean(measure, known)
        raise UnknownNameError(f"the table of stability has no measure {measure!r}.{near}")
    return chosen


def _key(row: Mapping[Any, Any], names: list[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def pairs_of(table: pd.DataFrame) -> list[Pair]:
    """Return the pairs of a table, row by row."""
    return [Pair(*row) for row in zip(*(table[key] for key in KEYS), strict=True)]


def sizes_of(table: pd.DataFrame, own_sizes: Mapping[str, float] | None) -> Array:
    """Return sizes as numbers; those that selectors choose as their mean, NaN where unknown."""
    sizes = pd.to_numeric(table["size"], errors="coerce").astype(np.float64)
    own = table["selector"].map(dict(own_sizes or {})).astype(np.float64)
    return np.asarray(sizes.fillna(own), dtype=np.float64)


def merits_of(table: pd.DataFrame, measure: Measure) -> Array:
    """Return a stability that is higher where more stable; distances are turned around."""
    values = table["stability"].to_numpy(dtype=np.float64)
    if not measure.distance:
        return values
    return (measure.maximum if np.isfinite(measure.maximum) else 0.0) - values


def check_fit(table: pd.DataFrame, measure: str) -> None:
    """Refuse a table in which no row can be recommended."""
    missing = table["error"].isna()
    if missing.all():
        missing = ~missing
    if (missing | table["stability"].isna()).all():
        names = shortened(dict.fromkeys(table["selector"]))
        raise InvalidInputError(
            f"nothing can be recommended: none of {names} has both a stability by {measure} and, "
            "where errors were estimated, an error. See the notes in result.stability; resume "
            "the study if it is not complete, or name another measure."
        )
