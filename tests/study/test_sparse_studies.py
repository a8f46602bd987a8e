"""Studies of sparse data give what studies of the arrays give."""

import os

import numpy as np
import pytest
import scipy.sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectFromModel, SelectKBest, chi2, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import holdfast as hf
from holdfast.errors import InvalidInputError, StoreError
from holdfast.judge import Pair
from holdfast.report import make_report
from tests.select.test_recognition import L1 as L1_PENALTY
from tests.study.cluster import cluster

Y = np.arange(80) % 2
RATES = 0.3 + 0.8 * (np.arange(30) < 4) * Y[:, None]
X = np.random.default_rng(0).poisson(RATES).astype(float)
SPARSE = scipy.sparse.csc_array(X)
L1 = LogisticRegression(solver="liblinear", C=0.3, **L1_PENALTY)


def study(**options):
    settings = {
        "selectors": {"chi2": chi2, "f": f_classif, "l1": L1},
        "protocol": hf.Subsampling(6, 0.8),
        "sizes": [3, 6],
        "classifiers": {"svm": "linear_svm", "counts": MultinomialNB()},
        "replication": 3,
    }
    return hf.Study(**(settings | options))


@pytest.fixture(scope="module")
def pair():
    return [study().run(data, Y, n_jobs=1) for data in (X, SPARSE)]


def features(result, name, size):
    return [sorted(subset.tolist()) for subset in result.preferences[name, size]]


def columns(table, *names):
    return table[list(names)].to_numpy().tolist()


def assert_equal_results(dense, sparse):
    for name in dense.selectors:
        for size in {*dense.stability.query("selector == @name")["size"]}:
            assert features(sparse, name, size) == features(dense, name, size)
    assert columns(sparse.stability, "selector", "size", "value") == columns(
        dense.stability, "selector", "size", "value"
    )
    # scores of classifiers are sums in the order of the features, which may differ in ties
    keys = ("selector", "size", "classifier", "resample", "sample", "predicted")
    assert columns(sparse.predictions, *keys) == columns(dense.predictions, *keys)


def test_chi2_f_and_l1_models_give_the_results_of_the_array(pair):
    assert_equal_results(*pair)
    assert pair[0].plan["sizes"] == pair[1].plan["sizes"]


class FrequentFeatures:
    """Selects what is more frequent than the median, of one kind of matrix only."""

    def __init__(self, kind):
        self.kind = kind

    def __call__(self, X, y):
        if type(X) is not self.kind:
            raise TypeError(f"got {type(X)}")
        sums = np.asarray(X.sum(axis=0)).ravel()
        return sums > np.median(sums)


def test_what_chooses_its_size_gets_sparse_rows():
    results = []
    for data, kind in ((X, np.ndarray), (SPARSE, scipy.sparse.csr_matrix)):
        selectors = {
            "model": SelectFromModel(L1),
            "pipeline": make_pipeline(SelectKBest(chi2, k=4), MultinomialNB()),
            "mask": hf.AnySelector(FrequentFeatures(kind), returns="mask"),
        }
        options = {"selectors": selectors, "sizes": None, "measures": ["nogueira"]}
        results.append(study(**options).run(data, Y, n_jobs=1))
        assert not len(results[-1].failures)
    assert_equal_results(*results)


@pytest.mark.parametrize(
    "selectors",
    [
        ["relieff", "svm_rfe"],
        ["t_score", "wilcoxon_score", "mutual_information"],
        {"lda": hf.AnySelector(LinearDiscriminantAnalysis())},
        ["forward_selection:n_features_to_select=2,classifier=lda,cv=3"],
        ["dense_groups"],
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::holdfast.errors.HoldfastWarning")
def test_own_selectors_give_the_results_of_the_array(selectors):
    options = {"selectors": selectors, "replication": 2}
    dense = study(**options).run(X[:, :12], Y, n_jobs=1)
    sparse = study(**options).run(SPARSE[:, :12], Y, n_jobs=1)
    assert_equal_results(dense, sparse)
    assert columns(dense.replication, "value") == columns(sparse.replication, "value")


@pytest.mark.parametrize(
    "protocol", [hf.AddedNoise(4, 0.1), hf.FeatureSubsets(4, 0.5), hf.Bootstrap(4)], ids=str
)
def test_protocols_that_alter_data_give_the_results_of_the_array(protocol):
    options = {
        "protocol": protocol,
        "selectors": {"f": f_classif, "relieff": "relieff"},
        "classifiers": ["linear_svm"],
        "replication": 0,
    }
    dense = study(**options).run(X, Y, n_jobs=1)
    sparse = study(**options).run(SPARSE, Y, n_jobs=1)
    assert_equal_results(dense, sparse)


def test_missing_values_are_imputed_as_in_the_array():
    holed = X.copy()
    holed.flat[::11] = np.nan
    options = {"impute": "median", "selectors": {"chi2": chi2, "relieff": "relieff"}}
    options["classifiers"] = ["linear_svm"]
    with pytest.raises(InvalidInputError, match="219 missing values"):
        study(**(options | {"impute": None})).run(scipy.sparse.csr_matrix(holed), Y, n_jobs=1)
    dense = study(**options).run(holed, Y, n_jobs=1)
    sparse = study(**options).run(scipy.sparse.csr_matrix(holed), Y, n_jobs=1)
    assert_equal_results(dense, sparse)


@pytest.mark.integration
def test_results_do_not_depend_on_the_number_of_processes(pair):
    two = study().run(SPARSE, Y, n_jobs=2)
    assert two.predictions.equals(pair[1].predictions)
    assert two.stability.equals(pair[1].stability)


@pytest.mark.integration
def test_a_dask_cluster_gives_the_same_results(pair, tmp_path):
    with cluster(tmp_path) as started:
        from distributed import Client

        with Client(started.address, timeout=60) as client:
            found = study().run(SPARSE, Y, client=client)
    assert found.predictions.equals(pair[1].predictions)


def test_data_are_saved_and_the_study_is_resumed(pair, tmp_path):
    study().run(SPARSE, Y, n_jobs=1, out=tmp_path / "run", part="1/2")
    with pytest.raises(StoreError, match="another study"):
        study().run(X, Y, n_jobs=1, out=tmp_path / "run")
    resumed = hf.resume(tmp_path / "run", n_jobs=1, trust=True)
    assert resumed.complete
    assert resumed.predictions.equals(pair[1].predictions)


def test_damaged_saved_data_are_refused(tmp_path):
    study().run(SPARSE, Y, n_jobs=1, out=tmp_path / "run", part="1/2")
    path = tmp_path / "run" / "data.npz"
    with np.load(path) as parts:
        arrays = dict(parts)
    for damage in ({"X_indices": arrays["X_indices"] + 30}, {"X_shape": np.array([80])}):
        np.savez(path, **(arrays | damage))
        with pytest.raises(hf.errors.HoldfastError):
            hf.resume(tmp_path / "run", n_jobs=1, trust=True)


def test_dense_copies_beyond_the_memory_are_refused_before_the_run(monkeypatch, tmp_path):
    monkeypatch.setitem(os.environ, "HOLDFAST_MAX_MEMORY", "50M")
    rng, n_stored = np.random.default_rng(0), 1200
    places = (rng.integers(0, 60, n_stored), rng.integers(0, 200_000, n_stored))
    wide = scipy.sparse.csr_array((rng.random(n_stored), places), shape=(60, 200_000))
    y = np.arange(60) % 2
    small = {"protocol": hf.Subsampling(3, 0.8), "replication": 0, "classifiers": ["linear_svm"]}
    message = (
        r"dense copies of training parts for relieff, which does not take these data as a sparse "
        r"matrix \(2 processes\) would take about 307 MB .* or use fewer processes"
    )
    with pytest.raises(InvalidInputError, match=message):
        study(selectors=["relieff"], **small).run(wide, y, n_jobs=2, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(InvalidInputError, match="a dense copy of the data for"):
        study(selectors={"f": f_classif}, measures=["zucknick"], **small).run(wide, y, n_jobs=1)
    found = study(selectors={"chi2": chi2}, **small).run(wide, y, n_jobs=1)
    assert found.complete
    assert not len(found.failures)
    assert make_report(found)["verdict"]["headline"]  # without what needs a dense copy


def test_tables_and_report_are_those_of_the_array(pair):
    dense, sparse = pair
    assert columns(sparse.effects(), "feature", "low") == columns(dense.effects(), "feature", "low")
    ours, theirs = make_report(sparse), make_report(dense)
    assert ours["verdict"] == theirs["verdict"]
    lines = [str(line) for line in ours["methods"]["warnings"]]
    assert any("The data are sparse" in line for line in lines)


@pytest.mark.parametrize("name", ["chi2", "l1"])
@pytest.mark.parametrize("classifier", ["svm", "counts"])
def test_the_pipeline_of_sparse_data_predicts_like_that_of_the_array(pair, name, classifier):
    chosen = Pair(name, classifier, 3)
    dense, sparse = pair
    ours = sparse.pipeline(SPARSE, Y, chosen=chosen)
    theirs = dense.pipeline(X, Y, chosen=chosen)
    assert ours.predict(SPARSE.tocsr()).tolist() == theirs.predict(X).tolist()
    # MultinomialNB of scikit-learn 1.6 does not say that it takes sparse data
    takes_sparse = classifier == "counts" and get_tags(MultinomialNB()).input_tags.sparse
    assert ("dense" in ours.named_steps) != takes_sparse
    data = hf.io.from_arrays(SPARSE, Y)
    of_data = sparse.pipeline(data, chosen=chosen)
    assert of_data.predict(SPARSE.tocsr()).tolist() == theirs.predict(X).astype(str).tolist()


def test_the_pipeline_is_dense_from_the_start_for_selectors_that_take_arrays():
    found = study(selectors=["relieff"], classifiers=["knn3"]).run(SPARSE, Y, n_jobs=1)
    model = found.pipeline(SPARSE, Y, chosen=Pair("relieff", "knn3", 3))
    assert list(model.named_steps) == ["dense", "select", "scale", "classify"]
    assert model.predict(SPARSE.tocsr()).shape == (80,)


def test_counts_are_classified_without_scaling(pair):
    told = pair[0].predictions.query("selector == 'f' and size == 3 and classifier == 'counts'")
    for number, resample in enumerate(pair[0].store.resamples()):
        if not len(resample.test):
            continue
        chosen = pair[0].preferences["f", 3][number]
        model = MultinomialNB().fit(X[resample.train][:, chosen], Y[resample.train])
        ours = told.loc[told["resample"] == number, "predicted"].astype(int)
        assert ours.tolist() == model.predict(X[resample.test][:, chosen]).tolist()


def test_sparse_rows_and_weights_go_together():
    weights = np.random.default_rng(5).random(80)
    options = {"selectors": {"l1": L1}, "classifiers": {"counts": MultinomialNB()}}
    dense, sparse = (
        study(**options).run(m, Y, sample_weight=weights, n_jobs=1) for m in (X, SPARSE)
    )
    assert_equal_results(dense, sparse)


def test_replication_and_explanations_take_sparse_data():
    one, other = (
        hf.replication("relieff", m, Y, size=3, n_pairs=5, random_state=1) for m in (X, SPARSE)
    )
    assert one.value == other.value
    one, other = (hf.replication(L1, m, Y, size=3, n_pairs=5) for m in (X, SPARSE))
    assert one.value == other.value
    for estimator in (L1, LinearDiscriminantAnalysis(), chi2):
        explained = str(hf.explain_selector(estimator, SPARSE, Y))
        assert explained == str(hf.explain_selector(estimator, X, Y))
    bad = scipy.sparse.csr_matrix(X)
    bad.indices = bad.indices + 30
    with pytest.raises(InvalidInputError, match="'indices' must be from 0 to 29"):
        hf.explain_selector(chi2, bad, Y)
    with pytest.raises(InvalidInputError, match="'indices' must be from 0 to 29"):
        hf.AnySelector(L1).fit(bad, Y)
