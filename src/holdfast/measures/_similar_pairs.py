"""Measures of subsets in which a similar feature is worth something, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels.similar import COUNT, GREEDY, MBM, MEAN, YU, ZUCKNICK, pair_table
from holdfast.measures._estimate import Chance
from holdfast.measures._pairs import PairMeasure, Pairs, chance_corrected, expected_mean
from holdfast.measures._record import Measure, register
from holdfast.measures._similar_chance import Correction, Expected, compiled, expected_scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.measures._similarity import Similarity
    from holdfast.measures._tables import SubsetTables
    from holdfast.measures._types import Array
    from holdfast.preferences._ties import RandomState

    Best = Callable[[Array, Array], Array]


def _adjusted(
    *, title: str, minimum: float, references: tuple[str, ...], corrected: bool
) -> Callable[[Callable[..., Pairs]], Measure]:
    def record(function: Callable[..., Pairs]) -> Measure:
        return register(
            PairMeasure(
                name=function.__name__,
                title=title,
                form="subset",
                minimum=minimum,
                maximum=1.0,
                corrected=corrected,
                needs=frozenset(("n_features", "similarity")),
                references=references,
                function=function,
            )
        )

    return record


def _pairs(
    tables: SubsetTables,
    kind: int,
    best: Best,
    graph: Similarity,
    *,
    corrected: bool,
    expected: Callable[[], Expected],
) -> Pairs:
    """Score all pairs; correct them for chance if asked."""
    bounds, members = tables.subsets.indptr, tables.incidence.indices.astype(np.int64)
    table = pair_table(kind, bounds, members, *compiled(graph.among(tables.union)))
    if not corrected:
        return Pairs(blocks=[table], chance=lambda: _level(tables, expected()))
    chance = expected()
    of = tables.size_class
    level = chance.mean[of[:, None], of[None, :]]
    error = chance.error[of[:, None], of[None, :]]
    sizes = tables.sizes.astype(np.float64)
    most = best(sizes[:, None], sizes[None, :])
    values = chance_corrected(table, level, most)
    return Pairs(blocks=[values], chance=lambda: Chance(0.0, _error(table, level, error, most)))


def _level(tables: SubsetTables, chance: Expected) -> Chance:
    return Chance(expected_mean(tables, chance.mean), expected_mean(tables, chance.error))


def _error(table: Array, level: Array, error: Array, most: Array) -> float:
    """Standard error that a simulated chance level brings into the mean over pairs.

    All pairs of sizes are simulated with the same draws, so their errors are taken to add up.
    """
    room = most - level
    slope = np.where(room > 1e-9, np.abs(most - table), 0.0) / np.square(np.maximum(room, 1e-9))
    m = len(table)
    return float((slope * error)[~np.eye(m, dtype=bool)].sum() / (m * (m - 1)))


def _geometric(a: Array, b: Array) -> Array:
    return np.asarray(np.sqrt(a * b))


def _arithmetic(a: Array, b: Array) -> Array:
    return np.asarray((a + b) / 2)


def _one(a: Array, b: Array) -> Array:
    return np.ones(np.broadcast_shapes(a.shape, b.shape))


@_adjusted(
    title="intersection measure, maximum bipartite matching",
    minimum=-np.inf,
    references=("bommert2020",),
    corrected=True,
)
def intersection_mbm(
    tables: SubsetTables,
    *,
    graph: Similarity,
    corrected: bool = True,
    correction: Correction = "auto",
    n_simulations: int = 1000,
    random_state: RandomState = 0,
) -> Pairs:
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
    return _intersection(tables, MBM, graph, corrected, (correction, n_simulations, random_state))


@_adjusted(
    title="intersection measure, greedy matching",
    minimum=-np.inf,
    references=("bommert2020",),
    corrected=True,
)
def intersection_greedy(
    tables: SubsetTables,
    *,
    graph: Similarity,
    corrected: bool = True,
    correction: Correction = "auto",
    n_simulations: int = 1000,
    random_state: RandomState = 0,
) -> Pairs:
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
    return _intersection(
        tables, GREEDY, graph, corrected, (correction, n_simulations, random_state)
    )


@_adjusted(
    title="intersection measure, count of similar features",
    minimum=-np.inf,
    references=("bommert2020",),
    corrected=True,
)
def intersection_count(
    tables: SubsetTables,
    *,
    graph: Similarity,
    corrected: bool = True,
    correction: Correction = "auto",
    n_simulations: int = 1000,
    random_state: RandomState = 0,
) -> Pairs:
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
    return _intersection(tables, COUNT, graph, corrected, (correction, n_simulations, random_state))


@_adjusted(
    title="intersection measure, mean similarity",
    minimum=-np.inf,
    references=("bommert2020",),
    corrected=True,
)
def intersection_mean(
    tables: SubsetTables,
    *,
    graph: Similarity,
    corrected: bool = True,
    correction: Correction = "auto",
    n_simulations: int = 1000,
    random_state: RandomState = 0,
) -> Pairs:
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
    return _intersection(tables, MEAN, graph, corrected, (correction, n_simulations, random_state))


def _intersection(
    tables: SubsetTables,
    kind: int,
    graph: Similarity,
    corrected: bool,
    how: tuple[Correction, int, RandomState],
) -> Pairs:
    return _pairs(
        tables,
        kind,
        _geometric,
        graph,
        corrected=corrected,
        expected=lambda: expected_scores(tables, graph, kind, *how),
    )


@_adjusted(
    title="Yu's measure nPOGR",
    minimum=-np.inf,
    references=("yu2012", "zhang2009"),
    corrected=True,
)
def yu(
    tables: SubsetTables,
    *,
    graph: Similarity,
    corrected: bool = True,
    correction: Correction = "auto",
    n_simulations: int = 1000,
    random_state: RandomState = 0,
) -> Pairs:
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
    return _pairs(
        tables,
        YU,
        _arithmetic,
        graph,
        corrected=corrected,
        expected=lambda: expected_scores(
            tables, graph, YU, correction, n_simulations, random_state
        ),
    )


@_adjusted(
    title="Zucknick's measure",
    minimum=0.0,
    references=("zucknick2008",),
    corrected=False,
)
def zucknick(
    tables: SubsetTables,
    *,
    graph: Similarity,
    corrected: bool = False,
    correction: Correction = "auto",
    n_simulations: int = 1000,
    random_state: RandomState = 0,
) -> Pairs:
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
    return _pairs(
        tables,
        ZUCKNICK,
        _one,
        graph,
        corrected=corrected,
        expected=lambda: expected_scores(
            tables, graph, ZUCKNICK, correction, n_simulations, random_state
        ),
    )
