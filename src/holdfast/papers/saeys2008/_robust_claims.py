"""What the paper states about robustness: Table 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.papers._claims import Claim
from holdfast.papers.saeys2008._forest_claims import CLAIMS as FOREST_CLAIMS
from holdfast.papers.saeys2008._selectors import RELIEF, SELECTORS, SINGLE, SU, SVM_RFE
from holdfast.papers.saeys2008._tables import MEASURES
from holdfast.papers.saeys2008._wide import (
    about,
    gain,
    gains,
    listed,
    means,
    of_kind,
    over,
    steps,
    wide,
)

if TYPE_CHECKING:
    from holdfast.papers._claims import Seen
    from holdfast.papers.saeys2008._wide import Check

MOST, CLEAR, SLIGHT = 0.8, 0.05, 0.05
"""Bars, where the paper gives none."""


def ensembles_raise(measure: str) -> Check:
    """Return a check that ensembles have the higher mean for every selector."""

    def check(seen: Seen) -> tuple[bool, str]:
        table = wide(seen, measure=measure)
        found = means(table)
        return all(gain(found, one) > 0 for one in SELECTORS), f"{steps(found)} {over(table)}"

    return check


def ensembles_mostly_raise(seen: Seen) -> tuple[bool, str]:
    """Ensembles are more robust in most cells of the table."""
    table = wide(seen)
    up = np.array([gains(table, one) > 0 for one in SELECTORS])
    return bool(up.mean() >= MOST), f"higher in {up.sum()} of {up.size} pairs {over(table)}"


def clearly_gains(selector: str) -> Check:
    """Return a check that a selector gains much by an ensemble, in ranks and at the top."""

    def check(seen: Seen) -> tuple[bool, str]:
        table = wide(seen, measure="Sp")
        found = {"Sp": means(table), "JC1": means(wide(seen, measure="JC1"))}
        texts = [f"{short}: {steps(own, [selector])}" for short, own in found.items()]
        held = min(gain(own, selector) for own in found.values()) >= CLEAR
        return held, f"{'; '.join(texts)} {over(table)}"

    return about(check, selector)


def svm_gains_little(seen: Seen) -> tuple[bool, str]:
    """SVM-RFE gains at the top, but little."""
    table = wide(seen, measure="JC1")
    found = means(table)
    return 0 < gain(found, SVM_RFE) < SLIGHT, f"JC1: {steps(found, [SVM_RFE])} {over(table)}"


def relief_is_unstable(seen: Seen) -> tuple[bool, str]:
    """A single Relief is among the two selectors with the lowest Sp."""
    table = wide(seen, measure="Sp")
    found = of_kind(means(table), SINGLE)
    held = RELIEF in sorted(found, key=lambda one: found[one])[:2]
    return held, f"Sp of single selectors: {listed(found)} {over(table)}"


def svm_is_stabler_than_filters(seen: Seen) -> tuple[bool, str]:
    """A single SVM-RFE is more robust than both filters, by all measures."""
    tables = {short: wide(seen, measure=short) for short in MEASURES}
    texts, held = [], True
    for short, table in tables.items():
        found = of_kind(means(table), SINGLE)
        held &= found[SVM_RFE] > max(found[SU], found[RELIEF])
        texts.append(f"{short}: {listed({one: found[one] for one in (SU, RELIEF, SVM_RFE)})}")
    return held, f"{'; '.join(texts)} {over(tables['Sp'])}"


CLAIMS = (
    Claim("Ensembles raise the mean Sp of every selector.", ensembles_raise("Sp")),
    Claim("Ensembles raise the mean JC1 of every selector.", ensembles_raise("JC1")),
    Claim("Ensembles raise the mean JC5 of every selector.", ensembles_raise("JC5")),
    Claim(
        "In general ensembles are more robust (bar: in 80% of all pairs of numbers).",
        ensembles_mostly_raise,
    ),
    Claim(
        "A single Relief is one of the less stable selectors (bar: lowest two in mean Sp).",
        relief_is_unstable,
    ),
    Claim(
        "Relief clearly gains by an ensemble (bar: 0.05 in mean Sp and JC1).", clearly_gains(RELIEF)
    ),
    Claim("SU clearly gains by an ensemble (bar: 0.05 in mean Sp and JC1).", clearly_gains(SU)),
    Claim(
        "A single SVM-RFE is more stable than SU and Relief (mean Sp, JC5 and JC1).",
        svm_is_stabler_than_filters,
    ),
    Claim(
        "SVM-RFE gains only slightly by an ensemble (bar: mean JC1 up by less than 0.05).",
        about(svm_gains_little, SVM_RFE),
    ),
    *FOREST_CLAIMS,
)
