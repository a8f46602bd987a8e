"""Selections on half-samples, and the selection probabilities along the path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_regressor

from holdfast._formatting import plural
from holdfast._random import generators
from holdfast._typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    LabelsLike,
    SelectorLike,
)
from holdfast.errors import InvalidInputError
from holdfast.resample import ComplementaryHalves
from holdfast.select._adapter import AnySelector, as_selector, wrong_kind_error
from holdfast.select._ensemble._stability_parameters import SAMPLINGS
from holdfast.select._l1_path import NEVER
from holdfast.select._ranker import Ranker
from holdfast.select._selector import resample_subjects

if TYPE_CHECKING:
    from holdfast.select._ensemble._stability_parameters import SubsampleDesign


Rows = Sequence[IndexArray]
Halves = list[IndexArray]


MAX_PATH_STEPS = 100
"""Largest number of steps of a stored path: enough for a smooth curve; chosen by hand."""
SIZE_AXIS, PENALTY_AXIS = "number of selected features", "relative penalty"


@dataclass(frozen=True, eq=False, repr=False)
class StabilityPath:
    """The share of subsamples in which features are selected up to each step of the path.

    Attributes
    ----------
    axis : {"number of selected features", "relative penalty"}
        What the steps are. Penalties are relative to the one at which the first feature of the
        subsample enters.
    steps : array of shape (s,)
        At most 100 steps: rising numbers of features, or falling penalties.
    features : tuple of str or int
        Names, or indices, of the features that are selected in at least one subsample, the most
        frequent first. All others have probability 0 at every step.
    probabilities : array of shape (s, f)
        One row per step; probabilities never fall along the path.
    threshold : float
        The smallest share at the last step for which a feature is selected.
    selected : array of shape (f,)
        Which of the features are selected.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> path = hf.StabilitySelection("t_score").fit(X, y).stability_path_
    >>> path
    <StabilityPath: 6 features, 3 steps of the number of selected features>
    >>> path.to_frame().query("feature == 'flavanoids'")["probability"].tolist()
    [0.0, 0.09, 0.65]
    """

    axis: str
    steps: NDArray[np.generic]
    features: tuple[str, ...] | tuple[int, ...]
    probabilities: FloatArray
    threshold: float
    selected: BoolArray

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per feature and step.

        Returns
        -------
        pandas.DataFrame
            Columns ``feature``, ``step``, ``probability`` and ``selected``.
        """
        s, f = self.probabilities.shape
        return pd.DataFrame(
            {
                "feature": np.repeat(np.array(self.features, dtype=object), s),
                "step": np.tile(self.steps, f),
                "probability": self.probabilities.T.ravel(),
                "selected": np.repeat(self.selected, s),
            }
        )

    def __repr__(self) -> str:
        features, steps = plural(len(self.features), "feature"), plural(len(self.steps), "step")
        return f"<StabilityPath: {features}, {steps} of the {self.axis}>"


def build_stability_path(
    picks: Picks, threshold: float, selected: BoolArray, names: NDArray[np.object_] | None
) -> StabilityPath:
    """Return the path of selection probabilities that led to these picks."""
    counts = picks.counts()
    # the most frequent first, without those never picked
    features = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    # entry times rise along the path: the position, or minus the penalty; infinite if never picked
    if picks.penalties is None:
        axis, positions = SIZE_AXIS, picks.positions[:, features]
        times = np.where(positions < NEVER, positions, np.inf)
    else:
        axis, penalties = PENALTY_AXIS, picks.penalties[:, features]
        times = np.where(penalties > 0, -penalties, np.inf)
    steps = np.unique(times[np.isfinite(times)])
    if len(steps) > MAX_PATH_STEPS:  # thin them evenly, with the first and the last
        steps = steps[np.linspace(0, len(steps) - 1, MAX_PATH_STEPS).round().astype(np.intp)]
    shares = np.array([(times <= step).mean(axis=0) for step in steps])
    labels = features.tolist() if names is None else [str(name) for name in names[features]]
    return StabilityPath(
        axis=axis,
        steps=steps.astype(np.intp) if axis == SIZE_AXIS else -steps,
        features=tuple(labels),
        probabilities=shares.reshape(len(steps), len(features)),
        threshold=threshold,
        selected=selected[features],
    )


# The features that a base selector picks on each subsample, and their order.


class LabelledSamples(NamedTuple):
    """Samples with codes of classes, or with numbers to regress on (`classes` is None)."""

    X: Any
    y: AnyArray
    classes: AnyArray | None
    subjects: AnyArray | None


class Picks(NamedTuple):
    """The features picked on each subsample: one row per subsample, one column per feature.

    `positions` is 1 for the feature picked first, 2 for the next, and `NEVER` for those not
    picked. `penalties` are those at which features enter, relative to the largest; None if the
    base has no path.
    """

    positions: NDArray[np.int32]
    penalties: FloatArray | None

    def keep_first(self, q: int) -> Picks:
        """Return only the first q picks of each subsample."""
        late = self.positions > q
        penalties = None if self.penalties is None else np.where(late, 0.0, self.penalties)
        return Picks(np.where(late, NEVER, self.positions), penalties)

    def counts(self) -> IntArray:
        """Return how often each feature is picked."""
        counts: IntArray = np.count_nonzero(self.positions < NEVER, axis=0)
        return counts

    def counts_by_size(self, most: int) -> IntArray:
        """Return how often each feature is among the first 1, 2, ..., `most`; one row for each."""
        table = np.zeros((most, self.positions.shape[1]), dtype=np.int64)
        sample, feature = np.nonzero(self.positions <= most)
        np.add.at(table, (self.positions[sample, feature] - 1, feature), 1)
        return np.cumsum(table, axis=0)


def as_base(base: SelectorLike, default: Callable[[], Ranker]) -> Ranker:
    """Return the base selector, which must rank features; None is the default."""
    ranker = default() if base is None else as_selector(base)
    if isinstance(ranker, Ranker):
        return ranker
    raise wrong_kind_error(ranker, "stability selection needs a base that ranks features")


def is_regression(base: Ranker, y: LabelsLike) -> bool:
    """Return whether the base regresses on the target, rather than reading classes from it."""
    values = np.asarray(y)
    # numbers with fractional parts, or too large to have any, are not codes of classes
    if (
        values.dtype.kind == "f"
        and np.isfinite(values).all()
        and ((values % 1 != 0) | (np.abs(np.spacing(values)) >= 1)).any()
    ):
        return True
    wrapped = getattr(base, "estimator", None)
    if hasattr(wrapped, "fit"):
        return bool(is_regressor(wrapped))
    gaussian = getattr(base, "family", None) == "gaussian"
    return gaussian and values.dtype.kind in "iuf" and len(np.unique(values)) > 2


def pick_features(base: Ranker, data: LabelledSamples, rows: Rows, most: int, seed: int) -> Picks:
    """Pick at most `most` features on each subsample."""
    base.set_params(random_state=seed)
    # a path selector reports when features enter, not only their final ranks
    if hasattr(base, "entry_order"):
        return Picks(*base.entry_order(data.X, data.y, rows, most))
    if data.classes is None:
        ranks = _numeric_ranks(base, data, rows, seed)
    else:
        bound = base._bind_supported(data.X, data.y, data.subjects)
        ranks = bound.select_resamples(rows)[1].values
        if bound.found_counts is not None:  # features of weight 0 are never picked
            found = np.array(bound.found_counts)[:, None]
            ranks = np.where(ranks <= found, ranks, NEVER)
    return Picks(np.where(ranks <= most, ranks, NEVER).astype(np.int32, copy=False), None)


def _numeric_ranks(base: Ranker, data: LabelledSamples, rows: Rows, seed: int) -> AnyArray:
    """Rank by an estimator or a function, which accept any target."""
    if not isinstance(base, AnySelector):
        raise InvalidInputError(
            f"{type(base).__name__} needs classes, but y holds numbers to regress on. Leave the "
            "base out, or give an estimator or a function for regression."
        )
    return np.array(
        [
            base.rank_found(data.X[half], data.y[half], generator, NEVER)
            for half, generator in zip(rows, generators(seed, len(rows)), strict=True)
        ]
    )


# Half-samples: complementary pairs or unpaired halves, of samples or of whole subjects.


def draw_halves(
    data: LabelledSamples, rows: NDArray[np.integer], design: SubsampleDesign, seed: int
) -> Halves:
    """Draw two halves per pair from the given rows of the data, which may repeat.

    The samples of a subject stay together, and so do copies of a sample, so that the halves of a
    pair share nothing. Halves are stratified by class.
    """
    subjects = resample_subjects(data.subjects, rows)
    paired = design.sampling == SAMPLINGS[0]  # unpaired: one half of each of twice as many pairs
    pairs = design.n_pairs if paired else 2 * design.n_pairs
    try:
        if data.classes is None:
            halves = _draw_plain_halves(len(rows), subjects, pairs, seed)
        else:
            resamples = ComplementaryHalves(pairs).draw(
                data.classes[data.y[rows]], subjects, random_state=seed
            )
            halves = [resample.train for resample in resamples]
    except InvalidInputError as error:
        n, p = len(rows), data.X.shape[1]
        raise InvalidInputError(f"{error} Got {n:,} samples of {p:,} feature(s).") from None
    return [rows[half].astype(np.intp) for half in (halves if paired else halves[::2])]


def _draw_plain_halves(
    n_samples: int, subjects: AnyArray | None, n_pairs: int, seed: int
) -> Halves:
    """Draw halves of samples, or subjects, without strata; an odd one is left out of each pair."""
    members = list(np.arange(n_samples)[:, None])
    if subjects is not None:
        codes = np.unique(subjects, return_inverse=True)[1]
        members = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    if len(members) < 4:
        noun = "samples" if subjects is None else "subjects"
        raise InvalidInputError(f"halves of at least 2 {noun} need 4 of them; got {len(members)}.")
    generator, size = np.random.default_rng(seed), len(members) // 2
    orders = [generator.permutation(len(members)) for _ in range(n_pairs)]
    return [
        np.sort(np.concatenate([members[unit] for unit in part]))
        for order in orders
        # complementary halves of [Shah2013]_: both parts of one permutation
        for part in (order[:size], order[size : 2 * size])
    ]
