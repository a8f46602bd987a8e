"""Studies of estimators and functions of others: sparse models, accepted sets, lists of indices."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import LinearSVC

import holdfast as hf
from holdfast.cli._study_summary import print_summary
from holdfast.errors import HoldfastWarning
from holdfast.report import make_report, to_markdown
from tests.select.test_recognition import ShadowForest
from tests.study.inline import work_here

RELEASE = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
L1 = {"l1_ratio": 1.0} if RELEASE >= (1, 8) else {"penalty": "l1"}
SPARSE = LinearSVC(penalty="l1", dual=False, C=0.05)


def logistic(C):
    return LogisticRegression(solver="liblinear", C=C, **L1)


@pytest.fixture(autouse=True)
def without_processes(monkeypatch):
    """Work in this process: starting others takes longer than the work."""
    work_here(monkeypatch)


def noisy(n_features=60):
    """Return two classes that differ in 3 features."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 40)
    values = rng.standard_normal((80, n_features))
    values[y == 1, :3] += 1.5
    return values, y


def run(selectors, X=None, y=None, **options):
    if X is None:
        X, y = noisy()
    settings = {"protocol": hf.Subsampling(6, 0.9), "classifiers": (), "replication": 0, **options}
    return hf.Study(selectors, **settings).run(X, y, n_jobs=1)


def test_a_sparse_model_is_as_stable_as_within_select_from_model(data_folder):
    table = pd.read_parquet(data_folder / "colon.parquet")
    X, y = scale(table.drop(columns="class").to_numpy(np.float64)), table["class"].to_numpy()
    protocol = hf.Subsampling(20, 0.9)
    rows = {}
    for name, model, sizes in (
        ("sized", logistic(0.1), [20]),
        ("own", logistic(0.1), None),
        ("wrapped", SelectFromModel(logistic(0.1)), None),
        ("piped", make_pipeline(StandardScaler(), logistic(0.1)), [20]),
    ):
        summary = run({"l1": model}, X, y, sizes=sizes, protocol=protocol).summary()
        rows[name] = summary.iloc[0]
        assert len(summary) == 1
    assert [row["size"] for row in rows.values()] == [20, "own", "own", 20]
    assert [row["selected"] for row in list(rows.values())[:3]] == [5.85] * 3
    assert rows["sized"]["stability"] == rows["own"]["stability"] == rows["wrapped"]["stability"]
    assert round(rows["own"]["stability"], 3) == 0.557
    none = run({"l1": logistic(0.05)}, X, y, sizes=[50], protocol=protocol)
    assert none.summary()["selected"].tolist() == [0.0]
    with pytest.warns(hf.errors.UndefinedMeasureWarning):
        of_empty = hf.measure("nogueira", hf.Subsets([[]] * 20, n_features=2000))
    assert np.array_equal(none.summary()["stability"], [of_empty], equal_nan=True)


def test_sizes_take_the_best_features_of_a_sparse_model():
    result = run({"l1": SPARSE, "f": "f_score"}, sizes=[2, 20])
    own = run({"l1": SPARSE}).preferences["l1", "own"]
    assert result.preferences["l1", 20] == own
    two = result.preferences["l1", 2]
    assert two.sizes.tolist() == [2] * 6
    assert all(set(few) <= set(all_) for few, all_ in zip(two, own, strict=True))
    table = result.stability.set_index(["selector", "size", "measure"])
    low, high = own.sizes.min(), own.sizes.max()
    assert 2 < low < high < 20
    assert table.loc[("l1", 20, "nogueira"), "note"] == f"{low} to {high} of 20 found"
    assert table.loc[("f", 20, "nogueira"), "note"] == ""


def test_replication_of_short_lists_is_that_of_subsets():
    X, y = noisy()
    kinds = {"sized": ({"l1": SPARSE}, [20]), "own": ({"l1": SPARSE}, None)}
    tables = {
        name: run(selectors, sizes=sizes, replication=20)
        for name, (selectors, sizes) in kinds.items()
    }
    columns = ["value", "low", "high", "chance", "predicted"]
    sized, own = (tables[name].replication[columns] for name in ("sized", "own"))
    pd.testing.assert_frame_equal(sized, own)
    columns = ["feature", "selected", "found_again", "grade"]
    sized, own = (tables[name].features[columns] for name in ("sized", "own"))
    pd.testing.assert_frame_equal(sized, own)
    selected = set(sized.loc[sized["selected"], "feature"])
    fitted = hf.AnySelector(SPARSE).fit(X, y)
    assert selected == {f"f{j}" for j in fitted.get_support(indices=True)}
    alone = hf.replication(SPARSE, X, y, size=20, n_pairs=20)
    assert alone.value == hf.replication(SPARSE, X, y, n_pairs=20).value


def top_ten(X, y):
    return np.argsort(-f_classif(X, y)[0])[:10]


def top_names(X, y):
    return [f"f{j}" for j in top_ten(X, y)]


OWN = {"indices": top_ten, "names": top_names, "accepted": ShadowForest(10)}


@pytest.mark.parametrize("name", OWN)
def test_what_a_function_or_another_package_selects_is_its_own_subset(name):
    result = run({name: OWN[name]})
    assert len(result.failures) == 0
    expected = run({"best": SelectKBest(k=10)}).preferences["best", "own"]
    assert result.preferences[name, "own"] == expected
    X, y = noisy()
    alone = hf.replication(OWN[name], X, y, n_pairs=10)
    assert alone.value == hf.replication(SelectKBest(k=10), X, y, n_pairs=10).value


def test_missing_values_do_not_hide_what_a_function_selects():
    X, y = noisy()
    X[0, 5] = np.nan
    assert run({"ten": top_ten}, X, y, impute="median").summary()["size"].tolist() == ["own"]
    alone = hf.replication(top_ten, X, y, n_pairs=4, impute="median")
    expected = hf.replication(SelectKBest(k=10), X, y, n_pairs=4, impute="median")
    assert alone.value == expected.value


def test_names_are_those_of_the_offered_features():
    X, y = noisy()

    def offered(X, y):
        return X.columns[:3].tolist()

    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(60)])
    named = hf.AnySelector(offered, as_frame=True)
    result = run({"first": named}, frame, y, protocol=hf.resample.FeatureSubsets(6, 0.5))
    assert len(result.failures) == 0
    assert len(set(map(tuple, result.preferences["first", "own"]))) > 1


def test_own_labels_reach_estimators_in_a_study():
    X, y = noisy()
    labels = np.where(y == 1, "tumor", "normal")
    weighted = LinearSVC(class_weight={"tumor": 5.0, "normal": 1.0}, random_state=0)
    by_label = hf.AnySelector(weighted, class_codes=False)
    numbers = LinearSVC(class_weight={0: 1.0, 1: 5.0}, random_state=0)
    result = run({"svm": by_label}, X, labels, sizes=[5])
    expected = run({"svm": numbers}, X, y, sizes=[5])
    assert result.preferences["svm", 5] == expected.preferences["svm", 5]
    minus = LinearSVC(class_weight={-1: 1.0, 1: 5.0}, random_state=0)
    signs = run({"svm": hf.AnySelector(minus, class_codes=False)}, X, 2 * y - 1, sizes=[5])
    assert signs.preferences["svm", 5] == expected.preferences["svm", 5]
    alone = hf.replication(
        hf.AnySelector(minus, class_codes=False), X, 2 * y - 1, size=5, n_pairs=4
    )
    assert alone.value == hf.replication(numbers, X, y, size=5, n_pairs=4).value


def test_sizes_of_own_subsets_are_ignored_with_a_warning():
    with pytest.warns(
        HoldfastWarning, match="apply to ten, which chooses the number of features itself"
    ):
        result = run({"ten": top_ten}, sizes=[5])
    assert result.summary()["size"].tolist() == ["own"]
    with pytest.warns(HoldfastWarning, match=r"ten, best, which choose the number .* themselves"):
        run({"ten": top_ten, "best": SelectKBest()}, sizes=[5])
    sized = run({"ten": hf.AnySelector(top_ten, n_features_to_select=1)}, sizes=[5, 20])
    assert sized.summary()["selected"].tolist() == [5.0, 10.0]


def test_a_rehearsal_that_fails_leaves_the_failure_to_the_units():
    def fails_twice(X, y):
        raise ArithmeticError("out of luck")

    with pytest.warns(HoldfastWarning, match="odd failed on all .* ArithmeticError: out of luck"):
        run({"odd": fails_twice, "f": "f_score"}, sizes=[5])


def test_a_study_continues_with_the_form_that_it_began_with(tmp_path):
    X, y = noisy()
    asked = hf.Study({"ten": ShadowForest(10)}, protocol=hf.Subsampling(4, 0.9), classifiers=())
    asked.run(X, y, out=tmp_path, n_jobs=1, part="1/2")
    resumed = hf.resume(tmp_path, n_jobs=1, trust=True)
    assert resumed.complete
    assert resumed.summary()["size"].tolist() == ["own"]
    again = asked.run(X, y, out=tmp_path, n_jobs=1)
    assert again.preferences["ten", "own"].sizes.tolist() == [10] * 4


def test_reports_and_the_terminal_count_what_was_found(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = run({"l1": SPARSE}, sizes=[20], classifiers=["knn3"])
        text = to_markdown(make_report(result))
    sizes = result.preferences["l1", 20].sizes
    assert f"{sizes.min()} to {sizes.max()} of 20 found" in text
    print_summary(result)
    assert f"{sizes.min()} to {sizes.max()} of 20 found" in capsys.readouterr().out


def test_stability_selection_never_picks_features_of_weight_0():
    X, y = noisy()

    def first_alone(X, y):
        return 2.0 * np.eye(60)[0]

    chosen = hf.StabilitySelection(first_alone, q=5, threshold=0.6, pfer=None).fit(X, y)
    assert chosen.selections_.sizes.max() == 1
