"""What every measure in the registry must do, whatever it is."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import UndefinedMeasureWarning
from holdfast.measures._measure import _Views
from holdfast.measures._registry import MEASURES
from tests import naive
from tests.measures.strategies import relabelled, systems

SIMILARITY_ADJUSTED = {
    "intersection_count", "intersection_greedy", "intersection_mbm", "intersection_mean",
    "sechidis", "yu", "zucknick",
}  # fmt: skip
OF_PAIRS = {
    "anhd", "dice", "hamming", "jaccard", "kappa", "kuncheva", "lustgarten", "npog", "ochiai",
    "phi", "pog", "unadjusted", "wald",
}  # fmt: skip
OF_SYSTEMS = {
    "ati_pa", "consistency", "davis", "krizek", "krizek_entropy", "nogueira", "novovicova",
    "relative_anhd", "relative_consistency", "relative_weighted_consistency",
    "weighted_consistency",
}  # fmt: skip
OF_RANKINGS = {"kendall", "rbo", "spearman", "top_down"}
OF_WEIGHTS = {"pearson"}
OF_GROUPS = {"group_matching_index", "group_matching_value"}

CORRECTED_FOR_ANY_SIZES = {
    "ati_pa", "kappa", "kuncheva", "lustgarten", "npog", "phi", "unadjusted", "wald",
    "intersection_count", "intersection_greedy", "intersection_mbm", "intersection_mean", "yu",
}  # fmt: skip
CORRECTED_FOR_EQUAL_SIZES = {"nogueira", "sechidis"}
CORRECTED_BY_SYMMETRY = {"kendall", "pearson", "spearman", "top_down"}
NOT_CORRECTED = {
    "anhd", "consistency", "davis", "dice", "group_matching_index", "group_matching_value",
    "hamming", "jaccard", "krizek", "krizek_entropy", "novovicova", "ochiai", "pog", "rbo",
    "relative_anhd", "relative_consistency", "relative_weighted_consistency",
    "weighted_consistency", "zucknick",
}  # fmt: skip
BELOW_BEST_WHEN_IDENTICAL = {"lustgarten", "sechidis"}

everyone = pytest.mark.parametrize("name", sorted(MEASURES))
pytestmark = pytest.mark.filterwarnings(
    "ignore::holdfast.errors.UndefinedMeasureWarning"  # random systems may be degenerate
)


def test_kinds_partition_the_registry():
    kinds = [
        SIMILARITY_ADJUSTED, OF_PAIRS, OF_SYSTEMS, OF_RANKINGS, OF_WEIGHTS, OF_GROUPS,
    ]  # fmt: skip
    assert sorted(itertools.chain(*kinds)) == sorted(MEASURES)
    forms = {"ranking": OF_RANKINGS, "weights": OF_WEIGHTS, "groups": OF_GROUPS}
    for name, record in MEASURES.items():
        assert name in forms.get(record.form, SIMILARITY_ADJUSTED | OF_PAIRS | OF_SYSTEMS)
        assert ("similarity" in record.needs) == (name in SIMILARITY_ADJUSTED)


def test_correction_partitions_the_registry():
    kinds = [
        CORRECTED_FOR_ANY_SIZES, CORRECTED_FOR_EQUAL_SIZES, CORRECTED_BY_SYMMETRY, NOT_CORRECTED,
    ]  # fmt: skip
    assert sorted(itertools.chain(*kinds)) == sorted(MEASURES)
    assert {n for n, r in MEASURES.items() if not r.corrected} == NOT_CORRECTED


def test_records_that_miss_the_best_value_say_why():
    assert {n for n, r in MEASURES.items() if r.identical} == BELOW_BEST_WHEN_IDENTICAL


@everyone
@given(data=st.data())
def test_value_lies_within_the_declared_range(name, data):
    record = MEASURES[name]
    preferences, options = data.draw(systems(record))
    value = hf.measure(name, preferences, **options)
    assume(not np.isnan(value))
    assert record.minimum - 1e-12 <= value <= record.maximum + 1e-12


@everyone
@given(data=st.data())
def test_order_of_features_and_preferences_does_not_matter(name, data):
    preferences, options = data.draw(systems(MEASURES[name]))
    if "n_simulations" in options:  # simulation depends on the numbering; the rest must not
        options = {**options, "corrected": False}
    value = hf.measure(name, preferences, **options)
    features = data.draw(st.permutations(range(preferences.n_features)))
    rows = data.draw(st.permutations(range(len(preferences))))
    moved, options = relabelled(preferences[list(rows)], features, options)
    assert hf.measure(name, moved, **options) == pytest.approx(value, abs=1e-9, nan_ok=True)


@everyone
@given(data=st.data())
def test_identical_preferences_reach_the_best_value_and_have_no_interval(name, data):
    record = MEASURES[name]
    preferences, options = data.draw(systems(record))
    same = hf.concat([preferences[:1]] * data.draw(st.integers(3, 6)))
    row = hf.measure([name], same, **options).loc[name]
    assume(not np.isnan(row["value"]))
    if record.identical:
        assert row["value"] < record.best
    else:
        assert row["value"] == pytest.approx(record.best, abs=1e-9)
    assert np.isnan([row["low"], row["high"]]).all()
    assert "the same without any one of the preferences" in row["note"]


@everyone
@given(data=st.data())
def test_jackknife_leaves_out_one_preference_at_a_time(name, data):
    record = MEASURES[name]
    preferences, options = data.draw(systems(record, least=3))
    if "n_simulations" in options:  # fewer sizes are simulated with other draws
        options = {**options, "corrected": False}
    views = _Views(preferences, options)
    estimate = record.estimate(views.get_view(record), None, views.get_options(record))
    for i in range(len(preferences)):
        rest = preferences[[j for j in range(len(preferences)) if j != i]]
        expected = hf.measure(name, rest, **options)
        assert estimate.leave_one_out[i] == pytest.approx(expected, abs=1e-9, nan_ok=True)


@everyone
@given(data=st.data())
def test_two_preferences_have_no_interval(name, data):
    record = MEASURES[name]
    preferences, options = data.draw(systems(record))
    row = hf.measure([name], preferences[:2], **options).loc[name]
    assume(not np.isnan(row["value"]))
    assert np.isnan(row["low"])
    assert "fewer than 3 preferences" in row["note"]


@pytest.mark.slow
@everyone
@given(data=st.data())
def test_intervals_stay_within_the_range(name, data):
    preferences, options = data.draw(systems(MEASURES[name], least=3))
    row = hf.measure([name], preferences, **options).loc[name]
    assume(not np.isnan(row["low"]))
    assert row["minimum"] <= row["low"] <= row["value"] + 1e-12
    assert row["value"] - 1e-12 <= row["high"] <= row["maximum"]


@st.composite
def few_sizes(draw, *, equal):
    """Return p and sizes of so few and small subsets that all systems can be listed."""
    p, m = draw(st.sampled_from([(2, 2), (3, 2), (4, 2), (2, 3), (3, 3)]))
    size = st.integers(1, p - 1)
    return p, [draw(size)] * m if equal else [draw(size) for _ in range(m)]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SIMILARITY_ADJUSTED | OF_PAIRS | OF_SYSTEMS))
@given(data=st.data())
def test_chance_level_is_the_mean_over_all_systems(name, data):
    """Exactly: every system of subsets of these sizes is listed."""
    record = MEASURES[name]
    p, sizes = data.draw(few_sizes(equal="equal_sizes" in record.needs))
    options = {"clip": False} if "clip" in record.options else {}
    if "similarity" in record.needs:
        matrix = np.eye(p)
        for i, j in itertools.combinations(range(p), 2):
            matrix[i, j] = matrix[j, i] = data.draw(st.sampled_from([0.0, 0.91, 0.95]))
        options["similarity"] = matrix
        if "correction" in record.options:
            options["correction"] = "exact"
    tables = [
        hf.measure([name], hf.Subsets([sorted(s) for s in system], n_features=p), **options)
        for system in naive.all_systems(p, sizes)
    ]
    values = np.array([table.loc[name, "value"] for table in tables])
    assume(not np.isnan(values).any())
    assert values.mean() == pytest.approx(tables[0].loc[name, "chance"], abs=1e-9)
    if name in CORRECTED_FOR_ANY_SIZES or (record.corrected and len(set(sizes)) == 1):
        assert values.mean() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CORRECTED_FOR_ANY_SIZES - SIMILARITY_ADJUSTED))
@given(seed=st.integers(0, 2**32 - 1), sizes=st.lists(st.integers(8, 32), min_size=2, max_size=5))
def test_random_subsets_average_to_zero_for_any_sizes(name, seed, sizes):
    record = MEASURES[name]
    if "equal_sizes" in record.needs:
        sizes = [sizes[0]] * len(sizes)
    options = {"clip": False} if "clip" in record.options else {}
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(60):
        rows = [rng.choice(40, size, replace=False) for size in sizes]
        values.append(hf.measure(name, hf.Subsets(rows, n_features=40), **options))
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    # six standard errors: not one false alarm in the many thousand draws of a run
    assert abs(np.mean(values)) <= 6 * error + 1e-9


@pytest.mark.parametrize("name", sorted(CORRECTED_BY_SYMMETRY | {"rbo"}))
def test_chance_level_of_rankings_is_the_mean_over_all_orders(name):
    """With ties in the first ranking, against all orders of the second."""
    options = {"persistence": 0.8} if name == "rbo" else {}
    first = [3.0, 1.0, 1.0, 0.0] if name != "rbo" else [4.0, 2.0, 2.0, 1.0]
    values, chance = [], []
    for order in itertools.permutations([4.0, 3.0, 3.0, 1.0]):
        weights = hf.Weights([first, order])
        system = weights if name == "pearson" else weights.to_rankings(ties="average")
        row = hf.measure([name], system, **options).loc[name]
        values.append(row["value"])
        chance.append(row["chance"])
    assert np.mean(values) == pytest.approx(chance[0], abs=1e-12)
    assert np.ptp(chance) == pytest.approx(0.0, abs=1e-12)


@everyone
def test_undefined_values_warn_once_raise_or_count_as_given(name):
    record = MEASURES[name]
    if record.form == "subset":
        system, options = hf.Subsets([[], [], []], n_features=4), {}
        if "similarity" in record.needs:
            options["similarity"] = np.eye(4)
    elif record.form == "groups":
        system, options = hf.Groups([[], [], []]), {}
        if "data" in record.needs:
            options["data"] = np.ones((3, 4))
    else:
        system, options = hf.Weights(np.ones((3, 4))), {}
        if record.form == "ranking":
            system = system.to_rankings(ties="average")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = hf.measure(name, system, **options)
    if not np.isnan(value):  # defined for empty or constant preferences
        assert name in {"anhd", "hamming", "krizek_entropy", "relative_anhd", "rbo"}
        return
    assert [w.category for w in caught] == [UndefinedMeasureWarning]
    assert name in str(caught[0].message)
    assert caught[0].filename == __file__
    with pytest.raises(hf.errors.UndefinedMeasureError, match=f"{name} is undefined here: ."):
        hf.measure(name, system, undefined="raise", **options)
    assert hf.measure(name, system, undefined=0.25, **options) == pytest.approx(0.25)
