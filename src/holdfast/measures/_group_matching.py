"""Similarity of two sets of feature groups by their best matching (Yu, Ding and Loscalzo)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
import scipy.sparse
from scipy.optimize import linear_sum_assignment

from holdfast._typing import FloatArray, MatrixLike
from holdfast._validation import check_choice, check_integer
from holdfast.errors import InvalidInputError
from holdfast.measures._feature_similarity import DataSimilarity, check_all_named, order_columns
from holdfast.measures._registry import no_chance_level, register_measure
from holdfast.measures._subset_tables import PairMeasure, PairSimilarities
from holdfast.preferences import Groups

Centre = Literal["mean", "representative"]
Against = Literal["first", "all"]


@register_measure(
    PairMeasure,
    title="group matching by indices, Sim_ID^M",
    form="groups",
    minimum=0.0,
    maximum=1.0,
    references=("yu2008",),
)
def group_matching_index(
    groups: Groups, *, n_groups: int | None = None, against: Against = "first"
) -> PairSimilarities:
    r"""Mean Dice coefficient of the groups that the best matching brings together.

    .. math:: \operatorname{mean}_{i<j} \frac{1}{\min(|R_i|, |R_j|)}
       \max_M \sum_{(g, g') \in M} \frac{2\,|g \cap g'|}{|g| + |g'|}

    M runs over the matchings between the groups of two results. The sum is divided by the size
    of the matching, matched groups without a common feature counted; groups left over are not.
    For results of single features it is the overlap over the smaller size.
    With ``reference=`` each result is compared with that one instead of with all others.

    ``n_groups=k`` compares the first k groups of each result (groups come the best first);
    default: all. ``against="all"`` matches the first k groups of one result with *all* groups of
    the other, so that a group found again at a lower place counts in full. This depends on the
    direction: pairs get the mean of both, and with ``reference=`` the first k groups of the
    reference are looked for among all groups of each result.

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
    >>> g = hf.Groups([[[0, 1], [5, 6]], [[5, 6], [0, 1]]])
    >>> hf.measure("group_matching_index", g, n_groups=1)
    0.0
    >>> hf.measure("group_matching_index", g, n_groups=1, against="all")
    1.0
    """
    _check_matched_groups(n_groups, against)
    flat = [group for result in groups for group in result]
    sizes = np.array([len(group) for group in flat], dtype=np.float64)
    indptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    members = np.concatenate([*flat, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    _, place = np.unique(members, return_inverse=True)
    shape = (len(flat), int(place.max(initial=-1)) + 1)
    incidence = scipy.sparse.csr_array((np.ones(len(place)), place, indptr), shape=shape)

    def dice(one: slice, other: slice) -> FloatArray:
        shared = (incidence[one] @ incidence[other].T).toarray()
        return np.asarray(2 * shared / (sizes[one, None] + sizes[None, other]))

    return _match_all_pairs(groups, dice, n_groups, against)


@register_measure(
    PairMeasure,
    title="group matching by values, Sim_V^M",
    form="groups",
    minimum=-1.0,
    maximum=1.0,
    needs=("data",),
    references=("yu2008",),
)
def group_matching_value(
    groups: Groups,
    *,
    data: MatrixLike,
    centre: Centre = "mean",
    n_groups: int | None = None,
    against: Against = "first",
) -> PairSimilarities:
    r"""Mean correlation of the groups that the best matching brings together.

    .. math:: \operatorname{mean}_{i<j} \frac{1}{\min(|R_i|, |R_j|)}
       \max_M \sum_{(g, g') \in M} \operatorname{corr}(c_g, c_{g'})

    c_g is the centre of a group, the mean of its standardised features
    (``centre="mean"``), or its representative (``centre="representative"``), over all rows of
    `data`; the correlation keeps its sign. Groups of different but correlated features agree. A
    constant centre correlates 0 with all others.
    With ``reference=`` each result is compared with that one instead of with all others.
    ``n_groups`` and ``against`` are those of :func:`group_matching_index`.

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
    check_choice(centre, "centre", get_args(Centre))
    _check_matched_groups(n_groups, against)
    check_all_named(groups)
    table = DataSimilarity(order_columns(data, groups.feature_names), threshold=1.0)
    if groups.n_features not in (None, table.n_features):
        raise InvalidInputError(
            f"the data have {table.n_features:,} features, the groups {groups.n_features:,}."
        )
    points = _group_centres(groups, table, centre)
    return _match_all_pairs(
        groups, lambda one, other: points[one] @ points[other].T, n_groups, against
    )


def _check_matched_groups(n_groups: int | None, against: str) -> None:
    check_choice(against, "against", get_args(Against))
    if n_groups is not None:
        check_integer(n_groups, "n_groups", 1)
    elif against == "all":
        raise InvalidInputError(
            'against="all" matches the first groups of one result with all of the other; say how '
            "many: n_groups=10, for example."
        )


def _group_centres(groups: Groups, data: DataSimilarity, centre: Centre) -> FloatArray:
    """Return one row per group, centred and of length 1, so that products are correlations."""
    flat = [group for result in groups for group in result]
    features = np.unique(np.concatenate([*flat, np.zeros(0, dtype=np.int64)])).astype(np.intp)
    if features.size and features[-1] >= data.n_features:
        raise InvalidInputError(
            f"the groups hold feature {features[-1]:,}; the data have {data.n_features:,} features."
        )
    if centre == "representative":
        if groups.representatives is None:
            raise InvalidInputError("these groups have no representatives; use centre='mean'.")
        return data.standardise(np.concatenate(groups.representatives).astype(np.intp)).T
    columns = data.standardise(features)
    rows = [columns[:, np.searchsorted(features, group)].mean(axis=1) for group in flat]
    points = np.array(rows).reshape(len(flat), len(columns))
    # centres of opposite features may cancel; such a centre correlates with nothing
    length = np.sqrt(np.square(points).sum(axis=1, keepdims=True))
    return np.asarray(points / np.where(length > 1e-12, length, np.inf))


def _match_all_pairs(
    groups: Groups,
    weights: Callable[[slice, slice], FloatArray],
    n_groups: int | None,
    against: Against,
) -> PairSimilarities:
    """Return the mean weights of the best matchings of all pairs of results.

    `weights` returns the weights between two ranges of groups; no table of all groups by all
    groups is stored.
    """
    bounds = np.concatenate(([0], np.cumsum(groups.sizes)))
    results = [slice(start, stop) for start, stop in pairwise(bounds)]
    firsts = [
        slice(r.start, r.stop if n_groups is None else min(r.stop, r.start + n_groups))
        for r in results
    ]
    others = results if against == "all" else firsts

    def match(i: int, j: int) -> float:
        block = weights(firsts[i], others[j])
        # with unequal numbers of groups the surplus groups stay unmatched and do not count
        best = block[linear_sum_assignment(block, maximize=True)]
        return float(best.mean()) if best.size else np.nan

    def match_both_ways() -> Iterator[FloatArray]:
        table = np.empty((len(results), len(results)))
        for i in range(len(results)):
            for j in range(i, len(results)):
                value = match(i, j)
                if against == "all":
                    value = (value + match(j, i)) / 2
                table[i, j] = table[j, i] = value
            yield table[i : i + 1]

    return PairSimilarities(
        blocks=match_both_ways(),
        chance=no_chance_level,
        from_first=lambda: np.array([match(0, j) for j in range(1, len(results))]),
    )
