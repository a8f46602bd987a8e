"""Which correlated features are selected where a feature is not, and rarely where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse
import scipy.stats

from holdfast.judge._blocks import blocks
from holdfast.judge._tests import holm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.judge._correlated import FilledSimilarity
    from holdfast.measures._tables import SubsetTables

    Array = NDArray[np.float64]

MAX_P_VALUE = 0.05
"""Corrected p-value up to which a feature is said to take another's place."""


class Replacements(NamedTuple):
    """Pairs of a feature and a stand-in, as places among the features ever selected.

    ``counts`` has, for each pair, the resamples with the stand-in but without the feature, and
    ``counts_with`` those with both; ``p_values`` are corrected for the number of pairs that were
    tested.
    """

    features: NDArray[np.intp]
    stand_ins: NDArray[np.intp]
    correlations: Array
    counts: NDArray[np.int64]
    counts_with: NDArray[np.int64]
    p_values: Array


def replacements(
    tables: SubsetTables, graph: FilledSimilarity, often: NDArray[np.intp]
) -> Replacements:
    """Find the stand-ins of the features at the places `often` among those ever selected.

    Fisher's exact test, one-sided, of "the other is selected no more often without the feature
    than with it", corrected by Holm's method for all correlated pairs of which the feature is
    missing from some resample.
    """
    parts = list(_candidates(tables, graph, often))
    first, second, correlations, together = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    counts = tables.counts
    alone = counts[second] - together
    p_values = scipy.stats.hypergeom.sf(
        alone - 1, tables.m, counts[second], tables.m - counts[first]
    )
    corrected = holm(p_values)
    kept = corrected <= MAX_P_VALUE
    return Replacements(
        features=first[kept],
        stand_ins=second[kept],
        correlations=correlations[kept],
        counts=alone[kept],
        counts_with=together[kept],
        p_values=corrected[kept],
    )


def count_covered(
    tables: SubsetTables, found: Replacements, often: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Count, for each of these features, the resamples without it but with a stand-in."""
    size = (len(tables.union), len(tables.union))
    pairs = scipy.sparse.csr_array(
        (np.ones(len(found.features)), (found.features, found.stand_ins)), shape=size
    )
    incidence = tables.incidence.astype(np.float64)
    parts = [np.zeros(0, dtype=np.int64)]
    for some in blocks(len(often), tables.m):
        rows = often[some]
        replaced = (incidence @ pairs[rows].T).toarray() > 0
        parts.append((replaced & (incidence[:, rows].toarray() == 0)).sum(axis=0))
    return np.concatenate(parts)


def _candidates(
    tables: SubsetTables, graph: FilledSimilarity, often: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Array, NDArray[np.int64]]]:
    """Yield correlated pairs: feature, other, correlation, resamples with both."""
    points = graph.standardised(tables.union)
    incidence = tables.incidence.astype(np.float64)
    missing = often[tables.counts[often] < tables.m]
    for some in blocks(max(len(missing), 1), points.shape[1]):
        rows = missing[some]
        correlations = np.clip(points[:, rows].T @ points, -1.0, 1.0)
        similar = np.abs(correlations) >= graph.threshold - 1e-12
        similar[np.arange(len(rows)), rows] = False
        together = (incidence.T @ incidence[:, rows].toarray()).T
        first, second = np.nonzero(similar)
        yield (
            rows[first],
            second,
            correlations[first, second],
            together[first, second].astype(np.int64),
        )
