"""Yu, Ding and Loscalzo (2008): numbers by hand, published averages, claims on made-up tables."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.neighbors import KNeighborsClassifier

import holdfast as hf
from holdfast.papers._claims import ClaimInput
from holdfast.papers._comparison import published_numbers
from holdfast.papers._dataset_locator import DatasetLocator
from holdfast.papers._runner import ExperimentRunner, WorkerOptions
from holdfast.papers.yu2008 import YU2008, _experiments, _studies

pytestmark = pytest.mark.slow  # the fixtures run whole experiments

PUBLISHED = published_numbers("yu2008", "table2")
AVERAGES = {
    "colon": (84.5, 73.0, 81.8, 75.7, 70.3, 77.0),
    "leukemia": (94.5, 90.8, 94.0, 92.7, 88.5, 92.8),
    "lung": (98.9, 96.6, 97.2, 98.7, 96.0, 96.8),
    "prostate": (89.7, 82.1, 86.5, 84.8, 77.3, 80.4),
    "lymphoma3": (93.9, 97.0, 95.0, 97.6, 98.0, 96.3),
    "srbct": (96.4, 85.7, 83.7, 97.6, 88.0, 83.9),
}
"""The last column of the printed table: DRAGS, RFE and K-means with the SVM, then with 1-NN."""
SIZES = (4, 6)


def test_published_rows_have_the_averages_that_the_paper_prints():
    means = PUBLISHED.groupby(["data", "classifier", "method"])["value"].mean()
    assert len(PUBLISHED) == 6 * 2 * 3 * 8
    for name, averages in AVERAGES.items():
        cells = product(("SVM", "1-NN"), ("DRAGS", "SVM-RFE", "K-means"))
        for (classifier, method), average in zip(cells, averages, strict=True):
            assert means[name, classifier, method] == pytest.approx(average, abs=0.095)


def write(folder, name, classes, seed):
    """Write a small data set of positive numbers, with features in groups."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(classes), 24 // classes)
    common = rng.normal(size=(24, 8)) + np.outer(y, rng.normal(size=8))
    X = np.exp(0.7 * common[:, np.arange(40) % 8] + 0.25 * rng.normal(size=(24, 40)))
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(40)])
    frame.assign(**{"class": [f"c{label}" for label in y]}).to_csv(
        folder / f"{name}.csv", index=False
    )


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    """Return a runner with small data sets, few sizes and few clusters."""
    patch = pytest.MonkeyPatch()
    few = {"SELECTION_SIZES": SIZES, "ALL_CLUSTERS": 12}
    for module, name in product((_studies, _experiments), few):
        if hasattr(module, name):
            patch.setattr(module, name, few[name])
    folder = tmp_path_factory.mktemp("yu")
    write(folder, "colon", 2, seed=1)
    yield ExperimentRunner(
        paper="yu2008",
        full=False,
        seed=0,
        folder=folder / "out",
        locator=DatasetLocator(folder),
        names=("colon",),
        workers=WorkerOptions(n_jobs=1),
    )
    patch.undo()


@pytest.fixture(scope="module")
def accuracy(runner):
    return _experiments.table2(runner)


@pytest.fixture(scope="module")
def selected(runner):
    return _experiments.figure3(runner)


@pytest.fixture(scope="module")
def grouped(runner):
    return _experiments.figure2(runner)


def loaded(runner, name):
    return hf.load(runner.folder / "studies" / f"yu2008-{name}-reduced")


def nearest_neighbour(result, data, selector, k):
    """Return the accuracy of 1-NN in percent, averaged over folds, from the subsets alone."""
    told = result.predictions.query("selector == @selector and size == @k")
    told = told[told["classifier"] == "knn1"]
    folds = [own["sample"].to_numpy() for _, own in told.groupby("resample")]
    scores = []
    for test, subset in zip(folds, result.preferences[selector, k], strict=True):
        train = np.setdiff1d(np.arange(len(data.y)), test)
        X = data.X[:, sorted(map(int, subset))]
        X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
        model = KNeighborsClassifier(1).fit(X[train], data.y[train])
        scores.append(100 * model.score(X[test], data.y[test]))
    return np.mean(scores)


@pytest.mark.parametrize(
    ("setting", "method", "selector"),
    [
        ("as published", "DRAGS", "DRAGS, as published"),
        ("groups of two or more", "DRAGS", "DRAGS, groups of two or more"),
        ("as published", "SVM-RFE", "SVM-RFE"),
        ("as published", "K-means", "K-means, all"),
    ],
)
def test_accuracies_are_those_of_the_subsets(runner, accuracy, setting, method, selector):
    keys = ["setting", "data", "classifier", "method", "k"]
    values = accuracy.values.set_index(keys)["value"]
    result = loaded(runner, "selection-colon")
    for k in SIZES:
        expected = nearest_neighbour(result, runner.data("colon"), selector, k)
        assert values[setting, "colon", "1-NN", method, k] == pytest.approx(expected)


def test_deviations_are_those_of_the_folds(runner, accuracy):
    predictions = loaded(runner, "selection-colon").predictions.query(
        "selector == 'SVM-RFE' and size == 4 and classifier == 'linear_svm'"
    )
    right = predictions["actual"].astype(str) == predictions["predicted"].astype(str)
    folds = [100 * own.mean() for _, own in right.groupby(predictions["resample"])]
    cell = accuracy.values.query(
        "setting == 'as published' and classifier == 'SVM' and method == 'SVM-RFE' and k == 4"
    )
    assert cell["spread"].item() == pytest.approx(np.std(folds, ddof=1))


def test_representatives_are_matched_by_their_correlation(runner, selected):
    data = runner.data("colon")
    groups = hf.DRAGS()
    folds = _studies.study_options(runner)["protocol"].draw(data.y, random_state=0)
    rows = [fold.train for fold in folds if fold.role == "main"]
    (reference,) = groups.group_resamples(data.X, data.y, [np.arange(24)]).representatives
    expected = []
    for found in groups.group_resamples(data.X, data.y, rows).representatives:
        first = reference[:4]
        correlations = np.corrcoef(data.X[:, [*first, *found]].T)[: len(first), len(first) :]
        expected.append(correlations[linear_sum_assignment(-correlations)].mean())
    cell = selected.values.query(
        "setting == 'as published' and measure == 'representatives' and k == 4"
    )
    assert cell["value"].item() == pytest.approx(np.mean(expected))


def test_twice_as_many_clusters_are_those_of_their_own_study(runner, accuracy, selected):
    values = accuracy.values.query("setting == 'K = 2k clusters' and classifier == '1-NN'")
    stable = selected.values.query("setting == 'K = 2k clusters' and measure == 'index'")
    for k, study, selector in ((4, "double", "K-means, 8"), (6, "selection", "K-means, all")):
        result = loaded(runner, f"{study}-colon")
        (value,) = values.query("k == @k")["value"]
        expected = nearest_neighbour(result, runner.data("colon"), selector, k)
        assert value == pytest.approx(expected)
        (index,) = stable.query("k == @k")["value"]
        table = result.stability.query("selector == @selector and size == @k")
        assert index == table.set_index("measure")["value"]["group_matching_index"]


def test_numbers_go_to_their_data_sets(runner, monkeypatch):
    monkeypatch.setattr(_experiments, "run_selection", lambda _, name: f"selection {name}")
    monkeypatch.setattr(_experiments, "run_double_clusters", lambda _, name: f"double {name}")
    monkeypatch.setattr(_experiments, "run_logarithmic_selection", lambda _: "logarithms")
    monkeypatch.setattr(runner, "names", ("colon", "srbct", "lung"))

    def read(told):
        names = ["K-means, 8"] if told.startswith("double") else ["SVM-RFE", "K-means, all"]
        return pd.DataFrame({"selector": names, "k": 4, "told": told})

    found = _experiments.collect_selections(runner, read)
    assert len(found) == 3 * 3 + 2
    words = [told.split(" ")[-1] for told in found["told"].replace("logarithms", "colon")]
    assert found["data"].tolist() == words
    assert found.groupby("setting").size().to_dict() == {
        "as published": 6,
        "K = 2k clusters": 3,
        "logarithms": 2,
    }


def matched(reference, found):
    """Return the mean overlap (Dice) of groups that are matched as well as can be."""
    dice = np.array([[2 * len({*a} & {*b}) / (len(a) + len(b)) for b in found] for a in reference])
    rows, columns = linear_sum_assignment(-dice)
    return dice[rows, columns].mean()


def naive_index(selector, X, y, found, k):
    """Return the mean likeness of groups to those of all samples."""
    reference = list(selector.fit(X, y).groups_[0])[:k]
    return np.mean([matched(reference, list(groups)[:k]) for groups in found])


@pytest.mark.parametrize("k", SIZES)
def test_stability_is_likeness_to_the_groups_of_all_samples(runner, grouped, selected, k):
    data = runner.data("colon")
    for made, study, method, selector in (
        (grouped, "groups", "DGF", hf.DenseGroups()),
        (selected, "selection", "DRAGS", hf.DRAGS()),
    ):
        result = loaded(runner, f"{study}-colon")
        groups = result.preferences.groups(f"{method}, as published", k)
        expected = naive_index(selector, data.X, data.y, groups, k)
        table = made.values.query("setting == 'first k groups' and measure == 'index'")
        (value,) = table.query("method == @method and k == @k")["value"]
        assert value == pytest.approx(expected)


@pytest.mark.parametrize("k", SIZES)
def test_the_first_groups_are_looked_for_among_all_groups(runner, grouped, selected, k):
    data = runner.data("colon")
    protocol = _studies.study_options(runner)["protocol"]
    folds = [one.train for one in protocol.draw(data.y) if one.role == "main"]
    for made, method, selector in (
        (grouped, "DGF", hf.DenseGroups()), (selected, "DRAGS", hf.DRAGS()),
    ):  # fmt: skip
        for setting, X in (("as published", data.X), ("logarithms", np.log2(data.X))):
            reference = list(selector.fit(X, data.y).groups_[0])[:k]
            found = [list(selector.fit(X[rows], data.y[rows]).groups_[0]) for rows in folds]
            assert any(len(groups) > k for groups in found)
            expected = np.mean([matched(reference, groups) for groups in found])
            table = made.values[made.values["setting"] == setting]
            table = table[(table["measure"] == "index") & (table["method"] == method)]
            assert table["data"].unique().tolist() == ["colon"]
            (value,) = table.loc[table["k"] == k, "value"]
            assert value == pytest.approx(expected)


def test_the_other_end_of_svm_rfe_is_that_of_its_last_features():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 60)), np.arange(20) % 2
    ranks = _studies.make_rfe().fit(X, y).ranking_
    scores = _studies.reversed_rfe_scores(X, y)
    first = np.argsort(-scores)[:50]
    assert ranks[first].tolist() == list(range(50, 0, -1))
    assert ranks[np.argsort(-scores)[50:]].tolist() == list(range(51, 61))


def test_clusters_are_as_many_as_groups_and_the_higher_index_counts(runner, grouped):
    for k in SIZES:
        table = loaded(runner, "clusters-colon").stability.query("size == @k")
        values = table.set_index(["selector", "measure"])["value"]
        every, central = f"K-means, {k}, all", f"K-means, {k}, central"
        own = grouped.values.query("k == @k and method == 'K-means'")
        found = own.set_index("measure")["value"]
        kinds = [values[kind, "group_matching_index"] for kind in (every, central)]
        assert found["index"] == max(kinds)
        assert found["value"] == values[every, "group_matching_value"]


def test_side_settings_hold_only_what_they_change(accuracy, selected, grouped):
    for made in (accuracy, selected):
        found = made.values.groupby("setting")["method"].agg(set).to_dict()
        assert found == {
            "as published": {"DRAGS", "K-means", "SVM-RFE"},
            "other features only": {"DRAGS"},
            "no density filter": {"DRAGS"},
            "groups of two or more": {"DRAGS"},
            "K = 2k clusters": {"K-means"},
            "other end of SVM-RFE": {"SVM-RFE"},
            "logarithms": {"DRAGS", "SVM-RFE"},
            **({"first k groups": {"DRAGS"}} if made is selected else {}),
        }
    beside = accuracy.facts["K = 2k clusters", "folds"]
    assert set(beside["method"]) == {"DRAGS", "K-means", "SVM-RFE"}
    assert set(accuracy.facts["logarithms", "folds"]["method"]) == {"DRAGS", "SVM-RFE"}
    assert set(grouped.pictures) == {"stability", "stability, logarithms"}


def test_rows_stand_in_the_order_of_the_paper(accuracy, selected):
    table = accuracy.values.query("setting == 'as published' and k == 4")
    cells = list(zip(table["classifier"], table["method"], strict=True))
    assert cells == list(product(("SVM", "1-NN"), ("DRAGS", "SVM-RFE", "K-means")))
    assert selected.values["setting"].iloc[0] == "as published"
    assert selected.values.query("setting == 'K = 2k clusters'")["k"].tolist() == [4, 6, 4, 6]


def test_folds_of_two_studies_test_the_same_samples(runner, accuracy):
    tested = []
    for study in ("selection", "double"):
        told = loaded(runner, f"{study}-colon").predictions
        tested.append({n: {*own["sample"]} for n, own in told.groupby("resample")})
    assert tested[0] == tested[1]


def test_all_clusters_next_to_the_more_relevant_half(runner, accuracy):
    table = accuracy.facts["as published", "halves"]
    assert table.empty  # 8 clusters are more than the sizes of this test reach
    patch = pytest.MonkeyPatch()
    patch.setattr(_experiments, "tabulate_folds", lambda _: _table2_folds())
    patch.setattr(_experiments, "SELECTION_SIZES", (4, 6, 8, 10))
    found = _experiments.compare_halves(runner, "colon")
    patch.undo()
    assert found.to_dict("records") == [
        {"data": "colon", "clusters": 8, "all": 70.0, "half": 60.0},
        {"data": "colon", "clusters": 9, "all": 90.0, "half": 50.0},
    ]


def _table2_folds():
    rows = [
        *(("K-means, 8", k, value) for k, value in ((4, 60.0), (6, 1.0), (8, 70.0), (10, 2.0))),
        *(("K-means, 9", k, value) for k, value in ((4, 50.0), (6, 1.0), (8, 3.0), (10, 90.0))),
    ]
    table = pd.DataFrame(rows, columns=["selector", "k", "accuracy"])
    return table.assign(classifier="SVM", resample=0)


def test_neighbours_are_described(runner):
    made = _experiments.figure1(runner)
    assert set(made.pictures) == {"colon"}
    likeness = np.sort(np.corrcoef(runner.data("colon").X, rowvar=False), axis=1)[:, ::-1]
    values = made.values.set_index(["setting", "data", "K", "what"])["value"].sort_index()
    for setting, first in (("as published", 0), ("other features only", 1)):
        means = likeness[:, first : first + 5].mean(axis=1)
        centred = means - means.mean()
        skewness = np.mean(centred**3) / np.mean(centred**2) ** 1.5
        own = values[setting, "colon", 5]
        assert own["median"] == pytest.approx(np.median(means))
        assert own["sd"] == pytest.approx(np.std(means, ddof=1))
        assert own["skewness"] == pytest.approx(skewness)
    assert np.isnan(values["as published", "colon", 1, "skewness"])


# Claims, on tables made by hand.


def found(experiment, position, values, **facts):
    """Hold a claim, by its position, against numbers."""
    claim = YU2008.get(experiment).claims[position]
    return claim.evaluate(ClaimInput("as published", values, PUBLISHED, facts, full=True)).status


def fold_table(means=PUBLISHED, spread=0.01):
    """Return accuracies of 30 folds around means; small spreads make all differences sure."""
    rng = np.random.default_rng(0)
    noise = rng.normal(scale=spread, size=(len(means), 30))
    wide = pd.DataFrame(means["value"].to_numpy()[:, None] + noise - noise.mean(1, keepdims=True))
    keys = means[["data", "classifier", "method", "k"]].reset_index(drop=True)
    return keys.join(wide).melt(list(keys.columns), var_name="resample", value_name="accuracy")


def changed(rows, value):
    table = PUBLISHED.copy()
    table.loc[table.query(rows).index, "value"] = value
    return table


def accuracy_found(position, means=PUBLISHED, spread=0.01):
    halves = pd.DataFrame({"data": ["colon"], "clusters": [8], "all": [70.0], "half": [75.0]})
    return found("table2", position, means, folds=fold_table(means, spread), halves=halves)


def test_published_accuracies_hold_what_the_paper_says_of_them():
    assert [accuracy_found(i) for i in range(8)] == ["held"] * 8
    # the table has one exception: colon, 1-NN, k = 50
    two = changed(
        "data == 'colon' and k == 40 and method == 'SVM-RFE' and classifier == '1-NN'", 99
    )
    assert accuracy_found(1, two) == "not held"


@pytest.mark.parametrize(
    ("position", "rows", "value"),
    [
        (0, "data == 'lung' and k == 10 and method == 'SVM-RFE' and classifier == 'SVM'", 99.9),
        (2, "data == 'lung' and k == 10 and method == 'SVM-RFE' and classifier == 'SVM'", 98.7),
        (3, "data == 'lung' and method == 'SVM-RFE' and classifier == 'SVM'", 90.0),
        (4, "data == 'srbct' and k == 4 and method == 'K-means'", 99.0),
        (5, "data == 'colon' and method == 'K-means'", 60.0),
        (6, "k == 10 and method == 'DRAGS'", 80.0),
    ],
)
def test_claims_about_accuracy_can_fail(position, rows, value):
    assert accuracy_found(position, changed(rows, value)) == "not held"


def test_few_lymphomas_do_not_matter_and_uncertain_leads_are_named():
    worse = changed("data == 'lymphoma3' and method == 'DRAGS' and k <= 10", 50.0)
    assert accuracy_found(0, worse) == "held"
    assert accuracy_found(2, worse) == "held"
    claim = YU2008.get("table2").claims[4]
    for spread, count in ((0.01, 16), (80.0, 0)):
        facts = {"folds": fold_table(spread=spread)}
        found = claim.evaluate(ClaimInput("as published", PUBLISHED, PUBLISHED, facts, full=True))
        assert found.status == "held"
        assert found.evidence.endswith(f"test at 5%, in {count}")


@pytest.mark.parametrize(
    ("position", "rows"),
    [
        (0, "data == 'lymphoma3'"),
        (1, "data == 'lung'"),
        (2, "data == 'colon'"),
        (3, "data == 'srbct'"),
        (4, "data == 'colon'"),
        (5, "data == 'srbct'"),
        (0, "method == 'DRAGS'"),
        (4, "method != 'K-means'"),
        (6, "method == 'K-means'"),
    ],
)
def test_claims_about_accuracy_need_what_they_speak_about(position, rows):
    assert accuracy_found(position, PUBLISHED.query(rows)) == "cannot be checked"


def test_no_cells_is_no_agreement():
    few = PUBLISHED.query("k > 10")
    assert accuracy_found(0, few) == "cannot be checked"
    assert accuracy_found(6, few) == "cannot be checked"
    many = PUBLISHED.query("k <= 10")
    assert accuracy_found(3, many) == "cannot be checked"


def test_all_clusters_are_worse_only_if_they_always_are():
    table = pd.DataFrame({"data": ["colon"] * 2, "clusters": 8, "all": [70.0, 80.0], "half": 75.0})
    assert found("table2", 7, PUBLISHED, halves=table) == "not held"
    assert found("table2", 7, PUBLISHED, halves=table.iloc[:1]) == "held"
    assert found("table2", 7, PUBLISHED, halves=table.iloc[:0]) == "cannot be checked"
    assert found("table2", 7, PUBLISHED) == "cannot be checked"


KS = (4, 6, 8, 10, 20, 30, 40, 50)


def stable(**methods):
    """Return stability by method: pairs of index and value, a number or one for each k."""
    rows = [
        {"data": name, "method": method.replace("_", "-"), "measure": measure, "k": k, "value": v}
        for (method, both), name in product(methods.items(), ("colon", "srbct", "lung"))
        for measure, own in zip(("index", "value"), both, strict=True)
        for k, v in zip(KS, np.broadcast_to(own, 8), strict=True)
    ]
    return pd.DataFrame(rows)


def stability_found(experiment, position, table, own=None):
    values = table if own is None else table[table["method"].isin(own)]
    return found(experiment, position, values, stability=table)


def put(table, rows, value):
    changed = table.copy()
    changed.loc[changed.query(rows).index, "value"] = value
    return changed


GOOD2 = stable(DGF=(0.8, 0.95), K_means=(np.linspace(0.3, 0.01, 8), np.linspace(0.7, 0.4, 8)))
GOOD2 = put(GOOD2, "data == 'srbct' and method == 'DGF' and measure == 'index'", 0.6)
GOOD2 = put(GOOD2, "data == 'srbct' and method == 'DGF' and measure == 'value'", 0.75)
GOOD3 = stable(DRAGS=(0.7, 0.9), K_means=(0.3, 0.6), SVM_RFE=(0.05, 0.5))


def test_claims_about_stability_hold_where_they_should():
    assert [stability_found("figure2", i, GOOD2) for i in range(7)] == ["held"] * 7
    assert [stability_found("figure3", i, GOOD3) for i in range(5)] == ["held"] * 5


@pytest.mark.parametrize(
    ("experiment", "position", "rows", "value"),
    [
        ("figure2", 0, "data == 'lung' and method == 'DGF' and measure == 'index' and k > 8", 0.7),
        ("figure2", 1, "data == 'lung' and method == 'DGF' and measure == 'value' and k == 4", 0.8),
        ("figure2", 2, "data == 'lung' and method == 'DGF' and measure == 'value'", 0.5),
        ("figure2", 2, "data == 'srbct' and method == 'DGF' and measure == 'value'", 0.94),
        ("figure2", 3, "data == 'lung' and measure == 'index' and k == 4", 0.95),
        ("figure2", 4, "data == 'colon' and method == 'K-means' and k == 4", 0.99),
        ("figure2", 5, "data == 'colon' and method == 'K-means' and k == 50", 0.99),
        ("figure2", 5, "data == 'colon' and method == 'K-means' and k in (6, 20, 40)", 0.99),
        ("figure2", 6, "data == 'colon' and method == 'K-means' and k == 30", 0.2),
        ("figure3", 0, "data == 'colon' and method == 'DRAGS' and measure == 'index'", 0.5),
        ("figure3", 0, "data == 'colon' and method == 'DRAGS' and measure == 'value'", 0.7),
        ("figure3", 1, "data == 'colon' and method == 'K-means' and measure == 'value'", 0.85),
        ("figure3", 2, "data == 'colon' and method == 'SVM-RFE' and k == 50", 0.2),
        ("figure3", 3, "method == 'SVM-RFE' and measure == 'value' and k == 50", 0.01),
        ("figure3", 4, "data == 'lung' and method == 'SVM-RFE' and measure == 'index'", 0.75),
    ],
)
def test_claims_about_stability_can_fail(experiment, position, rows, value):
    table = put(GOOD2 if experiment == "figure2" else GOOD3, rows, value)
    assert stability_found(experiment, position, table) == "not held"


def test_exceptions_that_the_paper_names_are_allowed():
    table = put(GOOD2, "data == 'srbct' and method == 'K-means' and k == 4", 0.99)
    assert stability_found("figure2", 4, table) == "held"


@pytest.mark.parametrize(
    ("experiment", "position", "rows"),
    [
        ("figure2", 0, "data == 'colon'"),
        ("figure2", 1, "data == 'srbct'"),
        ("figure2", 2, "data == 'colon'"),
        ("figure2", 4, "method == 'DGF'"),
        ("figure2", 5, "method == 'DGF'"),
        ("figure2", 6, "k <= 20"),
        ("figure3", 0, "method == 'SVM-RFE'"),
        ("figure3", 1, "method == 'DRAGS'"),
        ("figure3", 2, "measure == 'value'"),
    ],
)
def test_claims_about_stability_need_what_they_speak_about(experiment, position, rows):
    table = (GOOD2 if experiment == "figure2" else GOOD3).query(rows)
    assert stability_found(experiment, position, table) == "cannot be checked"


def test_missing_numbers_decide_nothing():
    assert stability_found("figure2", 0, GOOD2.assign(value=np.nan)) == "cannot be checked"
    assert stability_found("figure3", 4, GOOD3.assign(value=np.nan)) == "cannot be checked"


def test_settings_that_change_nothing_about_a_claim_say_nothing():
    assert stability_found("figure3", 2, GOOD3, own=["K-means"]) == "cannot be checked"
    assert stability_found("figure3", 1, GOOD3, own=["K-means"]) == "held"


def described(medians, spreads, skews, name="colon"):
    counts = [1, 2, 3, 4, 5, 10]
    wide = pd.DataFrame({"K": counts, "median": medians, "sd": spreads, "skewness": skews})
    return wide.melt("K", var_name="what").assign(data=name)


FALL = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5]
RISE = [0.0, 0.01, 0.02, 0.04, 0.05, 0.06]
SKEWED = [np.nan, -2.0, -1.5, -0.9, -0.5, -0.1]


def test_claims_about_neighbours():
    good = pd.concat([described(FALL, RISE, SKEWED), described(FALL, RISE, SKEWED, "srbct")])
    assert [found("figure1", i, good) for i in range(4)] == ["held"] * 4
    wide = described(FALL, RISE[::-1], SKEWED)
    assert found("figure1", 0, wide) == "not held"
    assert found("figure1", 1, described(FALL, RISE, [np.nan, -0.9, -1.5, 0, 0, 0])) == "not held"
    assert found("figure1", 2, described(RISE, RISE, SKEWED)) == "not held"
    odd = pd.concat([good, described(FALL, RISE[::-1], SKEWED, "lung")])
    assert found("figure1", 3, odd) == "not held"


def test_claims_about_neighbours_need_colon_or_others():
    other, colon = described(FALL, RISE, SKEWED, "srbct"), described(FALL, RISE, SKEWED)
    assert [found("figure1", i, other) for i in range(3)] == ["cannot be checked"] * 3
    assert found("figure1", 3, colon) == "cannot be checked"
