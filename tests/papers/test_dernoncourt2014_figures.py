"""Dernoncourt, Hanczar and Zucker (2014), figures: what is made, and what decides claims."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import holdfast as hf
from holdfast.papers._claims import ClaimInput
from holdfast.papers._dataset_locator import DatasetLocator
from holdfast.papers._runner import ExperimentRunner, WorkerOptions
from holdfast.papers.dernoncourt2014 import DERNONCOURT2014, _figures1_2, _figures3_5, _figures8_9
from holdfast.papers.dernoncourt2014._figures3_5 import (
    MEASURE_SHORT_NAMES,
    PANELS,
    pick_spaced_rows,
    trend,
)

pytestmark = pytest.mark.slow  # the fixtures run whole experiments

EMPTY = pd.DataFrame(columns=["value"])


def claim(experiment, begins):
    (found,) = [
        one for one in DERNONCOURT2014.get(experiment).claims if one.text.startswith(begins)
    ]
    return found


def status(one, values=EMPTY, **facts):
    return one.evaluate(ClaimInput("", values, EMPTY, facts, full=False)).status


def statuses(made, experiment, setting):
    own = made.values[made.values["setting"] == setting].drop(columns="setting")
    facts = {name: value for (whose, name), value in made.facts.items() if whose == setting}
    claim_input = ClaimInput(setting, own, EMPTY, facts, full=False)
    return [one.evaluate(claim_input).status for one in DERNONCOURT2014.get(experiment).claims]


@pytest.fixture
def runner(tmp_path):
    return ExperimentRunner(
        paper="dernoncourt2014", full=False, seed=0, folder=tmp_path,
        locator=DatasetLocator(tmp_path),
        names=("breast_cancer",), workers=WorkerOptions(n_jobs=1),
    )  # fmt: skip


def columns_are_right(made, experiment):
    keys = DERNONCOURT2014.get(experiment).keys
    assert set(made.values.columns) == {"setting", *keys, "value"}
    assert not made.values.duplicated(["setting", *keys]).any()


# Figure 1


def test_figure_1_is_theory_under_three_readings(runner):
    made = _figures1_2.figure1(runner)
    columns_are_right(made, "figure1")
    wide = made.values.set_index(["setting", "what", "n", "effect"])["value"]
    usual = {"effect": 0.1, "n_informative": 100, "n_features": 1000, "n_selected": 100}
    expected = hf.theory.selection_probability(n_per_class=200, **usual).informative
    assert wide["noncentral F", "selected", 200, 0.1] == pytest.approx(expected)
    expected = hf.theory.selection_probability(n_per_class=100, **usual).informative
    assert wide["N in all", "selected", 200, 0.1] == pytest.approx(expected)
    known = wide["chi-squared", "selected", 25, 0.15]
    assert known > wide["noncentral F", "selected", 25, 0.15]
    assert list(made.pictures) == ["expected"]
    found = statuses(made, "figure1", "noncentral F")
    assert found.count("not held") == 2
    assert found[-1] == "not held", "Bayes errors are 0.07 and 0.46"


def test_bars_of_figure_1_decide():
    def values(number):
        return pd.DataFrame([{"what": "selected", "n": 100, "effect": 0.15, "value": number}])

    one = claim("figure1", "Even the easiest features are selected with a probability below 0.5")
    assert status(one, values(0.49)) == "held"
    assert status(one, values(0.5)) == "not held"
    assert status(one, values(np.nan)) == "cannot be checked"
    one = claim("figure1", "Both panels rise")
    rows = [
        {"what": what, "n": n, "effect": 0.1, "value": value}
        for what in ("selected", "stability")
        for n, value in ((25, 0.1), (50, 0.2))
    ]
    assert status(one, pd.DataFrame(rows)) == "held"
    rows[-1]["value"] = 0.05
    assert status(one, pd.DataFrame(rows)) == "not held"
    assert status(one, pd.DataFrame(rows[::2])) == "cannot be checked"


# Figure 2


def test_figure_2_counts_what_is_at_hand(runner):
    made = DERNONCOURT2014.get("figure2").make(runner)
    columns_are_right(made, "figure2")
    assert made.values["value"].tolist() == [569 / 30]
    sizes = made.facts["as published", "simulated"]
    assert {(100, 50), (100, 10_000), (25, 1000), (10_000, 1000)} <= set(
        map(tuple, sizes.to_numpy())
    )
    assert statuses(made, "figure2", "as published") == ["held"]
    assert "real 1" in made.pictures["ratios"].description


def test_ratios_outside_the_simulated_ones_are_noticed():
    one = claim("figure2", "The sizes that the paper names")
    made = pd.DataFrame({"n_samples": [100], "n_features": [1000]})
    values = pd.DataFrame({"data": ["a", "b"], "what": "N/D", "value": [0.01, 20.0]})
    assert status(one, values, simulated=made) == "held"
    assert status(one, values.assign(value=[0.001, 20]), simulated=made) == "not held"
    assert status(one, values.iloc[:0], simulated=made) == "cannot be checked"


# Figures 3 to 5


def test_figures_3_and_4_are_made_of_simulated_tables(runner):
    third, fourth = (DERNONCOURT2014.get(name).make(runner) for name in ("figure3", "figure4"))
    columns_are_right(third, "figure3")
    columns_are_right(fourth, "figure4")
    points = third.facts["as published", "points"]
    best = points.query("n_samples == 5000 and true_rank <= 10")
    found = third.values.query("n == 5000 and features == 'best 10' and what == 'score'")
    assert found["value"].item() == pytest.approx(best["score"].mean())
    assert set(statuses(third, "figure3", "as published")) == {"held"}
    assert set(statuses(fourth, "figure4", "as published")) == {"held"}


def points(shift):
    """Return scores of 100 features in two training sets of both sizes."""
    random = np.random.default_rng(0)
    rows = []
    for n in (50, 5000):
        for position in range(2):
            score = np.abs(random.normal(0, 1, 1000))
            score[:10] += shift[n]
            rank = np.empty(1000)
            rank[np.argsort(-score)] = np.arange(1, 1001)
            rows.append(
                pd.DataFrame(
                    {
                        "n_samples": n, "set": position, "score": score, "rank": rank,
                        "true_rank": np.arange(1, 1001), "effect": np.linspace(0.15, 0, 1000),
                    }
                )
            )  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def test_scores_of_figure_3_decide():
    few, many = (
        claim("figure3", "With 50 samples the scores"),
        claim("figure3", "With 5,000 samples the best features have"),
    )
    assert status(few, points=points({50: 0.3, 5000: 9})) == "held"
    assert status(few, points=points({50: 9, 5000: 9})) == "not held"
    assert status(many, points=points({50: 0.3, 5000: 9})) == "held"
    assert status(many, points=points({50: 0.3, 5000: 1})) == "not held"
    assert status(many) == "cannot be checked"
    one = claim("figure3", "With 5,000 samples the best features are ranked")
    assert status(one, points=points({50: 0.3, 5000: 9})) == "not held", "the rest is noise"
    noise = claim("figure3", "With 50 samples the ranks of all")
    assert status(noise, points=points({50: 0.3, 5000: 9})) == "held"


def curves(**rows):
    """Return probabilities at the largest effect by N, a filter a name."""
    return pd.DataFrame(
        [
            {
                "selector": _figures3_5.FILTER_LABELS[name],
                "n": n,
                "effect": "effect 0.15",
                "value": value,
            }
            for name, values in rows.items()
            for n, value in zip((100, 500, 1000), values, strict=True)
        ]
    )


def test_filters_of_figure_5_decide():
    bit = claim("figure5", "Mutual information is a bit worse")
    alike = claim("figure5", "All filters behave similarly")
    scores = {"t_score": (0.3, 0.8, 1.0), "cat_score": (0.3, 0.8, 1.0)}
    assert status(bit, curves(**scores, mutual_information=(0.2, 0.7, 1.0))) == "held"
    assert status(bit, curves(**scores, mutual_information=(0.4, 0.8, 1.0))) == "not held"
    assert status(bit, curves(**scores, mutual_information=(0.1, 0.2, 0.3))) == "not held"
    assert status(bit, curves(**scores)) == "cannot be checked"
    assert status(alike, curves(**scores, mutual_information=(0.2, 0.7, 1.0))) == "held"
    assert status(alike, curves(**scores, mutual_information=(0.7, 0.2, 0.1))) == "not held"


def test_a_thousand_samples_are_the_bar_of_figure_4():
    one = claim("figure4", "Only from about 1,000")
    assert status(one, curves(t_score=(0.3, 0.88, 0.98))) == "held"
    assert status(one, curves(t_score=(0.3, 0.95, 0.98))) == "not held"
    assert status(one, curves(t_score=(0.3, 0.5, 0.8))) == "not held"


# Figure 6


def sweeps(panel, x, **measures):
    return pd.concat(
        [
            pd.DataFrame(
                {"panel": panel, "x": np.array(x, float), "measure": name, "value": values}
            )
            for name, values in measures.items()
        ],
        ignore_index=True,
    )


def all_measures(values):
    return dict.fromkeys(MEASURE_SHORT_NAMES.values(), values)


def test_trends_of_figure_6_decide():
    rises = claim("figure6", "Stability rises with N")
    up = sweeps("N", (25, 100, 1000), **all_measures((0.0, 0.1, 0.8)))
    assert status(rises, sweeps=up) == "held"
    flat = sweeps("N", (25, 100, 1000), **{**all_measures((0.0, 0.1, 0.8)), "S_R": (0.2, 0.2, 0.2)})
    assert status(rises, sweeps=flat) == "not held"
    assert status(rises, sweeps=up[up["x"] < 50]) == "cannot be checked"
    falls = claim("figure6", "Stability falls with D")
    down = sweeps("D", (50, 100, 1000), **all_measures((0.8, 0.1, 0.0)))
    assert status(falls, sweeps=down) == "held"
    assert status(falls, sweeps=up.assign(panel="D")) == "not held"


def test_places_of_figure_6_decide():
    best = claim("figure6", "CW_rel is highest when about 150")
    for top, expected in ((1, "not held"), (2, "held"), (3, "not held")):
        values = [0.1, 0.2, 0.25, 0.15]
        values[top] = 0.9
        table = sweeps("d", (2, 50, 150, 500), CW_rel=values)
        assert status(best, sweeps=table) == expected
    few = claim("figure6", "CW_rel is lowest when very few")
    assert status(few, sweeps=sweeps("d", (2, 50, 500), CW_rel=(0.1, 0.3, 0.2))) == "held"
    assert status(few, sweeps=sweeps("d", (2, 50, 500), CW_rel=(0.1, 0.3, 0.0))) == "not held"
    near = claim("figure6", "Stability is close to 0 at N = 100")
    low = sweeps("N", (25, 100), **all_measures((0.0, 0.09)))
    assert status(near, sweeps=low) == "held"
    assert status(near, sweeps=low.assign(value=low["value"] * 2)) == "not held"
    assert status(near, sweeps=low.assign(x=low["x"] + 1)) == "cannot be checked"
    fair = claim("figure6", "With 100 samples and 50 features")
    for values, expected in (((0.5, 0.4, 0.6, 0.9), "held"), ((0.5, 0.4, 0.7, 0.9), "not held")):
        lines = dict(zip(all_measures(()), [(value, value) for value in values], strict=True))
        assert status(fair, sweeps=sweeps("D", (50, 100), **lines)) == expected
    ranks = claim("figure6", "S_R rises with γ, then falls")
    for values, expected in (((0.1, 0.3, 0.2), "held"), ((0.1, 0.2, 0.3), "not held")):
        assert status(ranks, sweeps=sweeps("γ", (1, 5, 10), S_R=values)) == expected


def test_figure_6_shows_some_of_the_grid(runner):
    made = DERNONCOURT2014.get("figure6").make(runner)
    columns_are_right(made, "figure6")
    assert set(made.values["panel"]) == set(PANELS.values())
    assert made.values.groupby(["setting", "panel", "measure"]).size().eq(5).all()
    assert statuses(made, "figure6", "as published").count("cannot be checked") == 0


def test_cuts_on_p_values_select_more_in_larger_samples(runner):
    made = DERNONCOURT2014.get("figure6").make(runner)
    sizes = made.values[made.values["measure"] == "features"].pivot(
        index="x", columns="setting", values="value"
    )
    strict, usual = sizes["p-values up to 0.01"], sizes["p-values up to 0.05"]
    assert (strict < usual).all()
    assert strict.is_monotonic_increasing
    assert statuses(made, "figure6", "p-values up to 0.05")[:2] == ["held", "held"]


def test_few_rows_are_evenly_chosen_with_both_ends():
    table = pd.DataFrame({"x": range(11)})
    assert pick_spaced_rows(table, 3)["x"].tolist() == [0, 5, 10]
    assert pick_spaced_rows(table.head(2), 5)["x"].tolist() == [0, 1]
    assert trend(pd.Series([1.0, 1.0], index=[1, 2])) == 0


# Figure 7


def correlated(**cat):
    """Return CW_rel of both scores at two N; the t-score has 0.2 and 0.5."""
    rows = []
    for kind in ("progressive", "100 informative"):
        for layout in ("scattered", "in blocks"):
            for n, t, cat_score in zip(
                (100, 500, 900), (0.2, 0.5, 0.7), cat[layout[:2]], strict=True
            ):
                base = {"structure": f"{kind}, {layout}", "n": n, "measure": "CW_rel"}
                rows += [{**base, "selector": "t-score", "value": t}]
                rows += [{**base, "selector": "CAT score", "value": cat_score}]
    for n, t in zip((100, 500, 900), (0.1, 0.4, 0.6), strict=True):
        base = {"structure": "independent", "n": n, "measure": "CW_rel", "value": t}
        rows += [{**base, "selector": name} for name in ("t-score", "CAT score")]
    return pd.DataFrame(rows)


def test_figure_7_is_about_whole_blocks():
    table = correlated(sc=(0.3, 0.6, 0.8), **{"in": (0.1, 0.3, 0.6)})
    blocks = claim("figure7", "The CAT score is less stable")
    assert "fill whole blocks" in blocks.text
    assert status(blocks, table) == "held"
    late = correlated(sc=(0.1, 0.2, 0.8), **{"in": (0.1, 0.2, 0.8)})
    assert status(blocks, late) == "not held", "above at the largest N"
    assert status(blocks, table[table["structure"] == "independent"]) == "cannot be checked"
    little = claim("figure7", "With correlated features")
    assert status(little, table) == "held"
    halved = table.assign(value=table["value"].where(table["structure"] != "independent", 0.0))
    assert status(little, halved.assign(value=halved["value"] + table["n"] / 1e6)) == "not held"
    more = claim("figure7", "The second kind of correlated data")
    assert status(more, table) == "held"


# Figure 8


def test_figure_8_runs_both_readings(runner, monkeypatch):
    few = pd.DataFrame(
        [
            {
                "panel": panel, "x": x, "lda_error": 0.4, "shrinkage_lda_error": 0.35,
                "bayes_observed": 0.3, "bayes_optimal": 0.2,
            }
            for panel, places in {
                "n_samples": (25, 100), "n_features": (50, 100), "size": (10, 50),
                "gamma": (1.0, 2.0),
            }.items()
            for x in places
        ]
    )  # fmt: skip
    stable = few[["panel", "x"]].assign(measure="relative_weighted_consistency", value=0.1)
    tables = {8: {"errors": few}, 6: {"stability": stable}}
    monkeypatch.setattr(_figures8_9, "get_figure_tables", lambda _, number: tables[number])
    made = _figures8_9.figure8(runner)
    columns_are_right(made, "figure8")
    errors = made.facts["N = 1000", "errors"]
    assert errors.groupby("panel")["x"].apply(list).to_dict() == {
        "N": [25, 100], "D": [50, 100], "d": [10, 50], "γ": [1, 2],
    }  # fmt: skip
    population = hf.simulate.IndependentGaussian(n_samples=1000, n_features=1000, bayes_error=0.1)
    best = np.sort(population.model.mu)[::-1][:10]
    found = errors.query("panel == 'd' and x == 10")["bayes_optimal"].item()
    assert found == pytest.approx(norm.sf(np.sqrt(np.sum(best**2))))
    assert set(made.values["setting"]) == {"N = 100", "N = 1000", "pseudo-inverse"}
    lda = made.values.query("rule == 'LDA' and panel == 'D'").groupby("setting")["value"].unique()
    assert (list(lda["N = 100"]), list(lda["pseudo-inverse"])) == ([0.35], [0.4])
    assert statuses(made, "figure8", "N = 100")[-1] in {"held", "not held"}


def test_svm_rfe_of_figure_5_is_compared_with_mutual_information():
    worse = claim("figure5", "SVM-RFE in one step")
    rows = [
        {"selector": selector, "n": n, "effect": "effect 0.15", "value": value}
        for selector, values in {
            "mutual information": (0.3, 0.6, 0.9), "SVM-RFE": (0.25, 0.5),
        }.items()
        for n, value in zip((25, 100, 5000), values, strict=False)
    ]  # fmt: skip
    both = pd.DataFrame(rows)
    assert status(worse, values=both) == "held"
    ahead = both.assign(value=both["value"].where(both["selector"] != "SVM-RFE", 0.7))
    assert status(worse, values=ahead) == "not held"
    assert status(worse, values=both[both["selector"] != "SVM-RFE"]) == "cannot be checked"


def errors(panel, x, **columns):
    return pd.DataFrame({"panel": panel, "x": np.array(x, float), **columns})


def test_errors_of_figure_8_decide():
    fifty = claim("figure8", "With 50 features")
    table = errors("D", (50, 100), lda_error=(0.19, 0.3), bayes_optimal=(0.165, 0.16))
    assert status(fifty, errors=table) == "held"
    assert status(fifty, errors=table.assign(lda_error=0.21)) == "not held"
    assert status(fifty, errors=table.assign(x=[60, 100])) == "cannot be checked"
    many = claim("figure8", "From 2,500 features on")
    table = errors(
        "D", (50, 2500, 5000), lda_error=(0.2, 0.41, 0.45), bayes_observed=(0.2, 0.31, 0.33)
    )
    assert status(many, errors=table) == "held"
    assert status(many, errors=table.assign(lda_error=(0.2, 0.45, 0.39))) == "not held"
    assert status(many, errors=table.head(2).assign(x=(50, 100))) == "cannot be checked"
    hardly = claim("figure8", "The error hardly falls")
    table = errors("d", (100, 210, 500), lda_error=(0.4, 0.35, 0.31))
    assert status(hardly, errors=table) == "held"
    assert status(hardly, errors=table.assign(lda_error=(0.4, 0.35, 0.29))) == "not held"
    gamma = claim("figure8", "The higher γ")
    table = errors("γ", (1, 2, 5), lda_error=(0.4, 0.3, 0.2))
    assert status(gamma, errors=table) == "held"
    assert status(gamma, errors=table.assign(lda_error=(0.4, 0.2, 0.3))) == "not held"


# Figure 9


def constant(values, ratio=0.5, features=(50, 100, 500)):
    features = np.array(features)
    return pd.DataFrame(
        {
            "ratio": ratio, "n_samples": (ratio * features).astype(int), "n_features": features,
            "value": values,
        }
    )  # fmt: skip


def test_constancy_of_figure_9_decides():
    from_hundred = claim("figure9", "At constant N/D below 5")
    table = constant((0.1, 0.26, 0.25))
    assert status(from_hundred, points=table) == "held", "the first has 50 features"
    assert status(from_hundred, points=constant((0.1, 0.26, 0.2))) == "not held"
    assert status(from_hundred, points=table.head(1)) == "cannot be checked"
    large = claim("figure9", "At constant N/D from 5 on")
    table = constant((0.5, 0.71, 0.74), ratio=5.0, features=(50, 200, 500))
    assert status(large, points=table) == "held"
    assert status(large, points=table.assign(value=(0.7, 0.5, 0.7))) == "not held"


def test_small_ratios_of_figure_9_decide():
    below, almost = (
        claim("figure9", "Stability is below 0.2"), claim("figure9", "Stability is almost 0")
    )  # fmt: skip
    for value, expected in (
        (0.05, ("held",) * 2),
        (0.15, ("held", "not held")),
        (0.3, ("not held",) * 2),
    ):
        table = constant((value, 0.0, 0.0), ratio=0.1)
        assert (status(below, points=table), status(almost, points=table)) == expected
    assert status(below, points=constant((0.1, 0.1, 0.1), ratio=1.0)) == "cannot be checked"


def test_figure_9_shows_each_ratio(runner):
    made = _figures8_9.figure9(runner)
    columns_are_right(made, "figure9")
    assert set(made.values["N/D"]) == {0.01, 0.05, 0.1, 0.5, 1, 5, 10}
    assert statuses(made, "figure9", "as published").count("cannot be checked") == 0
