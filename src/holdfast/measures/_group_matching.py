"""Yu, Ding and Loscalzo: two sets of feature groups, compared by their best matching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import scipy.sparse
from scipy.optimize import linear_sum_assignment

from holdfast._text import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.measures._estimate import no_chance_level
from holdfast.measures._pairs import PairMeasure, Pairs
from holdfast.measures._record import Measure, register
from holdfast.measures._similarity import DataSimilarity

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.measures._types import Array
    from holdfast.preferences import Groups

Centre = Literal["mean", "representative"]


def _group_measure(
    *, title: str, minimum: float, needs: frozenset[str]
) -> Callable[[Callable[..., Pairs]], Measure]:
    def record(function: Callable[..., Pairs]) -> Measure:
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
def group_matching_index(groups: Groups) -> Pairs:
    r"""Mean Dice coefficient of the groups that the best matching brings together.

    .. math:: \operatorname{mean}_{i<j} \frac{1}{\min(|R_i|, |R_j|)}
       \max_M \sum_{(g, g') \in M} \frac{2\,|g \cap g'|}{|g| + |g'|}

    M runs over the matchings between the groups of two results. The sum is divided by the size
    of the matching, matched groups without a common feature counted; groups left over are not.
    With ``reference=`` each result is compared with that one instead of with all others.

    Edge cases: identical results give 1, results without a common feature 0; a result without
    groups is undefined; results of single features give twice the overlap over twice the smaller
    size.

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
    shared = (incidence @ incidence.T).toarray()
    with np.errstate(invalid="ignore"):  # no groups at all
        dice = 2 * shared / (sizes[:, None] + sizes[None, :])
    return Pairs(blocks=[_matched(groups, dice)], chance=no_chance_level)


@_group_measure(title="group matching by values, Sim_V^M", minimum=-1.0, needs=frozenset(("data",)))
def group_matching_value(groups: Groups, *, data: Any, centre: Centre = "mean") -> Pairs:  # noqa: ANN401
    r"""Mean correlation of the groups that the best matching brings together.

    .. math:: \operatorname{mean}_{i<j} \frac{1}{\min(|R_i|, |R_j|)}
       \max_M \sum_{(g, g') \in M} \operatorname{corr}(c_g, c_{g'})

    c_g is the centre of a group, the mean of its standardised features
    (``centre="mean"``), or its representative (``centre="representative"``), over all rows of
    `data`; the correlation keeps its sign. Groups of different but correlated features agree.
    With ``reference=`` each result is compared with that one instead of with all others.

    Edge cases: identical results give 1; a result without groups is undefined; a constant
    centre correlates 0 with all others.

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> x = np.array([[1.0, 2, 0], [2, 4, 1], [3, 6, 0]])
    >>> round(hf.measure("group_matching_value", hf.Groups([[[0]], [[1]]]), data=x), 4)
    1.0
    """
    if centre not in get_args(Centre):
        raise UnknownNameError(
            f"unknown centre {centre!r}.{did_you_mean(centre, get_args(Centre))}"
        )
    points = _centres(groups, DataSimilarity(data, threshold=1.0), centre)
    return Pairs(blocks=[_matched(groups, points @ points.T)], chance=no_chance_level)


def _centres(groups: Groups, data: DataSimilarity, centre: Centre) -> Array:
    """Return one row a group, centred and of length 1, so that products are correlations."""
    if centre == "representative":
        if groups.representatives is None:
            raise InvalidInputError("these groups have no representatives; use centre='mean'.")
        return data.standardised(np.concatenate(groups.representatives).astype(np.intp)).T
    flat = [group for result in groups for group in result]
    features = np.unique(np.concatenate([*flat, np.zeros(0, dtype=np.int64)])).astype(np.intp)
    if features.size and features[-1] >= data.n_features:
        raise InvalidInputError(
            f"the groups hold feature {features[-1]:,}; the data have {data.n_features:,} features."
        )
    columns = data.standardised(features)
    rows = [columns[:, np.searchsorted(features, group)].mean(axis=1) for group in flat]
    points = np.array(rows).reshape(len(flat), len(columns))
    length = np.sqrt(np.square(points).sum(axis=1, keepdims=True))
    return np.asarray(points / np.where(length > 1e-12, length, np.inf))


def _matched(groups: Groups, weights: NDArray[Any]) -> Array:
    """Return for each pair of results the mean weight of the best matching of their groups."""
    bounds = np.concatenate(([0], np.cumsum(groups.sizes)))
    m = len(groups)
    table = np.ones((m, m))
    for i in range(m):
        for j in range(i + 1, m):
            block = weights[bounds[i] : bounds[i + 1], bounds[j] : bounds[j + 1]]
            best = block[linear_sum_assignment(block, maximize=True)]
            table[i, j] = table[j, i] = best.mean() if best.size else np.nan
    return table
