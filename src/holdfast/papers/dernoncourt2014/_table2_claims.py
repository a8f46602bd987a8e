"""What the paper says about Table 2: how stability and error go with N and N/D."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers.dernoncourt2014._table2 import ERROR, MEASURES
from holdfast.papers.dernoncourt2014._table2_rows import counted, ours, sets, steps, theirs

if TYPE_CHECKING:
    from holdfast.papers._claims import Seen


def stability_rises(seen: Seen) -> tuple[bool, str]:
    """Each measure rises from each N to the next."""
    table = ours(seen)
    against = []
    total = 0
    for measure in MEASURES:
        changes = steps(table, measure)
        total += len(changes)
        falls = changes[changes["change"] <= 0]
        against += [f"{row.data} {measure} {row.change:+.3f}" for row in falls.itertuples()]
    text = f"{total - len(against)} of {total} steps upwards on {sets(table)}"
    return not against, "; ".join([text, *against])


def error_falls(seen: Seen) -> tuple[bool, str]:
    """The error is lower at the largest N than at the smallest."""
    table = ours(seen)
    first, last = (table.groupby("data")[ERROR].agg(one) for one in ("first", "last"))
    change = (last - first)[table.groupby("data")["n"].nunique() > 1]
    if change.empty:
        raise Unchecked("no data set was measured at two training sizes")
    falls = int((change < 0).sum())
    texts = [f"{name} {value:+.1f}" for name, value in change.items()]
    held = falls >= 0.75 * len(change) and change.mean() < 0
    return bool(held), f"{falls} of {len(change)} fall, mean {change.mean():+.1f}: " + ", ".join(
        texts
    )


def faster_where_ratio_is_low(column: str, sign: int) -> Claim:
    """Say that a number changes faster with N where N/D is low."""

    def correlations(table: pd.DataFrame) -> tuple[float, float, int]:
        made = steps(table, column)
        if len(made) < 4:
            raise Unchecked("fewer than 4 steps between training sizes were measured")
        speed = sign * made["change"]
        found = [
            float(spearmanr(made["before"], speed / made[by]).statistic)
            for by in ("samples", "doublings")
        ]
        return found[0], found[1], len(made)

    def check(seen: Seen) -> tuple[bool, str]:
        by_sample, by_doubling, count = correlations(ours(seen))
        their_sample, their_doubling, _ = correlations(theirs(seen))
        if np.isnan(by_sample):
            raise Unchecked("the numbers do not vary")
        return by_sample < 0, (
            f"rank correlation of N/D and speed over {count} steps {by_sample:+.2f}, by doubling "
            f"of N {by_doubling:+.2f}; published numbers {their_sample:+.2f} and "
            f"{their_doubling:+.2f}"
        )

    what = "Stability (CW_rel) rises" if sign > 0 else "The error falls"
    return Claim(
        f"{what} faster with N where N/D is low (negative rank correlation of N/D with the "
        "change for each added sample).",
        check,
    )


def low_below_one(seen: Seen) -> tuple[bool, str]:
    """CW_rel is low as long as there are fewer samples than features."""
    table = ours(seen)
    below = table.loc[table["ratio"] < 1, "CW_rel"]
    if below.empty:
        raise Unchecked("no training set has fewer samples than features")
    beyond = table.loc[table["ratio"] >= 1, "CW_rel"]
    rest = f"; from 1 on {beyond.mean():.2f}" if len(beyond) else ""
    spread = f"{below.min():.2f} to {below.max():.2f}, {counted(len(below), 'row')}"
    return bool(below.mean() < 0.5), f"mean CW_rel below 1 {below.mean():.2f} ({spread}){rest}"


def lowest_where_ratio_is_lowest(seen: Seen) -> tuple[bool, str]:
    """CW_rel grows over three ranges of N/D."""
    table = ours(seen)
    ranges = pd.cut(
        table["ratio"], [0, 0.1, 1, np.inf], right=False, labels=["below 0.1", "to 1", "from 1 on"]
    )
    found = table.groupby(ranges, observed=False)["CW_rel"].agg(["mean", "size"])
    if (found["size"] == 0).any():
        raise Unchecked("one of the three ranges of N/D has no data set")
    texts = [
        f"{name} {row['mean']:.2f} ({counted(int(row['size']), 'row')})"
        for name, row in found.iterrows()
    ]
    return bool(found["mean"].is_monotonic_increasing), "mean CW_rel: " + ", ".join(texts)
