"""Profiles, likeness and stand-ins of a study, against its tables and its preferences."""

from types import SimpleNamespace

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge import find_knot, selector_similarity
from holdfast.judge import stand_ins as find_stand_ins
from holdfast.resample import Resample
from holdfast.study._result import Result
from holdfast.study._storage._reader import StudyReader
from holdfast.study._tables import _stability as profiles
from holdfast.study._tables._stability import LazyDataset
from tests.study.stores import Made, folds, full, subsamples

NO_DATA = LazyDataset(None)


@pytest.fixture(scope="module")
def wine():
    study = hf.Study(
        ["f_score", "relieff"],
        protocol=hf.Subsampling(6, 0.8),
        sizes=[2, 5],
        classifiers=(),
        replication=0,
    )
    return study.run(hf.io.read_data("@wine"), n_jobs=1)


def nested_made(**options):
    """Three outer resamples with four inner ones each."""
    made = Made(p=40, sizes=(3, 40), **options)
    for outer in folds(made.n, 3, role="outer"):
        made.resamples.append(outer)
        made.resamples += [
            Resample(part.train, part.test, role="inner", outer=outer.outer)
            for part in subsamples(made.n, 4, seed=outer.outer)
        ]
    return made


@pytest.fixture(scope="module")
def nested():
    return Result(full(nested_made()))


def at_sizes(profile, table):
    """Return the rows of a profile that a table of stability has, too."""
    keys = ["selector", "size", "measure"]
    return (one.set_index(keys) for one in (profile.table, table))


def view_of(result):
    return StudyReader(result.store)


def data_of(result):
    return LazyDataset(lambda: result.dataset)


def test_the_profile_meets_the_table_of_stability_at_its_sizes(wine):
    found, table = at_sizes(profiles.profile(view_of(wine)), wine.stability)
    for key, row in table[table.index.get_level_values("measure") == "nogueira"].iterrows():
        for column in ("value", "low", "high", "chance"):
            np.testing.assert_allclose(found.loc[key, column], row[column])


def test_the_profile_goes_from_one_feature_to_all(wine):
    profile = profiles.profile(view_of(wine))
    sizes = profile.table["size"].unique()
    assert (sizes.min(), sizes.max()) == (1, 13)
    assert set(wine.plan["sizes"]) <= set(sizes)
    assert profile.knots["selector"].tolist() == ["f_score", "relieff"]


def test_groups_of_resamples_are_averaged_as_in_the_table_of_stability(nested):
    profile = profiles.profile(view_of(nested), sizes=[3], measures=["jaccard"])
    found, table = at_sizes(profile, nested.stability)
    for key, row in found.iterrows():
        np.testing.assert_allclose(row["value"], table.loc[key, "value"])
        np.testing.assert_allclose(row["low"], table.loc[key, "low"])
        assert "mean over 3 groups" in row["note"]


def test_knots_compare_within_groups_only(nested):
    reader = view_of(nested)
    rows = reader.selected_features(0)
    numbers = reader.compared(rows)
    groups = [range(4), range(4, 8), range(8, 12)]
    expected = find_knot([rows[i] for i in numbers], 40, groups=groups)
    assert profiles.profile(reader).knots["sentence"][0] == expected.sentence


def test_knots_are_searched_as_far_as_asked(wine):
    near, far = (wine.profile(max_knot_share=share) for share in (0.4, 0.8))
    assert "up to 40% of all features" in near.how
    assert "up to 80% of all features" in far.how
    assert near.table.equals(far.table)


def test_selectors_that_choose_the_size_are_left_out():
    made = Made(own=("two",), resamples=subsamples(30, 5))
    profile = profiles.profile(StudyReader(full(made)))
    assert profile.knots["selector"].tolist() == ["one"]
    assert profile.left_out == ("two",)
    assert profile.sentences[-1] == (
        "two: chooses the number of features itself, so it has no profile."
    )


def test_failed_and_missing_units_are_left_out():
    made = Made(resamples=subsamples(30, 6))
    store = full(made, failed=[(0, 1)], skip=[(1, 2), (1, 3)])
    profile = profiles.profile(StudyReader(store), sizes=[4], measures="jaccard")
    values = profile.table.set_index("selector")["value"]
    for name in made.selectors:
        expected = hf.measure("jaccard", Result(store).preferences[name, 4])
        np.testing.assert_allclose(values[name], expected)


def test_a_study_that_has_hardly_begun_says_so():
    made = Made(resamples=subsamples(30, 3))
    skip = [(s, r) for s in range(2) for r in range(3) if (s, r) != (0, 0)]
    profile = profiles.profile(StudyReader(full(made, skip=skip)))
    assert profile.table["value"].isna().all()
    assert profile.knots["size"].isna().all()
    assert all("too few" in sentence for sentence in profile.sentences)


def test_sizes_beyond_what_is_kept_are_refused(wine):
    with pytest.raises(InvalidInputError, match="between 1 and the 13 features"):
        profiles.profile(view_of(wine), sizes=[14])


def test_likeness_is_that_of_the_preferences(wine):
    found = profiles.similarity(view_of(wine), size=5, measure="jaccard")
    systems = {name: wine.preferences[name, 5] for name in wine.selectors}
    expected = selector_similarity(systems, "jaccard")
    np.testing.assert_allclose(found.matrix, expected.matrix)
    np.testing.assert_allclose(found.table["low"], expected.table["low"])


def test_likeness_takes_the_largest_size_unless_reported(wine):
    np.testing.assert_allclose(
        profiles.similarity(view_of(wine)).matrix, profiles.similarity(view_of(wine), size=5).matrix
    )


def test_the_diagonal_of_likeness_is_the_stability_within_groups(nested):
    found = profiles.similarity(view_of(nested), size=3, measure="jaccard")
    table = nested.stability.set_index(["selector", "size", "measure"])["value"]
    expected = [table[name, 3, "jaccard"] for name in nested.selectors]
    np.testing.assert_allclose(np.diag(found.matrix), expected)


@pytest.mark.parametrize("measure", ["jaccard", "kuncheva"])
def test_intervals_of_likeness_are_those_of_the_table_of_stability(measure):
    made = nested_made(measures=[measure])
    result = Result(full(made))
    found = profiles.similarity(view_of(result), size=3, measure=measure).table
    own = found[found["first"] == found["second"]].set_index("first")
    table = result.stability.query("size == 3").set_index("selector")
    for column, same in (("similarity", "value"), ("low", "low"), ("high", "high")):
        np.testing.assert_allclose(own[column], table.loc[own.index, same])


def test_intervals_of_stand_ins_are_those_of_the_table_of_stability():
    made = nested_made(measures=["nogueira", "kappa"])
    result = Result(full(made))
    X = np.random.default_rng(0).normal(size=(50, 40))
    data = LazyDataset(lambda: SimpleNamespace(dense_matrix=lambda: X))
    found = profiles.stand_ins(view_of(result), data, "one", 3).stability.set_index("measure")
    table = result.stability.query("selector == 'one' and size == 3").set_index("measure")
    columns = ["value", "low", "high"]
    for name in ("nogueira", "kappa"):
        expected = table.loc[name, columns].astype(float)
        np.testing.assert_allclose(found.loc[name, columns].astype(float), expected)


def test_likeness_is_not_asked_where_all_features_are_selected(nested):
    np.testing.assert_allclose(
        profiles.similarity(view_of(nested)).matrix,
        profiles.similarity(view_of(nested), size=3).matrix,
    )
    assert "hold all features" in profiles.similarity(view_of(nested), size=40).note


def test_selectors_of_any_size_are_compared_on_resamples_that_all_have_done():
    made = Made(own=("two",), resamples=subsamples(30, 6))
    store = full(made, failed=[(0, 1)], skip=[(1, 3)])
    found = profiles.similarity(StudyReader(store), size=2)
    reader, keep = StudyReader(store), [0, 2, 4, 5]
    systems = {
        "one": hf.Subsets([reader.selected_features(0)[i][:2] for i in keep], n_features=12),
        "two": hf.Subsets([reader.selected_features(1)[i] for i in keep], n_features=12),
    }
    np.testing.assert_allclose(found.matrix, selector_similarity(systems).matrix)


def test_a_selector_without_any_result_is_not_compared():
    made = Made(resamples=subsamples(30, 4))
    store = full(made, failed=[(1, number) for number in range(4)])
    assert profiles.similarity(StudyReader(store)).matrix.index.tolist() == ["one"]


def test_no_common_resamples_are_an_error_that_says_what_to_do():
    made = Made(resamples=subsamples(30, 4))
    store = full(made, skip=[(0, 0), (0, 1), (0, 2), (1, 3)])
    with pytest.raises(InvalidInputError, match=r"no two resamples .*resume the study"):
        profiles.similarity(StudyReader(store))


def test_stand_ins_are_those_of_the_preferences_and_the_data(wine):
    found = profiles.stand_ins(
        view_of(wine), data_of(wine), "relieff", 5, threshold=0.3, frequency=0.2
    )
    expected = find_stand_ins(
        wine.preferences["relieff", 5], wine.dataset.X, threshold=0.3, frequency=0.2
    )
    assert found.table.equals(expected.table)
    assert found.features.equals(expected.features)
    assert found.stability.equals(expected.stability)
    assert len(found.features)
    assert set(found.table["stand_in"]) <= set(wine.dataset.feature_names)


def test_stand_ins_take_the_largest_size_unless_reported(wine):
    found = profiles.stand_ins(view_of(wine), data_of(wine), "f_score", frequency=0.01)
    assert set(found.features["feature"]) == set(
        wine.frequencies.query("selector == 'f_score' and size == 5")["feature"]
    )


def test_stand_ins_without_the_data_say_what_to_do(wine):
    with pytest.raises(InvalidInputError, match="need the data"):
        profiles.stand_ins(view_of(wine), NO_DATA, "relieff")


def test_stand_ins_of_an_unknown_selector_name_the_known_ones(wine):
    with pytest.raises(UnknownNameError, match="relieff"):
        profiles.stand_ins(view_of(wine), data_of(wine), "relief")


def test_stand_ins_of_a_size_that_is_not_kept_are_refused(wine):
    with pytest.raises(InvalidInputError, match="1 to 13"):
        profiles.stand_ins(view_of(wine), data_of(wine), "relieff", 14)
