"""Which pairs a recommendation does not consider, in plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural, shortened
from holdfast.judge._candidates import KEYS, NEARLY_ALL, pairs_of
from holdfast.judge._rule import DECIMALS
from holdfast.judge._words import percent, plus_minus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._reasons import Case


def left_out(case: Case) -> list[str]:
    """Name the pairs that are known too seldom, and those of a low error but no stability."""
    return [*_seldom_known(case), *_undefined(case)]


def _seldom_known(case: Case) -> list[str]:
    """Name pairs that are known on few of the predictions, by their selectors where possible."""
    known = case.table["error"].notna().to_numpy()
    seldom = known & ~case.known.enough
    if not seldom.any():
        return []
    names = _names(case, seldom, known)
    of = f"of the {plural(case.known.total, case.noun)} compared"
    if len(names) > 1:
        less = f"less than {percent(NEARLY_ALL, 0)} {of}"
        return [f"{shortened(names)} are known on {less}, so they are left out."]
    count = int(case.known.known[seldom].max())
    return [f"{names[0]} is known on only {count:,} {of}, so it is left out."]


def _names(case: Case, some: NDArray[np.bool_], known: NDArray[np.bool_]) -> list[str]:
    """Name selectors all of whose pairs are among some, else the pairs."""
    selectors = case.table[KEYS[0]].to_numpy()
    others = set(selectors[known & ~some])
    pairs = zip(pairs_of(case.table), some, strict=True)
    names = [str(pair) if pair.selector in others else pair.selector for pair, is_ in pairs if is_]
    return list(dict.fromkeys(names))


def _undefined(case: Case) -> list[str]:
    """Name the pair of the lowest error, where its stability is not known."""
    errors = case.table["error"].to_numpy(dtype=np.float64)
    lower = np.round(errors - case.best["error"], DECIMALS) < 0
    lower &= case.known.enough & case.table["score"].isna().to_numpy()
    if not lower.any():
        return []
    row = int(np.argmin(np.where(lower, errors, np.inf)))
    error = plus_minus(errors[row], case.table["standard_error"].iloc[row])
    figure = "replication stability" if case.by_replication else "stability"
    why = f"no {figure} by {case.measure.name}"
    if lower.sum() == 1:
        return [f"{case.name(row)} errs less, {error}, but has {why}, so it is left out."]
    many = plural(int(lower.sum()), "pair")
    least = f"least {case.name(row)}: {error}"
    return [f"{many} err less but have {why}, so they are left out; {least}."]
