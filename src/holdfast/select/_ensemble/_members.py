"""The members of an ensemble: selectors, their bags of samples, and their rankings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdfast._formatting import plural
from holdfast._object_spec import parse_list
from holdfast._typing import AnyArray, FloatArray, IndexArray, RowLists, SelectorLike
from holdfast._validation import as_count, check_flag, check_integer, check_part_or_count
from holdfast.errors import InvalidInputError
from holdfast.preferences import Ties, rank_weights
from holdfast.resample import Bootstrap, Protocol, Subsampling, Units
from holdfast.select._adapter import as_selector, wrong_kind_error
from holdfast.select._ranker import Ranker, Scorer
from holdfast.select._selector import OfferedFeatures, resample_subjects

MAX_SCORES_PER_CALL = 1 << 22
"""Largest number of bags times features in one call: 32 MB of scores; chosen by hand."""
TIE_SEED_STREAM = 1
"""Separates the generators that break ties from those of the selector, which has the same seed."""
FEATURE_SEED_STREAM = 2
"""Separates the generator of the features of bags from that of their samples."""


class MemberRankings(NamedTuple):
    """The rankings of all members: one row per bag, the bags of the first member first."""

    ranks: FloatArray
    scores: FloatArray | None
    """None if scores are not needed."""


def as_members(base: SelectorLike, nominal: ArrayLike | None) -> list[Ranker]:
    """Return the selectors of an ensemble, with `nominal` set if they have it and leave it None."""
    if isinstance(base, str):
        base = parse_list(base)
    bases = list(base) if isinstance(base, list | tuple) else [base]
    if not bases:
        raise InvalidInputError(
            "base must be a selector or a list of selectors, got an empty list."
        )
    members = []
    for member in map(as_selector, bases):
        if not isinstance(member, Ranker):
            raise wrong_kind_error(
                member,
                "base must be a selector that ranks all features, or a list of such selectors",
            )
        # the default `...` stands for members without this parameter
        if nominal is not None and member.get_params().get("nominal", ...) is None:
            member.set_params(nominal=nominal)
        members.append(member)
    return members


def check_members_score(members: Sequence[Ranker], aggregate: object) -> None:
    """Raise if a member gives no scores to aggregate."""
    for member in members:
        if not isinstance(member, Scorer):
            raise InvalidInputError(
                f"aggregate={aggregate!r} needs selectors that give scores; "
                f"{type(member).__name__} gives a ranking only. Aggregate ranks, for example by "
                "'linear'."
            )


def bag_protocol(n_bags: int | None, bag_size: float, replace: bool) -> Protocol | None:
    """Return the protocol that draws bags; None: no bags, all samples are used."""
    with_copies = check_flag(replace, "replace")
    if not with_copies and isinstance(bag_size, float) and bag_size == 1.0:
        raise InvalidInputError(
            "bag_size must be below 1 if replace is False: a subsample of all samples is the data "
            "set itself. Choose, for example, bag_size=0.9, or replace=True."
        )
    size = check_part_or_count(bag_size, "bag_size", inclusive=with_copies)
    if n_bags is None:
        return None
    kind = Bootstrap if with_copies else Subsampling
    return kind(check_integer(n_bags, "n_bags", 1), size)


def draw_bags(
    protocol: Protocol | None,
    y: IndexArray,
    subjects: AnyArray | None,
    rows: NDArray[np.integer],
    seed: int,
) -> list[NDArray[np.integer]]:
    """Draw the rows of each bag from the given rows of the data; copies of a row stay together."""
    if protocol is None:
        return [rows]
    # a bag of a bootstrap sample must not hold a copy of a row that it leaves out
    units = Units.from_labels(y[rows], resample_subjects(subjects, rows))
    size = getattr(protocol, "train_size", None)
    if isinstance(size, int) and size >= units.count:
        raise InvalidInputError(
            f"bag_size must be below the {plural(units.count, units.noun)} of the data if replace "
            f"is False; got {size:,}."
        )
    return [rows[bag.train] for bag in protocol.draw_units(units, seed, None)]


def draw_feature_bags(
    size: float, n_bags: int | None, n_features: int, seed: int
) -> list[IndexArray] | None:
    """Draw the features of each bag, ascending; None: every bag has all features.

    Each bag takes the features that were drawn least often so far, in random order among equals, so
    that all features are in equally many bags, or in one more.
    """
    checked = check_part_or_count(size, "feature_bag_size", inclusive=True)
    count = as_count(checked, n_features)
    if count > n_features:
        raise InvalidInputError(
            f"feature_bag_size must be at most the {plural(n_features, 'feature')} of the data; "
            f"got {count:,}."
        )
    if count == n_features:
        return None
    if n_bags is None:
        raise InvalidInputError(
            "feature_bag_size needs bags: set n_bags to a number, or feature_bag_size to 1.0."
        )
    if n_bags * count < n_features:
        raise InvalidInputError(
            f"{plural(n_bags, 'bag')} of {plural(count, 'feature')} leave some of the "
            f"{n_features:,} features out; set n_bags to at least {-(-n_features // count):,}, or "
            "raise feature_bag_size."
        )
    times_drawn, feature_bags = np.zeros(n_features, dtype=np.intp), []
    generator = np.random.default_rng(np.random.SeedSequence((seed, FEATURE_SEED_STREAM)))
    for _ in range(n_bags):
        order = np.lexsort((generator.random(n_features), times_drawn))
        feature_bags.append(np.sort(order[:count]))
        times_drawn[feature_bags[-1]] += 1
    return feature_bags


def rank_bags(
    members: Sequence[Ranker],
    data: tuple[Any, IndexArray, AnyArray | None],
    bags: RowLists,
    seeds: Sequence[int],
    *,
    scored: bool,
    ties: Ties = "average",
    feature_bags: Sequence[IndexArray] | None = None,
) -> MemberRankings:
    """Rank every bag by every member, many bags in one call.

    Parameters
    ----------
    members : sequence of Ranker
        The selectors.
    data : tuple
        The data, the class of each sample, and its subject, if subjects are known.
    bags : sequence of index arrays
        The rows of each bag.
    seeds : sequence of int
        One seed per member, which replaces the member's seed.
    scored : bool
        Whether scores are returned as well.
    ties : {"average", "random", "index"}, default "average"
        How features of equal score are ranked; random ranks are seeded by member and bag.
    feature_bags : sequence of index arrays, optional
        The features of each bag; ranks and scores of the others are NaN.
    """
    shape = len(members), len(bags), data[0].shape[1]
    ranks, scores = np.empty(shape), np.empty(shape) if scored else None
    for position, (member, seed) in enumerate(zip(members, seeds, strict=True)):
        part = MemberRankings(ranks[position], None if scores is None else scores[position])
        member.set_params(random_state=int(seed))
        if feature_bags is None:
            _rank_member_bags(member, data, bags, part)
        else:
            _rank_feature_bags(member, data, bags, feature_bags, part)
        if ties != "average":
            _break_ties(part.ranks, ties, int(seed))
    rows = -1, shape[2]
    return MemberRankings(ranks.reshape(rows), None if scores is None else scores.reshape(rows))


def _rank_member_bags(
    member: Ranker,
    data: tuple[Any, IndexArray, AnyArray | None],
    bags: RowLists,
    rankings: MemberRankings,
) -> None:
    """Fill in the rankings of one member, in blocks of bags that bound the memory."""
    X, y, subjects = data
    bound = member._bind_supported(X, y, subjects)
    unused = np.random.default_rng(0)  # average ranks need no random numbers
    step = max(1, MAX_SCORES_PER_CALL // bound.n_features)
    for first in range(0, len(bags), step):
        block = slice(first, first + step)
        if not isinstance(member, Scorer):
            rankings.ranks[block] = bound.select_resamples(bags[block], first)[1].values
            continue
        scores = bound.score(bags[block], first).values
        rankings.ranks[block] = [rank_weights(row, "average", unused) for row in scores]
        if rankings.scores is not None:
            rankings.scores[block] = scores


def _rank_feature_bags(
    member: Ranker,
    data: tuple[Any, IndexArray, AnyArray | None],
    bags: RowLists,
    feature_bags: Sequence[IndexArray],
    rankings: MemberRankings,
) -> None:
    """Fill in the rankings of one member, bag by bag, each from the features of the bag."""
    X, y, subjects = data
    unused = np.random.default_rng(0)  # average ranks need no random numbers
    rankings.ranks[:] = np.nan
    if rankings.scores is not None:
        rankings.scores[:] = np.nan
    for position, (rows, features) in enumerate(zip(bags, feature_bags, strict=True)):
        columns = OfferedFeatures(X.shape[1], offered=features)
        offered = member.with_feature_indices(columns)
        bound = offered._bind_supported(X[:, features], y, subjects)
        if not isinstance(member, Scorer):
            preferences = bound.select_resamples([rows], position)[1]
            rankings.ranks[position, features] = preferences.values[0]
            continue
        scores = bound.score([rows], position).values[0]
        rankings.ranks[position, features] = rank_weights(scores, "average", unused)
        if rankings.scores is not None:
            rankings.scores[position, features] = scores


def rank_left_out_last(ranks: FloatArray) -> FloatArray:
    """Give features that a ranking leaves out (NaN) the mean of the ranks behind the others."""
    left_out = np.isnan(ranks)
    n_ranked = (~left_out).sum(axis=1, keepdims=True)
    return np.where(left_out, (n_ranked + 1 + ranks.shape[1]) / 2, ranks)


def _break_ties(ranks: FloatArray, ties: Ties, seed: int) -> None:
    """Order features of equal rank, in place."""
    for position, row in enumerate(ranks):
        # seeded by position, so that more bags do not change the ranks of the first ones
        sequence = np.random.SeedSequence((seed, TIE_SEED_STREAM), spawn_key=(position,))
        ranked = ~np.isnan(row)
        row[ranked] = rank_weights(-row[ranked], ties, np.random.default_rng(sequence))
