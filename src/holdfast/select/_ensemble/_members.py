"""The members of an ensemble: selectors, the bags of samples that they see, what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holdfast._formatting import plural
from holdfast._object_spec import parse_list
from holdfast._validation import check_integer, flag, part_or_count
from holdfast.errors import InvalidInputError
from holdfast.preferences._ranks import ranks_of
from holdfast.resample import Bootstrap, Subsampling
from holdfast.resample._strata import Units
from holdfast.select._adapter import as_selector, given_by
from holdfast.select._ranker import Ranker, Scorer
from holdfast.select._selector import together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from holdfast.preferences._ranks import Ties
    from holdfast.resample import Protocol
    from holdfast.select._selector import Array, Rows


TABLE = 1 << 22
"""Most scores that one call gives: bags times features."""
ORDER = 1
"""Sets the chance that orders ties apart from the chance of the selector, which has its seed."""


class MemberRankings(NamedTuple):
    """What the members say: a row a bag, the bags of the first member first."""

    ranks: Array
    scores: Array | None
    """None where they are not asked for."""


def members_of(base: Any, nominal: ArrayLike | None) -> list[Ranker]:  # noqa: ANN401
    """Return the selectors of an ensemble, told which features are nominal if they ask."""
    if isinstance(base, str):
        base = parse_list(base)
    given = list(base) if isinstance(base, list | tuple) else [base]
    if not given:
        raise InvalidInputError("base must be a selector or a list of some, got an empty list.")
    return [_told_nominal(_ranker(one), nominal) for one in given]


def _ranker(given: Any) -> Ranker:  # noqa: ANN401
    made = as_selector(given)
    if not isinstance(made, Ranker):
        raise InvalidInputError(
            "base must be a selector that ranks all features (or a list of such); "
            f"{given_by(made)}. hf.list_selectors() says what each gives."
        )
    return made


def _told_nominal(member: Ranker, nominal: ArrayLike | None) -> Ranker:
    if nominal is not None and member.get_params().get("nominal", ...) is None:
        member.set_params(nominal=nominal)
    return member


def check_scored(members: Sequence[Ranker], aggregate: object) -> None:
    """Refuse to aggregate scores where there are none."""
    for member in members:
        if not isinstance(member, Scorer):
            raise InvalidInputError(
                f"aggregate={aggregate!r} needs selectors that give scores; "
                f"{type(member).__name__} gives a ranking only. Aggregate ranks, as by 'linear'."
            )


def bagging(n_bags: int | None, bag_size: float, replace: bool) -> Protocol | None:
    """Return how bags are drawn; None: there are none, all samples are seen as they are."""
    with_copies = flag(replace, "replace")
    if not with_copies and isinstance(bag_size, float) and bag_size == 1.0:
        raise InvalidInputError(
            "bag_size must be below 1 where replace is False: a subsample of all samples is no "
            "other sample. Choose bag_size=0.9, say, or replace=True."
        )
    size = part_or_count(bag_size, "bag_size", inclusive=with_copies)
    if n_bags is None:
        return None
    kind = Bootstrap if with_copies else Subsampling
    return kind(check_integer(n_bags, "n_bags", 1), size)


def drawn_bags(
    protocol: Protocol | None,
    y: NDArray[np.intp],
    subjects: NDArray[Any] | None,
    own: NDArray[np.integer],
    seed: int,
) -> list[NDArray[np.integer]]:
    """Return the rows of each bag, drawn from some rows of the data; copies stay together."""
    if protocol is None:
        return [own]
    units = Units.of(y[own], together(subjects, own))
    size = getattr(protocol, "train_size", None)
    if isinstance(size, int) and size >= units.count:
        raise InvalidInputError(
            f"bag_size must be below the {plural(units.count, units.noun)} that there are, where "
            f"replace is False; got {size:,}."
        )
    return [own[one.train] for one in protocol.draw_units(units, seed, None)]


def rank_bags(
    members: Sequence[Ranker],
    data: tuple[Any, NDArray[np.intp], NDArray[Any] | None],
    bags: Rows,
    seeds: Sequence[int],
    *,
    scored: bool,
    ties: Ties = "average",
) -> MemberRankings:
    """Ask every member about every bag, many bags in one call.

    Parameters
    ----------
    members : sequence of Ranker
        The selectors.
    data : tuple
        The data, the class of each sample, and its subject, if subjects are known.
    bags : sequence of index arrays
        Rows of the data.
    seeds : sequence of int
        A seed a member, in place of its own.
    scored : bool
        Whether scores are wanted, too.
    ties : {"average", "random", "index"}, default "average"
        What ranks features of equal score get; random ones are seeded by member and bag.
    """
    shape = len(members), len(bags), data[0].shape[1]
    ranks, scores = np.empty(shape), np.empty(shape) if scored else None
    for position, (member, seed) in enumerate(zip(members, seeds, strict=True)):
        own = MemberRankings(ranks[position], None if scores is None else scores[position])
        _rank_member_bags(member.set_params(random_state=int(seed)), data, bags, own)
        if ties != "average":
            _break_ties(own.ranks, ties, int(seed))
    rows = -1, shape[2]
    return MemberRankings(ranks.reshape(rows), None if scores is None else scores.reshape(rows))


def _rank_member_bags(
    member: Ranker,
    data: tuple[Any, NDArray[np.intp], NDArray[Any] | None],
    bags: Rows,
    said: MemberRankings,
) -> None:
    """Write down what one member says; so many bags at once that memory stays bounded."""
    X, y, subjects = data
    judge = member.on(X, y, subjects if member.takes_subjects else None)
    step = max(1, TABLE // judge.n_features)
    for first in range(0, len(bags), step):
        some = slice(first, first + step)
        if not isinstance(member, Scorer):
            said.ranks[some] = judge.judge(bags[some], first)[1].values
            continue
        scores = judge.score(bags[some], first).values
        said.ranks[some] = _average_ranks(scores)
        if said.scores is not None:
            said.scores[some] = scores


def _break_ties(ranks: Array, ties: Ties, seed: int) -> None:
    """Give features of equal rank an order, in place."""
    for row, generator in zip(ranks, _chances(seed, len(ranks)), strict=True):
        row[:] = ranks_of(-row, ties, generator)


def _chances(seed: int, count: int) -> Iterator[np.random.Generator]:
    """Yield a generator a bag, seeded by its position: more bags begin as fewer do."""
    for position in range(count):
        sequence = np.random.SeedSequence((seed, ORDER), spawn_key=(position,))
        yield np.random.default_rng(sequence)


def _average_ranks(scores: NDArray[Any]) -> Array:
    no_chance = np.random.default_rng(0)  # average ranks leave nothing to it
    return np.array([ranks_of(row, "average", no_chance) for row in scores], dtype=np.float64)
