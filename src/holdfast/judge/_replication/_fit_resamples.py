"""A selector on parts of the data: what it prefers on each of them, and where it fails."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from holdfast._formatting import format_list, plural
from holdfast.errors import HoldfastError, InvalidInputError, UnknownNameError
from holdfast.judge._replication._score_model import MAX_PAIRS, signed_scores_of
from holdfast.preferences import Subsets
from holdfast.preferences._ranks import generators
from holdfast.select._adapter import given_by
from holdfast.select._groups._group_selector import Grouper
from holdfast.select._search._subset_selector import SubsetSelector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.judge._replication._score_model import SignedScores
    from holdfast.measures import Measure
    from holdfast.resample import ReplicationPairs, Resample
    from holdfast.select import Judge, Selector


TABLE = 2**22  # scores that are held at a time


@dataclass(eq=False)
class SelectorRunner:
    """A selector that is run on resamples of the data.

    Attributes
    ----------
    selector : Selector
        The selector, ready for these data.
    data : Dataset
        The data; missing values are imputed where the selector does not take them.
    resamples : sequence of Resample
        The parts of the data.
    record : Measure
        The measure, which tells what of the preferences is needed.
    size : int or None
        How many features are selected.
    failures : dict
        What the selector raised, by the position of the resample; filled as the work goes on.
    preferences : dict
        What the selector prefers on each resample, by position: features
        ordered best first; the subset, for selectors that choose the size; the selected groups,
        for those that find groups. Filled as the work goes on.
    """

    selector: Selector
    data: Dataset
    resamples: Sequence[Resample]
    record: Measure
    size: int | None
    failures: dict[int, Exception] = field(default_factory=dict)
    preferences: dict[int, Any] = field(default_factory=dict)
    _judge: Judge[Any] | None = None

    def __post_init__(self) -> None:
        own = self.selector.chooses_size
        self._fits = own and not isinstance(self.selector, Grouper | SubsetSelector)
        self._imputes = is_imputed(self.data, self.selector)

    @property
    def why(self) -> str:
        """How many fits failed, and what the first of them said; nothing where none did."""
        if not self.failures:
            return ""
        first = message_of(next(iter(self.failures.values())))
        return f"{len(self.failures):,} of {len(self.resamples):,} fits failed: {first}"

    def blocks(self) -> Iterator[dict[int, Any]]:
        """Yield what the measure needs, by position; what is compared is in one block."""
        for start, stop in _blocks(self.resamples, max(4, TABLE // self.data.n_features)):
            yield self._found(start, stop)

    def check(self, positions: Sequence[int], what: str) -> None:
        """Refuse to go on where the selector failed on all of these."""
        if all(position in self.failures for position in positions):
            first = self.failures[positions[0]]
            raise InvalidInputError(f"the selector fails on {what}: {message_of(first)}") from first

    def _found(self, start: int, stop: int) -> dict[int, Any]:
        """Judge a block at once; one that fails is done again part by part."""
        if self._fits or self._imputes:
            return self._one_by_one(start, stop)
        try:
            verdict = self._judged([one.train for one in self.resamples[start:stop]], start)
        except Exception:  # noqa: BLE001  (others' code may raise anything)
            return self._one_by_one(start, stop)
        self._keep(verdict, start)
        return dict(enumerate(_rows(self.selector, verdict, self.record, self.size), start))

    def _one_by_one(self, start: int, stop: int) -> dict[int, Any]:
        found = {}
        for position in range(start, stop):
            try:
                verdict = self._alone(position)
            except Exception as error:  # noqa: BLE001  (as above)
                self.failures[position] = error
            else:
                self._keep(verdict, position)
                found[position] = _rows(self.selector, verdict, self.record, self.size)[0]
        return found

    def _keep(self, verdict: Any, start: int) -> None:  # noqa: ANN401
        """Keep the preferences that chances to be found again are estimated from."""
        for at, preference in enumerate(_preferences(verdict, self.size), start):
            self.preferences[at] = preference

    def signed_scores(self, pairs: ReplicationPairs) -> SignedScores | None:
        """Return t statistics on the full data and on halves, for selectors that rank by them."""
        if self._imputes:
            return None
        codes = self.data.codes
        positions = [int(pairs.full[0]), *pairs.halves[:MAX_PAIRS].ravel().tolist()]
        rows = [self.resamples[at].train for at in positions]
        found = self.selector.signed_statistics(self.data.X, codes, rows)
        if found is None:
            return None
        full, *halves = found
        return signed_scores_of(full, halves, len(codes))

    def _judged(self, rows: list[NDArray[np.intp]], first: int) -> Any:  # noqa: ANN401
        """Judge rows of the data, which are checked once."""
        if self._judge is None:
            self._judge = self.selector.on(self.data.X, self.data.y, self._subjects(slice(None)))
        return self._judge.judge(rows, first)

    def _alone(self, position: int) -> Any:  # noqa: ANN401
        rows = self.resamples[position].train
        if not (self._fits or self._imputes):
            return self._judged([rows], position)
        X, y, subjects = self.data.X[rows], self.data.y[rows], self._subjects(rows)
        X = impute_medians(X) if self._imputes else X
        if self._fits:
            return _own_subset(self.selector, X, y, subjects, position)
        return self.selector.on(X, y, subjects).judge([np.arange(len(y))], position)

    def _subjects(self, rows: NDArray[np.intp] | slice) -> NDArray[Any] | None:
        if not self.selector.takes_subjects or self.data.groups is None:
            return None
        own: NDArray[Any] = self.data.groups[rows]
        return own


def _preferences(verdict: Any, size: int | None) -> list[Any]:  # noqa: ANN401
    """Return each preference: features ordered best first, a subset, or groups."""
    if isinstance(verdict, Subsets):
        return list(np.split(verdict.indices, verdict.indptr[1:-1]))
    if isinstance(verdict, list):
        return [one.best(size) for one in verdict]
    return [
        np.argsort(row, kind="stable").astype(np.int32) for row in np.asarray(verdict[1].values)
    ]


def message_of(error: Exception) -> str:
    """Return what an error says, in one line."""
    said = " ".join(str(error).split())
    return said if isinstance(error, HoldfastError) else f"{type(error).__name__}: {said}"


def _blocks(resamples: Sequence[Resample], most: int) -> Iterator[tuple[int, int]]:
    """Cut the resamples into blocks; those that are compared stay together."""
    start = 0
    numbers = [(one.role, one.outer) for one in resamples]
    ends = [at for at in range(1, len(numbers)) if numbers[at] != numbers[at - 1]]
    for end, following in zip(ends, [*ends[1:], len(numbers)], strict=True):
        if following - start > most:
            yield start, end
            start = end
    yield start, len(numbers)


def _rows(
    selector: Selector,
    verdict: Any,  # noqa: ANN401  (each kind of selector has its own)
    record: Measure,
    size: int | None,
) -> list[Any]:
    """Return what the measure needs of each preference."""
    if isinstance(verdict, Subsets):
        chosen = np.split(verdict.indices, verdict.indptr[1:-1])
        return chosen if record.form == "subset" else [_as_singleton_groups(one) for one in chosen]
    if isinstance(verdict, list):
        best = [one.best(size) for one in verdict]
        if record.form == "groups":
            return [list(one.members) for one in best]
        return [np.unique(one.representatives) for one in best]
    weights, ranks = verdict
    if record.form == "weights" and weights is None:
        raise InvalidInputError(
            f"{record.name} takes weights, but {given_by(selector)}; take a measure of rankings "
            "or of subsets."
        )
    if not record.by_size:
        return list(weights.values if record.form == "weights" else ranks.values)
    chosen = [np.flatnonzero(row <= size) for row in np.asarray(ranks.values)]
    return chosen if record.form == "subset" else [_as_singleton_groups(one) for one in chosen]


def _as_singleton_groups(features: NDArray[np.intp]) -> list[list[int]]:
    """Return features as groups of one."""
    return [[feature] for feature in features.tolist()]


def _own_subset(
    selector: Selector,
    X: NDArray[Any],
    y: NDArray[Any],
    subjects: NDArray[Any] | None,
    position: int,
) -> Subsets:
    """Return the features that a selector of its own size selects on one part."""
    generator = next(generators(selector.random_state, 1, position))
    fitted = clone(selector).set_params(random_state=int(generator.integers(2**31)))
    more = {} if subjects is None else {"groups": subjects}
    chosen = fitted.fit(X, y, **more).get_support(indices=True)
    return Subsets([chosen], n_features=X.shape[1])


# Missing values: refused before any work, or imputed within each part of the data.


def check_missing(
    data: Dataset, selectors: Mapping[str, Selector], record: Measure, impute: str | None
) -> None:
    """Refuse missing values that selectors, or the measure, do not take.

    Parameters
    ----------
    data : Dataset
        The data.
    selectors : mapping
        Selectors by name, for messages.
    record : Measure
        The measure of similarity.
    impute : {"median"} or None
        What is put in their place.
    """
    if impute not in (None, "median"):
        raise UnknownNameError(f"impute must be 'median' or None, got {impute!r}.")
    missing = int(np.isnan(data.X).sum())
    refusing = [name for name, one in selectors.items() if not one.takes_missing]
    if missing and refusing and impute is None:
        raise InvalidInputError(
            f"the data have {plural(missing, 'missing value')}, which "
            f"{_format_names_with_verb(refusing)} not take. "
            "Impute them by the median of each part of the data (impute='median', --impute "
            "median), or choose other selectors."
        )
    if missing and record.needs & {"similarity", "data"}:
        raise InvalidInputError(
            f"{record.name} compares features by their data, which must not have missing values "
            f"(there are {missing:,}); choose another measure, or fill the values first."
        )


def _format_names_with_verb(names: list[str]) -> str:
    return f"{format_list(names)} {'does' if len(names) == 1 else 'do'}"


def is_imputed(data: Dataset, selector: Selector) -> bool:
    """Tell whether a selector sees imputed values in the place of missing ones."""
    return not selector.takes_missing and bool(np.isnan(data.X).any())


def impute_medians(part: NDArray[Any]) -> NDArray[Any]:
    """Put each feature's median, or 0 if it has no value, in the place of missing values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any value
        medians = np.nan_to_num(np.nanmedian(part, axis=0))
    return np.where(np.isnan(part), medians, part).astype(part.dtype, copy=False)
