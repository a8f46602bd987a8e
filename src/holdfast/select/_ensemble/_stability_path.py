"""How selection probabilities grow along the path: what stability selection looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError
from holdfast.preferences._ranks import generators, ranks_of
from holdfast.resample import ComplementaryHalves
from holdfast.select._adapter import AnySelector, as_selector, given_by
from holdfast.select._ensemble._stability_parameters import SAMPLINGS
from holdfast.select._l1_path import NEVER
from holdfast.select._ranker import Ranker
from holdfast.select._selector import together

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.select._ensemble._stability_parameters import Sampled

    Array = NDArray[np.float64]
    Rows = Sequence[NDArray[np.intp]]
    RowsHalfSamples = list[NDArray[np.intp]]


MAX_PATH_STEPS = 100
"""Most steps of a path."""
SIZE, PENALTY = "number of selected features", "relative penalty"


@dataclass(frozen=True, eq=False, repr=False)
class StabilityPath:
    """The share of subsamples in which features have been selected by each step of the path.

    Attributes
    ----------
    axis : {"number of selected features", "relative penalty"}
        What the steps are. A penalty is relative to the one at which the first feature of the
        subsample enters.
    steps : array of shape (s,)
        Numbers of features rise; penalties fall. At most 100.
    features : tuple of str or int
        Names, or numbers, of the features that are selected in at least one subsample, the most
        frequent first. All others have probability 0 all along.
    probabilities : array of shape (s, f)
        Rows are steps; they never fall along the path.
    threshold : float
        The least share at the last step that is enough to be selected.
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
    probabilities: Array
    threshold: float
    selected: NDArray[np.bool_]

    def to_frame(self) -> pd.DataFrame:
        """Return a table: one row a feature and step, with its probability.

        Returns
        -------
        pandas.DataFrame
            Columns ``feature``, ``step``, ``probability`` and ``selected``.
        """
        import pandas as pd  # noqa: PLC0415  (only where a table is wanted)

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


def path_of(
    picks: Picks,
    threshold: float,
    selected: NDArray[np.bool_],
    names: NDArray[np.object_] | None,
) -> StabilityPath:
    """Return the path that led to these picks."""
    counts = picks.counts()
    features = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    axis, times = _times(picks, features)
    steps = _steps(times)
    shares = np.array([(times <= step).mean(axis=0) for step in steps])
    named = features.tolist() if names is None else [str(name) for name in names[features]]
    return StabilityPath(
        axis=axis,
        steps=steps.astype(np.intp) if axis == SIZE else -steps,
        features=tuple(named),
        probabilities=shares.reshape(len(steps), len(features)),
        threshold=threshold,
        selected=selected[features],
    )


def _times(picks: Picks, features: NDArray[np.intp]) -> tuple[str, Array]:
    """Return when each feature is picked on each subsample: the number picked, minus the penalty.

    Later is larger; infinite is never.
    """
    if picks.penalties is not None:
        penalties = picks.penalties[:, features]
        return PENALTY, np.where(penalties > 0, -penalties, np.inf)
    positions = picks.positions[:, features]
    return SIZE, np.where(positions < NEVER, positions, np.inf)


def _steps(times: Array) -> Array:
    """Return the times at which something happens; where they are many, some, evenly spread."""
    known = np.unique(times[np.isfinite(times)])
    if len(known) <= MAX_PATH_STEPS:
        return known
    return known[np.linspace(0, len(known) - 1, MAX_PATH_STEPS).round().astype(np.intp)]


# What a base selector picks on each subsample, and in which order.


class StabilitySelectionData(NamedTuple):
    """A data set: samples, codes of classes or numbers, and the classes, None for numbers."""

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any] | None
    subjects: NDArray[Any] | None


class Picks(NamedTuple):
    """The features picked on each subsample: a row a subsample, a column a feature.

    `positions` is 1 for the feature picked first, 2 for the next, and `NEVER` for those not picked.
    `penalties` are those at which features entered, relative to the largest; None without a path.
    """

    positions: NDArray[np.int32]
    penalties: Array | None

    def first(self, q: int) -> Picks:
        """Return the picks of the first q places only."""
        late = self.positions > q
        penalties = None if self.penalties is None else np.where(late, 0.0, self.penalties)
        return Picks(np.where(late, NEVER, self.positions), penalties)

    def counts(self) -> NDArray[np.int64]:
        """Return how often each feature is picked."""
        counts: NDArray[np.int64] = np.count_nonzero(self.positions < NEVER, axis=0)
        return counts

    def counts_by_size(self, most: int) -> NDArray[np.int64]:
        """Return how often each feature is among the first 1, 2, ..., most; a row a number."""
        table = np.zeros((most, self.positions.shape[1]), dtype=np.int64)
        sample, feature = np.nonzero(self.positions <= most)
        np.add.at(table, (self.positions[sample, feature] - 1, feature), 1)
        return np.cumsum(table, axis=0)


def base_of(given: Any, usual: Callable[[], Ranker]) -> Ranker:  # noqa: ANN401
    """Return the base selector that is meant; it must rank features."""
    base = usual() if given is None else as_selector(given)
    if isinstance(base, Ranker):
        return base
    raise InvalidInputError(
        f"stability selection needs a base that ranks features; {given_by(base)}."
    )


def regresses(base: Ranker, y: Any) -> bool:  # noqa: ANN401
    """Tell whether a target holds numbers for a base, not classes."""
    values = np.asarray(y)
    if _fractional(values):
        return True
    wrapped = getattr(base, "estimator", None)
    if hasattr(wrapped, "fit"):
        return bool(is_regressor(wrapped))
    gaussian = getattr(base, "family", None) == "gaussian"
    return gaussian and values.dtype.kind in "iuf" and len(np.unique(values)) > 2


def _fractional(values: NDArray[Any]) -> bool:
    """Tell whether numbers have fractions, or are too large for any."""
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        return False
    return bool(((values % 1 != 0) | (np.abs(np.spacing(values)) >= 1)).any())


def pick_features(
    base: Ranker, data: StabilitySelectionData, rows: Rows, most: int, seed: int
) -> Picks:
    """Pick at most so many features on each of many subsamples."""
    base.set_params(random_state=seed)
    if hasattr(base, "entered"):
        return Picks(*base.entered(data.X, data.y, rows, most))
    if data.classes is None:
        ranks = _numeric_ranks(base, data, rows, seed)
    else:
        ranks = _ranks(base, data, rows)
    return Picks(np.where(ranks <= most, ranks, NEVER).astype(np.int32, copy=False), None)


def _ranks(base: Ranker, data: StabilitySelectionData, rows: Rows) -> NDArray[Any]:
    subjects = data.subjects if base.takes_subjects else None
    return base.on(data.X, data.y, subjects).judge(rows)[1].values


def _numeric_ranks(
    base: Ranker, data: StabilitySelectionData, rows: Rows, seed: int
) -> NDArray[Any]:
    """Rank by an estimator or a function, which take any target."""
    if not isinstance(base, AnySelector):
        raise InvalidInputError(
            f"{type(base).__name__} needs classes, and y holds numbers that are none. For such a "
            "target leave the base out, or give an estimator or a function for regression."
        )
    return np.array(
        [
            ranks_of(base._score(data.X[own], data.y[own], generator), "random", generator)
            for own, generator in zip(rows, generators(seed, len(rows)), strict=True)
        ]
    )


# Halves of the data: complementary pairs or single ones, of samples or of whole subjects.


def halves_of(
    data: StabilitySelectionData, own: NDArray[np.integer], how: Sampled, seed: int
) -> RowsHalfSamples:
    """Draw two halves a pair from some rows of the data, which may repeat.

    The samples of a subject stay together, and so do copies of a sample, so that halves of a pair
    share nothing. Classes keep their shares.
    """
    subjects = together(data.subjects, own)
    paired = how.sampling == SAMPLINGS[0]
    pairs = how.n_pairs if paired else 2 * how.n_pairs
    try:
        if data.classes is None:
            halves = _plain_halves(len(own), subjects, pairs, seed)
        else:
            halves = _class_halves(data.classes[data.y[own]], subjects, pairs, seed)
    except InvalidInputError as error:
        n, p = len(own), data.X.shape[1]
        raise InvalidInputError(f"{error} Received {n:,} samples of {p:,} feature(s).") from None
    return [own[half].astype(np.intp) for half in (halves if paired else halves[::2])]


def _class_halves(
    labels: NDArray[Any], subjects: NDArray[Any] | None, n_pairs: int, seed: int
) -> RowsHalfSamples:
    resamples = ComplementaryHalves(n_pairs).draw(labels, subjects, random_state=seed)
    return [resample.train for resample in resamples]


def _plain_halves(
    n_samples: int, subjects: NDArray[Any] | None, n_pairs: int, seed: int
) -> RowsHalfSamples:
    members = _members(n_samples, subjects)
    if len(members) < 4:
        noun = "samples" if subjects is None else "subjects"
        raise InvalidInputError(
            f"halves of at least 2 {noun} need 4 of them; received {len(members)}."
        )
    generator = np.random.default_rng(seed)
    return [half for _ in range(n_pairs) for half in _halves(members, generator)]


def _members(n_samples: int, subjects: NDArray[Any] | None) -> RowsHalfSamples:
    """Return the rows of each unit that is drawn."""
    if subjects is None:
        return list(np.arange(n_samples)[:, None])
    codes = np.unique(subjects, return_inverse=True)[1]
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def _halves(members: RowsHalfSamples, generator: np.random.Generator) -> RowsHalfSamples:
    """Split units into two halves of equal number; one that is over is left out."""
    order = generator.permutation(len(members))
    size = len(members) // 2
    parts = order[:size], order[size : 2 * size]
    return [np.sort(np.concatenate([members[unit] for unit in part])) for part in parts]
