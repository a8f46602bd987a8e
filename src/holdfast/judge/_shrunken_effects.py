r"""Effects of selected features without the winner's curse.

Method. A feature with the true effect :math:`\delta_j`, the difference of class means over the
standard deviation, has the statistic :math:`t_j = d_j / u` with
:math:`u = \sqrt{1/n_c + 1/n_r}`: noncentral t around :math:`\delta_j / u`. The prior of
:math:`\delta_j / u` is a mixture of normal laws around 0, one of them 0 itself, with weights
fitted by EM to the statistics of all features. Under a normal law of variance :math:`\sigma^2` the
statistic is :math:`\sqrt{1 + \sigma^2}` times a central t, so likelihood and posterior have closed
forms. A posterior given all data holds whichever features are selected, and by whatever rule.

How large noise is, is seen without a model: the statistics of two disjoint halves of the data
differ by noise alone, as the effects cancel. Samples of one subject inflate it. Where features
correlate, the noise of one data set is larger or smaller than usual for all of them together; so
the posterior is a mixture over the noise that splits into halves show.

References
----------
M. Stephens (2017). False discovery rates: a new deal. Biostatistics 18, 275-294.

B. Efron (2011). Tweedie's formula and selection bias. Journal of the American Statistical
Association 106, 1602-1614.

L. V. Hedges, I. Olkin (1985). Statistical methods for meta-analysis. Academic Press; chapter 6 for
the transformation that makes the variance of an effect constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

from holdfast.errors import InvalidInputError
from holdfast.judge._feature_statistics import blocks, class_sums, effect_sizes
from holdfast.resample import ReplicationDesign
from holdfast.resample._replication_design import HALF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.judge._feature_statistics import ClassSums

    Array = NDArray[np.float64]

N_SPLITS = 10
"""Splits into halves that show the noise."""
NOISE_QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Quantiles of the noise over splits that the posterior is mixed from."""
PRIOR_SCALES = np.geomspace(0.25, 8.0, 12)
"""Standard deviations of the prior's normal laws, in standard errors; stretched to the largest."""
N_STEPS = 400
"""EM steps for the weights of the prior."""
PRIOR_COUNT = 1.0
"""Features' worth of weight that the prior spreads over its laws before it sees any."""
N_GRID_POINTS = 241
"""Absolute statistics at which posteriors are computed; between them they are interpolated."""
N_BISECTIONS = 40
INTERVAL_LEVEL = 0.95
NUMBERS = ("observed", "effect", "low", "high")


class _Contrasts(NamedTuple):
    """Statistics of features, by class against the rest: effects, their units, freedom."""

    effects: Array
    units: Array
    freedom: Array


class _MixturePosterior(NamedTuple):
    """A mixture of normal laws for each point of a grid: points in rows, laws in columns."""

    weights: Array
    means: Array
    spreads: Array


def shrunken_effects(
    X: NDArray[Any],
    codes: NDArray[Any],
    classes: Sequence[str],
    *,
    groups: NDArray[Any] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    r"""Estimate the effects of features that may have been selected for their effects.

    Effects are those of :func:`effect_sizes`: standardised mean differences towards the class in
    which the feature is highest. There, selected features have effects that are too high, because
    they were chosen for being high. Here, each effect is shrunken by what the effects of all
    features show of chance (empirical Bayes): the estimate and its 95% interval hold for selected
    features, whatever selected them.

    Parameters
    ----------
    X : array of shape (n, p)
        The data, all features that could be selected; missing values (NaN) are left out, feature
        by feature.
    codes : array of shape (n,)
        Class of each sample, as a number from 0.
    classes : sequence of str
        Labels of the classes.
    groups : array of shape (n,), optional
        The subject of each sample. Give it where samples belong to subjects: otherwise effects are
        shrunken too little.
    random_state : int, default 0
        Seed of the halves, which show how large noise is.

    Returns
    -------
    DataFrame
        p rows: ``observed``, the effect of :func:`effect_sizes`; ``effect``, shrunken, with the
        ends ``low`` and ``high`` of its interval; ``direction``, the class in which the feature is
        highest in these data. An interval with 0 allows for no effect or one in the other
        direction. Effects are missing for features that are constant, or constant within classes;
        and for all of them where a class is too small to be halved, in which case
        ``attrs["why_none"]`` says why.

    Notes
    -----
    Intervals are about all selected features together: 95% of their effects lie in them, as the
    claim ``effects`` in the guide, page "How we know", shows. The fewer features there are, the
    less they show of each other, and the less effects are shrunken.

    References
    ----------
    Stephens (2017); Efron (2011), on selection bias; Hedges and Olkin (1985).

    Examples
    --------
    Noise: the observed effect of the best of 500 features is large, the estimate is not.

    >>> import numpy as np, holdfast as hf
    >>> X, codes = np.random.default_rng(0).normal(size=(60, 500)), np.arange(60) % 2
    >>> effects = hf.judge.shrunken_effects(X, codes, ["ill", "well"])
    >>> best = effects.loc[effects["observed"].idxmax()]
    >>> bool(best["observed"] > 0.8), bool(best["effect"] < 0.3), bool(best["low"] <= 0)
    (True, True, True)
    """
    observed = effect_sizes(X, codes, classes)
    table = pd.DataFrame(
        {
            "observed": observed["effect"],
            **dict.fromkeys(NUMBERS[1:], np.nan),
            "direction": observed["direction"],
        }
    )
    try:
        halves = _halves(codes, groups, random_state)
    except InvalidInputError as error:
        table.attrs["why_none"] = str(error)
        return table
    full, noise = _full_and_noise(X, codes, len(classes), halves)
    highest = _highest(observed["direction"], classes, len(full.effects))
    for contrast in range(len(full.effects)):
        statistics = np.abs(full.effects[contrast] / full.units[contrast])
        known = np.isfinite(statistics)
        own = known & (highest == contrast)
        if not own.any() or not (noise[:, contrast] > 0).all():
            continue
        freedom = float(np.median(full.freedom[known]))
        shrunken = _shrink(statistics[known], freedom, noise[:, contrast])
        rows = np.flatnonzero(own)
        chosen = own[known]
        for name, values in zip(NUMBERS[1:], shrunken, strict=True):
            table.loc[rows, name] = values[chosen] * full.units[contrast, own]
    return table


def _halves(
    codes: NDArray[Any], groups: NDArray[Any] | None, random_state: int
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return pairs of disjoint halves of the rows, of whole subjects."""
    labels = np.array([str(code) for code in codes])
    drawn = ReplicationDesign(N_SPLITS).draw(labels, groups, random_state)
    rows = [one.train for one in drawn if one.role == HALF]
    return list(zip(rows[::2], rows[1::2], strict=True))


def _highest(directions: pd.Series[Any], classes: Sequence[str], n_contrasts: int) -> Array:
    """Return the contrast of each feature; two classes have a single one."""
    places = {label: at for at, label in enumerate(classes)}
    found = [places.get(label, -1) if label is not None else -1 for label in directions]
    highest = np.array(found)
    return np.where(highest >= 0, 0, -1) if n_contrasts == 1 else highest


def _full_and_noise(
    X: NDArray[Any],
    codes: NDArray[Any],
    n_classes: int,
    halves: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]],
) -> tuple[_Contrasts, Array]:
    """Return the contrasts of the full data, and their noise by split and contrast.

    Noise is the root mean square, over features, of a difference that would be 1 for independent
    samples and normal features.
    """
    parts, squares, counts = [], 0.0, 0.0
    for block in blocks(X.shape[1], len(X)):
        columns = X[:, block]
        parts.append(_contrasts(class_sums(columns, codes, n_classes)))
        apart = np.array(
            [
                np.subtract(
                    *(
                        _stable(_contrasts(class_sums(columns[rows], codes[rows], n_classes)))
                        for rows in pair
                    )
                )
                for pair in halves
            ]
        )
        known = np.isfinite(apart)
        squares = squares + np.where(known, np.square(apart) / 2, 0.0).sum(axis=2)
        counts = counts + known.sum(axis=2)
    full = _Contrasts(*(np.concatenate(column, axis=-1) for column in zip(*parts, strict=True)))
    with np.errstate(divide="ignore", invalid="ignore"):  # a class that no half has
        return full, np.sqrt(squares / counts)


def _contrasts(sums: ClassSums) -> _Contrasts:
    """Return the standardised difference of each class, of two the second, from the rest."""
    own = slice(1, 2) if len(sums.counts) == 2 else slice(None)
    counts, means = sums.counts, np.nan_to_num(sums.means)
    n_all, total = counts.sum(axis=0), (means * counts).sum(axis=0)
    n_own = counts[own]
    n_rest = n_all - n_own
    freedom = n_all - (counts > 0).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # too few known values, no spread
        spread = np.sqrt(sums.squares.sum(axis=0) / freedom)
        spread = np.where((spread > 1e-12 * sums.scale) & (freedom > 0), spread, np.nan)
        effects = (means[own] - (total - means[own] * n_own) / n_rest) / spread
        units = np.sqrt(1 / n_own + 1 / n_rest)
    return _Contrasts(np.where(np.isfinite(units), effects, np.nan), units, freedom)


def _stable(contrasts: _Contrasts) -> Array:
    """Return statistics on the scale on which their variance is about 1, whatever the effect."""
    freedom = np.maximum(contrasts.freedom, 1.0)
    unbiased = 1 - 3 / (4 * freedom - 1)
    scale = np.sqrt(2 * (freedom + 2))
    return np.asarray(
        scale * np.arcsinh(unbiased * contrasts.effects / contrasts.units / scale), dtype=np.float64
    )


def _shrink(statistics: Array, freedom: float, noise: Array) -> tuple[Array, Array, Array]:
    """Return posterior means and the ends of 95% intervals of absolute t statistics.

    All are in standard errors. They depend on the statistic alone, so they are computed on a grid.
    """
    largest = max(float(statistics.max()), 1.0)
    grid = largest * np.linspace(0, 1, N_GRID_POINTS) ** 2
    counts = np.histogram(statistics, grid)[0].astype(np.float64)
    scales = np.append(0.0, PRIOR_SCALES * max(1.0, largest / PRIOR_SCALES[-1]))
    posterior = _posterior(grid, counts, scales, freedom, np.quantile(noise, NOISE_QUANTILES))
    mean = (posterior.weights * posterior.means).sum(axis=1)
    ends = [
        _quantile(posterior, share)
        for share in ((1 - INTERVAL_LEVEL) / 2, (1 + INTERVAL_LEVEL) / 2)
    ]
    low, high = ends
    return (
        np.interp(statistics, grid, mean),
        np.interp(statistics, grid, low),
        np.interp(statistics, grid, high),
    )


def _posterior(
    grid: Array, counts: Array, scales: Array, freedom: float, noise: Array
) -> _MixturePosterior:
    """Fit the prior for each size of the noise; return the posterior at all points of the grid."""
    variances, shrink = 1 + np.square(scales), np.square(scales) / (1 + np.square(scales))

    def log_density(points: Array) -> Array:
        """Return log densities of scaled t laws, up to a constant: noise, points, laws."""
        inside = np.square(points / noise[:, np.newaxis])[..., np.newaxis] / variances
        return np.asarray(-(freedom + 1) / 2 * np.log1p(inside / freedom) - np.log(variances) / 2)

    weights = _fit_weights(log_density((grid[1:] + grid[:-1]) / 2), counts)
    logs = log_density(grid) + np.log(weights)[:, np.newaxis]
    each = np.exp(logs - logs.max(axis=2, keepdims=True))
    each /= each.sum(axis=2, keepdims=True) * len(noise)
    points = (grid / noise[:, np.newaxis])[..., np.newaxis]
    # the standard deviation within classes is estimated: its square, relative to the true one, has
    # a gamma law given the statistic
    squared = (freedom + 1) / (freedom + np.square(points) / variances)
    relative, variance = (
        np.sqrt(squared) * (1 - 1 / (4 * (freedom + 1))),
        squared / (freedom + 1) / 2,
    )
    size = noise[:, np.newaxis, np.newaxis]
    means = size * shrink * points * relative
    spreads = size * np.sqrt(shrink + np.square(shrink * points) * variance)
    return _MixturePosterior(*(np.hstack(list(part)) for part in (each, means, spreads)))


def _fit_weights(log_density: Array, counts: Array) -> Array:
    """Fit the weights of the prior's laws by EM, for each size of the noise."""
    density = np.exp(log_density - log_density.max(axis=2, keepdims=True))
    n_laws = density.shape[2]
    weights = np.full((len(density), n_laws), 1 / n_laws)
    for _ in range(N_STEPS):
        total = np.einsum("sgl,sl->sg", density, weights)
        seen = weights * np.einsum("sgl,sg->sl", density, counts / total)
        weights = (seen + PRIOR_COUNT / n_laws) / (counts.sum() + PRIOR_COUNT)
    return weights


def _quantile(posterior: _MixturePosterior, share: float) -> Array:
    """Return a quantile of each mixture by bisection; the law of no effect is an atom at 0."""
    weights, means, spreads = posterior
    reach = float((np.abs(means) + 10 * spreads).max())
    low, high = (np.full(len(weights), end) for end in (-reach, reach))
    atom = spreads == 0
    some = np.where(atom, 1.0, spreads)
    for _ in range(N_BISECTIONS):
        middle = (low + high) / 2
        points = middle[:, np.newaxis]
        below = np.where(atom, points >= 0, ndtr((points - means) / some))
        enough = (weights * below).sum(axis=1) >= share
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    middle = (low + high) / 2
    return np.where(np.abs(middle) < reach * 2.0 ** (2 - N_BISECTIONS), 0.0, middle)
