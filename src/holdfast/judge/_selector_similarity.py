"""How alike are the features that two selectors choose, against how alike each is to itself?"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast._text import plural
from holdfast.errors import InvalidInputError
from holdfast.judge._crossed import crossed
from holdfast.judge._jackknife import jackknife_error
from holdfast.measures import get_measure
from holdfast.measures._pairs import PairMeasure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from holdfast.judge._crossed import Crossed
    from holdfast.preferences import Subsets

    Array = NDArray[np.float64]

Z = NormalDist().inv_cdf(0.975)
COLUMNS = [
    *("first", "second", "similarity", "low", "high", "same"),
    *("relative", "relative_low", "relative_high"),
]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SelectorSimilarity:
    """How alike selectors are.

    Attributes
    ----------
    matrix : DataFrame
        Mean similarity between the selections of two selectors on different resamples; on the
        diagonal each selector's own stability, to which the rest of its row compares.
    same : DataFrame
        Mean similarity on the same resample; 1 on the diagonal.
    relative : DataFrame
        `matrix` over the geometric mean of both stabilities: 1 means as alike as their own noise
        allows. It may exceed 1 by chance; NaN where a stability is not clearly positive.
    table : DataFrame
        The same, a row for each pair: ``first``, ``second``, ``similarity`` with a 95% interval
        ``low`` to ``high``, ``same``, ``relative`` with ``relative_low`` and ``relative_high``.
        Intervals are by jackknife over resamples (over groups where they come in groups) and
        NaN for fewer than three of them.
    measure : str
        The measure of similarity.
    """

    matrix: pd.DataFrame
    same: pd.DataFrame
    relative: pd.DataFrame
    table: pd.DataFrame
    measure: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which selectors are most and least alike, in words."""
        pairs = self.table[self.table["first"] != self.table["second"]].dropna(subset="similarity")
        if pairs.empty:
            return ()
        ordered = pairs.sort_values("similarity", ascending=False, kind="stable")
        most = _sentence("most", ordered.iloc[0], self.matrix)
        if len(ordered) == 1:
            return (most.replace("Most alike: ", ""),)
        return most, _sentence("least", ordered.iloc[-1], self.matrix)

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table

    def __repr__(self) -> str:
        head = f"<SelectorSimilarity by {self.measure}: {plural(len(self.matrix), 'selector')}>"
        return "\n".join([head, *self.sentences])


def selector_similarity(
    systems: Mapping[str, Subsets],
    measure: str = "phi",
    *,
    groups: Iterable[Sequence[int]] | None = None,
) -> SelectorSimilarity:
    r"""Compare the features that selectors choose.

    For the selections :math:`V^A_i` and :math:`V^B_i` of two selectors on m resamples, and a
    similarity s of two selections,

    .. math:: S_{AB} = \frac{1}{m(m-1)} \sum_{i \ne j} s(V^A_i, V^B_j), \qquad
       R_{AB} = \frac{S_{AB}}{\sqrt{S_{AA} S_{BB}}}

    :math:`S_{AA}` is the stability of A. Two selectors that look for the same features, each with
    noise of its own, are no more alike than :math:`\sqrt{S_{AA} S_{BB}}`, so R tells a difference
    of taste from noise.

    Parameters
    ----------
    systems : mapping from str to Subsets
        For each selector its selections, on the same resamples in the same order.
    measure : str, default "phi"
        A measure of pairs of subsets. ``phi`` is corrected for chance and takes selections of
        different sizes; ``jaccard`` is what many know, but chance is in it, so R is too high.
    groups : iterable of sequences of int, optional
        Positions of resamples that are compared with each other, at least two in a group;
        values are then averaged over groups. Default: all are compared.

    Returns
    -------
    SelectorSimilarity

    Examples
    --------
    >>> import holdfast as hf
    >>> first = hf.Subsets([[0, 1], [0, 1], [0, 1], [0, 2]], n_features=10)
    >>> second = hf.Subsets([[0, 3], [0, 3], [0, 3], [0, 3]], n_features=10)
    >>> alike = hf.judge.selector_similarity({"one": first, "two": second})
    >>> alike.matrix.round(3)
           one    two
    one  0.688  0.375
    two  0.375  1.000
    >>> alike.sentences[0]
    'one and two: similarity 0.37 (to themselves: 0.69 and 1.00), 45% of what their own noise
    allows.'
    """
    record = _checked(systems, measure)
    every = range(len(next(iter(systems.values()))))
    found = crossed(list(systems.values()), record, [every] if groups is None else list(groups))
    return _described(tuple(systems), found, record.name)


def _checked(systems: Mapping[str, Subsets], measure: str) -> PairMeasure:
    record = get_measure(measure)
    hungry = record.form != "subset" or record.needs & {"similarity", "data"}
    if hungry or record.distance or not isinstance(record, PairMeasure):
        raise InvalidInputError(
            f"selectors are compared by a similarity of pairs of subsets that needs no data, got "
            f"{record.name}; take phi or jaccard."
        )
    lengths = {len(subsets) for subsets in systems.values()}
    if len(lengths) != 1 or lengths == {1}:
        raise InvalidInputError(
            "selectors are compared on the same resamples, at least two; got selections on "
            f"{sorted(lengths) or 'none'}."
        )
    return record


def _described(names: tuple[str, ...], found: Crossed, measure: str) -> SelectorSimilarity:
    low, high = _interval(found.values, found.replicates)
    stable = np.diagonal(np.where(np.isnan(low), found.values, low)) > 0
    alike, replicates = (relative(part, stable) for part in (found.values, found.replicates))
    alike_low, alike_high = _interval(alike, replicates)
    tables = (found.values, low, high, found.same, alike, alike_low, alike_high)
    first, second = np.triu_indices(len(names))
    pairs = ([names[i] for i in first], [names[i] for i in second])
    columns = [*pairs, *(table[first, second] for table in tables)]
    matrix, same, ratio = (
        pd.DataFrame(table, index=list(names), columns=list(names))
        for table in (found.values, found.same, alike)
    )
    return SelectorSimilarity(
        matrix=matrix,
        same=same,
        relative=ratio,
        table=pd.DataFrame(dict(zip(COLUMNS, columns, strict=True))),
        measure=measure,
    )


def _interval(values: Array, replicates: Array) -> tuple[Array, Array]:
    half = Z * jackknife_error(replicates)
    return values - half, values + half


def relative(values: Array, stable: NDArray[np.bool_]) -> Array:
    """Return similarities over the geometric mean of the stabilities on the diagonal."""
    own = np.diagonal(values, axis1=-2, axis2=-1)
    root = np.sqrt(np.where(stable & (own > 0), own, np.nan))
    return np.asarray(values / (root[..., :, None] * root[..., None, :]))


def _sentence(which: str, row: pd.Series, matrix: pd.DataFrame) -> str:
    first, second = row["first"], row["second"]
    share = row["relative"]
    allowed = "" if np.isnan(share) else f", {share:.0%} of what their own noise allows"
    return (
        f"{which.capitalize()} alike: {first} and {second}: similarity "
        f"{_number(row['similarity'])} (to themselves: {_number(matrix.loc[first, first])} and "
        f"{_number(matrix.loc[second, second])}){allowed}."
    )


def _number(value: Any) -> str:  # noqa: ANN401  (what a frame holds)
    return f"{round(float(value), 2) + 0.0:.2f}"  # no minus before a zero
