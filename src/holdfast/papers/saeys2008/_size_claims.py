"""What the paper states about the size of ensembles: Figure 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers.saeys2008._selectors import N_BAGS, RELIEF, RF, SU, SVM_RFE
from holdfast.papers.saeys2008._wide import about, over

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._claims import Seen

SLOWER = 0.25
"""Bar: the share of the gain from 1 to 20 bags that the next 20 may bring."""


def curves(seen: Seen) -> tuple[pd.DataFrame, str]:
    """Return mean JC1 by selector and number of bags, and over how many data sets."""
    table = seen.pivot(["data", "selector"], "bags")
    counts = table.groupby("data").size()
    table = table.loc[list(counts.index[counts == counts.max()])]
    absent = {SU, RELIEF, SVM_RFE, RF} - set(table.index.get_level_values("selector"))
    if absent or not {1, 10, 20, N_BAGS} <= set(table.columns):
        raise Unchecked("not all ensembles that it speaks about were measured")
    return table.groupby("selector", sort=False).mean(), over(table)


def slows_after_20(selector: str) -> Claim:
    """Say that the gain of a selector slows down after 20 bags."""

    def check(seen: Seen) -> tuple[bool, str]:
        means, where = curves(seen)
        first, then, last = (float(means.loc[[selector], bags].iloc[0]) for bags in (1, 20, N_BAGS))
        text = f"{first:.2f} alone, {then:.2f} with 20 bags, {last:.2f} with {N_BAGS} {where}"
        return bool(then > first and last - then <= SLOWER * (then - first)), text

    return Claim(
        f"{selector}: robustness rises at first and slows after about 20 bags (bar: 20 more bring "
        "at most a quarter of what the first 20 brought).",
        about(check, selector),
    )


def forests_converge_earlier(seen: Seen) -> tuple[bool, str]:
    """By 10 bags forests have a larger share of their gain than the other selectors."""
    means, where = curves(seen)
    gain = means[N_BAGS] - means[1]
    shares = ((means[10] - means[1]) / gain)[gain > 0]
    if RF not in shares or len(shares) < 2:
        raise Unchecked("forests, or all others, gain nothing by 40 bags")
    texts = [f"{name} {share:.0%}" for name, share in shares.items()]
    held = bool(shares[RF] > shares.drop(RF).max())
    return held, f"share of the gain of {N_BAGS} bags at 10: {', '.join(texts)} {where}"


CLAIMS = (
    slows_after_20(SU),
    slows_after_20(RELIEF),
    slows_after_20(SVM_RFE),
    Claim(
        "Forests converge earlier (bar: of those that gain, they have the largest share of the "
        "gain of 40 bags at 10 bags).",
        forests_converge_earlier,
    ),
)
