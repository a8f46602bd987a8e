"""What the paper states around Figure 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from holdfast.papers._claims import Claim, Seen, Unchecked, unchecked
from holdfast.papers.kalousis2005._study import LEFT_OUT, METHODS

if TYPE_CHECKING:
    from numpy.typing import NDArray

INTERESTING = 200
FEW = 50
NEAR = 0.1
FURTHEST = 0.4  # the share of the features up to which knots are looked for
SHARP = 300


def profiles(seen: Seen, *names: str) -> pd.DataFrame:
    """Return the profiles of methods: a row a size."""
    table: pd.DataFrame = seen.fact("profile")
    if missing := [name for name in names if name not in table.columns]:
        raise Unchecked(f"{', '.join(missing)} has no profile in this setting")
    return table[list(names)].dropna()


def relief_dominates(seen: Seen) -> tuple[bool, str]:
    """ReliefF is the most stable at all interesting sizes."""
    table = profiles(seen, *METHODS)
    table = table[table.index <= INTERESTING]
    ahead = table.idxmax(axis=1) == "RF"
    lead = table["RF"] - table.drop(columns="RF").max(axis=1)
    least = f"least at {lead.idxmin()} ({lead.min():+.1e})"
    return bool(ahead.all()), f"ahead at {ahead.sum()} of {len(ahead)} sizes, {least}"


def knot_where_gain_ends(seen: Seen) -> tuple[bool, str]:
    """The knot of IG is where features without gain begin."""
    gaining, count = seen.fact("gaining"), seen.fact("n_features")
    if gaining > FURTHEST * count:
        raise Unchecked(
            f"knots are looked for up to {FURTHEST * count:.0f} features, and {gaining:.0f} have "
            f"a gain; up to there the answer is: {seen.fact('knots').loc['IG', 'sentence']}"
        )
    size = seen.fact("knots").loc["IG", "size"]
    if pd.isna(size):
        return False, f"no knot; {gaining:.0f} features have a gain"
    near = abs(size - gaining) <= NEAR * count
    return bool(near), f"knot at {size} features; {gaining:.0f} have a gain"


def bend_where_gain_ends(seen: Seen) -> tuple[bool, str]:
    """The profile of IG bends where features without gain begin."""
    if seen.fact("reversed"):
        raise Unchecked("here features without gain come first")
    gaining, count = seen.fact("gaining"), seen.fact("n_features")
    table = profiles(seen, "IG")
    place = bend(table.index.to_numpy(dtype=float), table["IG"].to_numpy(dtype=float))
    text = f"bend at {place:.0f} of {count} features; {gaining:.0f} have a gain, "
    return abs(place - gaining) <= NEAR * count, text + f"{count - gaining:.0f} have none"


def bend(sizes: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Return where two straight lines that meet there fit a profile best (least squares)."""
    misfits = []
    for place in sizes[2:-2]:
        parts = np.stack([np.ones_like(sizes), sizes, np.maximum(sizes - place, 0)], axis=1)
        fitted = parts @ np.linalg.lstsq(parts, values, rcond=None)[0]
        misfits.append(float(((values - fitted) ** 2).sum()))
    if not misfits:
        raise Unchecked("there are too few sizes to see a bend")
    return float(sizes[2 + int(np.argmin(misfits))])


def sharp_then_slow(seen: Seen) -> tuple[bool, str]:
    """IG rises sharply up to some 300 features, then slowly."""
    values = profiles(seen, "IG")["IG"]
    if SHARP not in values.index or values.index.max() <= SHARP:
        raise Unchecked(f"there is no profile around {SHARP} features")
    first, middle, last = values.iloc[0], values[SHARP], values.iloc[-1]
    before = (middle - first) / (SHARP - values.index[0])
    after = (last - middle) / (values.index[-1] - SHARP)
    text = f"{first:.2f} at {values.index[0]}, {middle:.2f} at {SHARP}, {last:.2f} at the end"
    return bool(before > 0 and before >= 3 * after), text


def relief_has_a_knot(seen: Seen) -> tuple[bool, str]:
    """ReliefF has a knot, too."""
    knots = seen.fact("knots")
    if "RF" not in knots.index:
        raise Unchecked("ReliefF has no profile in this setting")
    return bool(pd.notna(knots.loc["RF", "size"])), str(knots.loc["RF", "sentence"])


def lead_of_one(seen: Seen, low: float, high: float) -> pd.Series[float]:
    """Return by how much SVMONE leads SVMRFE at sizes between two."""
    table = profiles(seen, "SVMONE", "SVMRFE")
    lead = (table["SVMONE"] - table["SVMRFE"])[(table.index >= low) & (table.index <= high)]
    if lead.empty:
        raise Unchecked(f"there is no profile between {low:.0f} and {high:.0f} features")
    return lead


def one_leads_for_few(seen: Seen) -> tuple[bool, str]:
    """SVMONE leads SVMRFE for few features."""
    lead = lead_of_one(seen, 1, FEW).mean()
    return bool(lead > 0), f"SVMONE minus SVMRFE {lead:+.3f} on average"


def svms_meet(seen: Seen) -> tuple[bool, str]:
    """SVMONE and SVMRFE are the same for many features."""
    count = seen.fact("n_features")
    most = lead_of_one(seen, count / 2, count).abs().max()
    return bool(most <= 0.02), f"they differ by at most {most:.3f}"


def lead_shrinks(seen: Seen) -> tuple[bool, str]:
    """The lead of SVMONE is largest for few features."""
    count = seen.fact("n_features")
    spans = ((1, FEW), (100, INTERESTING), (count / 2, count))
    few, some, many = (float(lead_of_one(seen, low, high).mean()) for low, high in spans)
    return few > some > many, f"{few:+.3f}, {some:+.3f} and {many:+.3f} on average"


CLAIMS = (
    Claim(
        "ReliefF has the highest S_S at all interesting numbers of features (bar: from 10 to "
        f"{INTERESTING}).",
        relief_dominates,
    ),
    Claim(
        "Information gain has a knot on ovarian at the number of features with a gain, as "
        "find_knot sees it (bar: within a tenth of all features).",
        knot_where_gain_ends,
    ),
    Claim(
        "The profile of information gain bends on ovarian at the number of features with a gain, "
        "where two lines fit best (bar: within a tenth of all features).",
        bend_where_gain_ends,
    ),
    Claim(
        f"On ovarian S_S of information gain rises sharply up to about {SHARP} features, then "
        "slowly (bar: three times as fast before as after).",
        sharp_then_slow,
    ),
    Claim("ReliefF has a knot on ovarian, too, as find_knot sees it.", relief_has_a_knot),
    Claim(
        f"SVMONE has a small advantage over SVMRFE for few features (bar: on average up to {FEW}).",
        one_leads_for_few,
    ),
    Claim(
        "SVMONE and SVMRFE cannot be told apart for many features (bar: 0.02, from half of the "
        "features on).",
        svms_meet,
    ),
    Claim(
        "The lead of SVMONE over SVMRFE grows towards fewer features (bar: on average, "
        f"up to {FEW} features, from 100 to {INTERESTING}, from half of them on).",
        lead_shrinks,
    ),
    unchecked(
        "On prostate and stroke S_S of information gain is near that of random sets.", LEFT_OUT
    ),
    unchecked("ReliefF has strong knots on stroke and prostate.", LEFT_OUT),
    unchecked("SVMONE and SVMRFE have knots on stroke.", LEFT_OUT),
)
"""The findings."""
