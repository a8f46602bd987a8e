"""How similar the preferences of pairs of resamples are, by any measure."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import UndefinedMeasureWarning
from holdfast.measures._similarity import similarity_of
from holdfast.measures._tables import SubsetTables
from holdfast.preferences import Subsets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from holdfast.measures import Measure
    from holdfast.preferences import Preferences

    Array = NDArray[np.float64]
    Build = Callable[[list[Any]], Preferences]

CELLS = 2**22  # cells of the table of features that are marked at a time
THRESHOLD = 0.9  # correlation from which features are similar, as in `measure`


def pair_similarities(
    record: Measure,
    found: Mapping[int, Any],
    pairs: NDArray[np.intp],
    build: Build,
    *,
    n_features: int,
    data: NDArray[Any] | None = None,
) -> Array:
    """Measure the similarity of each pair of preferences.

    Parameters
    ----------
    record : Measure
        The measure.
    found : mapping
        The preference of each resample, by position: the selected features for measures of
        subsets, else what `build` takes. A resample may be missing.
    pairs : ndarray of int, shape (..., 2)
        Positions of the resamples to compare.
    build : callable
        Makes preferences of a list of rows.
    n_features : int
        Number of features.
    data : ndarray, optional
        The data, for measures that need similarities of features.

    Returns
    -------
    ndarray of shape (...)
        NaN where a preference is missing, or the measure has no value.
    """
    flat = pairs.reshape(-1, 2)
    values = np.full(len(flat), np.nan)
    there = [at for at, (i, j) in enumerate(flat.tolist()) if i in found and j in found]
    rows = [(found[i], found[j]) for i, j in flat[there].tolist()]
    if record.form == "subset" and not record.needs & {"similarity", "data"}:
        values[there] = _by_overlap(record, rows, n_features)
    else:
        options = _options(record, n_features, data)
        values[there] = [_value(record, build(list(pair)), options) for pair in rows]
    return values.reshape(pairs.shape[:-1])


def pair_chance(
    record: Measure, found: Mapping[int, Any], pairs: NDArray[np.intp], *, n_features: int
) -> float:
    """Return what pairs of random subsets of the same sizes give on average.

    0 for measures that are corrected for chance; NaN where it is not known.
    """
    if record.corrected or record.form != "subset" or record.needs & {"similarity", "data"}:
        return 0.0 if record.corrected or record.form != "subset" else np.nan
    there = [(i, j) for i, j in pairs.reshape(-1, 2).tolist() if i in found and j in found]
    sizes = [(len(found[i]), len(found[j])) for i, j in there]
    if not sizes:
        return np.nan
    distinct, counts = np.unique(sizes, axis=0, return_counts=True)
    each = [
        _chance(record, _example(max(0, a + b - n_features), a, b, n_features))
        for a, b in distinct.tolist()
    ]
    return float(np.average(each, weights=counts))


def _chance(record: Measure, pair: Subsets) -> float:
    return float(record.estimate(SubsetTables(pair), None, {}).chance().value)


def _by_overlap(record: Measure, rows: Sequence[tuple[Any, Any]], n_features: int) -> Array:
    """Measure pairs of subsets by a measure to which all features are equal.

    The value is one of overlap and sizes alone, and few of these occur: each is looked at once.
    """
    if not rows:
        return np.empty(0)
    sizes = [[len(one), len(other)] for one, other in rows]
    triples = np.column_stack([overlaps(rows, n_features), np.array(sizes)])
    distinct, which = np.unique(triples, axis=0, return_inverse=True)
    each = [_value(record, _example(r, a, b, n_features), {}) for r, a, b in distinct.tolist()]
    return np.array(each)[which.ravel()]


def _example(overlap: int, first: int, second: int, n_features: int) -> Subsets:
    """Return two subsets of given sizes that share so many features."""
    shifted = np.arange(first - overlap, first - overlap + second)
    return Subsets([np.arange(first), shifted], n_features=n_features)


def overlaps(rows: Sequence[tuple[Any, Any]], n_features: int) -> NDArray[np.intp]:
    """Count the features that the two subsets of each pair have in common."""
    height = max(1, CELLS // n_features)
    counts = [
        _overlaps(rows[start : start + height], n_features) for start in range(0, len(rows), height)
    ]
    return np.concatenate(counts)


def _overlaps(rows: Sequence[tuple[Any, Any]], n_features: int) -> NDArray[np.intp]:
    marked = np.zeros((len(rows), n_features), dtype=bool)
    for row, (one, _) in enumerate(rows):
        marked[row, one] = True
    return np.array([marked[row, other].sum() for row, (_, other) in enumerate(rows)])


def _options(record: Measure, n_features: int, data: NDArray[Any] | None) -> dict[str, Any]:
    if "graph" in record.arguments:
        return {"graph": similarity_of(None, data, THRESHOLD, n_features, None)}
    return {"data": data} if "data" in record.needs else {}


def _value(record: Measure, preferences: Preferences, options: dict[str, Any]) -> float:
    """Return the measure of two preferences, NaN where it has no value."""
    view = SubsetTables(preferences) if isinstance(preferences, Subsets) else preferences
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        return record.estimate(view, None, options).value
