"""Which correlated features are selected where a feature is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast.judge._blocks import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    import scipy.sparse
    from numpy.typing import NDArray

    from holdfast.judge._correlated import FilledSimilarity
    from holdfast.measures._tables import SubsetTables

    Array = NDArray[np.float64]


class Replacements(NamedTuple):
    """Pairs of a feature and a stand-in, as places among the features ever selected.

    ``counts`` has, for each pair, the resamples with the stand-in but without the feature;
    ``covered``, for each feature asked for, those with any of its stand-ins but without it.
    """

    features: NDArray[np.intp]
    stand_ins: NDArray[np.intp]
    correlations: Array
    counts: NDArray[np.int64]
    covered: NDArray[np.int64]


def replacements(
    tables: SubsetTables, graph: FilledSimilarity, often: NDArray[np.intp]
) -> Replacements:
    """Find the stand-ins of the features at the places `often` among those ever selected."""
    parts = list(_parts(tables, graph, often))
    joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Replacements(*joined)


def _parts(
    tables: SubsetTables, graph: FilledSimilarity, often: NDArray[np.intp]
) -> Iterator[Replacements]:
    points = graph.standardised(tables.union)
    incidence = tables.incidence.astype(np.float64)
    for some in blocks(max(len(often), 1), points.shape[1]):
        yield _part(points, incidence, often[some], graph.threshold - 1e-12)


def _part(
    points: Array, incidence: scipy.sparse.csr_array, rows: NDArray[np.intp], least: float
) -> Replacements:
    """Look at some features at once; incidence has resamples in rows, the union in columns."""
    chosen = incidence[:, rows].toarray()
    together = (incidence.T @ chosen).T
    alone = incidence.sum(axis=0)[None, :] - together  # the other without this one
    correlations = np.clip(points[:, rows].T @ points, -1.0, 1.0)
    similar = (np.abs(correlations) >= least) & (alone > 0)
    similar[np.arange(len(rows)), rows] = False
    covered = ((incidence @ similar.T.astype(np.float64)) > 0) & (chosen == 0)
    first, second = np.nonzero(similar)
    return Replacements(
        rows[first],
        second,
        correlations[first, second],
        alone[first, second].astype(np.int64),
        covered.sum(axis=0),
    )
