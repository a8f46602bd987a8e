"""The stability that theory lets expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from holdfast._checks import flag, whole
from holdfast.errors import InvalidInputError
from holdfast.theory._formulas import PLUGGED, Expected, known_measure, value_of
from holdfast.theory._selection import read_population, read_scores

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from holdfast.theory._effects import Effect
    from holdfast.theory._selection import Classes, Law


@overload
def expected_stability(  # type: ignore[overload-overlap]  # a name is an iterable of names, too
    measure: str,
    *,
    n_per_class: Classes,
    effect: Effect,
    n_informative: int | None = ...,
    n_features: int,
    n_selected: int,
    law: Law = ...,
    n_runs: int | None = ...,
    plug_in: bool = ...,
) -> float: ...
@overload
def expected_stability(
    measure: Iterable[str],
    *,
    n_per_class: Classes,
    effect: Effect,
    n_informative: int | None = ...,
    n_features: int,
    n_selected: int,
    law: Law = ...,
    n_runs: int | None = ...,
    plug_in: bool = ...,
) -> pd.DataFrame: ...
def expected_stability(  # noqa: PLR0913  (a setting of the theory has so many parts)
    measure: str | Iterable[str],
    *,
    n_per_class: Classes,
    effect: Effect,
    n_informative: int | None = None,
    n_features: int,
    n_selected: int,
    law: Law = "f",
    n_runs: int | None = None,
    plug_in: bool = False,
) -> float | pd.DataFrame:
    r"""Compute the expected stability of selection by the t-score over independent samples.

    Features are independent and Gaussian; a sample selects the d features with the largest
    t-scores. With :math:`p_j` from :func:`selection_probability`, two samples share

    .. math:: E[R] = \sum_j p_j^2

    features on average. Most measures are linear in the overlap R, so their expectation is exact:
    :math:`E[CW] = \sum_j p_j^2 / d` for any number of runs. The expected Jaccard index needs the
    distribution of R: its mean and variance are those of R, its shape is that of independent
    features bent to them (normal for d > 400). Errors stayed below 0.001 wherever the exact value
    was computed, and the value lies between D/(2 - D) and D for an expected Dice index D.

    Parameters
    ----------
    measure : str or iterable of str
        A measure, or several: ``relative_weighted_consistency``, ``weighted_consistency``,
        ``jaccard``, ``ati_pa``, ``kuncheva``, ``nogueira``, ``dice``, ``pog``, ``ochiai``,
        ``npog``, ``phi``, ``kappa``, ``wald``, ``unadjusted``, ``lustgarten``, ``hamming``,
        ``anhd`` or ``relative_anhd``.
    n_per_class, effect, n_informative, n_features, n_selected, law
        As in :func:`selection_probability`.
    n_runs : int, optional
        The number of samples m, each with its selection. It matters for relative weighted
        consistency, whose bounds depend on it; by default, the limit of many. The other measures
        have the same expectation for any m. ``ati_pa`` is given for many runs: cutting off
        values below 0 adds a little where runs are few and stability is near chance.
    plug_in : bool, default False
        Put expected frequencies into weighted consistency, as Dernoncourt et al. (2014) do,
        instead of taking its expectation: :math:`(m\,E[CW] - 1)/(m - 1)`, too low for few runs.
        Needs `n_runs`.

    Returns
    -------
    float or pandas.DataFrame
        A number for one name; for several a table, indexed by measure, with the column
        ``value``. Values lie in the range of each measure; 1 where d = p (measures that are
        corrected for chance are undefined there and refused).

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Section 3.

    Examples
    --------
    >>> from holdfast.theory import expected_stability
    >>> setting = {"effect": 0.15, "n_informative": 100, "n_features": 1000, "n_selected": 100}
    >>> round(expected_stability("nogueira", n_per_class=100, **setting), 3)
    0.258
    >>> expected_stability(["jaccard", "ati_pa"], n_per_class=500, **setting).round(3)
             value
    measure
    jaccard  0.878
    ati_pa   0.872
    """
    names = [known_measure(name) for name in ([measure] if isinstance(measure, str) else measure)]
    check_runs(names, n_runs, plug_in=plug_in)
    population = read_population(effect, n_informative, n_features, n_selected)
    scores = read_scores(n_per_class, law)
    expected = Expected(population, scores, n_selected, n_runs, plug_in)
    values = [value_of(name, expected) for name in names]
    return values[0] if isinstance(measure, str) else _table(names, values)


def check_runs(names: list[str], n_runs: int | None, *, plug_in: bool) -> None:
    """Refuse numbers of runs that are none, and expected frequencies without their use."""
    if n_runs is not None:
        whole(n_runs, "n_runs", 2)
    if not flag(plug_in, "plug_in"):
        return
    others = [name for name in names if name not in PLUGGED]
    if others or n_runs is None:
        raise InvalidInputError(
            f"plug_in=True is for {' and '.join(PLUGGED)}, with n_runs=; received "
            f"{', '.join(names)} with n_runs={n_runs!r}."
        )


def _table(names: list[str], values: list[float]) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415  (kept out of the way of single numbers)

    return pd.DataFrame({"value": values}, index=pd.Index(names, name="measure"))
