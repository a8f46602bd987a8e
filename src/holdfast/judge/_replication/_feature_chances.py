"""Chances of features and groups to be found again, from disjoint parts, and their grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from holdfast._formatting import did_you_mean
from holdfast._typing import FloatArray, IndexArray
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge._replication._chance_model import (
    LARGER_STUDIES,
    DisjointRanks,
    FoundAgain,
    estimate_found_again,
    expected_share,
    is_selective,
    longest_list,
)
from holdfast.judge._replication._estimate import (
    FEATURE_COLUMNS,
    PairValues,
    replication_points,
    supports_prediction,
)
from holdfast.judge._replication._extrapolation import fit_curves
from holdfast.judge._replication._pair_similarities import pair_similarities
from holdfast.judge._replication._score_model import (
    MAX_PAIRS,
    ScoreVote,
    SignedScores,
    simulate_score_vote,
)
from holdfast.measures import get_measure
from holdfast.preferences import Subsets
from holdfast.resample import ReplicationPairs

if TYPE_CHECKING:

    class RepresentedGroups(Protocol):
        """Groups of features, the best first, and their representatives."""

        @property
        def members(self) -> Sequence[IndexArray]: ...
        @property
        def representatives(self) -> IndexArray: ...


GRADES = {"very likely": 0.9, "likely": 0.7, "uncertain": 0.3, "unlikely": 0.0}
"""The least chance of each grade; chosen by hand."""
GRADE_HIT_RATES = {"very likely": 0.97, "likely": 0.85, "uncertain": 0.52, "unlikely": 0.13}
"""Share of independent studies that selected the features of each grade.

Measured on the hold-out settings of ``benchmarks/calibration``; see docs/found_again.md.
"""


def grade_chances(chance: FloatArray) -> NDArray[np.str_]:
    """Return the grade of each chance, from "very likely" to "unlikely".

    Chances are graded as they are displayed, rounded to hundredths.
    """
    return np.select(
        [chance.round(2) >= least for least in GRADES.values()], list(GRADES), default="unlikely"
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class DisjointDesign:
    """Disjoint parts of the data, and the features to select from.

    Attributes
    ----------
    pairs : ReplicationPairs
        Positions of the halves, the halves of subsets, the quarters and the full data.
    n_features : int
        Number of features.
    n_units : int
        Number of samples, or of subjects.
    seed : int
        Seed of the draws.
    """

    pairs: ReplicationPairs
    n_features: int
    n_units: int
    seed: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class ExpectedShare:
    """The expected share of a list, and what it follows from; takes no draws of chances.

    Attributes
    ----------
    share : float
        Expected share of the list that an independent study selects again.
    curve : float
        The share that the replication curve predicts.
    votes : ScoreVote or None
        The vote of the score model; None without signed scores.
    """

    share: float
    curve: float
    votes: ScoreVote | None

    @property
    def score_shares(self) -> tuple[float, ...]:
        """As in `FoundAgain`."""
        return () if self.votes is None else self.votes.shares


MIN_PAIRS = 2
"""Fewest pairs of halves from which chances are estimated."""


def chances_from_orders(
    orders: Mapping[int, NDArray[np.integer]],
    design: DisjointDesign,
    *,
    size: int,
    scores: SignedScores | None = None,
    expected: ExpectedShare | None = None,
) -> FoundAgain:
    """Estimate chances from features ordered best first.

    Parameters
    ----------
    orders : mapping
        The features of each resample, by position, the best first. Missing features come after all
        others, in random order. Resamples may be missing.
    design : DisjointDesign
        The disjoint resamples, and the features to select from.
    size : int
        Number of selected features.
    scores : SignedScores, optional
        The scores themselves, where they are t statistics.
    expected : ExpectedShare, optional
        The result of `expected_share_of_orders`, if it is known already.

    Raises
    ------
    InvalidInputError
        The selector failed on the full data, or on nearly all halves.
    """
    if has_short_orders(orders, size):
        return chances_from_subsets(_first_features(orders, size), design)
    if expected is None:
        expected = expected_share_of_orders(orders, design, size=size, scores=scores)
    ranks = _rank_orders(orders, design, size)
    return estimate_found_again(
        ranks, expected.curve, design.n_units, scores=expected.votes, seed=design.seed
    )


def expected_share_of_orders(
    orders: Mapping[int, NDArray[np.integer]],
    design: DisjointDesign,
    *,
    size: int,
    scores: SignedScores | None = None,
) -> ExpectedShare:
    """Estimate the expected share of a list, a small part of the work of `chances_from_orders`.

    Parameters and errors are as for `chances_from_orders`.
    """
    ranks = _rank_orders(orders, design, size)
    curve = _share_of_curve(_first_features(orders, size), design, size, size)
    if not is_selective(ranks):
        return ExpectedShare(share=size / design.n_features, curve=curve, votes=None)
    votes = None if scores is None else simulate_score_vote(scores, size, design.seed)
    return ExpectedShare(share=expected_share(ranks, curve, votes), curve=curve, votes=votes)


def has_short_orders(orders: Mapping[int, NDArray[np.integer]], size: int) -> bool:
    """Return whether a selector found fewer features than requested on some resample.

    The features that it did not find have no order. So what counts is which ones it found.
    """
    return any(len(order) < size for order in orders.values())


def _first_features(
    orders: Mapping[int, NDArray[np.integer]], size: int
) -> dict[int, NDArray[np.integer]]:
    return {position: order[:size] for position, order in orders.items()}


def _rank_orders(
    orders: Mapping[int, NDArray[np.integer]], design: DisjointDesign, size: int
) -> DisjointRanks:
    n_features = design.n_features
    full, halves, quarters = _available_resamples(orders, design.pairs)

    def rank(positions: IndexArray) -> NDArray[np.integer]:
        # one rank per resample and feature: small integers keep many features in memory
        dtype = np.uint16 if n_features < 2**16 else np.int32
        rows = np.empty((positions.size, n_features), dtype=dtype)
        for row, position in zip(rows, positions.ravel().tolist(), strict=True):
            row[:] = _ranks_of_order(orders[position], n_features, position)
        return rows.reshape(*positions.shape, n_features)

    ranks = rank(full)
    return DisjointRanks(
        full=ranks,
        halves=rank(halves),
        quarters=rank(quarters),
        selected=np.asarray(ranks[0] < size),
        size=size,
        part_sizes=(size, size),
    )


def chances_from_subsets(
    subsets: Mapping[int, NDArray[np.integer]], design: DisjointDesign
) -> FoundAgain:
    """Estimate chances from subsets whose size the selector chooses.

    Parameters and errors are as for `chances_from_orders`.
    """
    n_features = design.n_features
    full, halves, quarters = _available_resamples(subsets, design.pairs)

    def mean_size(positions: IndexArray) -> int:
        # the model has one list size per size of parts, but sizes differ between resamples
        sizes = [len(subsets[position]) for position in positions.ravel().tolist()]
        return round(float(np.mean(sizes))) if sizes else 0

    def rank(positions: IndexArray, size: int) -> NDArray[np.integer]:
        rows = np.full((positions.size, n_features), (size + n_features) // 2, dtype=np.int32)
        for row, position in zip(rows, positions.ravel().tolist(), strict=True):
            row[subsets[position]] = size // 2
        return rows.reshape(*positions.shape, n_features)

    size, half_size, quarter_size = map(mean_size, (full, halves, quarters))
    selected = np.zeros(n_features, dtype=bool)
    selected[subsets[int(full[0])]] = True
    # quarters that select nothing, or everything, carry no information
    if not 0 < quarter_size < n_features:
        quarters, quarter_size = quarters[:0], half_size
    ranks = DisjointRanks(
        full=rank(full, size),
        halves=rank(halves, half_size),
        quarters=rank(quarters, quarter_size),
        selected=selected,
        size=size,
        part_sizes=(half_size, quarter_size),
        ordered=False,
    )
    return estimate_found_again(
        ranks, _share_of_curve(subsets, design, None, size), design.n_units, seed=design.seed
    )


def _share_of_curve(
    selections: Mapping[int, NDArray[np.integer]],
    design: DisjointDesign,
    requested_size: int | None,
    size: int,
) -> float:
    """Return the share found again that the replication curve predicts for the full data.

    Where classes are too small for quarters there is no curve: the Spearman-Brown formula
    extrapolates the agreement of halves to twice their size.
    """
    record, pairs = get_measure("nogueira"), design.pairs
    halves, parts, quarters = (
        pair_similarities(record, selections, positions, Subsets, n_features=design.n_features)
        for positions in (pairs.halves, pairs.parts, pairs.quarters)
    )
    values = PairValues(halves=halves, parts=parts, quarters=quarters, n_units=design.n_units)
    if not np.isfinite(values.halves).any():
        return size / design.n_features
    options: dict[str, Any] = {
        "measure": record.name, "size": requested_size, "n_features": design.n_features,
    }  # fmt: skip
    points = replication_points(values, **options)
    # the formula 2x / (1 + x) is for agreement beyond chance only
    half = max(float(points["value"].iloc[-1]), 0.0)
    agreement = 2 * half / (1 + half)
    if supports_prediction(points):
        agreement, _, _ = fit_curves(points, **options).predict(design.n_units, 0.95)
    chance = size / design.n_features
    # nogueira is the overlap corrected for chance; this turns it back into a share
    return chance + max(agreement, 0.0) * (1 - chance)


def chances_from_groups(
    groups: Mapping[int, RepresentedGroups], design: DisjointDesign
) -> tuple[FoundAgain, RepresentedGroups]:
    """Estimate the chances of groups of features, and return those selected on the full data.

    A group is found again if an independent study selects at least half of its members, in any
    groups: the chance of its median member. The chances are stored for the representatives of the
    groups; other features have a chance of 0. Parameters and errors are as for
    `chances_from_orders`.
    """
    members = {
        position: np.unique(
            np.concatenate([*selected_groups.members, np.empty(0, dtype=np.intp)])
        ).astype(np.intp)
        for position, selected_groups in groups.items()
    }
    found = chances_from_subsets(members, design)
    n_features = design.n_features
    first = next(position for position in design.pairs.full.tolist() if position in groups)
    full = groups[first]
    representatives = np.asarray(full.representatives, dtype=np.intp)
    chance, low = np.zeros(n_features), np.zeros(n_features)
    draws, larger = np.zeros_like(found.draws), np.zeros_like(found.larger)
    selected = np.zeros(n_features, dtype=bool)
    selected[representatives] = True
    for representative, group in zip(representatives, full.members, strict=True):
        # at least half of the members are selected if and only if the median member is, provided
        # that stronger members are selected before weaker ones
        chance[representative] = np.median(found.chance[group])
        low[representative] = np.median(found.low[group])
        draws[:, representative] = np.median(found.draws[:, group], axis=1)
        larger[:, representative] = np.median(found.larger[:, group], axis=1)
    group_chances = FoundAgain(
        selected=selected,
        chance=chance,
        low=low,
        draws=draws,
        share=found.share,
        larger=larger,
    )
    return group_chances, full


@dataclass(frozen=True, eq=False, kw_only=True)
class FeatureChances:
    """The chances of named features.

    Attributes
    ----------
    names : list
        Names of all features.
    found : FoundAgain
        Their chances.
    n_units : int
        Number of samples, or of subjects, of the studies that the chances hold for.
    members : dict or None
        For selectors of groups, the members of each selected group by its representative.
    """

    names: list[str]
    found: FoundAgain
    n_units: int
    members: dict[str, list[str]] | None = None

    def table(self) -> pd.DataFrame:
        """Return one row per feature (group), the highest chance first."""
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
        # by chance; among equal chances selected features first, then by column
        order = np.lexsort((np.arange(len(table)), ~found.selected, -found.chance))
        table = table.iloc[order]
        if self.members is None:
            return table.reset_index(drop=True)
        table = table[table["selected"]].reset_index(drop=True)
        named = [", ".join(self.members[name]) for name in table["feature"]]
        return table.assign(members=pd.Series(named, table.index, dtype=object))

    def longest_list(self, share: float) -> list[str]:
        """Return the longest list whose expected share found again is at least `share`."""
        features = longest_list(self.found, check_positive_number(share, "share", 1.0))
        return [self.names[feature] for feature in features]

    def samples_for(self, chance: float, features: Sequence[str] | None = None) -> pd.DataFrame:
        """Return how many samples a study needs to select features with a given chance.

        Chances in studies up to 32 times as large follow from the rank model; in between they are
        interpolated linearly in the log of the number of samples.

        Parameters
        ----------
        chance : float
            The chance, above 0 and below 1.
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
        chance = check_positive_number(chance, "chance", 1.0)
        number = {name: feature for feature, name in enumerate(self.names)}
        if features is None:
            features = self.table().query("selected")["feature"].tolist()
        for name in features:
            if name not in number:
                near = did_you_mean(name, self.names)
                raise UnknownNameError(f"the data have no feature {name!r}.{near}")
        curves = np.vstack([self.found.chance, self.found.larger])
        sizes = self.n_units * np.array([1.0, *LARGER_STUDIES])
        needed = [samples_needed(curves[:, number[name]], sizes, chance) for name in features]
        return pd.DataFrame(
            {
                "feature": pd.Series(list(features), dtype=object),
                "found_again": [float(self.found.chance[number[name]]) for name in features],
                "needed": needed,
            }
        )


def samples_needed(chances: FloatArray, sizes: FloatArray, chance: float) -> float:
    """Return the number of samples at which a curve first reaches a chance; infinite if never."""
    enough = np.flatnonzero(chances >= chance)
    if not len(enough):
        return float("inf")
    # the first crossing: chances need not grow in every step
    first = int(enough[0])
    if first == 0:
        return float(sizes[0])
    low, high = chances[first - 1], chances[first]
    step = (chance - low) / (high - low)
    between_logs = np.log(sizes[first - 1]) + step * np.log(sizes[first] / sizes[first - 1])
    return float(np.ceil(np.exp(between_logs)))


def name_members(names: Sequence[str], groups: RepresentedGroups) -> dict[str, list[str]]:
    """Return the names of the members of each group, by that of its representative."""
    pairs = zip(groups.representatives.tolist(), groups.members, strict=True)
    return {
        names[representative]: [names[feature] for feature in members.tolist()]
        for representative, members in pairs
    }


def _available_resamples(
    rows: Mapping[int, NDArray[np.integer]], pairs: ReplicationPairs
) -> tuple[IndexArray, IndexArray, IndexArray]:
    """Return the fits of the full data, and the pairs of halves and of quarters that exist."""
    full = np.array(
        [position for position in pairs.full.tolist() if position in rows], dtype=np.intp
    )
    halves, quarters = (
        np.array([pair for pair in table.reshape(-1, 2).tolist() if set(pair) <= rows.keys()])
        for table in (pairs.halves, pairs.quarters)
    )
    if not len(full):
        raise InvalidInputError("the selector has no result on the full data")
    if len(halves) < MIN_PAIRS:
        raise InvalidInputError("the selector has results on too few halves of the data")
    halves, quarters = (
        # more pairs hardly change a chance but cost time in every draw
        table.reshape(-1, 2)[:MAX_PAIRS].astype(np.intp)
        for table in (halves, quarters)
    )
    return full, halves, quarters


def _ranks_of_order(order: NDArray[np.integer], n_features: int, position: int) -> IndexArray:
    """Return ranks from 0 of features ordered best first; missing ones come last, at random."""
    ranks = np.full(n_features, -1, dtype=np.intp)
    ranks[order] = np.arange(len(order))
    absent = np.flatnonzero(ranks < 0)
    if len(absent):
        # another permutation per resample: no feature gains a rank from its column
        ranks[absent] = len(order) + np.random.default_rng(position).permutation(len(absent))
    return ranks
