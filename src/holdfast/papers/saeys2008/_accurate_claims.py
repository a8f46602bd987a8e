"""What the paper states about accuracy: Table 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers.saeys2008._selectors import ENSEMBLE, RELIEF, RF, SINGLE, SU, SVM_RFE
from holdfast.papers.saeys2008._wide import PAIRS, about, first_of, gain, means, over, wide

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._claims import Seen
    from holdfast.papers.saeys2008._wide import Means

ABOUT, WELL = 0.02, 0.02
"""Bars, where the paper gives none."""
OURS, WHOLE = (SVM_RFE, ENSEMBLE), ("All", "features")
OTHERS = (SU, RELIEF, SVM_RFE)
CLASSIFIERS = ("SVM", "RF", "KNN")


def by_classifier(seen: Seen) -> tuple[dict[str, Means], str]:
    """Return means over the data sets that all classifiers have, and how many these are."""
    table = wide(seen)
    counts = table.groupby("data").size()
    whole = table.loc[counts.index[counts == len(CLASSIFIERS)]]
    if whole.empty:
        raise Unchecked("no data set has numbers of all classifiers")
    return {name: means(_of(whole, name)) for name in CLASSIFIERS}, over(whole)


def _of(table: pd.DataFrame, classifier: str) -> pd.DataFrame:
    return table[table.index.get_level_values("classifier") == classifier]


def svm_with_ensemble_leads(seen: Seen) -> tuple[bool, str]:
    """Ensembles of SVM-RFE with the SVM have the highest mean accuracy of all."""
    found, where = by_classifier(seen)
    ours = found["SVM"][OURS]
    bests = {name: first_of(own) for name, own in found.items()}
    best = max(found, key=lambda name: found[name][bests[name]])
    highest = found[best][bests[best]]
    text = f"{ours:.3f}, highest {highest:.3f} ({' '.join(bests[best])} with {best})"
    return ours >= highest, f"{text} {where}"


def svm_ensemble_does_well(seen: Seen) -> tuple[bool, str]:
    """Ensembles of SVM-RFE are near the best with the other classifiers, too."""
    found, where = by_classifier(seen)
    pairs = {name: (found[name][OURS], max(found[name].values())) for name in ("RF", "KNN")}
    texts = [f"{name} {ours:.3f}, best {best:.3f}" for name, (ours, best) in pairs.items()]
    held = all(best - ours <= WELL for ours, best in pairs.values())
    return held, f"{'; '.join(texts)} {where}"


def about_as_accurate(seen: Seen) -> tuple[bool, str]:
    """Ensembles of all but forests are about as accurate as single selectors, or better."""
    found, where = by_classifier(seen)
    each = {(one, name): gain(found[name], one) for one in OTHERS for name in CLASSIFIERS}
    low, high = min(each.values()), max(each.values())
    worst = min(each, key=lambda pair: each[pair])
    text = f"changes from {low:+.3f} ({' with '.join(worst)}) to {high:+.3f}"
    return low >= -ABOUT, f"{text}, mean {sum(each.values()) / len(each):+.3f} {where}"


def forests_lose(seen: Seen) -> tuple[bool, str]:
    """Ensembles of forests are less accurate than single forests on every data set."""
    table = wide(seen, needed=[(RF, SINGLE), (RF, ENSEMBLE)])
    found = {str(data): means(own) for data, own in table.groupby("data", sort=False)}
    texts = [
        f"{data} {own[RF, SINGLE]:.2f} to {own[RF, ENSEMBLE]:.2f}" for data, own in found.items()
    ]
    return all(gain(own, RF) < 0 for own in found.values()), ", ".join(texts)


def better_than_all(seen: Seen) -> tuple[bool, str]:
    """Features that ensembles choose mostly beat all features, but for forests."""
    table = wide(seen, needed=[*PAIRS, WHOLE])
    chosen = table[[(one, ENSEMBLE) for one in OTHERS]].to_numpy()
    better = chosen > table[[WHOLE]].to_numpy()
    return bool(better.mean() > 0.5), f"better in {better.sum()} of {better.size} {over(table)}"


def forests_not_better_than_all(seen: Seen) -> tuple[bool, str]:
    """Features that ensembles of forests choose mostly do not beat all features."""
    table = wide(seen, needed=[(RF, ENSEMBLE), WHOLE])
    better = table[RF, ENSEMBLE].to_numpy() > table[WHOLE].to_numpy()
    return bool(better.mean() <= 0.5), f"better in {better.sum()} of {better.size} {over(table)}"


CLAIMS = (
    Claim(
        "Of all pairs, ensembles of SVM-RFE with the SVM have the highest mean accuracy.",
        svm_with_ensemble_leads,
    ),
    Claim(
        "With the other classifiers, too, ensembles of SVM-RFE do well (bar: mean accuracy within "
        "0.02 of the best).",
        svm_ensemble_does_well,
    ),
    Claim(
        "But for forests, ensembles are about as accurate as single selectors, or better (bar: no "
        "mean accuracy falls by more than 0.02).",
        about_as_accurate,
    ),
    Claim(
        "Ensembles of forests are less accurate than single forests on every data set (mean of "
        "the classifiers).",
        about(forests_lose, RF),
    ),
    Claim(
        "But for forests, features that ensembles choose beat all features in most cases (bar: "
        "more than half).",
        better_than_all,
    ),
    Claim(
        "Forests are the exception: features that their ensembles choose beat all features in no "
        "more than half of the cases.",
        about(forests_not_better_than_all, RF),
    ),
)
