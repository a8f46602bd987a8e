"""Figures 3 to 9 of Dernoncourt et al. (2014): titles, run times and functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from holdfast._validation import check_flag, check_seed
from holdfast.errors import UnknownNameError
from holdfast.simulate._figure_tables import (
    FigureOptions,
    Tables,
    summarize_constant_ratios,
    summarize_correlated_stability,
    summarize_curves,
    summarize_error_sweeps,
    summarize_ranks,
    summarize_stability_sweeps,
    tabulate_constant_ratios,
    tabulate_correlated_stability,
    tabulate_error_sweeps,
    tabulate_other_selection,
    tabulate_scores_and_ranks,
    tabulate_stability_sweeps,
    tabulate_t_score_selection,
)


@dataclass(frozen=True, kw_only=True)
class SimulatedFigure:
    """A figure of the paper and the functions that compute its tables.

    Attributes
    ----------
    number : int
        Its number in the paper.
    title : str
        What it shows.
    seconds, seconds_full : float
        Approximate CPU time on the reduced grid and on the full grid.
    tables : tuple of str
        Names of its tables.
    tabulate : callable
        Computes the tables by name from `FigureOptions`.
    summarize : callable
        Reduces the tables to a small one with the main numbers.
    """

    number: int
    title: str
    seconds: float
    seconds_full: float
    tables: tuple[str, ...]
    tabulate: Callable[[FigureOptions], Tables]
    summarize: Callable[[Tables], pd.DataFrame]


FIGURES = {
    record.number: record
    for record in (
        SimulatedFigure(
            number=3,
            title="Scores and ranks of features by their true effect",
            seconds=1,
            seconds_full=1,
            tables=("points", "means"),
            tabulate=tabulate_scores_and_ranks,
            summarize=summarize_ranks,
        ),
        SimulatedFigure(
            number=4,
            title="How often features are selected, by their true effect",
            seconds=1,
            seconds_full=1,
            tables=("frequencies", "curves"),
            tabulate=tabulate_t_score_selection,
            summarize=summarize_curves,
        ),
        SimulatedFigure(
            number=5,
            title="How often other filters select features, by their true effect",
            seconds=35,
            seconds_full=650,
            tables=("frequencies", "curves"),
            tabulate=tabulate_other_selection,
            summarize=summarize_curves,
        ),
        SimulatedFigure(
            number=6,
            title="Stability by samples, features, size and distribution of effects",
            seconds=2,
            seconds_full=5,
            tables=("stability", "p_value_cuts"),
            tabulate=tabulate_stability_sweeps,
            summarize=summarize_stability_sweeps,
        ),
        SimulatedFigure(
            number=7,
            title="Stability of t-score and CAT score on correlated features",
            seconds=45,
            seconds_full=2700,
            tables=("stability",),
            tabulate=tabulate_correlated_stability,
            summarize=summarize_correlated_stability,
        ),
        SimulatedFigure(
            number=8,
            title="Errors by samples, features, size and distribution of effects",
            seconds=8,
            seconds_full=12,
            tables=("errors",),
            tabulate=tabulate_error_sweeps,
            summarize=summarize_error_sweeps,
        ),
        SimulatedFigure(
            number=9,
            title="Stability at constant ratios of samples to features",
            seconds=2,
            seconds_full=16,
            tables=("stability",),
            tabulate=tabulate_constant_ratios,
            summarize=summarize_constant_ratios,
        ),
    )
}


def figure_tables(
    number: int, *, full: bool = False, random_state: int = 0, n_jobs: int = 1
) -> Tables:
    """Simulate the numbers of a figure of Dernoncourt et al. (2014), section 4.

    Parameters
    ----------
    number : int
        The figure, 3 to 9.
    full : bool, default False
        Use the full grid of the paper. By default the grid has fewer points, and figures that
        need data sets have fewer training sets.
    random_state : int, default 0
        Seed.
    n_jobs : int, default 1
        Number of processes, as in joblib; results do not depend on it.

    Returns
    -------
    dict of pandas.DataFrame
        The tables by name. :func:`holdfast.plot.simulated_figure` draws them.

    Notes
    -----
    The number of samples counts both classes together. The Bayes error is 0.10 in figures 6, 8
    and 9; the largest effect is 0.15 in figures 3 to 5. The results of figure 7 depend on how the
    informative features are placed, which the paper does not state: the tables have both layouts.
    Figure 8 uses N = 100, as in the text of the paper (the caption says 1000).

    References
    ----------
    D. Dernoncourt, B. Hanczar, J.-D. Zucker (2014). Analysis of feature selection stability on
    high dimension and small sample data. Computational Statistics & Data Analysis 71, 681-693.

    Examples
    --------
    >>> from holdfast.simulate import figure_tables
    >>> curves = figure_tables(4)["curves"]
    >>> at_the_top = curves[curves["effect"] == 0.15]
    >>> at_the_top.set_index("n_samples")["probability"].round(2).to_dict()
    {25: 0.15, 50: 0.22, 100: 0.33, 500: 0.88, 1000: 0.98, 5000: 1.0, 10000: 1.0}
    """
    record = get_figure(number)
    return record.tabulate(
        FigureOptions(check_flag(full, "full"), check_seed(random_state), n_jobs)
    )


def get_figure(number: int) -> SimulatedFigure:
    """Return the record of a figure."""
    if number not in FIGURES:
        raise UnknownNameError(f"figure must be one of {list(FIGURES)}; got {number!r}.")
    return FIGURES[number]
