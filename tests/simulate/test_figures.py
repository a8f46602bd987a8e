"""Figures of Dernoncourt et al. (2014): their tables, and the findings of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.simulate import BlockGaussian, _figure_tables, figure_tables, simulate_stability
from holdfast.simulate._figures import FIGURES
from holdfast.simulate._training_sets import pivot_in_order


@pytest.fixture
def small_grids(monkeypatch):
    """Make the grids of data sets small."""
    monkeypatch.setattr(_figure_tables, "OTHER_SAMPLE_COUNTS_REDUCED", (25, 60))
    monkeypatch.setattr(_figure_tables, "CORRELATED_SAMPLE_COUNTS_REDUCED", (25, 60))
    monkeypatch.setattr(_figure_tables, "N_SETS_REDUCED", 3)
    monkeypatch.setattr(_figure_tables, "N_SETS", 12)


@pytest.mark.slow
@pytest.mark.parametrize("number", FIGURES)
def test_each_figure_has_its_tables_and_a_summary(small_grids, number):
    record = FIGURES[number]
    tables = figure_tables(number)
    assert tuple(tables) == record.tables
    assert all(len(table) for table in tables.values())
    summary = record.summarize(tables)
    assert 2 <= len(summary) <= 40
    assert summary.select_dtypes("number").notna().all(axis=None)


@pytest.mark.parametrize("number", [2, 10, "6"])
def test_other_figures_are_unknown(number):
    with pytest.raises(UnknownNameError, match="must be one of"):
        figure_tables(number)


def test_bad_options_are_refused():
    with pytest.raises(InvalidInputError, match="full must be"):
        figure_tables(3, full="yes")


def test_scores_and_ranks_are_uninformative_with_few_samples():
    summary = FIGURES[3].summarize(figure_tables(3)).set_index(["n_samples", "features"])
    assert summary.loc[(5000, "best 10"), "score_mean"] == pytest.approx(9.5, abs=1)
    assert summary.loc[(5000, "best 10"), "rank_mean"] < 15
    assert summary.loc[(50, "best 10"), "rank_mean"] > 300
    assert summary.loc[(50, "worse half"), "rank_mean"] == pytest.approx(510, abs=15)


def test_selection_is_accurate_with_many_samples():
    tables = figure_tables(4)
    points = tables["frequencies"]
    few, many = (points[points["n_samples"] == n] for n in (50, 5000))
    assert few["frequency"].max() < 0.4
    assert few.loc[few["effect"] < 0.01, "frequency"].mean() > 0.05
    assert many.loc[many["effect"] > 0.1, "frequency"].mean() > 0.97
    assert many.loc[many["effect"] < 0.05, "frequency"].mean() < 0.01
    top = tables["curves"].groupby("n_samples")["probability"].max()
    assert top.is_monotonic_increasing


@pytest.mark.slow
def test_stability_agrees_with_the_paper():
    table = figure_tables(6)["stability"]
    wide = pivot_in_order(table, ["panel", "x"], "measure").set_index("panel")
    samples, features, sizes, gammas = (wide.loc[name] for name in _figure_tables.PANEL_PARAMETERS)
    rising = samples.set_index("x")
    assert (rising.loc[100] < 0.1).all()
    assert rising.loc[10_000, "ati_pa"] > 0.6
    assert rising.loc[10_000, "pearson"] == pytest.approx(0.9, abs=0.05)
    falling = features.set_index("x")
    assert falling.loc[50].between(0.35, 0.7).all()
    assert (falling.loc[1500] < 0.05).all()
    best = sizes.set_index("x")["relative_weighted_consistency"].idxmax()
    assert 75 <= best <= 250
    assert sizes["pearson"].nunique() == 1
    assert gammas["pearson"].is_monotonic_increasing
    assert 3 <= gammas.set_index("x")["spearman"].idxmax() <= 8


@pytest.mark.slow
def test_stability_is_constant_where_samples_and_features_grow_together():
    table = figure_tables(9)["stability"]
    large = table[table["n_features"] >= 200]
    spread = large.groupby("ratio")["value"].agg(np.ptp)
    assert spread.max() < 0.06
    means = large.groupby("ratio")["value"].mean()
    assert means.is_monotonic_increasing
    assert means[0.1] < 0.05
    assert means[10.0] > 0.75


@pytest.mark.slow
def test_cat_falls_below_t_only_where_informative_features_fill_blocks():
    settings = {
        layout: BlockGaussian(n_samples=400, kind="two_point", layout=layout)
        for layout in ("scattered", "blocks")
    }
    result = simulate_stability(
        settings, ["t_score", "cat_score"], n_sets=15, measures="nogueira", errors=False
    )
    value = result.stability.set_index(["setting", "selector"])["value"]
    assert value["blocks", "cat_score"] < 0.5 * value["blocks", "t_score"]
    assert value["scattered", "cat_score"] > value["scattered", "t_score"]


def test_logistic_curves_recover_points_on_a_logistic_curve():
    effect = np.linspace(0, 0.15, 200)
    truth = 1 / (1 + np.exp(-(60 * effect - 5)))
    curve = _figure_tables.fit_logistic_curve(effect, truth, effect)
    np.testing.assert_allclose(curve, truth, atol=1e-4)
