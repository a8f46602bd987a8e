"""How many samples a wanted replication stability needs, from the data at hand."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import pandas as pd

from holdfast._checks import between
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._curve_fit import fit_curves
from holdfast.judge._replication._result import Replication
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from holdfast.judge._replication._curve_fit import CurveFit

FEWEST = 4
FURTHEST = 100
"""How many times the data are looked at; what needs more counts as never reached."""
FEW_POINTS = "stability is known at one number of samples only; each class needs 8 samples"
CORRECTED = ("nogueira", "kuncheva", "kappa", "phi", "npog", "unadjusted")
"""Measures that are the overlap of two subsets of one size, corrected for chance."""
SHARES = ("pog", "dice", "ochiai")
"""Measures that are the overlap as a share of the size."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SamplePlan:
    """What to expect of a selection at the samples at hand, and how many a target needs.

    Attributes
    ----------
    measure : str
        The measure of stability.
    size : int or None
        How many features are selected.
    n_samples : int
        Samples (subjects, where there are any) at hand.
    value, low, high : float
        Predicted stability of selections from two studies of `n_samples` each.
    again, again_low, again_high : float
        How many of the selected features the other study would select again; NaN where the
        measure does not tell.
    target : float
        The wanted stability.
    needed, needed_low, needed_high : float
        Fewest samples with a predicted stability of at least the target, and the ends of their
        interval. Infinite where a hundred times the data are not enough.
    confidence : float
        Level of the intervals.
    """

    measure: str
    size: int | None
    n_samples: int
    value: float
    low: float
    high: float
    again: float
    again_low: float
    again_high: float
    target: float
    needed: float
    needed_low: float
    needed_high: float
    confidence: float

    def to_frame(self) -> pd.DataFrame:
        """Return a table of one row, a column for each attribute."""
        return pd.DataFrame([asdict(self)])

    @property
    def sentence(self) -> str:
        """Say it in words."""
        stability = f"{self.measure} {self.value:.2f} ({self.low:.2f} to {self.high:.2f})"
        return f"Two studies of {self.n_samples:,} each: {self._again}{stability}. {self._needed}"

    @property
    def _again(self) -> str:
        if math.isnan(self.again):
            return ""
        span = f"{self.again_low:.0f} to {self.again_high:.0f}"
        return f"expect {self.again:.0f} ({span}) of {self.size:,} features again; "

    @property
    def _needed(self) -> str:
        wanted = f"A stability of {self.target:g}"
        if math.isinf(self.needed_low):
            return f"{wanted} is out of reach."
        if math.isinf(self.needed):
            return f"{wanted} is probably not reached; it needs at least {self.needed_low:,.0f}."
        most = f"to {self.needed_high:,.0f}" if math.isfinite(self.needed_high) else "or more"
        return f"{wanted} needs about {self.needed:,.0f} ({self.needed_low:,.0f} {most})."

    def __repr__(self) -> str:
        return f"<SamplePlan: {self.sentence}>"


def plan_samples(found: Replication, *, target: float = 0.8) -> SamplePlan:
    r"""Find how many samples a wanted replication stability needs.

    The curves of :func:`extrapolate` are followed to where they reach the target: their median
    gives the number of samples, and the ends of their band its interval. For measures of overlap
    that are corrected for chance, the value :math:`\rho` also says how many of k selected
    features another study of the same size would select again:

    .. math:: r = k \left(\rho\,(1 - k/p) + k/p\right).

    Parameters
    ----------
    found : Replication
        What :func:`replication` estimated on the data at hand.
    target : float, default 0.8
        The wanted stability, above 0 and below 1.

    Returns
    -------
    SamplePlan

    Raises
    ------
    InvalidInputError
        The estimate predicts nothing, since a class was too small or pairs have no value; the
        measure is a distance; the target is out of range.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = hf.judge.replication("t_score", X[:200], y[:200], size=5, n_pairs=20)
    >>> plan = hf.judge.plan_samples(found, target=0.9)
    >>> plan.n_samples, plan.low <= plan.value <= plan.high, plan.needed_low <= plan.needed
    (200, True, True)
    """
    if not isinstance(found, Replication):
        raise InvalidInputError(
            f"found must be what holdfast.replication returns; received {found!r}."
        )
    wanted = between(target, "target", 1.0)
    if get_measure(found.measure).distance:
        raise InvalidInputError(
            f"{found.measure} is a distance; plan by a similarity, such as nogueira."
        )
    if not predicts(found):
        raise InvalidInputError(
            f"nothing can be predicted from this estimate: {found.note or FEW_POINTS}."
        )
    fit = fit_curves(
        found.points, n_features=found.n_features, size=found.size, measure=found.measure
    )
    return _planned(found, fit, wanted)


def predicts(found: Replication) -> bool:
    """Tell whether an estimate says something of larger studies."""
    return len(found.points) > 1 and bool((found.curve["kind"] == "predicted").any())


def _planned(found: Replication, fit: CurveFit, target: float) -> SamplePlan:
    now = int(found.curve.loc[found.curve["kind"] == "predicted", "n_samples"].min())
    value, low, high = fit.at(now, found.confidence)
    again = [
        features_again(one, measure=found.measure, size=found.size, n_features=found.n_features)
        for one in (value, low, high)
    ]
    needed, last, first = (_needed(fit, target, now, found.confidence, of) for of in range(3))
    return SamplePlan(
        measure=found.measure, size=found.size, n_samples=now,
        value=value, low=low, high=high,
        again=again[0], again_low=again[1], again_high=again[2],
        target=target, needed=needed, needed_low=first, needed_high=last,
        confidence=found.confidence,
    )  # fmt: skip


def features_again(value: float, *, measure: str, size: int | None, n_features: int) -> float:
    r"""Return how many of the selected features another study is expected to select again.

    Of two lists of k of p features with agreement :math:`\rho` beyond chance,
    :math:`k(\rho(1 - k/p) + k/p)` features are expected in both. NaN where the measure does not
    tell, or the selector chooses the size.
    """
    if size is None or measure not in CORRECTED + SHARES:
        return math.nan
    share = size / n_features if measure in CORRECTED else 0.0
    return min(max(size * (value * (1 - share) + share), 0.0), float(size))


def _needed(fit: CurveFit, target: float, now: int, confidence: float, of: int) -> float:
    """Return the fewest samples at which a line of the prediction reaches the target.

    Lines are the value (0), the lower (1) and the upper end (2) of the interval.
    """
    few, many = FEWEST - 1, FURTHEST * now
    if fit.at(many, confidence)[of] < target:
        return math.inf
    while many - few > 1:
        middle = (few + many) // 2
        if fit.at(middle, confidence)[of] >= target:
            many = middle
        else:
            few = middle
    return float(many)
