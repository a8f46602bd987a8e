"""The effects behind observed scores: a mixture, fitted by maximum likelihood."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from holdfast._checks import whole
from holdfast.errors import InvalidInputError
from holdfast.theory._effects import LARGEST, EffectMixture
from holdfast.theory._selection import read_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from holdfast.theory._selection import Classes, Law

    Array: TypeAlias = NDArray[np.float64]

ATOM, BIN = 0.25, 0.1
"""Distances of effects and widths of bins of scores, in standard deviations of a score."""
ATOMS, BINS = 120, 300
"""The most effects and bins, where scores are far apart."""
NULL = 0.5
"""The share of features without an effect that the fit starts from."""


def fit_effects(
    t_scores: ArrayLike, *, n_per_class: Classes, n_steps: int = 200, law: Law = "f"
) -> EffectMixture:
    r"""Estimate how effects are distributed over features, from their t-scores in one data set.

    The likelihood of a mixture over a grid of effects,
    :math:`\prod_i \sum_k w_k f(|t_i|; \mu_k)` with the density f of the absolute pooled t-score,
    is climbed by `n_steps` steps of the EM algorithm. The climb starts from a law that is smooth
    but for its half of features without effect, and ends early: the maximum itself is a law of
    few atoms, whose stability at larger samples is too low.

    Parameters
    ----------
    t_scores : array of shape (p,)
        Pooled t-scores, signed or absolute. Those that are NaN (of constant features) are left
        out; infinite ones count as the largest that an effect of 100 gives.
    n_per_class : int or pair of int
        Samples of each class behind the scores.
    n_steps : int, default 200
        Steps of the algorithm: with more, the mixture comes closer to maximum likelihood and
        becomes rougher.
    law : {"f", "chi2"}, default "f"
        As in :func:`selection_probability`.

    Returns
    -------
    EffectMixture
        Effects as everywhere in this module: half the difference of the class means, in standard
        deviations within a class.

    Notes
    -----
    Features are taken as independent. The sum over features of squared effects is estimated
    well; a single largest effect, or whether many effects are tiny or none, is not.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.theory import fit_effects
    >>> rng = np.random.default_rng(0)
    >>> t = rng.standard_t(98, size=2000) + np.repeat([0.0, 5.0], [1900, 100])
    >>> fitted = fit_effects(t, n_per_class=50)
    >>> round(fitted.weights[fitted.effects > 0.3].sum(), 2)  # 5 is the score of an effect of 0.5
    np.float64(0.05)
    """
    scores, steps = read_scores(n_per_class, law), whole(n_steps, "n_steps", 1)
    most = scores.shifts(np.array([LARGEST]))
    places = scores.place(np.minimum(_known(t_scores), most))
    bins, shares = _binned(places)
    top = float(places.max())
    grid = np.linspace(0.0, top, 2 + min(int(top / ATOM), ATOMS))
    shifts = scores.score(grid)
    weights = _climbed(scores.densities(shifts, bins), shares, steps)
    return EffectMixture(np.minimum(shifts / scores.shift_per_effect, LARGEST), weights)


def _known(t_scores: ArrayLike) -> Array:
    """Return the absolute scores that are numbers."""
    try:
        values = np.abs(np.asarray(t_scores, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    known = values[~np.isnan(values)]
    if values.ndim != 1 or len(known) == 0:
        raise InvalidInputError(
            "t_scores must be a list of numbers, one a feature, at least one of them not NaN; "
            f"received {t_scores!r}."
        )
    return known


def _binned(places: Array) -> tuple[Array, Array]:
    """Return the middles of the bins that hold scores, and their shares."""
    width = max(BIN, float(places.max()) / BINS)
    bins, counts = np.unique(np.floor(places / width), return_counts=True)
    return (bins + 0.5) * width, counts / len(places)


def _climbed(densities: Array, shares: Array, n_steps: int) -> Array:
    """Climb the likelihood of the weights of a mixture; `densities` has a row an effect."""
    weights = np.full(len(densities), (1 - NULL) / (len(densities) - 1))
    weights[0] = NULL
    for _ in range(n_steps):
        weights = weights * (densities @ (shares / np.maximum(weights @ densities, 1e-300)))
    return np.asarray(weights / weights.sum())
