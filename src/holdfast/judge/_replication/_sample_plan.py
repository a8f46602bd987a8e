"""How many samples a wanted replication stability needs, from the data of a pilot study."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import pandas as pd

from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._estimate import Replication, at_chance
from holdfast.judge._replication._prediction import (
    CORRECTED,
    SHARES,
    line_through,
)
from holdfast.measures import get_measure

FEW_POINTS = "stability is known at one number of samples only; each class needs 8 samples"


@dataclass(frozen=True, kw_only=True, repr=False)
class SamplePlan:
    """What to expect of a selection from as many samples as there are, and how many a target needs.

    Attributes
    ----------
    measure : str
        The measure of stability.
    size : int or None
        How many features are selected.
    n_samples : int
        Samples (subjects, where there are any) of the data.
    value, low, high : float
        Predicted stability of selections from two studies of `n_samples` each.
    again, again_low, again_high : float
        How many of the selected features the other study would select again; NaN where the
        measure does not tell.
    target : float
        The wanted stability.
    needed : float
        Fewest samples with a predicted stability of at least the target. NaN where 16 times the
        data are not enough: how many more it takes is not known. Infinite where selections agree
        no better than chance, so that nothing can be planned.
    needed_low, needed_high : float
        Interval of the needed samples: at least `needed_low`; at most `needed_high`, which is NaN
        where no end is known.
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
        if math.isinf(self.needed):
            return f"{wanted} cannot be planned for: the data do not show agreement beyond chance."
        least = f"at least {self.needed_low:,.0f}"
        if math.isnan(self.needed):
            return f"{wanted} needs {least}."
        ends = f"{self.needed_low:,.0f} to {self.needed_high:,.0f}"
        span = f"{least}, at most unknown" if math.isnan(self.needed_high) else ends
        return f"{wanted} needs about {self.needed:,.0f} ({span})."

    def __repr__(self) -> str:
        return f"<SamplePlan: {self.sentence}>"


def plan_samples(found: Replication, *, target: float = 0.8) -> SamplePlan:
    r"""Find how many samples a wanted replication stability needs.

    The prediction of :func:`replication` is followed to where it reaches the target, and the ends
    of its interval likewise. For measures of overlap that are corrected for chance,
    the value :math:`\rho` also says how many of k selected features another study of the same size
    would select again:

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
    wanted = check_positive_number(target, "target", 1.0)
    if get_measure(found.measure).distance:
        raise InvalidInputError(
            f"{found.measure} is a distance; plan by a similarity, such as nogueira."
        )
    if not predicts(found):
        raise InvalidInputError(
            f"nothing can be predicted from this estimate: {found.note or FEW_POINTS}."
        )
    return _make_plan(found, wanted)


def predicts(found: Replication) -> bool:
    """Tell whether an estimate says something of larger studies."""
    return len(found.points) > 1 and bool((found.curve["kind"] == "predicted").any())


def _make_plan(found: Replication, target: float) -> SamplePlan:
    now = int(found.curve.loc[found.curve["kind"] == "predicted", "n_samples"].min())
    line = line_through(
        found.points,
        n_units=now,
        n_features=found.n_features,
        size=found.size,
        measure=found.measure,
        share=found.share,
        score_shares=found.score_shares,
    )
    value, low, high = line.at(now, found.confidence)
    again = [
        features_again(one, measure=found.measure, size=found.size, n_features=found.n_features)
        for one in (value, low, high)
    ]
    needed, first, last = line.samples_for(target, found.confidence)
    if at_chance(found):
        needed, last = math.inf, math.nan
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
