"""S2's figures 3 to 9 as records: what each shows, how long it takes, and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast._validation import flag, seed_of
from holdfast.errors import UnknownNameError
from holdfast.simulate import _figure_tables as effects
from holdfast.simulate import _figure_tables as sweeps
from holdfast.simulate._figure_tables import FigureOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True, kw_only=True)
class SimulatedFigure:
    """One figure.

    Attributes
    ----------
    number : int
        Its number in the paper.
    title : str
        What it shows.
    seconds, seconds_full : float
        CPU time that it takes about, on the reduced grid and on the whole one.
    tables : tuple of str
        Names of its tables.
    make : callable
        From what is asked for to the tables, by name.
    main : callable
        From the tables to a small one with the main numbers.
    """

    number: int
    title: str
    seconds: float
    seconds_full: float
    tables: tuple[str, ...]
    make: Callable[[FigureOptions], Tables]
    main: Callable[[Tables], pd.DataFrame]


FIGURES = {
    record.number: record
    for record in (
        SimulatedFigure(
            number=3,
            title="Scores and ranks of features by their true effect",
            seconds=1,
            seconds_full=1,
            tables=("points", "means"),
            make=effects.scores_and_ranks,
            main=effects.main_of_ranks,
        ),
        SimulatedFigure(
            number=4,
            title="How often features are selected, by their true effect",
            seconds=1,
            seconds_full=1,
            tables=("frequencies", "curves"),
            make=effects.selection_by_t_score,
            main=effects.main_of_curves,
        ),
        SimulatedFigure(
            number=5,
            title="How often other filters select features, by their true effect",
            seconds=35,
            seconds_full=650,
            tables=("frequencies", "curves"),
            make=effects.selection_by_others,
            main=effects.main_of_curves,
        ),
        SimulatedFigure(
            number=6,
            title="Stability by samples, features, size and distribution of effects",
            seconds=2,
            seconds_full=4,
            tables=("stability",),
            make=sweeps.stability_sweeps,
            main=sweeps.main_of_sweeps,
        ),
        SimulatedFigure(
            number=7,
            title="Stability of t-score and CAT score on correlated features",
            seconds=45,
            seconds_full=2700,
            tables=("stability",),
            make=sweeps.correlated_structures,
            main=sweeps.main_of_correlated,
        ),
        SimulatedFigure(
            number=8,
            title="Errors by samples, features, size and distribution of effects",
            seconds=8,
            seconds_full=12,
            tables=("errors",),
            make=sweeps.error_sweeps,
            main=sweeps.main_of_errors,
        ),
        SimulatedFigure(
            number=9,
            title="Stability at constant ratios of samples to features",
            seconds=2,
            seconds_full=16,
            tables=("stability",),
            make=sweeps.constant_ratios,
            main=sweeps.main_of_ratios,
        ),
    )
}


def figure_tables(
    number: int, *, full: bool = False, random_state: int = 0, n_jobs: int = 1
) -> Tables:
    """Simulate what is behind a figure of Dernoncourt et al. (2014), section 4.

    Parameters
    ----------
    number : int
        The figure, 3 to 9.
    full : bool, default False
        Take the whole grid of the paper, instead of fewer points (and for figures that need data
        sets also fewer training sets).
    random_state : int, default 0
        Seed.
    n_jobs : int, default 1
        Number of processes, as for joblib; results do not depend on it.

    Returns
    -------
    dict of pandas.DataFrame
        The tables by name. :func:`holdfast.plot.simulated_figure` draws them.

    Notes
    -----
    The number of samples is that of both classes together, the Bayes error is 0.10 for figures
    6, 8 and 9, and the largest effect 0.15 for figures 3 to 5. The paper does not say which places
    the informative features of figure 7 have, and its results depend on it: both are in the
    tables. Figure 8 has N = 100, as the text has it (the caption says 1000).

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
    return record.make(FigureOptions(flag(full, "full"), seed_of(random_state), n_jobs))


def get_figure(number: int) -> SimulatedFigure:
    """Return the record of a figure."""
    if number not in FIGURES:
        raise UnknownNameError(f"figure must be one of {list(FIGURES)}; received {number!r}.")
    return FIGURES[number]
