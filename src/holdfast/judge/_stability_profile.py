"""Stability profile: stability against the number of selected features, with knots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError
from holdfast.judge._agreement import stack_lists, tables_by_size
from holdfast.judge._knots import KNOT_EXPLANATION, find_knot
from holdfast.judge._measurement import (
    FEW_PREFERENCES_NOTE,
    MeasuredValue,
    average_over_groups,
    measure_subsets,
)
from holdfast.measures import SubsetTables, get_measure
from holdfast.preferences import Subsets

if TYPE_CHECKING:
    from holdfast.judge._agreement import Lists
    from holdfast.judge._knots import Knot


Groups = Sequence[Sequence[int]]


N_PROFILE_SIZES = 40
"""Number of sizes of a default profile."""
DEFAULT_PROFILE_MEASURES = ("nogueira", "jaccard")
OWN_SIZE_NOTE = "chooses the number of features itself, so it has no profile"
PROFILE_COLUMNS = ["selector", "size", "measure", "value", "low", "high", "chance", "note"]
KNOT_COLUMNS = ["selector", "size", "low", "high", "agreed", "next", "clarity", "sentence"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StabilityProfile:
    """Stability against the number of features, with chance level and knots.

    Attributes
    ----------
    table : DataFrame
        ``selector``, ``size``, ``measure``, ``value`` with a 95% interval ``low`` to ``high``,
        ``chance`` (the expected value for random selections of that size) and ``note``.
    knots : DataFrame
        One row per selector: ``size`` of its knot, missing where none is clear, ``low`` and
        ``high`` around it, ``agreed``, ``next``, ``clarity`` and ``sentence``, see
        :class:`holdfast.judge.Knot`.
    measures : tuple of str
        The measures, the main one first.
    left_out : tuple of str
        Selectors without a profile because they choose the number of features themselves.
    """

    table: pd.DataFrame
    knots: pd.DataFrame
    measures: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def measure(self) -> str:
        """The main measure."""
        return self.measures[0]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The knots in words, one sentence per selector."""
        rows = self.knots[["selector", "sentence"]].itertuples(index=False)
        profiles = [f"{name}: {sentence}." for name, sentence in rows]
        return (*profiles, *(f"{name}: {OWN_SIZE_NOTE}." for name in self.left_out))

    @property
    def how(self) -> str:
        """How knots are found."""
        return KNOT_EXPLANATION

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def __repr__(self) -> str:
        count = plural(len(self.knots), "selector")
        sizes = plural(self.table["size"].nunique(), "size")
        return "\n".join([f"<StabilityProfile: {count} at {sizes}>", *self.sentences])


def stability_profile(
    tops: Mapping[str, Lists],
    n_features: int,
    *,
    sizes: Iterable[int] | None = None,
    measures: str | Iterable[str] = DEFAULT_PROFILE_MEASURES,
) -> StabilityProfile:
    """Measure stability at many sizes, and find the knots.

    Parameters
    ----------
    tops : mapping from str to sequence of arrays of int
        For each selector, the features of each resample, the best first; all resamples have the
        same number of features.
    n_features : int
        Number of all features.
    sizes : iterable of int, optional
        Numbers of features to measure at; default: about 40, closer together where they are
        small, from 1 to all that are known.
    measures : str or iterable of str, default ("nogueira", "jaccard")
        Measures of subsets that need no data.

    Returns
    -------
    StabilityProfile
        Where a measure is undefined (``nogueira`` if all features are selected), its value is
        NaN and the note has the reason.

    See Also
    --------
    find_knot : How knots are found.

    References
    ----------
    Kalousis, Prados and Hilario (2005), section 4.1.

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> rng = np.random.default_rng(0)
    >>> tops = [np.append(rng.permutation(20), 20 + rng.permutation(180)) for _ in range(10)]
    >>> profile = hf.judge.stability_profile({"mine": tops}, 200, sizes=[10, 20, 40])
    >>> profile.table.query("measure == 'nogueira'")[["size", "value", "chance"]].round(2)
       size  value  chance
    0    10   0.46     0.0
    2    20   1.00     0.0
    4    40   0.43     0.0
    >>> profile.sentences[0]
    'mine: agreement breaks at 20 features: up to there resamples agree on 100% of what they
    select beyond chance, but only on 0% of the next 40 features.'
    """
    names = check_profile_measures(measures)
    requested = None if sizes is None else sorted(set(sizes))
    rows, knots = [], {}
    for selector, lists in tops.items():
        depth = _check_depth(selector, lists, n_features)
        points = (
            profile_sizes(depth) if requested is None else check_profile_sizes(requested, depth)
        )
        values = profile_rows(lists, n_features, points, names)
        rows += [{"selector": selector, **row} for row in values]
        knots[selector] = find_knot(lists, n_features)
    return StabilityProfile(
        table=pd.DataFrame(rows, columns=PROFILE_COLUMNS), knots=knots_table(knots), measures=names
    )


def profile_sizes(depth: int, include: Iterable[int] = ()) -> list[int]:
    """Return about 40 sizes from 1 to depth, closer together where small, and those to include."""
    if depth < 1:
        return []
    grid = np.geomspace(1, depth, N_PROFILE_SIZES).round().astype(int).tolist()
    return sorted({*grid, *(size for size in include if 1 <= size <= depth)})


def check_profile_measures(measures: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of measures of subsets; raise for others, and those that need data."""
    names = [measures] if isinstance(measures, str) else list(measures)
    records = [get_measure(name) for name in names]
    unsuitable = [r.name for r in records if r.form != "subset" or r.needs & {"similarity", "data"}]
    if unsuitable or not records:
        raise InvalidInputError(
            f"a profile takes measures of subsets that need no data, got {unsuitable or 'none'}; "
            f"the defaults are {', '.join(DEFAULT_PROFILE_MEASURES)}."
        )
    return tuple(record.name for record in records)


def check_profile_sizes(sizes: Sequence[int], depth: int) -> Sequence[int]:
    """Raise for sizes beyond the known features."""
    if not sizes or min(sizes) < 1 or max(sizes) > depth:
        raise InvalidInputError(
            f"sizes of a profile must lie between 1 and the {plural(depth, 'feature')} that are "
            f"ranked in each resample, got {list(sizes)[:5]}."
        )
    return sizes


def knots_table(knots: Mapping[str, Knot]) -> pd.DataFrame:
    """Return the knots, one row per selector."""
    rows = [{"selector": name, **asdict(knot)} for name, knot in knots.items()]
    table = pd.DataFrame(rows, columns=KNOT_COLUMNS)
    return table.astype({"size": "Int64", **dict.fromkeys(KNOT_COLUMNS[2:-1], float)})


def _check_depth(selector: str, lists: Lists, n_features: int) -> int:
    """Return the number of features of each resample; raise for lists that are not rankings."""
    lengths = {len(row) for row in lists}
    if len(lists) < 2 or len(lengths) != 1 or not 1 <= max(lengths) <= n_features:
        raise InvalidInputError(
            f"{selector}: a profile needs at least two lists of features, best first, all of one "
            f"length up to the {plural(n_features, 'feature')}, got {len(lists)} of the lengths "
            f"{sorted(lengths)[:5]}. Selectors that choose the number of features have no profile."
        )
    if any(_is_invalid(row, n_features) for row in lists):
        Subsets(lists, n_features=n_features)  # raises with the reason
    return lengths.pop()


def _is_invalid(row: NDArray[np.integer], n_features: int) -> bool:
    """Return whether a list has unknown or repeated features."""
    return bool(np.min(row) < 0 or np.max(row) >= n_features or np.bincount(row).max() > 1)


def profile_rows(
    lists: Lists,
    n_features: int,
    sizes: Sequence[int],
    names: tuple[str, ...],
    groups: Groups | None = None,
) -> Iterator[dict[str, object]]:
    """Measure lists at each size: all against each other, or within groups, then averaged.

    Groups hold positions in `lists`. Sizes ascend.
    """
    depth = max(sizes, default=0)
    compared_groups = [range(len(lists))] if groups is None else groups
    parts = [
        stack_lists([lists[position] for position in group], depth) for group in compared_groups
    ]
    systems = [tables_by_size(part, n_features, sizes) for part in parts]
    together = zip(*systems, strict=True) if systems else [()] * len(sizes)
    for size, tables in zip(sizes, together, strict=True):
        for name in names:
            value = _measure_groups(name, tables, grouped=groups is not None)
            yield {"size": size, "measure": name, **value.row()}


def _measure_groups(name: str, tables: Sequence[SubsetTables], *, grouped: bool) -> MeasuredValue:
    if not tables:
        return MeasuredValue(note=FEW_PREFERENCES_NOTE)
    record = get_measure(name)
    values = [measure_subsets(record, group) for group in tables]
    return average_over_groups(record, values) if grouped else values[0]
