"""What the paper states about the robustness of forests: Table 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers.saeys2008._selectors import ENSEMBLE, RF, SINGLE
from holdfast.papers.saeys2008._tables import LARGE, MEASURES
from holdfast.papers.saeys2008._wide import (
    about,
    first_of,
    gain,
    listed,
    means,
    of_kind,
    over,
    said,
    wide,
)

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._claims import Seen

NEAR = 0.05
"""Bar, where the paper gives none."""
BOTH = [(RF, SINGLE), (RF, ENSEMBLE)]


def as_published(seen: Seen) -> tuple[bool, str]:
    """The Sp of forests is that published, on the same data sets."""
    table = wide(seen, needed=BOTH, measure="Sp")
    known = seen.published.query("measure == 'Sp' and selector == @RF")
    printed = known.pivot(index="data", columns=["selector", "kind"], values="value")[BOTH].dropna()
    names = list(table.index.get_level_values("data"))
    if not set(names) <= set(printed.index):
        raise Unchecked("the paper has no number for one of the data sets")
    ours, theirs = means(table), means(printed.loc[names])
    texts = [f"{pair[1]} {said(ours[pair])} (published {said(theirs[pair])})" for pair in BOTH]
    held = all(abs(ours[pair] - theirs[pair]) <= NEAR for pair in BOTH)
    return held, f"{', '.join(texts)} {over(table)}"


def leads_alone(seen: Seen) -> tuple[bool, str]:
    """A single forest has the highest Sp and JC5."""
    tables = {short: wide(seen, measure=short) for short in ("Sp", "JC5")}
    found = {short: of_kind(means(table), SINGLE) for short, table in tables.items()}
    texts = [f"{short}: {listed(own)}" for short, own in found.items()]
    held = all(own[RF] == max(own.values()) for own in found.values())
    return held, f"{'; '.join(texts)} {over(tables['Sp'])}"


def last_at_the_top(seen: Seen) -> tuple[bool, str]:
    """A single forest has the lowest JC1."""
    table = wide(seen, measure="JC1")
    found = of_kind(means(table), SINGLE)
    held = found[RF] == min(found.values())
    return held, f"JC1 of single selectors: {listed(found)} {over(table)}"


def gains_most_at_the_top(seen: Seen) -> tuple[bool, str]:
    """Of the three measures, forests gain most in JC1."""
    tables = {short: wide(seen, needed=BOTH, measure=short) for short in MEASURES}
    found = {short: gain(means(table), RF) for short, table in tables.items()}
    held = 0 < found["JC1"] == max(found.values())
    return held, f"gains: {listed(found)} {over(tables['Sp'])}"


def ensembles_lead(seen: Seen) -> tuple[bool, str]:
    """Ensembles of forests are the most robust of all, by all measures."""
    tables = {short: wide(seen, measure=short) for short in MEASURES}
    texts, held = [], True
    for short, table in tables.items():
        rest = means(table)
        ours = rest.pop((RF, ENSEMBLE))
        best = first_of(rest)
        held &= ours > rest[best]
        texts.append(f"{short}: {ours:.2f}, best other {rest[best]:.2f} ({' '.join(best)})")
    return held, f"{'; '.join(texts)} {over(tables['Sp'])}"


def of_sizes(seen: Seen) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return measures of large forests, of small ones and of ensembles, a row a data set."""
    large: pd.DataFrame = seen.fact(LARGE).rename_axis("data")
    small, many = (
        seen.table(selector=RF, kind=kind).pivot(index="data", columns="measure", values="value")
        for kind in (SINGLE, ENSEMBLE)
    )
    small, many = (one.reindex(index=large.index, columns=list(MEASURES)) for one in (small, many))
    if large.empty or any(one.isna().to_numpy().any() for one in (large, small, many)):
        raise Unchecked("not all data sets have forests of both sizes")
    return large[list(MEASURES)], small, many


def larger_is_less_robust(seen: Seen) -> tuple[bool, str]:
    """A forest of many trees is often less robust than a small one."""
    large, small, _ = of_sizes(seen)
    lower = large.to_numpy() < small.to_numpy()
    each = [f"{one} {said(small[one].mean())} and {said(large[one].mean())}" for one in MEASURES]
    text = f"lower in {lower.sum()} of {lower.size}; 10 and 400 trees: {', '.join(each)}"
    return bool(lower.mean() >= 0.5), f"{text} {over(large)}"


def ensemble_beats_large_forest(seen: Seen) -> tuple[bool, str]:
    """An ensemble of small forests is more robust than one forest with as many trees."""
    large, _, many = of_sizes(seen)
    each = {one: (float(many[one].mean()), float(large[one].mean())) for one in MEASURES}
    texts = [f"{one} {said(ours)} and {said(theirs)}" for one, (ours, theirs) in each.items()]
    held = all(ours > theirs for ours, theirs in each.values())
    return held, f"ensemble and large forest: {', '.join(texts)} {over(large)}"


CLAIMS = (
    Claim(
        "Forests have an Sp of 0.94 alone and of 0.99 as an ensemble, on average over six data "
        "sets (bar: both within 0.05 of the published means of the same data sets). The settings "
        "show which rule for ties yields this.",
        about(as_published, RF),
    ),
    Claim("A single forest has the highest mean Sp and JC5 of the four.", leads_alone),
    Claim("A single forest has the lowest mean JC1 of the four.", last_at_the_top),
    Claim(
        "Forests gain by an ensemble, most of all in mean JC1.", about(gains_most_at_the_top, RF)
    ),
    Claim(
        "Ensembles of forests are the most robust of all (mean Sp, JC5 and JC1).", ensembles_lead
    ),
    Claim(
        "Larger forests are often less robust than small ones (bar: 400 trees below 10 trees in "
        "half of all pairs of numbers).",
        about(larger_is_less_robust, RF),
    ),
    Claim(
        "An ensemble of 40 forests of 10 trees is more robust than one forest of 400 trees (mean "
        "Sp, JC5 and JC1).",
        about(ensemble_beats_large_forest, RF),
    ),
)
