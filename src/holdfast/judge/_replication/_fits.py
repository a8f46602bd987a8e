"""What a selector prefers on each resample of a replication design, reduced to similarities."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from holdfast.errors import InvalidInputError
from holdfast.judge._replication._pairs import pair_similarities
from holdfast.judge._replication._values import PairValues
from holdfast.preferences import Groups, Rankings, Subsets, Weights
from holdfast.preferences._ties import generators
from holdfast.resample import ReplicationPairs
from holdfast.select._given import given_by
from holdfast.select._grouper import Grouper
from holdfast.select._subset import SubsetSelector

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.judge._replication._pairs import Build
    from holdfast.measures import Measure
    from holdfast.resample import Resample
    from holdfast.select import Selector

TABLE = 2**22  # scores that are held at a time


def pair_values(
    selector: Selector,
    data: Dataset,
    resamples: Sequence[Resample],
    record: Measure,
    size: int | None,
    n_units: int,
) -> PairValues:
    """Run a selector on all resamples and compare those that belong together."""
    pairs = ReplicationPairs.of(resamples)
    shapes = (pairs.halves, pairs.parts, pairs.quarters)
    flat = np.concatenate([one.reshape(-1, 2) for one in shapes])
    values = np.full(len(flat), np.nan)
    compare = partial(
        pair_similarities,
        record,
        build=builder(record, data.n_features),
        n_features=data.n_features,
        data=data.X,
    )
    for start, rows in found_in_blocks(selector, data, resamples, record, size):
        own = (flat[:, 0] >= start) & (flat[:, 0] < start + len(rows))
        values[own] = compare(dict(enumerate(rows, start)), flat[own])
    ends = np.cumsum([one.size // 2 for one in shapes])[:-1]
    halves, parts, quarters = map(_shaped, np.split(values, ends), shapes)
    return PairValues(halves=halves, parts=parts, quarters=quarters, n_units=n_units)


def _shaped(values: NDArray[np.float64], pairs: NDArray[np.intp]) -> NDArray[np.float64]:
    return values.reshape(pairs.shape[:-1])


def builder(record: Measure, n_features: int) -> Build:
    """Return how preferences that a measure takes are put together."""
    kinds: dict[str, Any] = {
        "subset": Subsets, "ranking": Rankings, "weights": Weights, "groups": Groups,
    }  # fmt: skip
    if record.by_size:
        return partial(kinds[record.form], n_features=n_features)
    return lambda rows: kinds[record.form](np.array(rows))


def found_in_blocks(
    selector: Selector,
    data: Dataset,
    resamples: Sequence[Resample],
    record: Measure,
    size: int | None,
) -> Iterator[tuple[int, list[Any]]]:
    """Yield what the measure needs of each resample, in blocks, with the place of the first."""
    if selector.chooses_size and not isinstance(selector, Grouper | SubsetSelector):
        yield 0, [_own_subset(selector, data, one.train, at) for at, one in enumerate(resamples)]
        return
    judge = selector.on(data.X, data.y, data.groups if selector.takes_subjects else None)
    for start, stop in _blocks(resamples, max(4, TABLE // data.n_features)):
        verdict = judge.judge([one.train for one in resamples[start:stop]], start)
        yield start, _rows(selector, verdict, record, size)


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
    if isinstance(verdict, Subsets):
        chosen = np.split(verdict.indices, verdict.indptr[1:-1])
        return chosen if record.form == "subset" else [_alone(one) for one in chosen]
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
    return chosen if record.form == "subset" else [_alone(one) for one in chosen]


def _alone(features: NDArray[np.intp]) -> list[list[int]]:
    """Return features as groups of one."""
    return [[feature] for feature in features.tolist()]


def _own_subset(
    selector: Selector, data: Dataset, rows: NDArray[np.intp], position: int
) -> NDArray[np.intp]:
    """Return the features that a selector of its own size selects on one resample."""
    generator = next(generators(selector.random_state, 1, position))
    fitted = clone(selector).set_params(random_state=int(generator.integers(2**31)))
    more = {}
    if selector.takes_subjects and data.groups is not None:
        more["groups"] = data.groups[rows]
    chosen: NDArray[np.intp] = fitted.fit(data.X[rows], data.y[rows], **more).get_support(
        indices=True
    )
    return chosen
