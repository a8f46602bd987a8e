"""From selections on disjoint parts of the data to a table of chances to be found again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast._formatting import did_you_mean
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge._replication._chance_model import (
    LARGER,
    DisjointRanks,
    FoundAgain,
    estimate_found_again,
    grade_chances,
    longest_list,
)
from holdfast.judge._replication._estimate import (
    FEATURE_COLUMNS,
    PairValues,
    carries_prediction,
    points_of,
)
from holdfast.judge._replication._extrapolation import fit_curves
from holdfast.judge._replication._pair_similarities import pair_similarities
from holdfast.judge._replication._score_model import MAX_PAIRS, vote_of_scores
from holdfast.measures import get_measure
from holdfast.preferences import Subsets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from numpy.typing import NDArray

    from holdfast.judge._replication._score_model import SignedScores
    from holdfast.resample import ReplicationPairs

    Array = NDArray[np.float64]

    class SelectedGroups(Protocol):
        """Groups of features, the best first, and the member that stands for each."""

        @property
        def members(self) -> Sequence[NDArray[np.intp]]: ...
        @property
        def representatives(self) -> NDArray[np.intp]: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class DisjointDesign:
    """Disjoint parts of the data, and what there is to select from.

    Attributes
    ----------
    pairs : ReplicationPairs
        Which resamples are disjoint halves, parts of three quarters, quarters, and the full data.
    n_features : int
        Number of features.
    n_units : int
        Number of samples, or of subjects.
    seed : int
        Seed of the repetitions.
    """

    pairs: ReplicationPairs
    n_features: int
    n_units: int
    seed: int = 0


MIN_PAIRS = 2
"""Fewest pairs of halves from which chances are estimated."""


def chances_from_orders(
    orders: Mapping[int, NDArray[np.integer]],
    design: DisjointDesign,
    *,
    size: int,
    scores: SignedScores | None = None,
) -> FoundAgain:
    """Estimate chances from features ordered best first.

    Parameters
    ----------
    orders : mapping
        For each resample, by position, the numbers of the features, the best first. Features that
        are not named come after all others, in random order. A resample may be missing.
    design : DisjointDesign
        Which resamples are disjoint, and what there is to select from.
    size : int
        How many features are selected.
    scores : SignedScores, optional
        The scores themselves, where they are t statistics.

    Raises
    ------
    InvalidInputError
        The selector failed on the full data, or on nearly all halves.
    """
    n_features = design.n_features
    full, halves, quarters = _available(orders, design.pairs)

    def rank(positions: NDArray[np.intp]) -> NDArray[np.integer]:
        kind = np.uint16 if n_features < 2**16 else np.int32
        rows = np.empty((positions.size, n_features), dtype=kind)
        for row, position in zip(rows, positions.ravel().tolist(), strict=True):
            row[:] = _ranks_of_order(orders[position], n_features, position)
        return rows.reshape(*positions.shape, n_features)

    ranks = rank(full)
    return estimate_found_again(
        DisjointRanks(
            full=ranks,
            halves=rank(halves),
            quarters=rank(quarters),
            selected=np.asarray(ranks[0] < size),
            size=size,
            part_sizes=(size, size),
        ),
        _curve_share({at: order[:size] for at, order in orders.items()}, design, size, size),
        design.n_units,
        scores=None if scores is None else vote_of_scores(scores, size, design.seed),
        seed=design.seed,
    )


def chances_from_subsets(
    subsets: Mapping[int, NDArray[np.integer]], design: DisjointDesign
) -> FoundAgain:
    """Estimate chances from subsets whose size the selector chooses.

    Parameters and errors are as for `chances_from_orders`.
    """
    n_features = design.n_features
    full, halves, quarters = _available(subsets, design.pairs)

    def mean_size(positions: NDArray[np.intp]) -> int:
        sizes = [len(subsets[position]) for position in positions.ravel().tolist()]
        return round(float(np.mean(sizes))) if sizes else 0

    def rank(positions: NDArray[np.intp], size: int) -> NDArray[np.integer]:
        rows = np.full((positions.size, n_features), (size + n_features) // 2, dtype=np.int32)
        for row, position in zip(rows, positions.ravel().tolist(), strict=True):
            row[subsets[position]] = size // 2
        return rows.reshape(*positions.shape, n_features)

    size, half_size, quarter_size = map(mean_size, (full, halves, quarters))
    selected = np.zeros(n_features, dtype=bool)
    selected[subsets[int(full[0])]] = True
    if not 0 < quarter_size < n_features:  # quarters that select nothing show nothing
        quarters, quarter_size = quarters[:0], half_size
    return estimate_found_again(
        DisjointRanks(
            full=rank(full, size),
            halves=rank(halves, half_size),
            quarters=rank(quarters, quarter_size),
            selected=selected,
            size=size,
            part_sizes=(half_size, quarter_size),
            ordered=False,
        ),
        _curve_share(subsets, design, None, size),
        design.n_units,
        seed=design.seed,
    )


def _curve_share(
    selections: Mapping[int, NDArray[np.integer]],
    design: DisjointDesign,
    asked_size: int | None,
    size: int,
) -> float:
    """Return the share found again that the replication curve predicts for the full data.

    Where classes are too small for quarters there is no curve: the Spearman-Brown formula carries
    the agreement of halves to twice their size.
    """
    record, pairs = get_measure("nogueira"), design.pairs
    halves, parts, quarters = (
        pair_similarities(record, selections, own, Subsets, n_features=design.n_features)
        for own in (pairs.halves, pairs.parts, pairs.quarters)
    )
    values = PairValues(halves=halves, parts=parts, quarters=quarters, n_units=design.n_units)
    if not np.isfinite(values.halves).any():
        return size / design.n_features
    asked: dict[str, Any] = {
        "measure": record.name, "size": asked_size, "n_features": design.n_features,
    }  # fmt: skip
    points = points_of(values, **asked)
    half = max(float(points["value"].iloc[-1]), 0.0)
    agreement = 2 * half / (1 + half)
    if carries_prediction(points):
        agreement, _, _ = fit_curves(points, **asked).at(design.n_units, 0.95)
    chance = size / design.n_features
    return chance + max(agreement, 0.0) * (1 - chance)


def chances_of_groups(
    groups: Mapping[int, SelectedGroups], design: DisjointDesign
) -> tuple[FoundAgain, SelectedGroups]:
    """Estimate the chances of groups of features, and return those selected on the full data.

    A group is found again where an independent study selects at least half of its members, in
    whatever groups: the chance of its median member. The chances are those of the representatives
    of the groups; other features have none. Parameters and errors are as for
    `chances_from_orders`.
    """
    members = {
        at: np.unique(np.concatenate([*own.members, np.empty(0, dtype=np.intp)])).astype(np.intp)
        for at, own in groups.items()
    }
    found = chances_from_subsets(members, design)
    n_features = design.n_features
    chosen = groups[next(at for at in design.pairs.full.tolist() if at in groups)]
    representatives = np.asarray(chosen.representatives, dtype=np.intp)
    chance, low = np.zeros(n_features), np.zeros(n_features)
    draws, larger = np.zeros_like(found.draws), np.zeros_like(found.larger)
    selected = np.zeros(n_features, dtype=bool)
    selected[representatives] = True
    for representative, own in zip(representatives, chosen.members, strict=True):
        chance[representative] = np.median(found.chance[own])
        low[representative] = np.median(found.low[own])
        draws[:, representative] = np.median(found.draws[:, own], axis=1)
        larger[:, representative] = np.median(found.larger[:, own], axis=1)
    groups_found = FoundAgain(
        selected=selected,
        chance=chance,
        low=low,
        draws=draws,
        share=found.share,
        larger=larger,
    )
    return groups_found, chosen


@dataclass(frozen=True, eq=False, kw_only=True)
class FeatureChances:
    """The chances of named features, and what follows from them.

    Attributes
    ----------
    names : list
        Names of all features.
    found : FoundAgain
        Their chances.
    n_units : int
        Number of samples, or of subjects, of the studies that the chances are about.
    members : dict or None
        For selectors of groups, the members of each selected group by its representative.
    """

    names: list[str]
    found: FoundAgain
    n_units: int
    members: dict[str, list[str]] | None = None

    def table(self) -> pd.DataFrame:
        """Return a row for each feature (group), the most likely to be found again first."""
        found = self.found
        table = pd.DataFrame(
            {
                "feature": np.asarray(self.names, dtype=object),
                "selected": found.selected,
                "found_again": found.chance,
                "low": found.low,
                "grade": grade_chances(found.chance).astype(object),
            },
            columns=FEATURE_COLUMNS,
        )
        order = np.lexsort((np.arange(len(table)), ~found.selected, -found.chance))
        table = table.iloc[order]
        if self.members is None:
            return table.reset_index(drop=True)
        table = table[table["selected"]].reset_index(drop=True)
        named = [", ".join(self.members[name]) for name in table["feature"]]
        return table.assign(members=pd.Series(named, table.index, dtype=object))

    def longest_list(self, share: float) -> list[str]:
        """Return the longest list whose expected share found again is at least `share`."""
        chosen = longest_list(self.found, check_positive_number(share, "share", 1.0))
        return [self.names[at] for at in chosen]

    def samples_for(self, chance: float, features: Sequence[str] | None = None) -> pd.DataFrame:
        """Return how many samples a study needs to select features with a wanted chance.

        Chances in studies up to 32 times as large follow from the model of ranks; between them
        they are linear in the log of the number of samples.

        Parameters
        ----------
        chance : float
            The wanted chance, above 0 and below 1.
        features : sequence of str, optional
            The features; by default those selected on these data.

        Returns
        -------
        DataFrame
            ``feature``; ``found_again``, the chance in a study of this size; ``needed``, the number
            of samples: at most that of these data where the chance is reached already, infinite
            where 32 times the data are not enough.

        Raises
        ------
        UnknownNameError
            A feature that the data do not have.
        """
        wanted = check_positive_number(chance, "chance", 1.0)
        number = {name: at for at, name in enumerate(self.names)}
        if features is None:
            features = self.table().query("selected")["feature"].tolist()
        for name in features:
            if name not in number:
                near = did_you_mean(name, self.names)
                raise UnknownNameError(f"the data have no feature {name!r}.{near}")
        curves = np.vstack([self.found.chance, self.found.larger])
        sizes = self.n_units * np.array([1.0, *LARGER])
        needed = [samples_needed(curves[:, number[name]], sizes, wanted) for name in features]
        return pd.DataFrame(
            {
                "feature": pd.Series(list(features), dtype=object),
                "found_again": [float(self.found.chance[number[name]]) for name in features],
                "needed": needed,
            }
        )


def samples_needed(chances: Array, sizes: Array, wanted: float) -> float:
    """Return the number of samples at which a curve first reaches a chance; infinite if never."""
    reached = np.flatnonzero(chances >= wanted)
    if not len(reached):
        return float("inf")
    first = int(reached[0])
    if first == 0:
        return float(sizes[0])
    low, high = chances[first - 1], chances[first]
    step = (wanted - low) / (high - low)
    between_logs = np.log(sizes[first - 1]) + step * np.log(sizes[first] / sizes[first - 1])
    return float(np.ceil(np.exp(between_logs)))


def named_members(names: Sequence[str], chosen: SelectedGroups) -> dict[str, list[str]]:
    """Return the names of the members of each group, by that of its representative."""
    groups = zip(chosen.representatives.tolist(), chosen.members, strict=True)
    return {
        names[representative]: [names[at] for at in own.tolist()] for representative, own in groups
    }


def _available(
    rows: Mapping[int, NDArray[np.integer]], pairs: ReplicationPairs
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the fits of the full data, and the pairs of halves and of quarters that exist."""
    full = np.array([at for at in pairs.full.tolist() if at in rows], dtype=np.intp)
    halves, quarters = (
        np.array([pair for pair in own.reshape(-1, 2).tolist() if set(pair) <= rows.keys()])
        for own in (pairs.halves, pairs.quarters)
    )
    if not len(full):
        raise InvalidInputError("the selector has no result on the full data")
    if len(halves) < MIN_PAIRS:
        raise InvalidInputError("the selector has results on too few halves of the data")
    halves, quarters = (
        own.reshape(-1, 2)[:MAX_PAIRS].astype(np.intp) for own in (halves, quarters)
    )
    return full, halves, quarters


def _ranks_of_order(order: NDArray[np.integer], n_features: int, position: int) -> NDArray[np.intp]:
    """Return ranks from 0 of features ordered best first; those not named come last, at random."""
    ranks = np.full(n_features, -1, dtype=np.intp)
    ranks[order] = np.arange(len(order))
    absent = np.flatnonzero(ranks < 0)
    if len(absent):
        ranks[absent] = len(order) + np.random.default_rng(position).permutation(len(absent))
    return ranks
