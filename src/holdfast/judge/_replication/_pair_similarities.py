"""Similarities of the preferences of pairs of resamples, by any measure."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._typing import AnyArray, FloatArray, IndexArray
from holdfast.errors import UndefinedMeasureWarning
from holdfast.io import Dataset
from holdfast.judge._replication._estimate import PairValues
from holdfast.measures import Measure, SubsetTables, as_similarity, get_measure
from holdfast.preferences import Groups, Preferences, Rankings, Subsets, Weights
from holdfast.resample import ReplicationPairs, Units, classes_left_out, halved_units, left_out_note

if TYPE_CHECKING:
    from holdfast.judge._replication._fit_resamples import ComparisonRunner


PreferenceBuilder = Callable[[list[Any]], Preferences]


MAX_TABLE_CELLS = 2**22
"""Most cells of the table of features at a time; limits memory."""
MAX_CACHED_OVERLAPS = 2**14
"""Most combinations of overlap and sizes whose values are kept; limits memory.

Chosen by hand: many selectors share few combinations, of which each is measured once.
"""
SIMILARITY_THRESHOLD = 0.9
"""Correlation from which features are similar, as in `measure`."""


def pair_similarities(
    record: Measure,
    preferences: Mapping[int, Any],
    pairs: IndexArray,
    build: PreferenceBuilder,
    *,
    n_features: int,
    data: AnyArray | None = None,
) -> FloatArray:
    """Measure the similarity of each pair of preferences.

    Parameters
    ----------
    record : Measure
        The measure.
    preferences : mapping
        The preference of each resample, by position: the selected features for measures of
        subsets, otherwise the input of `build`. Resamples may be missing.
    pairs : ndarray of int, shape (..., 2)
        Positions of the resamples to compare.
    build : callable
        Makes preferences from a list of rows.
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
    known = [at for at, (i, j) in enumerate(flat.tolist()) if i in preferences and j in preferences]
    rows = [(preferences[i], preferences[j]) for i, j in flat[known].tolist()]
    # these measures see two subsets through overlap and sizes only; few distinct triples occur
    if record.form == "subset" and not record.needs & {"similarity", "data"}:
        values[known] = _measure_by_overlap(record, rows, n_features)
    else:
        options: dict[str, Any] = {"data": data} if "data" in record.needs else {}
        if "graph" in record.arguments:
            options = {"graph": as_similarity(None, data, SIMILARITY_THRESHOLD, n_features, None)}
        values[known] = [_measure_pair(record, build(list(pair)), options) for pair in rows]
    return values.reshape(pairs.shape[:-1])


def pair_chance(
    record: Measure, preferences: Mapping[int, Any], pairs: IndexArray, *, n_features: int
) -> float:
    """Return the expected value for pairs of random subsets of the same sizes.

    0 for measures that are corrected for chance; NaN where it is not known.
    """
    if record.corrected or record.form != "subset" or record.needs & {"similarity", "data"}:
        return 0.0 if record.corrected or record.form != "subset" else np.nan
    known = [
        (i, j) for i, j in pairs.reshape(-1, 2).tolist() if i in preferences and j in preferences
    ]
    sizes = [(len(preferences[i]), len(preferences[j])) for i, j in known]
    if not sizes:
        return np.nan
    distinct, counts = np.unique(sizes, axis=0, return_counts=True)
    chances = [_chance_of_sizes(record.name, *pair, n_features) for pair in distinct.tolist()]
    return float(np.average(chances, weights=counts))


@lru_cache(maxsize=MAX_CACHED_OVERLAPS)
def _chance_of_sizes(measure: str, first: int, second: int, n_features: int) -> float:
    """Return the expected value for two random subsets of these sizes."""
    # the chance level depends on the sizes only: take the smallest overlap that is possible
    pair = _make_pair(max(0, first + second - n_features), first, second, n_features)
    return float(get_measure(measure).estimate(SubsetTables(pair), None, {}).chance().value)


def _measure_by_overlap(
    record: Measure, rows: Sequence[tuple[Any, Any]], n_features: int
) -> FloatArray:
    """Measure pairs of subsets by a measure that depends on overlap and sizes only.

    Few combinations of overlap and sizes occur; each is measured once.
    """
    if not rows:
        return np.empty(0)
    sizes = [[len(one), len(other)] for one, other in rows]
    triples = np.column_stack([count_overlaps(rows, n_features), np.array(sizes)])
    distinct, which = np.unique(triples, axis=0, return_inverse=True)
    each = [_measure_overlap(record.name, r, a, b, n_features) for r, a, b in distinct.tolist()]
    return np.array(each)[which.ravel()]


@lru_cache(maxsize=MAX_CACHED_OVERLAPS)
def _measure_overlap(measure: str, overlap: int, first: int, second: int, n_features: int) -> float:
    """Measure two subsets of given sizes with a given overlap."""
    return _measure_pair(get_measure(measure), _make_pair(overlap, first, second, n_features), {})


def _make_pair(overlap: int, first: int, second: int, n_features: int) -> Subsets:
    """Return two subsets of given sizes with a given overlap."""
    # the second subset begins `overlap` features before the end of the first
    shifted = np.arange(first - overlap, first - overlap + second)
    return Subsets([np.arange(first), shifted], n_features=n_features)


def count_overlaps(rows: Sequence[tuple[Any, Any]], n_features: int) -> IndexArray:
    """Count the features that the two subsets of each pair have in common."""
    height = max(1, MAX_TABLE_CELLS // n_features)
    counts = []
    for start in range(0, len(rows), height):
        block = rows[start : start + height]
        # a table of marks instead of np.intersect1d per pair: no sorting
        marked = np.zeros((len(block), n_features), dtype=bool)
        for row, (first, _) in enumerate(block):
            marked[row, first] = True
        counts += [marked[row, second].sum() for row, (_, second) in enumerate(block)]
    return np.array(counts)


def _measure_pair(record: Measure, preferences: Preferences, options: dict[str, Any]) -> float:
    """Return the value for two preferences, NaN where the measure has none."""
    view = SubsetTables(preferences) if isinstance(preferences, Subsets) else preferences
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        return record.estimate(view, None, options).value


def pair_values(fitting: ComparisonRunner, units: Units) -> PairValues:
    """Run a selector on all resamples of a replication design and compare the pairs."""
    pairs = ReplicationPairs.from_resamples(fitting.resamples)
    kinds = (pairs.halves, pairs.parts, pairs.quarters)
    flat = np.concatenate([positions.reshape(-1, 2) for positions in kinds])
    values, sizes, undefined = _compare_pairs(fitting, flat)
    # only now: failures are known when all blocks have run
    fitting.check(pairs.halves.ravel().tolist(), "every half of the data")
    ends = np.cumsum([positions.size // 2 for positions in kinds])[:-1]
    halves, parts, quarters = (
        similarities.reshape(positions.shape[:-1])
        for similarities, positions in zip(np.split(values, ends), kinds, strict=True)
    )
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
        design=_design_digest(fitting),
    )


def _design_digest(fitting: ComparisonRunner) -> str:
    """Return a digest of the samples, with their classes, in each part."""
    digest = hashlib.sha256(np.asarray(fitting.data.codes, dtype=np.int64).tobytes())
    for resample in fitting.resamples:
        digest.update(np.asarray(resample.train, dtype=np.int64).tobytes())
        digest.update(b"|")
    return digest.hexdigest()


def _compare_pairs(
    fitting: ComparisonRunner, pairs: IndexArray
) -> tuple[FloatArray, dict[int, range], str]:
    """Return the similarity of each pair, the sizes, and why some pairs have no similarity.

    Sizes are kept as ranges of the same length, because the preferences are not kept.
    """
    record, data = fitting.record, fitting.data
    build = preference_builder(record, data.n_features)
    values, why = np.full(len(pairs), np.nan), ""
    sizes: dict[int, range] = {}
    for preferences in fitting.blocks():
        sizes |= {at: range(len(row)) for at, row in preferences.items()}
        compared = np.flatnonzero(np.isin(pairs, list(preferences)).all(axis=1))
        values[compared] = pair_similarities(
            record,
            preferences,
            pairs[compared],
            build,
            n_features=data.n_features,
            data=matrix_for(record, data),
        )
        undefined = compared[np.isnan(values[compared])]
        if undefined.size and not why:
            why = _explain_undefined(
                record, preferences, pairs[undefined[0]].tolist(), data.n_features
            )
    return values, sizes, why


def matrix_for(record: Measure, data: Dataset) -> AnyArray | None:
    """Return the data as an array for a measure that compares features by them, else None."""
    return data.dense_matrix() if record.needs & {"similarity", "data"} else None


def _explain_undefined(
    record: Measure, preferences: Mapping[int, Any], pair: list[int], n_features: int
) -> str:
    """Return why a measure has no value for two preferences, as far as their sizes show."""
    sizes = {len(preferences[position]) for position in pair}
    if not record.by_size:
        return "ranks or weights that do not differ"
    if sizes == {n_features}:
        return "all features are selected"
    if 0 in sizes:
        return "nothing is selected"
    return "selections of unequal sizes" if len(sizes) > 1 else ""


def preference_builder(record: Measure, n_features: int) -> PreferenceBuilder:
    """Return the function that builds preferences for a measure from rows."""
    kinds: dict[str, Any] = {
        "subset": Subsets, "ranking": Rankings, "weights": Weights, "groups": Groups,
    }  # fmt: skip
    if record.by_size:
        return partial(kinds[record.form], n_features=n_features)
    return lambda rows: kinds[record.form](np.array(rows))
