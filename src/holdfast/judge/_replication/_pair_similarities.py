"""How similar the preferences of pairs of resamples are, by any measure."""

from __future__ import annotations

import hashlib
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import UndefinedMeasureWarning
from holdfast.judge._replication._estimate import PairValues
from holdfast.measures._feature_similarity import similarity_of
from holdfast.measures._subset_tables import SubsetTables
from holdfast.preferences import Groups, Rankings, Subsets, Weights
from holdfast.resample import ReplicationPairs
from holdfast.resample._replication_design import classes_left_out, halved_units, left_out_note

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from holdfast.judge._replication._fit_resamples import SelectorRunner
    from holdfast.measures import Measure
    from holdfast.preferences import Preferences
    from holdfast.resample._strata import Units

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


# What a selector prefers on each resample of a replication design, reduced to similarities.


def pair_values(fitting: SelectorRunner, units: Units) -> PairValues:
    """Run a selector on all resamples and compare those that belong together."""
    pairs = ReplicationPairs.of(fitting.resamples)
    shapes = (pairs.halves, pairs.parts, pairs.quarters)
    flat = np.concatenate([one.reshape(-1, 2) for one in shapes])
    values, sizes, undefined = _compare_pairs(fitting, flat)
    fitting.check(pairs.halves.ravel().tolist(), "every half of the data")
    ends = np.cumsum([one.size // 2 for one in shapes])[:-1]
    halves, parts, quarters = map(_reshape_to_pairs, np.split(values, ends), shapes)
    why = "; ".join(filter(None, (fitting.why, undefined)))
    chance = pair_chance(fitting.record, sizes, pairs.halves, n_features=fitting.data.n_features)
    return PairValues(
        halves=halves,
        parts=parts,
        quarters=quarters,
        n_units=halved_units(units).count,
        chance=chance,
        why=why,
        classes_left_out=left_out_note(classes_left_out(units), units.noun),
        design=_digest(fitting),
    )


def _digest(fitting: SelectorRunner) -> str:
    """Return what tells apart which samples, of which class, are in which part."""
    digest = hashlib.sha256(np.asarray(fitting.data.codes, dtype=np.int64).tobytes())
    for one in fitting.resamples:
        digest.update(np.asarray(one.train, dtype=np.int64).tobytes())
        digest.update(b"|")
    return digest.hexdigest()


def _compare_pairs(
    fitting: SelectorRunner, pairs: NDArray[np.intp]
) -> tuple[Array, dict[int, range], str]:
    """Return the similarity of each pair, and why some have none although nothing failed.

    In between: something as long as each preference, which is not kept itself.
    """
    record, data = fitting.record, fitting.data
    build = builder(record, data.n_features)
    values, why = np.full(len(pairs), np.nan), ""
    sizes: dict[int, range] = {}
    for found in fitting.blocks():
        sizes |= {at: range(len(row)) for at, row in found.items()}
        own = np.flatnonzero(np.isin(pairs, list(found)).all(axis=1))
        values[own] = pair_similarities(
            record, found, pairs[own], build, n_features=data.n_features, data=data.X
        )
        lacking = own[np.isnan(values[own])]
        if lacking.size and not why:
            why = _explain_undefined(record, found, pairs[lacking[0]].tolist(), data.n_features)
    return values, sizes, why


def _explain_undefined(
    record: Measure, found: Mapping[int, Any], pair: list[int], n_features: int
) -> str:
    """Say why a measure has no value for two preferences, as far as their sizes tell."""
    sizes = {len(found[position]) for position in pair}
    if not record.by_size:
        return "ranks or weights that do not differ"
    if sizes == {n_features}:
        return "all features are selected"
    if 0 in sizes:
        return "nothing is selected"
    return "selections of unequal sizes" if len(sizes) > 1 else ""


def _reshape_to_pairs(values: Array, pairs: NDArray[np.intp]) -> Array:
    return values.reshape(pairs.shape[:-1])


def builder(record: Measure, n_features: int) -> Build:
    """Return how preferences that a measure takes are put together."""
    kinds: dict[str, Any] = {
        "subset": Subsets, "ranking": Rankings, "weights": Weights, "groups": Groups,
    }  # fmt: skip
    if record.by_size:
        return partial(kinds[record.form], n_features=n_features)
    return lambda rows: kinds[record.form](np.array(rows))
