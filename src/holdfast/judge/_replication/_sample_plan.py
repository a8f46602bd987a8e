"""Sample size planning: the samples that a replication stability needs, from a pilot study.

The prediction of `_prediction` is followed to where it, and the ends of its interval, reach the
target.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import pandas as pd

from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._estimate import Replication, is_at_chance
from holdfast.judge._replication._prediction import (
    CORRECTED_MEASURES,
    SHARE_MEASURES,
    fit_stability_line,
)
from holdfast.measures import get_measure

ONE_POINT_NOTE = "stability is known at one number of samples only; each class needs 8 samples"


@dataclass(frozen=True, kw_only=True, repr=False)
class SamplePlan:
    """Expected agreement at the present number of samples, and the samples that a target needs.

    Attributes
    ----------
    measure : str
        The measure of stability.
    size : int or None
        Number of selected features.
    n_samples : int
        Number of samples, or of subjects.
    value, low, high : float
        Predicted stability of two studies of `n_samples` each.
    again, again_low, again_high : float
        Selected features that the other study is expected to select again; NaN where this does not
        follow from the measure.
    target : float
        The stability to reach.
    needed : float
        Fewest samples with a predicted stability of at least the target. NaN where 16 times the
        data are not enough and the number is unknown. Infinite where selections agree no better
        than chance, so that nothing can be planned.
    needed_low, needed_high : float
        Interval of the needed samples; `needed_high` is NaN where it is unknown.
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
        """Return a table of one row with one column per attribute."""
        return pd.DataFrame([asdict(self)])

    @property
    def sentence(self) -> str:
        """The plan in words."""
        stability = f"{self.measure} {self.value:.2f} ({self.low:.2f} to {self.high:.2f})"
        studies = f"Two studies of {self.n_samples:,} each"
        return f"{studies}: {self._format_again()}{stability}. {self._format_needed()}"

    def _format_again(self) -> str:
        if math.isnan(self.again):
            return ""
        span = f"{self.again_low:.0f} to {self.again_high:.0f}"
        return f"expect {self.again:.0f} ({span}) of {self.size:,} features again; "

    def _format_needed(self) -> str:
        target = f"A stability of {self.target:g}"
        if math.isinf(self.needed):
            return f"{target} cannot be planned for: the data do not show agreement beyond chance."
        least = f"at least {self.needed_low:,.0f}"
        if math.isnan(self.needed):
            return f"{target} needs {least}."
        ends = f"{self.needed_low:,.0f} to {self.needed_high:,.0f}"
        span = f"{least}, at most unknown" if math.isnan(self.needed_high) else ends
        return f"{target} needs about {self.needed:,.0f} ({span})."

    def __repr__(self) -> str:
        return f"<SamplePlan: {self.sentence}>"


def plan_samples(found: Replication, *, target: float = 0.8) -> SamplePlan:
    r"""Find how many samples a target replication stability needs.

    The prediction of :func:`replication`, and the ends of its interval, are followed to where they
    reach the target. For measures of overlap that are corrected for chance, the value
    :math:`\rho` also gives how many of k selected features another study of the same size is
    expected to select again:

    .. math:: r = k \left(\rho\,(1 - k/p) + k/p\right).

    Parameters
    ----------
    found : Replication
        The result of :func:`replication` on the pilot data.
    target : float, default 0.8
        The stability to reach, above 0 and below 1.

    Returns
    -------
    SamplePlan

    Raises
    ------
    InvalidInputError
        The estimate has no predictions, because a class was too small or pairs have no value; the
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
        raise InvalidInputError(f"found must be a result of holdfast.replication, got {found!r}.")
    wanted = check_positive_number(target, "target", 1.0)
    if get_measure(found.measure).distance:
        raise InvalidInputError(
            f"{found.measure} is a distance; plan by a similarity, such as nogueira."
        )
    if not has_predictions(found):
        raise InvalidInputError(
            f"nothing can be predicted from this estimate: {found.note or ONE_POINT_NOTE}."
        )
    return _make_plan(found, wanted)


def has_predictions(found: Replication) -> bool:
    """Return whether an estimate has predictions for larger studies."""
    return len(found.points) > 1 and bool((found.curve["kind"] == "predicted").any())


def _make_plan(found: Replication, target: float) -> SamplePlan:
    n_samples = int(found.curve.loc[found.curve["kind"] == "predicted", "n_samples"].min())
    line = fit_stability_line(
        found.points,
        n_units=n_samples,
        n_features=found.n_features,
        size=found.size,
        measure=found.measure,
        share=found.share,
        score_shares=found.score_shares,
    )
    value, low, high = line.predict(n_samples, found.confidence)
    again = [
        expected_common_features(
            stability, measure=found.measure, size=found.size, n_features=found.n_features
        )
        for stability in (value, low, high)
    ]
    needed, needed_low, needed_high = line.samples_for(target, found.confidence)
    if is_at_chance(found):
        needed, needed_high = math.inf, math.nan
    return SamplePlan(
        measure=found.measure, size=found.size, n_samples=n_samples,
        value=value, low=low, high=high,
        again=again[0], again_low=again[1], again_high=again[2],
        target=target, needed=needed, needed_low=needed_low, needed_high=needed_high,
        confidence=found.confidence,
    )  # fmt: skip


def expected_common_features(
    value: float, *, measure: str, size: int | None, n_features: int
) -> float:
    r"""Return how many selected features another study is expected to select again.

    Of two lists of k of p features with agreement :math:`\rho` beyond chance,
    :math:`k(\rho(1 - k/p) + k/p)` features are expected in both. NaN for other measures, or where
    the selector chooses the size.
    """
    if size is None or measure not in CORRECTED_MEASURES + SHARE_MEASURES:
        return math.nan
    share = size / n_features if measure in CORRECTED_MEASURES else 0.0
    return min(max(size * (value * (1 - share) + share), 0.0), float(size))
