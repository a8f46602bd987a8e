"""ReliefF against WEKA, skrebate and a slow obvious version."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.utils.estimator_checks import check_estimator

import holdfast as hf
from holdfast._kernels import relief
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.select import _relieff
from holdfast.select._registry import SELECTORS
from holdfast.select._relieff import ReliefF

GOLDEN = Path(__file__).parents[1] / "golden"
WEKA = json.loads((GOLDEN / "weka.json").read_text())
SKREBATE = json.loads((GOLDEN / "skrebate.json").read_text())
BUNDLED = {"wine": load_wine, "breast_cancer": load_breast_cancer}


# --- the slow obvious version -------------------------------------------------------------------


def differences(column, nominal):
    """Differences of all pairs of samples in one feature."""
    present = np.unique(column[~np.isnan(column)])
    one, other = column[:, None], column[None, :]
    if nominal:
        lack = 1 - 1 / max(len(present), 1)
        return np.where(np.isnan(one) | np.isnan(other), lack, (one != other).astype(float))
    if len(present):
        span = (present[-1] - present[0]) or 1.0
        one, other = (one - present[0]) / span, (other - present[0]) / span
    known = np.where(np.isnan(one), other, one)  # of a pair with one value missing
    gap = np.where(np.isnan(known), 1.0, np.maximum(known, 1 - known))
    return np.where(np.isnan(one) | np.isnan(other), gap, abs(one - other))


def weka_choice(candidates, distances, k):
    held = []
    for j in candidates:
        if len(held) < k:
            held.append(j)
            continue
        far = [distances[h] for h in held]
        if distances[j] < max(far):
            held[far.index(max(far))] = j
    return held


def earliest_choice(candidates, distances, k):
    return sorted(candidates, key=lambda j: (distances[j], j))[:k]


def by_share(y, probe, other):
    return np.mean(y == other) / (1 - np.mean(y == probe))


def equally(y, probe, other):
    return 1 / (len(set(y)) - 1)


def naive(X, y, k, nominal=(), choice=weka_choice, weight=by_share, probes=None):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    n, p = X.shape
    tables = [differences(X[:, f], f in nominal) for f in range(p)]
    distance = np.zeros((n, n))
    for table in tables:
        distance += table
    scores = np.zeros(p)
    probes = range(n) if probes is None else probes
    for i in probes:
        for c in np.unique(y):
            others = [j for j in range(n) if y[j] == c and j != i]
            held = choice(others, distance[i], k)
            share = -1.0 if c == y[i] else weight(y, y[i], c)
            if held:
                scores += (
                    share * np.array([table[i, held].mean() for table in tables]) / len(probes)
                )
    return settled(X, scores)


def settled(X, scores):
    """Constant features, and those without a value, come last."""
    constant = np.array([len(np.unique(x)) == 1 for x in X.T])
    scores[constant] = min([0.0, *scores[~constant]])
    return scores


# --- other people's numbers ---------------------------------------------------------------------


def records(golden):
    return [r for r in golden["records"] if "ReliefF" in r["evaluator"]]


def golden_data(golden, name, folder):
    source = next(d for d in golden["data_sets"] if d["dataset"] == name)
    if "data" in source:
        return np.array(source["data"]["X"], dtype=float), np.array(source["data"]["y"])
    if name in BUNDLED:
        return BUNDLED[name](return_X_y=True)
    pandas = pytest.importorskip("pandas")
    table = pandas.read_parquet(folder / f"{name}.parquet")
    return table.drop(columns="class").to_numpy(float), table["class"].to_numpy()


def weka_neighbours(record):
    return int(record["options"].split("-K ")[1])


@pytest.mark.parametrize("record", records(WEKA), ids=lambda r: f"{r['dataset']}{r['options']}")
def test_weka(record, request):
    in_file = record["dataset"] in ("sonar", "colon")
    folder = request.getfixturevalue("data_folder") if in_file else None
    X, y = golden_data(WEKA, record["dataset"], folder)
    fitted = ReliefF(n_neighbors=weka_neighbours(record)).fit(X, y)
    np.testing.assert_allclose(fitted.scores_, record["scores"], rtol=0, atol=1e-10)


def test_weka_covers_five_sets_and_two_numbers_of_neighbours():
    assert len(records(WEKA)) == 10
    assert sum(len(r["scores"]) for r in records(WEKA)) == 2 * (13 + 30 + 13 + 60 + 2000)


@pytest.mark.parametrize("record", records(SKREBATE), ids=lambda r: f"{r['dataset']}")
def test_skrebate(record):
    X, y = golden_data(SKREBATE, record["dataset"], None)
    k = record["options"]["n_neighbors"]
    if record["dataset"] == "wine":  # three classes: skrebate weights all misses equally
        scores = naive(X, y, k, weight=equally)
        assert np.abs(ReliefF(n_neighbors=k).fit(X, y).scores_ - scores).max() > 1e-3
    else:
        scores = ReliefF(n_neighbors=k).fit(X, y).scores_
    np.testing.assert_allclose(scores, record["scores"], rtol=0, atol=1e-10)


def test_tied_neighbours_are_chosen_as_weka_does():
    X, y = load_digits(n_class=2, return_X_y=True)
    scores = ReliefF().fit(X, y).scores_
    np.testing.assert_allclose(scores, naive(X, y, 10), rtol=0, atol=1e-12)
    moved = np.abs(scores - naive(X, y, 10, choice=earliest_choice)).max()
    assert 1e-4 < moved < 3e-4  # WEKA's documented distance from "earliest wins": up to 2e-4


# --- the slow version and ours ------------------------------------------------------------------


@st.composite
def cases(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(6, 30)), draw(st.integers(1, 14))
    kind = draw(st.sampled_from(["normal", "integer", "binary", "float32", "shifted"]))
    X = {
        "normal": lambda: rng.normal(size=(n, p)),
        "integer": lambda: rng.integers(0, 7, (n, p)).astype(float),
        "binary": lambda: rng.integers(0, 2, (n, p)).astype(float),
        "float32": lambda: rng.normal(size=(n, p)).astype(np.float32),
        "shifted": lambda: 1e9 + rng.integers(0, 4, (n, p)) * 0.1,
    }[kind]()
    if draw(st.booleans()):
        X[:, rng.integers(p)] = 3.0
    if draw(st.booleans()):
        X[rng.random((n, p)) < draw(st.sampled_from([0.05, 0.4, 0.9]))] = np.nan
    nominal = np.flatnonzero(rng.random(p) < draw(st.sampled_from([0.0, 0.3, 1.0])))
    classes = draw(st.integers(2, 3))
    y = rng.permutation(np.arange(n) % classes)
    return X, y, draw(st.integers(1, 12)), nominal


@given(cases())
def test_equals_the_slow_version(case):
    X, y, k, nominal = case
    scores = ReliefF(n_neighbors=k, nominal=nominal).fit(X, y).scores_
    np.testing.assert_allclose(scores, naive(X, y, k, nominal), rtol=0, atol=1e-12)


@given(cases(), st.integers(0, 2**32 - 1))
def test_resamples_equal_single_fits(case, seed):
    X, y, k, nominal = case
    rng = np.random.default_rng(seed)
    fixed = np.concatenate([np.flatnonzero(y == c)[:2] for c in range(2)])  # at least two of each
    rows = [np.concatenate((rng.choice(np.flatnonzero(y < c), 9), fixed)) for c in (2, 2, 9, 9)]
    rows[2:] = [np.concatenate((own, np.flatnonzero(y == 2)[:2])) for own in rows[2:]]
    selector = ReliefF(n_neighbors=k, nominal=nominal)
    together = selector.score_resamples(X, y, rows).values
    for own, scores in zip(rows, together, strict=True):
        np.testing.assert_allclose(scores, naive(X[own], y[own], k, nominal), rtol=0, atol=1e-10)
        alone = selector.fit(X[own], y[own]).scores_
        np.testing.assert_allclose(scores, alone, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["MAX_DISTANCES", "MAX_CACHED_VALUES"])
def test_blocks_leave_the_numbers_alone(name, monkeypatch):
    X, y = load_digits(n_class=3, return_X_y=True)
    X = np.hstack([X, X[:, ::-1] ** 2])
    scores = ReliefF().fit(X, y).scores_
    monkeypatch.setattr(_relieff, name, 10_000)
    np.testing.assert_allclose(ReliefF().fit(X, y).scores_, scores, rtol=0, atol=1e-13)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layouts_give_the_same_numbers(order, dtype):
    X, y = load_wine(return_X_y=True)
    X = X.astype(np.float32).astype(dtype, order=order)
    expected = ReliefF().fit(X.astype(np.float64), y).scores_
    np.testing.assert_array_equal(ReliefF().fit(X, y).scores_, expected)


# --- edges --------------------------------------------------------------------------------------


def test_constant_and_empty_features_come_last():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 12)), np.arange(40) % 2
    X[:, 0] += 3 * y
    X[:, 3], X[:, 5] = 7.0, np.nan
    scores = ReliefF(nominal=[5]).fit(X, y).scores_
    assert scores.min() < 0
    assert scores[3] == scores[5] == scores.min()
    assert scores.argmax() == 0


def test_only_constant_features_score_zero():
    np.testing.assert_array_equal(ReliefF().fit(np.ones((8, 3)), [0, 1] * 4).scores_, 0)


def test_the_unit_of_a_feature_does_not_matter():
    X, y = load_wine(return_X_y=True)
    unit = 2.0 ** np.array([-60, 60, -40, 0, 3, -9, 1, 500, -500, 2, 7, 30, -30])
    np.testing.assert_allclose(ReliefF().fit(X * unit, y).scores_, ReliefF().fit(X, y).scores_)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # scikit-learn sums the data
def test_a_range_beyond_the_largest_float():
    X, y = load_wine(return_X_y=True)
    wide = (X - X.min(0)) / np.ptp(X, axis=0) * 2 - 1
    scores = ReliefF().fit(wide * 1.5e308, y).scores_
    np.testing.assert_allclose(scores, ReliefF().fit(X, y).scores_, rtol=0, atol=1e-10)


def test_mask_and_indices_of_nominal_features_mean_the_same():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (50, 4)).astype(float), np.arange(50) % 3
    by_index = ReliefF(nominal=[0, 2]).fit(X, y).scores_
    by_mask = ReliefF(nominal=[True, False, True, False]).fit(X, y).scores_
    np.testing.assert_array_equal(by_index, by_mask)
    assert not np.allclose(by_index, ReliefF().fit(X, y).scores_)


@pytest.mark.parametrize("wrong", [0, -3, 2.0, True, None, "10"])
def test_neighbours_must_be_a_positive_count(wrong):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InvalidInputError, match="n_neighbors must be a whole number"):
        ReliefF(n_neighbors=wrong).fit(X, y)


@pytest.mark.parametrize("wrong", [[13], [-1], [True, False], [0.5], ["alcohol"], [[0, 1]]])
def test_nominal_must_name_features_that_exist(wrong):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InvalidInputError, match="nominal must hold indices from 0 to 12"):
        ReliefF(nominal=wrong).fit(X, y)


def test_memory_map_is_read_in_blocks(tmp_path):
    shape = (100, 200_000)
    data = np.memmap(tmp_path / "data", dtype=np.float32, mode="w+", shape=shape)
    data[:] = np.random.default_rng(2).random(shape, dtype=np.float32)
    data.flush()
    data = np.memmap(tmp_path / "data", dtype=np.float32, mode="r", shape=shape)
    y = np.arange(100) % 2
    ReliefF().fit(data[:, :10], y)
    tracemalloc.start()
    scores = ReliefF().fit(data, y).scores_
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < data.nbytes / 4
    assert np.isfinite(scores).all()


def test_scikit_learn_battery():
    results = check_estimator(ReliefF(), on_skip=None)
    passed = [r["check_name"] for r in results if r["status"] == "passed"]
    others = {r["check_name"] for r in results} - set(passed)
    assert len(passed) >= 40
    assert others <= {"check_array_api_input"}  # runs only where SCIPY_ARRAY_API is set


def test_record():
    record = SELECTORS["relieff"]
    assert (record.kind, record.gives, record.missing, record.sparse) == (
        ReliefF,
        "weights",
        True,
        False,
    )


# --- probes drawn at random ---------------------------------------------------------------------


class Told:
    """A generator that draws what it was told to draw."""

    def __init__(self, drawn):
        self.drawn = np.asarray(drawn)

    def integers(self, high, size):
        assert size == len(self.drawn)
        assert (self.drawn < high).all()
        return self.drawn


@pytest.mark.parametrize("n_probes", [1.0, 0.25, 2, 400])
def test_drawn_probes_give_the_naive_scores(n_probes):
    X, y = load_wine(return_X_y=True)
    X, y = X[::4], y[::4]
    count = n_probes if isinstance(n_probes, int) else int(np.ceil(n_probes * len(y)))
    probes = np.random.default_rng(3).integers(len(y), size=count)
    found = ReliefF(n_neighbors=5, n_probes=n_probes)._score(X, y, Told(probes))
    np.testing.assert_allclose(found, naive(X, y, 5, probes=probes), rtol=1e-12, atol=1e-14)


def test_many_drawn_probes_come_near_all_of_them():
    X, y = load_wine(return_X_y=True)
    drawn = ReliefF(n_probes=50_000).fit(X, y).scores_
    np.testing.assert_allclose(drawn, ReliefF().fit(X, y).scores_, atol=0.005)


def test_resamples_draw_probes_of_their_own():
    X, y = load_wine(return_X_y=True)
    rows = [np.arange(len(y))] * 3
    scores = ReliefF(n_probes=0.5).score_resamples(X, y, rows).values
    assert len(np.unique(scores[:, 0])) == 3
    assert np.array_equal(scores, ReliefF(n_probes=0.5).score_resamples(X, y, rows).values)
    np.testing.assert_array_equal(scores[0], ReliefF(n_probes=0.5).fit(X, y).scores_)


@pytest.mark.parametrize("n_probes", [0, 1, 1.5, -0.5, "all", True])
def test_odd_numbers_of_probes_are_refused(n_probes):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InvalidInputError, match="n_probes"):
        ReliefF(n_probes=n_probes).fit(X, y)


def test_probes_are_drawn_by_default_where_there_are_many_samples(monkeypatch):
    X, y = load_wine(return_X_y=True)
    every = ReliefF().fit(X, y).scores_
    drawn = ReliefF(n_probes=50, random_state=3).fit(X, y).scores_
    monkeypatch.setattr(_relieff, "N_DRAWN_PROBES", 50)
    monkeypatch.setattr(_relieff, "MAX_SAMPLES_ALL_PROBES", len(y))
    np.testing.assert_array_equal(ReliefF().fit(X, y).scores_, every)
    monkeypatch.setattr(_relieff, "MAX_SAMPLES_ALL_PROBES", len(y) - 1)
    np.testing.assert_array_equal(ReliefF(random_state=3).fit(X, y).scores_, drawn)
    assert not np.array_equal(drawn, every)


@pytest.mark.parametrize("rows_per_block", [1, 7, 100])
def test_blocks_of_drawn_probes_change_nothing_but_rounding(rows_per_block, monkeypatch):
    X, y = load_wine(return_X_y=True)
    selector = ReliefF(n_probes=0.4, random_state=1)
    whole = selector.fit(X, y).scores_
    monkeypatch.setattr(_relieff, "MAX_DISTANCES", rows_per_block * 184)
    np.testing.assert_allclose(selector.fit(X, y).scores_, whole, rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", ["numeric", "gaps", "nominal"])
def test_tiles_of_distances_are_sums_of_differences(kind):
    generator = np.random.default_rng(5)
    n, p = 1200, 6  # more than two tiles in each direction
    X = generator.integers(0, 5, size=(n, p)) / 4
    kinds = {"numeric": relief.PLAIN, "gaps": relief.GAPS, "nominal": relief.NOMINAL}
    if kind == "gaps":
        X[generator.random(X.shape) < 0.1] = np.nan
    probes = np.sort(generator.choice(n, size=40, replace=False))
    table = np.zeros((40, n))
    relief.add_distances(
        np.ascontiguousarray(X.T), np.full(p, kinds[kind]), np.zeros(p), probes, False, table
    )
    A, B = X[probes][:, None], X[None]
    if kind == "nominal":
        expected = (A != B).astype(float)
    else:
        to_missing = [np.maximum(v, 1 - v) for v in (A, B)]
        expected = np.where(np.isnan(A), to_missing[1], np.abs(A - B))
        expected = np.where(np.isnan(B), to_missing[0], expected)
        expected = np.where(np.isnan(A) & np.isnan(B), 1.0, expected)
    np.testing.assert_allclose(table, expected.sum(axis=2), atol=1e-12)


def test_a_study_says_that_probes_are_drawn(monkeypatch):
    X, y = load_wine(return_X_y=True)
    monkeypatch.setattr(_relieff, "MAX_SAMPLES_ALL_PROBES", 150)
    monkeypatch.setattr(_relieff, "N_DRAWN_PROBES", 50)
    settings = {"protocol": hf.Subsampling(3, 0.9), "classifiers": [], "replication": 0}
    with pytest.warns(HoldfastWarning, match="relieff draws 50 of 161 training samples as probes"):
        hf.Study(["relieff"], **settings).run(X, y, n_jobs=1)
    hf.Study(["relieff:n_probes=178"], **settings).run(X, y, n_jobs=1)  # warnings are errors
