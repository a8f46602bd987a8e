"""Stability profiles against the measures called directly."""

import numpy as np
import pytest
import scipy.stats

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge import _stability_profile, stability_profile
from holdfast.judge._stability_profile import profile_sizes
from holdfast.measures import get_measure

RECORDS = [get_measure(name) for name in hf.list_measures().index]
DATALESS = [r.name for r in RECORDS if r.form == "subset" and not r.needs & {"similarity", "data"}]


@pytest.fixture
def tops():
    rng = np.random.default_rng(0)
    return {
        "steady": [np.append(rng.permutation(10), 10 + rng.permutation(50)) for _ in range(6)],
        "<script>$=cmd()": [rng.permutation(60) for _ in range(6)],
    }


def test_each_value_is_that_of_the_measure(tops):
    profile = stability_profile(tops, 60, sizes=[5, 10, 40])
    for row in profile.table.to_dict("records"):
        lists = [one[: row["size"]] for one in tops[row["selector"]]]
        asked = hf.measure([row["measure"]], hf.Subsets(lists, n_features=60))
        for column in ("value", "low", "high", "chance"):
            np.testing.assert_allclose(row[column], asked[column].iloc[0], rtol=1e-12)
        assert row["note"] == asked["note"].iloc[0]
    assert len(profile.table) == 2 * 3 * 2


@pytest.mark.parametrize("name", DATALESS)
@pytest.mark.filterwarnings("ignore::holdfast.errors.UndefinedMeasureWarning")
def test_every_measure_of_subsets_says_the_same_of_lists_as_of_subsets(tops, name):
    lists = [row[:30] for row in tops["steady"]]
    found = stability_profile({"one": lists}, 60, sizes=[1, 12, 30], measures=name).table
    for row in found.to_dict("records"):
        cut = hf.Subsets([one[: row["size"]] for one in lists], n_features=60)
        asked = hf.measure([name], cut)[["value", "low", "high", "chance"]].iloc[0]
        np.testing.assert_allclose([row[c] for c in asked.index], asked, rtol=1e-12, atol=1e-12)


def test_whole_lists_are_not_sorted_again_at_each_size(tops, monkeypatch):
    def refuse(*_args, **_options):
        raise AssertionError

    monkeypatch.setattr(_stability_profile, "Subsets", refuse)
    assert stability_profile(tops, 60).table["chance"].notna().any()


def test_the_table_handed_out_is_a_copy(tops):
    profile = stability_profile(tops, 60, sizes=[5])
    table = profile.to_frame()
    table["value"] = 0.0
    assert (profile.table["value"] != 0).all()


def test_the_chance_level_of_jaccard_is_the_hypergeometric_expectation(tops):
    table = stability_profile(tops, 60, sizes=[7], measures="jaccard").table
    r = np.arange(8)
    expected = np.sum(scipy.stats.hypergeom(60, 7, 7).pmf(r) * r / (14 - r))
    np.testing.assert_allclose(table["chance"], expected)


def test_a_random_selector_stays_near_chance(tops):
    table = stability_profile(tops, 60, sizes=[20]).table.set_index(["selector", "measure"])
    random = table.loc["<script>$=cmd()"]
    np.testing.assert_allclose(random["value"], random["chance"], atol=0.1)


def test_sizes_go_from_one_to_all_features(tops):
    sizes = stability_profile(tops, 60).table["size"].unique().tolist()
    assert (sizes[0], sizes[-1]) == (1, 60)
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("depth", [1, 2, 13, 2000, 100_000])
def test_some_forty_sizes_are_closer_together_where_they_are_small(depth):
    sizes = profile_sizes(depth, include=[7, 500_000])
    assert len(sizes) <= 41
    assert sizes[0] == 1
    assert sizes[-1] == depth
    assert (7 in sizes) == (depth >= 7)
    assert np.all(np.diff(sizes) >= 1)


def test_all_features_leave_nogueira_undefined_and_say_so(tops):
    table = stability_profile(tops, 60, sizes=[60]).table.set_index("measure")
    assert table.loc["nogueira", "value"].isna().all()
    assert (table.loc["nogueira", "note"] == "all subsets are full").all()
    assert (table.loc["jaccard", "value"] == 1).all()


def test_each_selector_has_a_row_and_a_sentence_about_its_knot(tops):
    profile = stability_profile(tops, 60, sizes=[5])
    assert profile.knots["selector"].tolist() == list(tops)
    assert profile.knots["size"].tolist()[0] == 10
    assert profile.knots["size"].isna().tolist() == [False, True]
    assert profile.sentences[0].startswith("steady: agreement breaks at 10 features")
    assert profile.sentences[1].startswith("<script>$=cmd(): no knot")
    assert "clarity" in profile.how
    assert repr(profile).startswith("<StabilityProfile: 2 selectors at 1 size>")


def test_a_single_feature_has_a_profile():
    profile = stability_profile({"one": [np.array([0])] * 3}, 1)
    assert profile.table["size"].tolist() == [1, 1]
    assert profile.knots["size"].isna().all()


def test_lists_may_end_before_all_features(tops):
    cut = {"steady": [row[:25] for row in tops["steady"]]}
    assert stability_profile(cut, 60).table["size"].max() == 25


@pytest.mark.parametrize("sizes", [[0], [61], []])
def test_sizes_that_are_not_there_are_refused(tops, sizes):
    with pytest.raises(InvalidInputError, match="between 1 and the 60 features"):
        stability_profile(tops, 60, sizes=sizes)


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(InvalidInputError, match=r"mine: .* lengths \[2, 3\]"):
        stability_profile({"mine": [np.arange(2), np.arange(3)]}, 9)


@pytest.mark.parametrize("row", [[0, 0], [0, 9], [-1, 2]])
def test_lists_that_are_no_rankings_are_refused(row):
    with pytest.raises(InvalidInputError, match="selection 1 holds"):
        stability_profile({"mine": [np.array([0, 1]), np.array(row)]}, 9)


def test_one_list_is_refused():
    with pytest.raises(InvalidInputError, match="at least two lists"):
        stability_profile({"mine": [np.arange(2)]}, 9)


@pytest.mark.parametrize("measures", ["sechidis", "spearman", ["jaccard", "yu"], []])
def test_measures_that_need_more_than_subsets_are_refused(tops, measures):
    with pytest.raises(InvalidInputError, match="measures of subsets that need no data"):
        stability_profile(tops, 60, measures=measures)


def test_an_unknown_measure_is_named(tops):
    with pytest.raises(UnknownNameError, match="jaccard"):
        stability_profile(tops, 60, measures="jacard")
