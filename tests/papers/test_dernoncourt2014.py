"""Dernoncourt, Hanczar and Zucker (2014), Table 2: numbers, studies, claims, regression."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind

import holdfast as hf
from holdfast.papers._claims import ClaimInput
from holdfast.papers._comparison import published_numbers
from holdfast.papers._dataset_locator import DatasetLocator
from holdfast.papers._runner import ExperimentRunner, WorkerOptions
from holdfast.papers.dernoncourt2014 import DERNONCOURT2014, _table2
from holdfast.papers.dernoncourt2014._table2 import (
    FEATURES_PUBLISHED,
    BothParts,
    least_squares,
    mean_over_pairs,
    published_rows,
    signed_t_scores,
)
from holdfast.papers.dernoncourt2014._table2_claims import regress_stability

CLAIMS = {claim.text.split(" (")[0]: claim for claim in DERNONCOURT2014.get("table2").claims}
HEADINGS = {
    ("vijver", 50): "0.025", ("vijver", 100): "0.05", ("lung203", 50): "0.025",
    ("lung203", 100): "0.05", ("leukemia", 20): "0.003", ("leukemia", 35): "0.005",
    ("breast_cancer", 50): "1.67", ("breast_cancer", 284): "9.47", ("sonar", 50): "0.83",
    ("sonar", 100): "1.67", ("semeion", 100): "0.39", ("semeion", 796): "3.11",
    ("isolet", 100): "0.16", ("isolet", 618): "1.00", ("isolet", 3900): "6.31",
    ("arrhythmia", 50): "0.18", ("arrhythmia", 100): "0.36", ("arrhythmia", 226): "0.81",
}  # fmt: skip
"""N/D as the table prints it (but 9.47 for 284/30, which is printed as 9.48)."""


# What is published


@pytest.fixture(scope="module")
def published():
    return published_numbers("dernoncourt2014", "table2")


def test_published_numbers_are_those_of_the_headings(published):
    rows = {(data, int(n)) for data, n in published[["data", "n"]].drop_duplicates().to_numpy()}
    assert rows == HEADINGS.keys()
    assert {(data, n) for data, sizes in _table2.TRAINED.items() for n in sizes} == rows
    for (data, n), printed in HEADINGS.items():
        decimals = len(printed) - 2
        assert round(n / FEATURES_PUBLISHED[data], decimals) == pytest.approx(float(printed))


def test_published_numbers_are_complete(published):
    counts = published["measure"].value_counts()
    assert counts.drop("S_W").eq(18).all()
    assert counts["S_W"] == 11, "S_W is not legible for isolet, arrhythmia and a row of semeion"
    assert set(counts.index) == {"error %", *_table2.MEASURES}


def test_published_measures_fit_each_other(published):
    """CW_rel of two equal-sized subsets is their overlap, which ATI_PA gives as well.

    With a tenth of the features, chance has a Jaccard index of about 0.053. The leukemia rows
    must have another size; a tenth of the Wisconsin and sonar data are 3 and 6 features, too few
    for the relation of averages.
    """
    wide = published.pivot(index=["data", "n"], columns="measure", values="value")
    wide = wide.drop(["leukemia", "breast_cancer", "sonar"])
    jaccard = 0.053 + (1 - 0.053) * wide["ATI_PA"]
    assert np.abs(2 * jaccard / (1 + jaccard) - wide["CW_rel"]).max() < 0.01
    assert (wide["ATI_PA"] < wide["CW_rel"]).all()


def test_published_stability_rises_and_error_falls(published):
    changes = published.sort_values("n").groupby(["measure", "data"])["value"].diff().dropna()
    errors = published.loc[changes.index, "measure"] == "error %"
    assert (changes[errors] < 0).all()
    assert (changes[~errors] > 0).all()


def test_table_1_is_the_paper_s():
    ratios = published_numbers("dernoncourt2014", "figure2").set_index("data")["value"]
    for data, printed in ratios.items():
        n, d = DERNONCOURT2014.sizes[data]
        assert n / d == pytest.approx(printed, abs=0.1)


# How it is run


def data_of(sizes, n_features=20):
    random = np.random.default_rng(0)
    y = np.repeat(list(sizes), list(sizes.values()))
    X = random.normal(size=(len(y), n_features)) + (y == y[0])[:, None] * np.linspace(
        1, 0, n_features
    )
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(n_features)])
    return frame.assign(**{"class": y})


def test_the_largest_class_stands_against_the_rest(tmp_path):
    for sizes, label in (({"c": 3, "b": 5, "a": 5}, "a"), ({"z": 9, "a": 3, "b": 3}, "z")):
        file = tmp_path / f"{label}.csv"
        data_of(sizes).to_csv(file, index=False)
        data = hf.io.read_data(file, target="class")
        assert _table2.chosen_class("semeion", data) == label
        assert set(_table2.compare_with_rest(data, label).classes) == {label, "rest"}
    letters = data_of({"A": 4, "P": 3})
    letters.to_csv(tmp_path / "letters.csv", index=False)
    data = hf.io.read_data(tmp_path / "letters.csv", target="class")
    assert _table2.chosen_class("isolet", data) == "P", "fits the published numbers"
    assert _table2.chosen_class("semeion", data) == "A"
    two = hf.io.read_data("@breast_cancer")
    assert _table2.compare_with_rest(two, "benign") is two


@pytest.mark.parametrize(
    ("n_features", "sizes"),
    [(30, (3, 10, 2)), (60, (6, 10, 3)), (617, (62, 10, 31)), (1543, (154, 10, 77))],
)
def test_shares_of_the_features_are_rounded_to_the_nearest(n_features, sizes):
    assert tuple(_table2.selection_sizes(n_features).values()) == sizes


def test_both_parts_are_a_training_set_and_what_it_leaves_out():
    y = np.repeat(["a", "b"], [12, 8])
    splits = list(BothParts(3, 5, random_state=4).split(np.zeros((20, 1)), y))
    assert len(splits) == 6
    for (train, test), (other, back) in zip(splits[::2], splits[1::2], strict=True):
        assert len(train) == 5
        assert sorted([*train, *test]) == list(range(20))
        assert train.tolist() == back.tolist()
        assert test.tolist() == other.tolist()
    assert len({tuple(train) for train, _ in splits[::2]}) == 3


def test_signed_scores_are_t_statistics():
    frame = data_of({"a": 12, "b": 9})
    X, y = frame.drop(columns="class").to_numpy(), frame["class"].to_numpy()
    expected = ttest_ind(X[y == "a"], X[y == "b"]).statistic
    assert signed_t_scores(X, y) == pytest.approx(expected)


def test_pairs_are_measured_one_by_one():
    subsets = hf.Subsets([[0, 1], [0, 2], [3, 4], [3, 4]], n_features=10)
    assert mean_over_pairs("relative_weighted_consistency", subsets) == pytest.approx((0.5 + 1) / 2)
    assert mean_over_pairs("jaccard", subsets) == pytest.approx((1 / 3 + 1) / 2)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run Table 2 on two small data sets, one of them with classes of equal size."""
    folder = tmp_path_factory.mktemp("table2")
    data_of({"0": 20, "1": 20, "2": 20}).to_csv(folder / "semeion.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_table2, "RUNS", (4, 4))
        patch.setattr(_table2, "TRAINED", {"breast_cancer": (30,), "semeion": (20,)})
        runner = ExperimentRunner(
            paper="dernoncourt2014", full=False, seed=0, folder=folder,
            locator=DatasetLocator(folder),
            names=("breast_cancer", "semeion"), workers=WorkerOptions(n_jobs=1),
        )  # fmt: skip
        return _table2.table2(runner), folder


def test_the_table_has_all_settings(run):
    values = run[0].values
    assert set(values.columns) == {"setting", "data", "n", "measure", "value"}
    assert not values.duplicated(["setting", "data", "n", "measure"]).any()
    assert values["value"].notna().all()
    names = [setting.name for setting in DERNONCOURT2014.get("table2").settings]
    assert set(values["setting"]) == set(names)
    counts = values.groupby("setting").size()
    assert (counts[[_table2.TENTH, _table2.BOTH_PARTS, _table2.TEN, _table2.TWENTIETH]] == 10).all()
    assert (counts[[_table2.FIRST, _table2.LAST]] == 5).all()


def value(values, setting, data, n, measure):
    keys = {"setting": setting, "data": data, "n": n, "measure": measure}
    found = values
    for key, one in keys.items():
        found = found[found[key] == one]
    return found["value"].item()


def naive_consistency(subsets, n_features):
    m, counts = len(subsets), np.zeros(n_features)
    for one in subsets:
        counts[list(one)] += 1
    q = counts.sum()
    weighted = np.sum(counts / q * (counts - 1) / (m - 1))
    d, h = q % n_features, q % m
    low = (q**2 - n_features * (q - d) - d**2) / (n_features * q * (m - 1))
    high = (h**2 + q * (m - 1) - h * m) / (q * (m - 1))
    return (weighted - low) / (high - low)


def test_numbers_are_those_of_the_studies(run):
    values, folder = run[0].values, Path(run[1])
    result = hf.load(folder / "studies" / "dernoncourt2014-table2-breast_cancer-30-reduced")
    for setting, size in ((_table2.TENTH, 3), (_table2.TEN, 10)):
        subsets = result.preferences["t_score", size]
        rows = [
            subsets.indices[a:b] for a, b in zip(subsets.indptr, subsets.indptr[1:], strict=False)
        ]
        found = value(values, setting, "breast_cancer", 30, "CW_rel")
        assert found == pytest.approx(naive_consistency(rows, 30))
        predicted = result.predictions.query("size == @size")
        wrong = 100 * (predicted["predicted"] != predicted["actual"]).mean()
        assert value(values, setting, "breast_cancer", 30, "error %") == pytest.approx(wrong)
    weights = result.preferences["t_score"].values
    pairs = np.triu_indices(4, 1)
    found = value(values, _table2.TENTH, "breast_cancer", 30, "S_W")
    assert found == pytest.approx(np.corrcoef(weights)[pairs].mean())


def test_the_first_class_is_that_of_the_main_setting_where_all_are_equal(run):
    values = run[0].values
    for measure in ("error %", *_table2.MEASURES):
        ours = value(values, _table2.TENTH, "semeion", 20, measure)
        assert value(values, _table2.FIRST, "semeion", 20, measure) == ours
    assert not (Path(run[1]) / "studies" / "dernoncourt2014-table2-semeion-20-class-0").exists()


def test_claims_are_reported_of_what_was_run(run):
    made, record = run[0], DERNONCOURT2014.get("table2")
    assert (_table2.BOTH_PARTS, "simulated") not in made.facts, "its CW_rel has another lower bound"
    for setting in (_table2.TENTH, _table2.TEN):
        facts = {name: one for (whose, name), one in made.facts.items() if whose == setting}
        own = made.values[made.values["setting"] == setting].drop(columns="setting")
        assert facts["features"] == {"breast_cancer": 30, "semeion": 20}
        assert set(facts["simulated"]["size"]) == ({3, 2} if setting == _table2.TENTH else {10})
        claim_input = ClaimInput(
            setting, own, published_numbers("dernoncourt2014", "table2"), facts, False
        )
        statuses = [claim.evaluate(claim_input).status for claim in record.claims]
        assert set(statuses) <= {"held", "not held", "cannot be checked"}
        assert statuses[-2:] == ["cannot be checked"] * 2


# Regression


def partial(y, x, other):
    """Return the p-value of a partial correlation, which is that of the slope."""
    design = np.column_stack([np.ones(len(y)), other])
    residuals = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (y, x)]
    r, free = np.corrcoef(*residuals)[0, 1], len(y) - 3
    return 2 * student.sf(abs(r) * np.sqrt(free / (1 - r**2)), free)


def test_slopes_and_p_values_are_those_of_partial_correlations():
    random = np.random.default_rng(3)
    table = pd.DataFrame(random.normal(size=(15, 2)), columns=["a", "b"])
    y = 2 * table["a"].to_numpy() - 0.3 * table["b"].to_numpy() + random.normal(size=15)
    found = least_squares(y, table)
    expected = np.linalg.lstsq(np.column_stack([np.ones(15), table]), y, rcond=None)[0]
    assert [found["a"].value, found["b"].value] == pytest.approx(expected[1:])
    assert found["a"].p == pytest.approx(partial(y, table["a"], table["b"]))
    assert found["b"].p == pytest.approx(partial(y, table["b"], table["a"]))


def test_too_few_or_equal_rows_are_refused():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [2.0, 1.0, 5.0]})
    with pytest.raises(ValueError, match="too few"):
        least_squares(np.array([1.0, 2.0, 3.0]), table)
    same = pd.DataFrame({"a": np.arange(9.0), "b": np.arange(9.0)})
    with pytest.raises(ValueError, match="too few"):
        least_squares(np.arange(9.0), same)


def test_the_published_numbers_show_both_effects(published):
    """The paper's own regression: both p-values are small."""
    table = published_rows(ClaimInput("", published, published, {}, full=True))
    found = regress_stability(table)
    assert found["difficulty"].value < 0 < found["N/D"].value
    y, x, other = (table[name].to_numpy() for name in ("CW_rel", "difficulty", "ratio"))
    assert found["difficulty"].p == pytest.approx(partial(y, x, other))
    assert found["difficulty"].p == pytest.approx(0.017, abs=1e-3)
    assert found["N/D"].p == pytest.approx(partial(y, other, x))
    assert found["N/D"].p < 0.001


# Claims


def claim_input(values, features=None, simulated=None):
    facts = {} if features is None else {"features": features}
    facts |= {} if simulated is None else {"simulated": simulated}
    published = published_numbers("dernoncourt2014", "table2")
    return ClaimInput("main", values, published, facts, full=True)


def table(**columns):
    """Return a table of four data sets at two sizes; numbers by measure, eight each."""
    rows = []
    for measure, numbers in columns.items():
        for place, number in enumerate(numbers):
            rows.append(
                {
                    "data": "abcd"[place // 2], "n": (20, 40)[place % 2], "value": float(number),
                    "measure": measure.replace("error", "error %"),
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


UP = (0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.6, 0.65)
DOWN = (30, 20, 20, 15, 12, 10, 5, 4)
RISING = dict.fromkeys(_table2.MEASURES, UP)
FEATURES = {"a": 1000, "b": 300, "c": 100, "d": 10}


def status(text, values, features=FEATURES, simulated=None):
    return CLAIMS[text].evaluate(claim_input(values, features, simulated)).status


def test_stability_has_to_rise_in_every_measure_on_every_data_set():
    text = "Each of the four measures rises with N on every data set."
    assert status(text, table(error=DOWN, **RISING)) == "held"
    broken = {**RISING, "S_R": (*UP[:-1], 0.5)}
    found = CLAIMS[text].evaluate(claim_input(table(error=DOWN, **broken), FEATURES))
    assert found.status == "not held"
    assert found.evidence == "15 of 16 steps upwards on 4 data sets; d S_R -0.100"
    once = table(error=DOWN, **RISING).query("n == 20")
    assert status(text, once) == "cannot be checked"
    assert status(text, table(error=DOWN, **RISING), features=None) == "cannot be checked"


def test_the_error_has_to_fall_on_three_data_sets_in_four():
    assert status("The error falls with N", table(error=DOWN, CW_rel=UP)) == "held"
    one_rises = (30, 20, 20, 15, 12, 10, 5, 6)
    assert status("The error falls with N", table(error=one_rises, CW_rel=UP)) == "held"
    two_rise = (30, 20, 20, 15, 12, 13, 5, 6)
    assert status("The error falls with N", table(error=two_rise, CW_rel=UP)) == "not held"
    on_average = (30, 29, 20, 19, 12, 11, 5, 25)
    assert status("The error falls with N", table(error=on_average, CW_rel=UP)) == "not held"


def test_speed_is_compared_with_ratios():
    text = "Stability (CW_rel) rises faster with N where N/D is low"
    claim = next(one for one in CLAIMS.values() if one.text.startswith(text))
    fast_first = table(error=DOWN, CW_rel=(0.1, 0.5, 0.2, 0.5, 0.3, 0.5, 0.4, 0.5))
    assert claim.evaluate(claim_input(fast_first, FEATURES)).status == "held"
    fast_last = table(error=DOWN, CW_rel=(0.4, 0.5, 0.3, 0.5, 0.2, 0.5, 0.1, 0.5))
    assert claim.evaluate(claim_input(fast_last, FEATURES)).status == "not held"
    few = fast_last[fast_last["data"] != "a"]
    assert claim.evaluate(claim_input(few, FEATURES)).status == "cannot be checked"


def test_stability_below_one_sample_a_feature_is_averaged():
    text = "Stability stays low as long as N/D is below 1"
    assert status(text, table(error=DOWN, CW_rel=UP)) == "held"
    assert status(text, table(error=DOWN, CW_rel=[0.6] * 8)) == "not held"
    assert status(text, table(error=DOWN, CW_rel=UP).query("data == 'd'")) == "cannot be checked"


def test_stability_has_to_be_lowest_where_the_ratio_is():
    text = "Stability is lowest where N/D is lowest"
    assert status(text, table(error=DOWN, CW_rel=UP)) == "held"
    assert status(text, table(error=DOWN, CW_rel=UP[::-1])) == "not held"
    assert status(text, table(error=DOWN, CW_rel=UP).query("data < 'd'")) == "cannot be checked"


def simulated_like(value, error=0.2):
    rows = [{"data": data, "n": n} for data in "abcd" for n in (20, 40)]
    return pd.DataFrame(rows).assign(CW_rel=value, lda_error=error)


def test_real_data_are_held_against_simulated_ones():
    values = table(error=DOWN, CW_rel=UP)
    above = next(text for text in CLAIMS if text.startswith("Where N/D is below 1"))
    bound = next(text for text in CLAIMS if text.startswith("Simulated data give an upper bound"))
    for level, real, upper in ((0.05, "held", "not held"), (0.9, "not held", "held")):
        assert status(above, values, simulated=simulated_like(level)) == real
        assert status(bound, values, simulated=simulated_like(level)) == upper
    assert status(above, values) == status(bound, values) == "cannot be checked"


def test_vijver_is_more_stable_at_a_similar_error():
    text = next(text for text in CLAIMS if text.startswith("The Vijver"))
    values = table(error=DOWN, CW_rel=UP)
    assert status(text, values, simulated=simulated_like(0.05)) == "cannot be checked"
    values["data"] = values["data"].replace("a", "vijver")
    features = {**FEATURES, "vijver": 1000}
    like = simulated_like(0.05, 0.25)
    like["data"] = like["data"].replace("a", "vijver")
    assert status(text, values, features, like) == "held"
    assert status(text, values, features, like.assign(lda_error=0.45)) == "not held"
    assert status(text, values, features, like.assign(CW_rel=0.15)) == "not held"


def test_the_regression_needs_both_effects_and_enough_rows():
    text = next(text for text in CLAIMS if text.startswith("CW_rel depends"))
    random = np.random.default_rng(0)
    sets = [f"s{i}" for i in range(9)]
    features = {name: int(random.integers(10, 200)) for name in sets}
    rows = pd.DataFrame([{"data": one, "n": n} for one in sets for n in (20, 40)])
    difficulty = rows["data"].map({name: random.uniform(5, 40) for name in sets})
    ratio = rows["n"] / rows["data"].map(features)
    noise = random.normal(0, 0.02, len(rows))

    def made(stable):
        parts = [rows.assign(measure="error %", value=difficulty)]
        return pd.concat([*parts, rows.assign(measure="CW_rel", value=stable)], ignore_index=True)

    both = made(0.5 - 0.01 * difficulty + 0.1 * ratio + noise)
    assert status(text, both, features) == "held"
    assert (
        "published numbers (18 rows)" in CLAIMS[text].evaluate(claim_input(both, features)).evidence
    )
    assert status(text, made(0.5 + 0.1 * ratio + noise), features) == "not held"
    assert status(text, made(0.5 + 0.01 * difficulty + 0.1 * ratio), features) == "not held"
    assert status(text, both[both["data"] < "s4"], features) == "cannot be checked"
