"""The upset plot: combinations against a count by hand."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.plot import upset
from holdfast.plot._selections import count_combinations
from tests.plot.tables import texts

SETS = {"a": ["x", "y", "z"], "b": ["y", "z"], "c": ["z", "w"], "d": []}


def test_combinations_are_counted_once_each():
    numbers = upset(SETS).numbers
    found = dict(zip(numbers["selectors"], numbers["features"], strict=True))
    assert found == {("a", "b", "c"): ("z",), ("a", "b"): ("y",), ("a",): ("x",), ("c",): ("w",)}
    assert numbers["drawn"].all()


@given(
    st.dictionaries(
        st.sampled_from("abcde"), st.sets(st.integers(0, 15).map(str)), min_size=1, max_size=5
    )
)
def test_every_feature_is_in_the_combination_of_its_owners(sets):
    table = count_combinations(sets, most=100)
    seen = [feature for features in table["features"] for feature in features]
    assert sorted(seen) == sorted(set().union(*sets.values()))
    for owners, features in zip(table["selectors"], table["features"], strict=True):
        for feature in features:
            assert set(owners) == {name for name, own in sets.items() if feature in own}
    counts = table["count"].tolist()
    assert counts == sorted(counts, reverse=True)


def test_bars_dots_and_sizes_show_the_counts():
    picture = upset({"a": ["x", "y", "z"], "b": ["z"]})
    main, bars, grid, sizes = picture.axes
    assert main is picture.ax
    assert [patch.get_height() for patch in bars.patches] == [2, 1]
    assert [patch.get_width() for patch in sizes.patches] == [3, 1]
    filled = grid.collections[1].get_offsets().tolist()
    assert filled == [[0, 0], [1, 0], [1, 1]]


def test_the_rest_is_counted():
    sets = {f"s{i}": [f"own {i}", "common"] for i in range(6)}
    picture = upset(sets, most=3)
    assert picture.numbers["drawn"].sum() == 3
    assert "not shown: 4 combinations, 4 features in total" in texts(picture)


def test_it_says_what_all_share():
    assert upset(SETS).description == (
        "4 features selected by 4 selectors, 0 of them by every selector. Largest combination: "
        "a, b, c, 1 feature."
    )


def test_nothing_chosen_is_said_so():
    for sets in ({}, {"a": []}):
        assert upset(sets).description == "Nothing to show: no features are selected."
