"""Selection probability and stability over sample sizes and effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from holdfast.theory._expected import check_runs
from holdfast.theory._formulas import Expected, known_measure, value_of
from holdfast.theory._selection import read_population, read_scores, selection_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.theory._selection import Law

SAMPLES = (30, 50, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000)
EFFECTS = (0.01, 0.03, 0.05, 0.07, 0.10, 0.15)


def stability_surface(
    *,
    n_per_class: Iterable[int] = SAMPLES,
    effects: Iterable[float] = EFFECTS,
    n_informative: int = 100,
    n_features: int = 1000,
    n_selected: int = 100,
    measure: str = "relative_weighted_consistency",
    n_runs: int | None = None,
    law: Law = "f",
) -> pd.DataFrame:
    """Tabulate selection probability and expected stability by sample size and effect.

    The defaults are those of Figure 1 of Dernoncourt, Hanczar and Zucker (2014), with their N as
    samples of each class; :func:`holdfast.plot.stability_surface` draws the table.

    Parameters
    ----------
    n_per_class : iterable of int
        Numbers of samples of each class.
    effects : iterable of float
        Effects of the informative features.
    n_informative, n_features, n_selected, law
        As in :func:`selection_probability`.
    measure, n_runs
        As in :func:`expected_stability`.

    Returns
    -------
    pandas.DataFrame
        Columns ``n_per_class``, ``effect``, ``informative`` and ``other`` (the probabilities of
        an informative and of any other feature) and ``stability``.

    Examples
    --------
    >>> from holdfast.theory import stability_surface
    >>> stability_surface(n_per_class=[100, 500], effects=[0.15]).round(3)
       n_per_class  effect  informative  other  stability
    0          100    0.15        0.557  0.049      0.258
    1          500    0.15        0.967  0.004      0.928
    """
    name = known_measure(measure)
    check_runs([name], n_runs, plug_in=False)
    rows, sizes = [], list(n_per_class)
    for effect in effects:
        population = read_population(effect, n_informative, n_features, n_selected)
        for size in sizes:
            scores = read_scores(size, law)
            found = selection_of(population, scores, n_selected)
            stability = value_of(name, Expected(population, scores, n_selected, n_runs))
            rows.append((size, effect, found.informative, found.other, stability))
    columns = ["n_per_class", "effect", "informative", "other", "stability"]
    return pd.DataFrame(rows, columns=columns)
