"""Searches on criteria that are tables of random values: exhaustive search is the judge."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select._search._criterion import Criterion, Moves
from holdfast.select._search._oscillating import oscillate
from holdfast.select._search._search_state import (
    SearchSpace,
    SearchState,
    SearchStopped,
    _round_significant,
)
from holdfast.select._search._sequential import (
    float_backward,
    float_forward,
    grow_subset,
    search_backward,
    search_forward,
)
from holdfast.select._search._subset_selector import Sizes


def started(walk):
    return grow_subset(walk, walk.start(walk.space.forced), walk.sizes.low)


SEARCHES = {
    "forward": search_forward,
    "backward": search_backward,
    "floating_forward": float_forward,
    "floating_backward": float_backward,
    "oscillating": lambda walk: oscillate(walk, started(walk), 3),
}


class Table(Criterion):
    """A value for each subset, few different ones if `levels` are few; counts its calls."""

    def __init__(self, p, seed, levels):
        self.p, self.calls = p, 0
        self.values = np.random.default_rng(seed).integers(levels, size=2**p) / 64

    def of(self, features):
        return self.values[sum(1 << int(i) for i in features)]

    def values_with(self, base, moves):
        self.calls += 1
        return np.array([self.of({*base, *unit}) for unit in moves.units])

    def values_without(self, base, moves):
        self.calls += 1
        return np.array([self.of({*base} - {*unit}) for unit in moves.units])


tables = st.builds(
    Table, st.integers(1, 10), st.integers(0, 2**32 - 1), st.sampled_from([3, 10, 10**6])
)


def walk_on(table, *, sizes=None, groups=None, forced_in=None, forced_out=None, **more):
    space = SearchSpace.from_parameters(table.p, None, groups, forced_in, forced_out)
    return SearchState(
        table,
        space,
        Sizes.from_parameter(sizes, space.min_size, space.max_size),
        lambda: "",
        **more,
    )


def exhaustive(walk):
    """Return the best value of all subsets that could be chosen."""
    return max(
        walk.criterion.of(walk.space.features((*walk.space.forced, *some)))
        for size in range(walk.sizes.low, walk.sizes.high + 1)
        for some in combinations(walk.space.free, size - len(walk.space.forced))
    )


# No search beats exhaustive search, and the reported values are those of the subsets


@pytest.mark.parametrize("search", SEARCHES)
@given(table=tables, data=st.data())
def test_no_search_beats_exhaustive_search(search, table, data):
    sizes = data.draw(st.none() | st.integers(1, table.p) | ranges(table.p))
    walk = walk_on(table, sizes=sizes)
    SEARCHES[search](walk)
    assert walk.sizes.allow(walk.best.size)
    assert walk.best.value == table.of(walk.best.subset) <= exhaustive(walk)


def ranges(p):
    return st.tuples(st.integers(1, p), st.integers(1, p)).map(lambda pair: tuple(sorted(pair)))


@pytest.mark.parametrize("search", SEARCHES)
@given(table=tables)
def test_steps_hold_together(search, table):
    walk = walk_on(table)
    SEARCHES[search](walk)
    visited = [walk.get_step(i) for i in range(len(walk.steps))]
    for step in visited:
        assert step.value == table.of(step.features)
        assert step.size == len(step.features)
    best = max(step.value for step in visited)
    assert walk.best.value == best
    assert walk.best.size == min(step.size for step in visited if step.value == best)
    for size, place in walk.best_by_size.items():
        assert place.value == max(step.value for step in visited if step.size == size)
    improving = [step.value for step in visited if step.best]
    assert improving == sorted(improving)


@pytest.mark.parametrize("search", SEARCHES)
@given(table=tables)
def test_a_second_walk_with_the_memory_of_the_first_judges_nothing(search, table):
    first = walk_on(table)
    SEARCHES[search](first)
    calls = table.calls
    second = walk_on(table, memory=first.memory)
    SEARCHES[search](second)
    assert second.steps == first.steps
    assert second.n_evaluated == 0
    assert table.calls == calls


@pytest.mark.parametrize("search", SEARCHES)
@given(table=tables, stop=st.integers(1, 12))
def test_a_search_that_was_stopped_goes_on_to_the_same_end(search, table, stop):
    whole = walk_on(table)
    SEARCHES[search](whole)
    steps_seen = []
    part = walk_on(table, callback=lambda step: steps_seen.append(step) or len(steps_seen) == stop)
    try:
        SEARCHES[search](part)
    except SearchStopped:
        assert len(steps_seen) == stop
    rest = walk_on(table, memory=part.memory)
    SEARCHES[search](rest)
    assert rest.steps == whole.steps
    assert part.n_evaluated + rest.n_evaluated == whole.n_evaluated


# Sequential and floating selection compared with plain versions


def best_of(options, table):
    """Return the best of some subsets, the first of equals."""
    return max(options, key=table.of)  # max keeps the first


def plus(subset, p):
    return [subset | {i} for i in range(p) if i not in subset]


def minus(subset):
    return [subset - {i} for i in sorted(subset)]


@given(table=tables)
def test_forward_and_backward_take_the_best_single_step(table):
    walk, subset = walk_on(table), frozenset()
    search_forward(walk)
    for _, _, place, _ in walk.steps:
        subset = best_of(plus(subset, table.p), table)
        assert set(place.subset) == subset
    walk, subset = walk_on(table), frozenset(range(table.p))
    search_backward(walk)
    for _, _, place, _ in walk.steps[1:]:
        subset = best_of(minus(subset), table)
        assert set(place.subset) == subset
    assert len(walk.steps) == table.p


@given(table=tables)
def test_floating_forward_is_that_of_pudil(table):
    """A plain version that keeps the best value of each size and nothing else."""
    walk = walk_on(table)
    float_forward(walk)
    subset, kept, path = frozenset(), {}, []

    def arrive(subset):
        kept[len(subset)] = max(table.of(subset), kept.get(len(subset), -1))
        path.append(subset)
        return subset

    while len(subset) < table.p:
        subset = arrive(best_of(plus(subset, table.p), table))
        while len(subset) > 1:
            smaller = best_of(minus(subset), table)
            if table.of(smaller) <= kept[len(smaller)]:
                break
            subset = arrive(smaller)
    assert [set(place.subset) for _, _, place, _ in walk.steps] == path


@given(table=tables)
def test_floating_ends_where_no_back_step_improves_the_best_of_its_size(table):
    walk = walk_on(table)
    float_forward(walk)
    for size in range(2, table.p + 1):
        kept = frozenset(walk.best_by_size[size].subset)
        assert max(map(table.of, minus(kept))) <= walk.best_by_size[size - 1].value
    walk = walk_on(table)
    float_backward(walk)
    for size in range(1, table.p):
        kept = frozenset(walk.best_by_size[size].subset)
        assert max(map(table.of, plus(kept, table.p))) <= walk.best_by_size[size + 1].value


@given(table=tables, floating=st.sampled_from([float_forward, float_backward]))
def test_the_kept_subset_of_a_size_never_gets_worse(table, floating):
    seen = {}

    def look(_):
        for size, place in walk.best_by_size.items():
            assert place.value >= seen.get(size, -1)
            seen[size] = place.value

    walk = walk_on(table, callback=look)
    floating(walk)
    assert len(seen) == table.p


# Oscillating search


def swings(table, subset, depth):
    """Yield all subsets that the swings of a depth lead to, by a plain version."""
    for out, back in ((minus, lambda s: plus(s, table.p)), (lambda s: plus(s, table.p), minus)):
        place, far = frozenset(subset), 0
        while far < depth and (options := [s for s in out(place) if s]):
            place, far = best_of(options, table), far + 1
            yield place
        for _ in range(far):
            place = best_of([s for s in back(place) if s], table)
            yield place


def better(table, one, other):
    return (table.of(one), -len(one)) > (table.of(other), -len(other))


@given(table=tables, depth=st.integers(1, 5), data=st.data())
def test_oscillation_ends_where_no_swing_improves_and_never_below_its_start(table, depth, data):
    start = data.draw(st.sets(st.integers(0, table.p - 1), min_size=1))
    walk = walk_on(table)
    place = oscillate(walk, walk.start(tuple(sorted(start))), depth)
    assert place == walk.best
    assert place.value >= table.of(start)
    for deep in range(1, depth + 1):
        for met in swings(table, place.subset, deep):
            assert not better(table, met, frozenset(place.subset))


@given(table=tables, depth=st.integers(1, 7), data=st.data())
def test_sizes_outside_of_the_range_are_passed_but_never_chosen(table, depth, data):
    walk = walk_on(table, sizes=data.draw(ranges(table.p)))
    place = grow_subset(walk, walk.start(()), walk.sizes.low)
    start = walk.best.value
    oscillate(walk, place, depth)
    assert walk.sizes.allow(walk.best.size)
    assert start <= walk.best.value <= exhaustive(walk)


# Units, forced features, sizes


@given(table=tables, data=st.data())
def test_groups_and_forced_features_are_respected(table, data):
    labels = data.draw(st.lists(st.integers(0, 3), min_size=table.p, max_size=table.p))
    groups = [[i for i in range(table.p) if labels[i] == one] for one in sorted(set(labels) - {3})]
    inside, outside = (groups[:1], groups[1:2]) if len(groups) > 2 else ([], [])
    walk = walk_on(table, groups=groups, forced_in=[*chain(*inside)], forced_out=[*chain(*outside)])
    for search in SEARCHES.values():
        search(walk)
    assert walk.best.value <= exhaustive(walk)
    for position in range(len(walk.steps)):
        features = set(walk.get_step(position).features)
        assert features.issuperset(chain(*inside))
        assert features.isdisjoint(chain(*outside))
        assert all(features.issuperset(group) or features.isdisjoint(group) for group in groups)


def test_units_are_ordered_by_their_first_feature_and_read_by_name():
    names = np.array(list("abcdef"), dtype=object)
    space = SearchSpace.from_parameters(
        6, names, [["f", "b"], [3, 2]], forced_in="a", forced_out=["e"]
    )
    assert [unit.tolist() for unit in space.units] == [[0], [1, 5], [2, 3], [4]]
    assert (space.forced, space.free) == ((0,), (1, 2))
    assert space.read_subset(["b", "f"], names, "start") == (0, 1)
    assert space.mask((1, 2)).tolist() == [False, True, True, True, False, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": [[0, 1], [1, 2]]}, "share features"),
        ({"groups": [[0, 1], []]}, "must not be empty"),
        ({"groups": [[0, 6]]}, "from 0 to 5"),
        ({"groups": "ab"}, "lists of features"),
        ({"groups": ["ab"]}, "lists of features"),
        ({"groups": [[0, 1]], "forced_in": [0]}, "a part of a feature group"),
        ({"forced_in": [1, 1]}, "twice"),
        ({"forced_in": [1], "forced_out": [1]}, "in and out at once"),
        ({"forced_out": range(6)}, "none is left"),
        ({"forced_in": [True]}, "indices from 0"),
        ({"forced_in": 1.5}, "indices from 0"),
        ({"forced_in": np.ones(3, dtype=bool)}, "one value per feature"),
    ],
)
def test_invalid_units_and_forced_features_are_refused(options, message):
    with pytest.raises(InvalidInputError, match=message):
        SearchSpace.from_parameters(6, None, **options)


def test_messages_call_features_by_name():
    names = np.array(["alcohol", "hue"], dtype=object)
    with pytest.raises(InvalidInputError, match="at once: hue"):
        SearchSpace.from_parameters(2, names, forced_in=["hue"], forced_out=["hue"])
    with pytest.raises(InvalidInputError, match="as a whole: alcohol, hue"):
        SearchSpace.from_parameters(2, names, [["alcohol", "hue"]], forced_in=["hue"])


def test_unknown_feature_names_are_refused_with_a_suggestion():
    with pytest.raises(UnknownNameError, match=r"no feature is called 'alcohl'.*alcohol"):
        SearchSpace.from_parameters(
            2, np.array(["alcohol", "hue"], dtype=object), forced_in=["alcohl"]
        )
    with pytest.raises(UnknownNameError, match="have no names"):
        SearchSpace.from_parameters(2, None, forced_in=["hue"])


@pytest.mark.parametrize(
    ("given", "sizes"),
    [
        (None, (2, 8)),
        (3, (3, 3)),
        (np.int64(3), (3, 3)),
        (0.5, (4, 4)),
        ((2, 5), (2, 5)),
        ([3, 3], (3, 3)),
        ("(2,5)", (2, 5)),
    ],
)
def test_sizes(given, sizes):
    assert Sizes.from_parameter(given, 2, 8) == sizes


@pytest.mark.parametrize(
    "given",
    [0, 1, 9, -1, True, 1.5, "many", (5, 2), (1, 4), (2, 9), (2,), (2.0, 4), "(2)", "(a,b)"],
)
def test_sizes_that_cannot_be_are_refused(given):
    with pytest.raises(InvalidInputError, match="n_features_to_select"):
        Sizes.from_parameter(given, 2, 8)


# Subsets that cannot be judged


class Limited(Table):
    """Subsets of more than three features, and the last feature, cannot be judged."""

    def of(self, features):
        return -np.inf if len(features) > 3 or self.p - 1 in features else super().of(features)


def test_no_move_leads_where_the_classifier_cannot_be_fitted():
    walk = walk_on(Limited(7, 0, 10))
    for name in ("forward", "floating_forward", "oscillating"):
        SEARCHES[name](walk)
    assert max(place.size for _, _, place, _ in walk.steps) == 3
    assert all(np.isfinite(place.value) for _, _, place, _ in walk.steps)
    stuck = walk_on(Limited(7, 0, 10))
    search_backward(stuck)
    assert stuck.best is None


def test_swings_are_no_deeper_than_there_are_features():
    steps = []
    for depth in (4, 4000):
        walk = walk_on(Table(4, 1, 10))
        oscillate(walk, walk.start(()), depth)
        steps.append(walk.steps)
    assert steps[0] == steps[1]


def test_values_that_differ_by_rounding_are_equal():
    thirds = np.array([0.1 + 0.2, 0.3, 1e-13 + 0.3, 0.3 + 1e-11])
    rounded = _round_significant(thirds)
    assert (rounded[:3] == rounded[0]).all()
    assert rounded[3] > rounded[0]
    large = _round_significant(thirds * 1e9)
    assert large[0] == large[1] < large[3]
    assert np.isfinite(_round_significant(np.array([1e-305, -1e-320, 1e300]))).all()
    assert _round_significant(np.array([np.nan, -np.inf, 0.0])).tolist() == [-np.inf, -np.inf, 0.0]


def test_moves_join_units():
    moves = Moves.from_units([np.array([3]), np.array([1, 2]), np.array([], dtype=np.intp)])
    assert moves.features.tolist() == [3, 1, 2]
    assert moves.starts.tolist() == [0, 1, 3, 3]
    assert [unit.tolist() for unit in moves.units] == [[3], [1, 2], []]
