"""What papers state, and how it is held against numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from holdfast.papers._runner import SETTING, VALUE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.papers._record import Experiment

    Status = Literal["held", "not held", "cannot be checked"]


HELD: Status = "held"
NOT_HELD: Status = "not held"
UNCHECKED: Status = "cannot be checked"


class UncheckableClaim(Exception):  # noqa: N818  (no error: an answer)
    """Raised by a check that lacks what it needs; the message says what."""


@dataclass(frozen=True)
class ClaimInput:
    """What a check sees: one setting of an experiment.

    Attributes
    ----------
    setting : str
        Its name.
    values : pandas.DataFrame
        Our numbers: the keys of the experiment and ``value``, for the data sets that were used.
    published : pandas.DataFrame
        The published ones, for all data sets.
    facts : mapping
        What else the experiment handed over for this setting, by name.
    full : bool
        Whether the run has the size of the paper's.
    """

    setting: str
    values: pd.DataFrame
    published: pd.DataFrame
    facts: Mapping[str, Any]
    full: bool

    def fact(self, name: str) -> Any:  # noqa: ANN401  (whatever the experiment hands over)
        """Return a fact; without it the claim cannot be checked."""
        if name not in self.facts:
            raise UncheckableClaim("it was not measured in this setting")
        return self.facts[name]

    def value(self, **keys: object) -> float:
        """Return the one number with these keys; without it the claim cannot be checked."""
        found = self.table(**keys)
        if len(found) != 1:
            asked = ", ".join(f"{key} {value}" for key, value in keys.items())
            raise UncheckableClaim(f"{len(found)} numbers were measured for {asked}, one is needed")
        return float(found["value"].iloc[0])

    def table(self, **keys: object) -> pd.DataFrame:
        """Return our numbers with these keys, but for those that are missing."""
        found = self.values[self.values["value"].notna()]
        for key, value in keys.items():
            found = found[found[key] == value]
        return found

    def pivot(self, index: str | list[str], columns: str, **keys: object) -> pd.DataFrame:
        """Return numbers as a table without gaps; rows with gaps are left out."""
        table = self.table(**keys).pivot(index=index, columns=columns, values="value").dropna()
        if table.empty:
            raise UncheckableClaim("no number was measured that it speaks about")
        return table


@dataclass(frozen=True)
class Finding:
    """What became of a claim in one setting."""

    setting: str
    status: Status
    evidence: str


@dataclass(frozen=True)
class Claim:
    """Something that a paper states.

    Attributes
    ----------
    text : str
        What is stated, in our words, with the bar that decides where the paper gives none.
    check : callable
        From what is seen to whether it held, and the numbers that say so.
    main_only : bool
        Look at the main setting only: other settings are of no interest to the claim.
    """

    text: str
    check: Callable[[ClaimInput], tuple[bool, str]]
    main_only: bool = False

    def found(self, seen: ClaimInput) -> Finding:
        """Hold the claim against numbers."""
        try:
            held, evidence = self.check(seen)
        except UncheckableClaim as reason:
            return Finding(seen.setting, UNCHECKED, str(reason))
        return Finding(seen.setting, HELD if held else NOT_HELD, evidence)


def make_unchecked_claim(text: str, why: str) -> Claim:
    """Return a claim that nothing here can decide."""

    def check(_: ClaimInput) -> tuple[bool, str]:
        raise UncheckableClaim(why)

    return Claim(text, check, main_only=True)


# Our numbers beside the published ones.

MEAN = "mean of these"
WHOLE_TABLE_LABEL = "all"
OVERALL = "overall, in ranges"
"""Differences as shares of the range of the published numbers, averaged over parts."""


@cache
def published_numbers(paper: str, experiment: str) -> pd.DataFrame:
    """Return the published numbers of an experiment: its keys and ``value``.

    Empty where the paper prints none, as in most figures.
    """
    file = resources.files("holdfast.papers") / "published" / f"{paper}_{experiment}.csv"
    if not file.is_file():
        return pd.DataFrame(columns=[VALUE])
    with file.open(encoding="utf-8") as stream:
        return pd.read_csv(stream)


def compare_with_published(
    values: pd.DataFrame, published: pd.DataFrame, record: Experiment
) -> pd.DataFrame:
    """Return ours and the published numbers in one table, with their differences.

    Where the record asks for means over data sets, both are averaged over the same ones.
    """
    keys = list(record.keys)
    theirs = published.reindex(columns=[*keys, VALUE]).rename(columns={VALUE: "published"})
    for key in keys:
        theirs[key] = theirs[key].astype(values[key].dtype)
    table = values[[SETTING, *keys, VALUE]].merge(theirs, on=keys, how="left")
    table["published"] = table["published"].astype(float)
    if record.mean_over is not None:
        table = pd.concat([table, _means(table, record.mean_over, keys)], ignore_index=True)
    table["difference"] = table[VALUE] - table["published"]
    return table


def _means(table: pd.DataFrame, over: str, keys: list[str]) -> pd.DataFrame:
    """Average over one key, wherever more than one of its values is there on both sides."""
    others = [SETTING, *(key for key in keys if key != over)]
    both = table.dropna(subset=[VALUE]) if table["published"].isna().all() else table.dropna()
    groups = both.groupby(others, sort=False)[[VALUE, "published"]]
    means = groups.mean()[groups.size() > 1].reset_index()
    return means.assign(**{over: MEAN})[table.columns]


def agreement(table: pd.DataFrame, record: Experiment) -> list[dict[str, Any]]:
    """Return how well ours agree with the published numbers: by setting, and by part.

    Each row has ``setting``, ``part``, the number of pairs ``n``, the
    ``mean_absolute_difference`` and Spearman's ``rank_correlation`` (None where one side does not
    vary). Where there are several parts, a last row averages them: differences as shares of the
    range of the published numbers. Means over data sets do not count: what they are made of does.
    """
    pairs = table.dropna(subset=[VALUE, "published"])
    if record.mean_over is not None:
        pairs = pairs[pairs[record.mean_over] != MEAN]
    return [
        {SETTING: setting, **row}
        for setting, own in pairs.groupby(SETTING, sort=False)
        for row in _rows(_split_into_parts(own, record.part))
    ]


def _rows(parts: list[tuple[str, pd.DataFrame]]) -> list[dict[str, Any]]:
    rows = [{"part": name, **_agreement(own)} for name, own in parts]
    return rows if len(rows) == 1 else [*rows, _overall(rows, [own for _, own in parts])]


def _overall(rows: list[dict[str, Any]], parts: list[pd.DataFrame]) -> dict[str, Any]:
    """Average over parts, whatever their scales."""
    spans = [float(np.ptp(own["published"])) for own in parts]
    shares = [
        row["mean_absolute_difference"] / span
        for row, span in zip(rows, spans, strict=True)
        if span > 0
    ]
    correlations = [row["rank_correlation"] for row in rows if row["rank_correlation"] is not None]
    return {
        "part": OVERALL,
        "n": sum(row["n"] for row in rows),
        "mean_absolute_difference": float(np.mean(shares)) if shares else None,
        "rank_correlation": float(np.mean(correlations)) if correlations else None,
    }


def _split_into_parts(table: pd.DataFrame, key: str | None) -> list[tuple[str, pd.DataFrame]]:
    if key is None:
        return [(WHOLE_TABLE_LABEL, table)]
    return [(str(name), own) for name, own in table.groupby(key, sort=False)]


def _agreement(pairs: pd.DataFrame) -> dict[str, Any]:
    ours, theirs = pairs[VALUE], pairs["published"]
    varied = min(ours.nunique(), theirs.nunique()) > 1
    correlation = float(spearmanr(ours, theirs).statistic) if varied else None
    return {
        "n": len(pairs),
        "mean_absolute_difference": float(np.abs(ours - theirs).mean()),
        "rank_correlation": correlation,
    }
