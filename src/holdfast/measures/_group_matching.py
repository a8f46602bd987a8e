"""Yu, Ding and Loscalzo: two sets of feature groups, compared by their best matching."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import scipy.sparse
from scipy.optimize import linear_sum_assignment

from holdfast._validation import one_of
from holdfast.errors import InvalidInputError
from holdfast.measures._feature_similarity import DataSimilarity, check_all_named, in_order
from holdfast.measures._pair_measures import PairMeasure, PairSimilarities
from holdfast.measures._registry import Measure, no_chance_level, register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.measures._registry import Array
    from holdfast.preferences import Groups

Centre = Literal["mean", "representative"]


def _group_measure(
    *, title: str, minimum: float, needs: frozenset[str]
) -> Callable[[Callable[..., PairSimilarities]], Measure]:
    def record(function: Callable[..., PairSimilarities]) -> Measure:
        return register(
            PairMeasure(
                name=function.__name__,
                title=title,
                form="groups",
                minimum=minimum,
                maximum=1.0,
                needs=needs,
                references=("yu2008",),
                function=function,
            )
        )

    return record


@_group_measure(title="group matching by indices, Sim_ID^M", minimum=0.0, needs=frozenset())
def group_matching_index(groups: Groups) -> PairSimilarities:
    r"""Mean Dice coefficient of the groups that the best matching brings together.

    .. math:: \operatorname{mean}_{i<j} \frac{1}{\min(|R_i|, |R_j|)}
       \max_M \sum_{(g, g') \in M} \frac{2\,|g \cap g'|}{|g| + |g'|}

    M runs over the matchings between the groups of two results. The sum is divided by the size
    of the matching, matched groups without a common feature counted; groups left over are not.
    For results of single features it is the overlap over the smaller size.
    With ``reference=`` each result is compared with that one instead of with all others.

    Edge cases:

    ===================  =========
    two results          value
    ===================  =========
    groups, the same     1
    groups, without one  1
    groups, others       0
    groups, none         undefined
    ===================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> g = hf.Groups([[[0, 1, 2], [5]], [[0, 1], [5]]])
    >>> hf.measure("group_matching_index", g)
    0.9
    """
    flat = [group for result in groups for group in result]
    sizes = np.array([len(group) for group in flat], dtype=np.float64)
    indptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    members = np.concatenate([*flat, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    _, place = np.unique(members, return_inverse=True)
    shape = (len(flat), int(place.max(initial=-1)) + 1)
    incidence = scipy.sparse.csr_array((np.ones(len(place)), place, indptr), shape=shape)

    def dice(one: slice, other: slice) -> Array:
        shared = (incidence[one] @ incidence[other].T).toarray()
        return np.asarray(2 * shared / (sizes[one, None] + sizes[None, other]))

    return PairSimilarities(blocks=_match_groups(groups, dice), chance=no_chance_level)


@_group_measure(title="group matching by values, Sim_V^M", minimum=-1.0, needs=frozenset(("data",)))
def group_matching_value(groups: Groups, *, data: Any, centre: Centre = "mean") -> PairSimilarities:  # noqa: ANN401
    r"""Mean correlation of the groups that the best matching brings together.

    .. math:: \operatorname{mean}_{i<j} \frac{1}{\min(|R_i|, |R_j|)}
       \max_M \sum_{(g, g') \in M} \operatorname{corr}(c_g, c_{g'})

    c_g is the centre of a group, the mean of its standardised features
    (``centre="mean"``), or its representative (``centre="representative"``), over all rows of
    `data`; the correlation keeps its sign. Groups of different but correlated features agree. A
    constant centre correlates 0 with all others.
    With ``reference=`` each result is compared with that one instead of with all others.

    Edge cases:

    ===================  =========
    two results          value
    ===================  =========
    groups, the same     1
    groups, without one  1
    groups, others       0
    groups, none         undefined
    ===================  =========

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> x = np.array([[1.0, 2, 0], [2, 4, 1], [3, 6, 0]])
    >>> round(hf.measure("group_matching_value", hf.Groups([[[0]], [[1]]]), data=x), 4)
    1.0
    """
    one_of(centre, "centre", get_args(Centre))
    check_all_named(groups)
    table = DataSimilarity(in_order(data, groups.feature_names), threshold=1.0)
    if groups.n_features not in (None, table.n_features):
        raise InvalidInputError(
            f"the data have {table.n_features:,} features, the groups {groups.n_features:,}."
        )
    points = _centres(groups, table, centre)
    return PairSimilarities(
        blocks=_match_groups(groups, lambda one, other: points[one] @ points[other].T),
        chance=no_chance_level,
    )


def _centres(groups: Groups, data: DataSimilarity, centre: Centre) -> Array:
    """Return one row a group, centred and of length 1, so that products are correlations."""
    flat = [group for result in groups for group in result]
    features = np.unique(np.concatenate([*flat, np.zeros(0, dtype=np.int64)])).astype(np.intp)
    if features.size and features[-1] >= data.n_features:
        raise InvalidInputError(
            f"the groups hold feature {features[-1]:,}; the data have {data.n_features:,} features."
        )
    if centre == "representative":
        if groups.representatives is None:
            raise InvalidInputError("these groups have no representatives; use centre='mean'.")
        return data.standardised(np.concatenate(groups.representatives).astype(np.intp)).T
    columns = data.standardised(features)
    rows = [columns[:, np.searchsorted(features, group)].mean(axis=1) for group in flat]
    points = np.array(rows).reshape(len(flat), len(columns))
    length = np.sqrt(np.square(points).sum(axis=1, keepdims=True))
    return np.asarray(points / np.where(length > 1e-12, length, np.inf))


def _match_groups(groups: Groups, weights: Callable[[slice, slice], Array]) -> Iterator[Array]:
    """Yield, result by result, the mean weights of the best matchings with all results.

    `weights` gives the weights between two ranges of groups; nothing of size groups x groups
    is held.
    """
    bounds = np.concatenate(([0], np.cumsum(groups.sizes)))
    own = [slice(start, stop) for start, stop in pairwise(bounds)]
    table = np.empty((len(own), len(own)))
    for i in range(len(own)):
        for j in range(i, len(own)):
            block = weights(own[i], own[j])
            best = block[linear_sum_assignment(block, maximize=True)]
            table[i, j] = table[j, i] = best.mean() if best.size else np.nan
        yield table[i : i + 1]
