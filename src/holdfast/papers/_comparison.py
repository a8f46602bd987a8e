"""Our numbers next to the published ones, and how well they agree."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from holdfast.papers._record import Experiment
from holdfast.papers._runner import SETTING, SPREAD, VALUE

if TYPE_CHECKING:
    from holdfast.plot import Picture

PUBLISHED_SPREAD = "published_spread"
MEAN = "mean of these"
WHOLE_TABLE_LABEL = "all"
OVERALL = "overall, in ranges"
"""Row with differences as shares of the range of the published numbers, averaged over parts."""


@cache
def published_numbers(paper: str, experiment: str) -> pd.DataFrame:
    """Return the published numbers of an experiment: its keys, ``value``, sometimes ``spread``.

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
    """Return our numbers and the published ones in one table, with their differences.

    Where the record requests means over data sets, both are averaged over the same data sets.
    Standard deviations are in ``spread`` and ``published_spread``.
    """
    keys = list(record.keys)
    numbers = [VALUE, SPREAD] if SPREAD in values else [VALUE]
    theirs = published.reindex(columns=[*keys, *numbers])
    theirs = theirs.rename(columns={VALUE: "published", SPREAD: PUBLISHED_SPREAD})
    for key in keys:
        theirs[key] = theirs[key].astype(values[key].dtype)
    table = values[[SETTING, *keys, *numbers]].merge(theirs, on=keys, how="left")
    table["published"] = table["published"].astype(float)
    if record.mean_over is not None:
        table = pd.concat([table, _average_over(table, record.mean_over, keys)], ignore_index=True)
    table["difference"] = table[VALUE] - table["published"]
    return table


def _average_over(table: pd.DataFrame, over: str, keys: list[str]) -> pd.DataFrame:
    """Average over one key where both sides have numbers for more than one of its values."""
    # both means must cover the same data sets, unless nothing is published at all
    others = [SETTING, *(key for key in keys if key != over)]
    compared = [VALUE] if table["published"].isna().all() else [VALUE, "published"]
    both = table.dropna(subset=compared)
    groups = both.groupby(others, sort=False)[[VALUE, "published"]]
    means = groups.mean()[groups.size() > 1].reset_index()
    return means.assign(**{over: MEAN}).reindex(columns=table.columns)


MIN_POINTS = 3
"""Fewer published numbers than this are no picture."""
SERIES = ("selector", "method", "data")
"""The key whose values get a marker each: the first of these that the numbers have."""


def draw_published_values(
    cells: pd.DataFrame, record: Experiment, setting: str
) -> dict[str, Picture]:
    """Draw our numbers of a setting against the published ones, one picture per scale."""
    from holdfast.plot import published_values

    pairs = cells[cells[SETTING] == setting].dropna(subset=[VALUE, "published"])
    if record.mean_over is not None:
        pairs = pairs[pairs[record.mean_over] != MEAN]
    series = next((key for key in SERIES if key in record.keys), None)
    if series is not None:
        pairs = pairs.assign(kind=pairs[series])
    if record.part is None:
        parts = {"published and ours": pairs}
    else:
        groups = pairs.groupby(pairs[record.part].astype(str), sort=False)
        parts = {f"published and ours, {part!s}": rows for part, rows in groups}
    return {name: published_values(rows) for name, rows in parts.items() if len(rows) >= MIN_POINTS}


def agreement(table: pd.DataFrame, record: Experiment) -> list[dict[str, Any]]:
    """Return how well our numbers agree with the published ones: by setting, and by part.

    Each row has ``setting``, ``part``, the number of pairs ``n``, the
    ``mean_absolute_difference`` and Spearman's ``rank_correlation`` (None where one side does not
    vary). Where there are several parts, a last row averages them: differences as shares of the
    range of the published numbers. Means over data sets are left out, as their parts are counted.
    """
    pairs = table.dropna(subset=[VALUE, "published"])
    if record.mean_over is not None:
        pairs = pairs[pairs[record.mean_over] != MEAN]
    return [
        {SETTING: setting, **row}
        for setting, rows in pairs.groupby(SETTING, sort=False)
        for row in _agreement_by_part(rows, record.part)
    ]


def _agreement_by_part(pairs: pd.DataFrame, key: str | None) -> list[dict[str, Any]]:
    if key is None:
        return [{"part": WHOLE_TABLE_LABEL, **_agreement_of_pairs(pairs)}]
    parts = {str(name): part for name, part in pairs.groupby(key, sort=False)}
    rows = [{"part": name, **_agreement_of_pairs(part)} for name, part in parts.items()]
    return rows if len(rows) == 1 else [*rows, _overall_agreement(rows, list(parts.values()))]


def _overall_agreement(rows: list[dict[str, Any]], parts: list[pd.DataFrame]) -> dict[str, Any]:
    """Average over parts, which may have different scales."""
    spans = [float(np.ptp(part["published"])) for part in parts]
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


def _agreement_of_pairs(pairs: pd.DataFrame) -> dict[str, Any]:
    ours, theirs = pairs[VALUE], pairs["published"]
    varies = min(ours.nunique(), theirs.nunique()) > 1
    correlation = float(spearmanr(ours, theirs).statistic) if varies else None
    return {
        "n": len(pairs),
        "mean_absolute_difference": float(np.abs(ours - theirs).mean()),
        "rank_correlation": correlation,
    }
