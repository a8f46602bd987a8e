"""Selectors that choose a subset, in studies: by name and object, whatever the protocol."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import holdfast as hf
from holdfast.errors import HoldfastError, HoldfastWarning
from holdfast.io import Dataset, from_arrays, read_data
from holdfast.select._search import _wrapper
from holdfast.select._selector import OfferedFeatures
from holdfast.study._planning._make_plan import make_plan, make_unit_runner
from holdfast.study._planning._plan import SELECTION, derive_seed
from holdfast.study._planning._settings import check_settings
from holdfast.study._storage._store import to_integers

WINE = read_data("@wine")
NAMES = WINE.feature_names
SPELLED = [
    "forward_selection:cv=3,n_features_to_select=(1,4)",
    "oscillating_search:cv=cross_validation(3),depth=1,classifier=knn3(n_neighbors=5)",
    "random_subset",
]
OBJECTS = {
    "forward_selection": hf.ForwardSelection(cv=3, n_features_to_select=(1, 4)),
    "oscillating_search": hf.OscillatingSearch(
        "knn3(n_neighbors=5)", cv=hf.CrossValidation(3), depth=1
    ),
    "random_subset": hf.RandomSubset(),
}


def planned(selectors, data=WINE, **given):
    usual = {
        "protocol": hf.Subsampling(4, 0.8), "sizes": None, "classifiers": [],
        "measures": ["nogueira"], "impute": None, "replication": 0, "until_width": None, "seed": 3,
    }  # fmt: skip
    plan = make_plan(check_settings(selectors=selectors, **{**usual, **given}), data)
    return plan, make_unit_runner(plan, data)


def subsets(plan, work):
    """Run all units; return the features that were chosen, selector by selector."""
    found = [outcome for unit in plan.units() for outcome in work.run(unit)]
    assert [outcome.message for outcome in found] == [None] * len(found)
    return [to_integers(dict(outcome.preferences)["subset"]).tolist() for outcome in found]


def study(selectors, **given):
    usual = {"protocol": hf.Subsampling(4, 0.8), "classifiers": (), "measures": ["jaccard"]}
    return hf.Study(selectors, **{**usual, **given}, replication=0)


def test_a_unit_gives_what_a_fit_by_hand_gives():
    plan, work = planned({"one": hf.FloatingSelection(cv=3)})
    for resample, found in enumerate(subsets(plan, work)):
        seed = derive_seed(3, SELECTION, 0, resample)
        train = plan.resamples[resample].train
        by_hand = hf.FloatingSelection(cv=3, random_state=seed).fit(WINE.X[train], WINE.y[train])
        assert found == by_hand.get_support(indices=True).tolist()


def test_spellings_and_objects_give_the_same():
    assert subsets(*planned(SPELLED)) == subsets(*planned(OBJECTS))


@pytest.mark.integration
def test_folders_processes_and_parts_give_the_same(tmp_path):
    whole = study(SPELLED).run(WINE, n_jobs=1, out=tmp_path / "whole")
    assert whole.complete
    again = hf.load(tmp_path / "whole")
    spread = study(SPELLED).run(WINE, n_jobs=2)
    for i in (1, 2):
        study(SPELLED).run(WINE, n_jobs=1, out=tmp_path / str(i), part=f"{i}/2")
    joined = hf.merge([tmp_path / "1", tmp_path / "2"], tmp_path / "joined")
    for other in (again, spread, joined):
        assert other.stability.equals(whole.stability)
        assert other.frequencies.equals(whole.frequencies)


NAMED = {
    "forced_in": ["alcohol"],
    "forced_out": "proline",
    "feature_groups": [["ash", "hue"], ["flavanoids", "magnesium"]],
}
NUMBERED = {
    "forced_in": [NAMES.index("alcohol")],
    "forced_out": [NAMES.index("proline")],
    "feature_groups": [[NAMES.index(name) for name in group] for group in NAMED["feature_groups"]],
}


def test_names_of_features_mean_the_same_as_numbers():
    both = (hf.OscillatingSearch(cv=3, depth=1, start=start, **how) for start, how in [
        (["alcohol", "ash", "hue"], NAMED),
        ([NAMES.index(name) for name in ("alcohol", "ash", "hue")], NUMBERED),
    ])  # fmt: skip
    named, numbered = (subsets(*planned({"one": one})) for one in both)
    assert named == numbered
    ash, hue = (NAMES.index(name) for name in ("ash", "hue"))
    for found in named:
        assert NAMES.index("alcohol") in found
        assert NAMES.index("proline") not in found
        assert (ash in found) == (hue in found)


def test_names_are_listed_on_the_command_line():
    _, work = planned(
        "forward_selection:cv=3,forced_in=alcohol,forced_out=(proline,1),"
        "feature_groups=((ash,hue),(flavanoids,3))"
    )
    told = work.selectors[0]
    assert told.forced_in == [NAMES.index("alcohol")]
    assert told.forced_out == [NAMES.index("proline"), 1]
    ash, hue, flavanoids = (NAMES.index(name) for name in ("ash", "hue", "flavanoids"))
    assert told.feature_groups == [[ash, hue], [flavanoids, 3]]


def test_features_that_are_not_offered_are_not_spoken_of():
    given = hf.OscillatingSearch(
        forced_in=[2], forced_out=[0, 5], feature_groups=[[1, 4], [0, 5]], start=[2, 3]
    )
    told = given.with_feature_indices(OfferedFeatures(6, offered=np.array([4, 2, 5])))
    assert (told.forced_in, told.forced_out) == ([1], [2])
    assert told.feature_groups == [[0], [2]]
    assert told.start == [1]
    none = given.with_feature_indices(OfferedFeatures(6, offered=np.array([1, 4])))
    assert (none.forced_in, none.forced_out, none.feature_groups) == ([], [], [[0, 1]])
    assert none.start == []
    assert given.with_feature_indices(OfferedFeatures(6)).start == [2, 3]


def test_parts_of_the_features_are_offered():
    search = hf.OscillatingSearch(cv=3, depth=1, start=["alcohol", "ash", "hue"], **NAMED)
    plan, work = planned({"one": search}, protocol=hf.FeatureSubsets(5, 0.5))
    forced, banned = NAMES.index("alcohol"), NAMES.index("proline")
    times = 0
    for resample, found in zip(plan.resamples, subsets(plan, work), strict=True):
        assert set(found) <= set(resample.features.tolist()) - {banned}
        assert (forced in found) == (forced in resample.features)
        times += forced in resample.features
    assert 0 < times < 5


def test_copies_of_a_sample_stay_on_one_side_of_inner_splits(monkeypatch):
    seen = []

    def drawn(cv, y, subjects, seed):
        splits = original(cv, y, subjects, seed)
        seen.append((subjects, splits))
        return splits

    original = _wrapper.draw_splits
    plan, work = planned("forward_selection:n_features_to_select=1", protocol=hf.Bootstrap(3))
    monkeypatch.setattr(_wrapper, "draw_splits", drawn)
    subsets(plan, work)
    assert len(seen) == 3
    for resample, (_, splits) in zip(plan.resamples, seen, strict=True):
        assert len(np.unique(resample.train)) < len(resample.train)
        for train, test in splits:
            assert not np.intersect1d(resample.train[train], resample.train[test]).size


def test_subjects_stay_on_one_side_of_inner_splits(monkeypatch):
    data = from_arrays(WINE.X, WINE.y, groups=np.arange(len(WINE.y)) // 2)
    seen = []

    def drawn(cv, y, subjects, seed):
        seen.append(subjects)
        return original(cv, y, subjects, seed)

    original = _wrapper.draw_splits
    plan, work = planned("forward_selection:n_features_to_select=1", data)
    monkeypatch.setattr(_wrapper, "draw_splits", drawn)
    subsets(plan, work)
    assert [one.tolist() for one in seen] == [
        data.groups[resample.train].tolist() for resample in plan.resamples
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("forward_selection:classifier=knn4", "no classifier is called 'knn4'"),
        ("forward_selection:cv=hello", "no protocol is called 'hello'"),
        ("forward_selection:cv=400", "400 folds need"),
        ("forward_selection:scoring=acuracy", "Did you mean 'accuracy'"),
        ("forward_selection:n_features_to_select=(3,14)", "between 1 and 13"),
        ("forward_selection:n_features_to_select=many", "a range"),
        ("forward_selection:forced_in=alcohl", "Did you mean 'alcohol'"),
        ("forward_selection:classifier=knn3(n_neighbors=500)", "n_neighbors"),
        ("oscillating_search:depth=0", "depth"),
        ("oscillating_search:start=(ash,nowhere)", "no feature is called 'nowhere'"),
        ("floating_selection:direction=up", "direction"),
        ("random_subset:n_features_to_select=(5,2)", "the smaller number first"),
        (hf.ForwardSelection(callback=3), "callback must be a function"),
    ],
)
def test_what_cannot_be_is_refused_before_the_study_starts(given, words):
    with pytest.raises(HoldfastError, match=words) as caught:
        planned({"mine": given})
    assert "selector mine" in str(caught.value)


def test_sizes_are_those_of_the_features_offered():
    fits = "forward_selection:n_features_to_select=9,cv=3"
    planned(fits)
    with pytest.raises(HoldfastError, match="between 1 and 7"):
        planned(fits, protocol=hf.FeatureSubsets(3, 0.5))


def test_no_search_is_made_before_the_study_starts(monkeypatch):
    def search(self, walk):
        raise AssertionError("a search among all features may take long")

    monkeypatch.setattr(hf.ForwardSelection, "_search", search)
    told = []
    _, work = planned({"one": hf.ForwardSelection(callback=told.append)})
    work.warm_up(0)
    assert told == []


def test_missing_values_are_imputed():
    X = WINE.X.copy()
    X[3, 4] = np.nan
    data = Dataset(X=X, y=WINE.y, feature_names=NAMES)
    with pytest.raises(HoldfastError, match="do not take: forward_selection"):
        planned(SPELLED, data)
    plan, work = planned(SPELLED, data, impute="median")
    assert len(subsets(plan, work)) == 12


@pytest.mark.parametrize(
    ("selectors", "words"),
    [
        (["random_subset"], r"itself\. The size of a subset is set by n_features"),
        (
            {"groups": hf.DRAGS(threshold=0.5)},
            r"A group selector without a threshold uses",
        ),
    ],
)
def test_sizes_that_do_not_apply_are_warned_of(selectors, words):
    with pytest.warns(HoldfastWarning, match=words) as caught:
        planned(selectors, sizes=[3])
    assert "to any number" not in str(caught[0].message)


def test_the_pipeline_of_a_wrapper_goes_by_the_names():
    search = hf.ForwardSelection(KNeighborsClassifier(3), cv=3, forced_in=["alcohol"])
    result = study({"search": search}, classifiers=["knn3"], measures=["nogueira"]).run(
        WINE, n_jobs=1
    )
    assert result.recommend().size == "own"
    for given in ((WINE,), (WINE.X, WINE.y)):
        model = result.pipeline(*given)
        assert NAMES.index("alcohol") in model["select"].get_support(indices=True)
    assert np.mean(model.predict(WINE.X) == WINE.y) > 0.9


def test_what_searches_say_their_subsets_are_worth_is_kept(tmp_path):
    selectors = {
        "searched": hf.ForwardSelection("knn3", n_features_to_select=(1, 3)),
        "scored": hf.FScore(),
        "drawn": hf.RandomSubset("knn3"),
        "blind": hf.RandomSubset(),
    }
    study = hf.Study(selectors, protocol=hf.Subsampling(4, 0.8), classifiers=(), replication=0)
    whole = study.run(WINE, n_jobs=1)
    table = whole.values
    assert list(table.columns) == ["selector", "resample", "role", "value"]
    assert table["selector"].tolist() == ["searched"] * 4 + ["drawn"] * 4
    assert set(table["role"]) == {"main"}
    for row in table[table["selector"] == "searched"].itertuples():
        rows = whole.store.resamples()[row.resample].train
        seed = derive_seed(0, SELECTION, 0, row.resample)
        again = hf.ForwardSelection("knn3", n_features_to_select=(1, 3), random_state=seed)
        assert row.value == again.fit(WINE.X[rows], WINE.y[rows]).value_
    for part in ("1/2", "2/2"):
        study.run(WINE, out=tmp_path / part[0], part=part, n_jobs=1)
    merged = hf.merge([tmp_path / "1", tmp_path / "2"], tmp_path / "whole")
    assert merged.values.equals(table)
    assert (tmp_path / "tables" / "values.csv") in hf.export(merged, tmp_path / "tables")


def test_a_study_without_searches_has_no_values(tmp_path):
    study = hf.Study("f_score", protocol=hf.Subsampling(3, 0.8), sizes=[2], classifiers=(),
                     replication=0)  # fmt: skip
    result = study.run(WINE, n_jobs=1)
    assert len(result.values) == 0
    assert "values.csv" not in {path.name for path in hf.export(result, tmp_path)}
