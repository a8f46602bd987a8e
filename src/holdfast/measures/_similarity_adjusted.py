"""Measures of subsets in which similar features count as agreement as well.

They differ in how much a similar feature counts and in the best possible value. The decorated
functions below contain only the documentation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from holdfast._kernels.similarity import COUNT, GREEDY, MBM, MEAN, YU, ZUCKNICK, pair_table
from holdfast._random import RandomState
from holdfast._typing import FloatArray
from holdfast.measures._feature_similarity import (
    Correction,
    ExpectedScores,
    Similarity,
    expected_scores,
    to_kernel_arrays,
)
from holdfast.measures._registry import ChanceLevel, register_measure
from holdfast.measures._subset_tables import (
    PairMeasure,
    PairSimilarities,
    SubsetTables,
    chance_corrected,
    expected_mean,
)

Best = Callable[[FloatArray, FloatArray], FloatArray]


def _geometric_mean(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(a * b))


def _arithmetic_mean(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray((a + b) / 2)


def _constant_one(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.ones(np.broadcast_shapes(a.shape, b.shape))


def _adjusted_overlap(
    kind: int, *, best: Best, corrected: bool
) -> Callable[[Callable[[], None]], Callable[..., PairSimilarities]]:
    """Replace a function that is only documentation by the one that computes this kind of score.

    `best` gives the largest score for two sizes; `corrected` is the default of the option.
    """
    by_default = corrected

    def define(documentation: Callable[[], None]) -> Callable[..., PairSimilarities]:
        def compute(
            tables: SubsetTables,
            *,
            graph: Similarity,
            corrected: bool = by_default,
            correction: Correction = "auto",
            n_simulations: int = 1000,
            random_state: RandomState = 0,
        ) -> PairSimilarities:
            bounds, members = tables.subsets.indptr, tables.incidence.indices.astype(np.int64)
            similar = to_kernel_arrays(graph.submatrix(tables.union))
            n_neighbors = np.append(0, np.cumsum(np.diff(similar[0])[members]))
            max_edges = int(np.diff(n_neighbors[bounds]).max(initial=0))
            scratch = np.empty((2, max_edges), np.int64) if kind in {MBM, GREEDY} else None
            max_size = int(tables.sizes.max(initial=0))
            table = pair_table(kind, bounds, members, *similar, max_size, max_edges, scratch)

            def expected() -> ExpectedScores:
                return expected_scores(tables, graph, kind, correction, n_simulations, random_state)

            if corrected:
                return _correct_for_chance(tables, table, best, expected())

            def chance() -> ChanceLevel:
                mean, error = (expected_mean(tables, part) for part in expected())
                return ChanceLevel(mean, error)

            return PairSimilarities(blocks=[table], chance=chance)

        compute.__name__, compute.__doc__ = documentation.__name__, documentation.__doc__
        return compute

    return define


def _correct_for_chance(
    tables: SubsetTables, table: FloatArray, best: Best, chance: ExpectedScores
) -> PairSimilarities:
    """Correct the scores of all pairs for the chance level of their sizes."""
    pairs = np.ix_(tables.size_class, tables.size_class)
    level, error = chance.mean[pairs], chance.error[pairs]
    sizes = tables.sizes.astype(np.float64)
    most = best(sizes[:, None], sizes[None, :])
    return PairSimilarities(
        blocks=[chance_corrected(table, level, most)],
        chance=lambda: ChanceLevel(0.0, _chance_error(table, level, error, most)),
    )


def _chance_error(
    table: FloatArray, level: FloatArray, error: FloatArray, most: FloatArray
) -> float:
    """Standard error that a simulated chance level brings into the mean over pairs.

    All pairs of sizes are simulated with the same draws, so their errors are assumed to add up.
    """
    # derivative of (table - level) / (most - level) by the level
    room = most - level
    slope = np.where(room > 1e-9, np.abs(most - table), 0.0) / np.square(np.maximum(room, 1e-9))
    m = len(table)
    # the errors of all pairs come from the same simulation: added up as if fully correlated
    return float((slope * error)[~np.eye(m, dtype=bool)].sum() / (m * (m - 1)))


@register_measure(
    PairMeasure,
    title="intersection measure, maximum bipartite matching",
    focus="subsets",
    registers="selection",
    size_biased=False,
    minimum=-np.inf,
    maximum=1.0,
    corrected=True,
    needs=("n_features", "similarity"),
    references=("bommert2020",),
)
@_adjusted_overlap(MBM, best=_geometric_mean, corrected=True)
def intersection_mbm() -> None:
    r"""Overlap in which features outside it are paired with similar ones of the other subset.

    .. math:: \operatorname{mean}_{i<j} \frac{I - \mathrm{E}[I]}{\sqrt{ab} - \mathrm{E}[I]}

    I is the overlap plus the size of a maximum matching between the remaining features of both
    subsets, where features can be matched if their similarity is at least the threshold. Give
    ``similarity=`` (a p x p matrix, dense or sparse) or ``data=`` (absolute correlations), and
    ``threshold=`` (0.9). E[I] is exact by enumeration for few features
    (``correction="exact"``), else simulated (``correction="simulate"``, `n_simulations` draws);
    the error that this brings is reported. ``corrected=False`` gives the mean of I, a count.

    Edge cases, without similar features:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    0
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> similar = np.eye(5); similar[2, 3] = similar[3, 2] = 0.95
    >>> s = hf.Subsets([[0, 2], [0, 3]], n_features=5)
    >>> hf.measure("intersection_mbm", s, similarity=similar)
    1.0
    """


@register_measure(
    PairMeasure,
    title="intersection measure, greedy matching",
    focus="subsets",
    registers="selection",
    size_biased=False,
    minimum=-np.inf,
    maximum=1.0,
    corrected=True,
    needs=("n_features", "similarity"),
    references=("bommert2020",),
)
@_adjusted_overlap(GREEDY, best=_geometric_mean, corrected=True)
def intersection_greedy() -> None:
    r"""Overlap in which the most similar features of both subsets are paired first.

    As ``intersection_mbm``, but I adds the size of the matching that takes the most similar pair
    first, then the most similar pair that is left, and so on. Among equal similarities the pair
    of lower features comes first, so with ties the value depends on the order of features.

    .. math:: \operatorname{mean}_{i<j} \frac{I - \mathrm{E}[I]}{\sqrt{ab} - \mathrm{E}[I]}

    Edge cases, without similar features:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    0
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> similar = np.eye(5); similar[2, 3] = similar[3, 2] = 0.95
    >>> s = hf.Subsets([[0, 2], [0, 3]], n_features=5)
    >>> hf.measure("intersection_greedy", s, similarity=similar, corrected=False)
    2.0
    """


@register_measure(
    PairMeasure,
    title="intersection measure, count of similar features",
    focus="subsets",
    registers="selection",
    size_biased=False,
    minimum=-np.inf,
    maximum=1.0,
    corrected=True,
    needs=("n_features", "similarity"),
    references=("bommert2020",),
)
@_adjusted_overlap(COUNT, best=_geometric_mean, corrected=True)
def intersection_count() -> None:
    r"""Overlap plus the features that have a similar one in the rest of the other subset.

    As ``intersection_mbm``, but I adds the smaller of two counts: the features of one subset
    outside the overlap with at least one similar feature in the other outside the overlap, and
    the same the other way round.

    .. math:: \operatorname{mean}_{i<j} \frac{I - \mathrm{E}[I]}{\sqrt{ab} - \mathrm{E}[I]}

    Edge cases, without similar features:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    0
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> similar = np.eye(5); similar[2, 3] = similar[3, 2] = 0.95
    >>> s = hf.Subsets([[0, 2], [0, 3]], n_features=5)
    >>> hf.measure("intersection_count", s, similarity=similar, corrected=False)
    2.0
    """


@register_measure(
    PairMeasure,
    title="intersection measure, mean similarity",
    focus="subsets",
    registers="selection",
    size_biased=False,
    minimum=-np.inf,
    maximum=1.0,
    corrected=True,
    needs=("n_features", "similarity"),
    references=("bommert2020",),
)
@_adjusted_overlap(MEAN, best=_geometric_mean, corrected=True)
def intersection_mean() -> None:
    r"""Overlap plus the mean similarity of the other features to their similar ones.

    As ``intersection_count``, but each feature adds its mean similarity to its similar features
    instead of 1.

    .. math:: \operatorname{mean}_{i<j} \frac{I - \mathrm{E}[I]}{\sqrt{ab} - \mathrm{E}[I]}

    Edge cases, without similar features:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    0
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> similar = np.eye(5); similar[2, 3] = similar[3, 2] = 0.95
    >>> s = hf.Subsets([[0, 2], [0, 3]], n_features=5)
    >>> hf.measure("intersection_mean", s, similarity=similar, corrected=False)
    1.95
    """


@register_measure(
    PairMeasure,
    title="Yu's measure nPOGR",
    focus="subsets",
    registers="selection",
    size_biased=False,
    minimum=-np.inf,
    maximum=1.0,
    corrected=True,
    needs=("n_features", "similarity"),
    references=("yu2012", "zhang2009"),
)
@_adjusted_overlap(YU, best=_arithmetic_mean, corrected=True)
def yu() -> None:
    r"""Overlap plus the features with a similar one in the rest of the other subset, averaged.

    .. math:: \operatorname{mean}_{i<j} \frac{I - \mathrm{E}[I]}{(a + b)/2 - \mathrm{E}[I]},
       \qquad I = r_{ij} + \frac{c_{ij} + c_{ji}}{2}

    c_ij counts the features of subset i outside the overlap that have at least one similar
    feature in subset j outside the overlap. Give ``similarity=`` or ``data=``, and
    ``threshold=`` (0.9). E[I] has a closed form: a hypergeometric sum over the overlap, with the
    number of features of each degree. ``corrected=False`` gives the mean of I, a count. Without
    similar features it is ``kappa``.

    Edge cases, without similar features:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0
    all 10, 4 of 10    0
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  -0.6667
    =================  =========

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> similar = np.eye(5); similar[2, 3] = similar[3, 2] = 0.95
    >>> s = hf.Subsets([[0, 2], [0, 3]], n_features=5)
    >>> hf.measure("yu", s, similarity=similar)
    1.0
    """


@register_measure(
    PairMeasure,
    title="Zucknick's measure",
    focus="subsets",
    registers="selection",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    corrected=False,
    needs=("n_features", "similarity"),
    references=("zucknick2008",),
)
@_adjusted_overlap(ZUCKNICK, best=_constant_one, corrected=False)
def zucknick() -> None:
    r"""Jaccard index to which similar features of the other subset are added.

    .. math:: \operatorname{mean}_{i<j} \frac{r_{ij} + t_{ij} + t_{ji}}{a + b - r_{ij}},
       \qquad t_{ij} = \frac1b \sum_{x \in V_i} \sum_{y \in V_j \setminus V_i} s(x, y)

    with similarities s below the threshold taken as 0. Give ``similarity=`` or ``data=``, and
    ``threshold=`` (0.9). ``corrected=True`` gives (Z - E Z) / (1 - E Z) for each pair; E Z is a
    hypergeometric sum over the overlap with the mean similarity. Without similar features it is
    ``jaccard``.

    Edge cases, without similar features:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0
    all 10, 4 of 10    0.4
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> similar = np.eye(5); similar[2, 3] = similar[3, 2] = 0.9
    >>> s = hf.Subsets([[0, 2], [0, 3]], n_features=5)
    >>> round(hf.measure("zucknick", s, similarity=similar), 4)
    0.6333
    """
