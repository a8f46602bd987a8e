"""What a selector prefers on each resample of a replication design, reduced to similarities."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.judge._replication._pairs import pair_chance, pair_similarities
from holdfast.judge._replication._values import PairValues
from holdfast.preferences import Groups, Rankings, Subsets, Weights
from holdfast.resample import ReplicationPairs
from holdfast.resample._replication import classes_left_out, halved_units, left_out_note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.judge._replication._fitting import Fitting
    from holdfast.judge._replication._pairs import Build
    from holdfast.measures import Measure
    from holdfast.resample._units import Units

    Array = NDArray[np.float64]


def pair_values(fitting: Fitting, units: Units) -> PairValues:
    """Run a selector on all resamples and compare those that belong together."""
    pairs = ReplicationPairs.of(fitting.resamples)
    shapes = (pairs.halves, pairs.parts, pairs.quarters)
    flat = np.concatenate([one.reshape(-1, 2) for one in shapes])
    values, sizes, undefined = _compared(fitting, flat)
    fitting.check(pairs.halves.ravel().tolist(), "every half of the data")
    ends = np.cumsum([one.size // 2 for one in shapes])[:-1]
    halves, parts, quarters = map(_shaped, np.split(values, ends), shapes)
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


def _digest(fitting: Fitting) -> str:
    """Return what tells apart which samples, of which class, are in which part."""
    digest = hashlib.sha256(np.asarray(fitting.data.codes, dtype=np.int64).tobytes())
    for one in fitting.resamples:
        digest.update(np.asarray(one.train, dtype=np.int64).tobytes())
        digest.update(b"|")
    return digest.hexdigest()


def _compared(fitting: Fitting, pairs: NDArray[np.intp]) -> tuple[Array, dict[int, range], str]:
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
            why = _undefined(record, found, pairs[lacking[0]].tolist(), data.n_features)
    return values, sizes, why


def _undefined(record: Measure, found: Mapping[int, Any], pair: list[int], n_features: int) -> str:
    """Say why a measure has no value for two preferences, as far as their sizes tell."""
    sizes = {len(found[position]) for position in pair}
    if not record.by_size:
        return "ranks or weights that do not differ"
    if sizes == {n_features}:
        return "all features are selected"
    if 0 in sizes:
        return "nothing is selected"
    return "selections of unequal sizes" if len(sizes) > 1 else ""


def _shaped(values: Array, pairs: NDArray[np.intp]) -> Array:
    return values.reshape(pairs.shape[:-1])


def builder(record: Measure, n_features: int) -> Build:
    """Return how preferences that a measure takes are put together."""
    kinds: dict[str, Any] = {
        "subset": Subsets, "ranking": Rankings, "weights": Weights, "groups": Groups,
    }  # fmt: skip
    if record.by_size:
        return partial(kinds[record.form], n_features=n_features)
    return lambda rows: kinds[record.form](np.array(rows))
