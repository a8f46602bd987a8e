"""Slow and obvious versions of what theory computes, and scores drawn from their distribution."""

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom, chi, hypergeom, norm


def spreads(freedom, points):
    """Values of the estimated deviation over the true one, with the chi density as weights."""
    low, high = chi.ppf([1e-17, 1 - 1e-16], freedom) / np.sqrt(freedom)
    w, step = np.linspace(low, high, points, retstep=True)
    return w, chi.pdf(w * np.sqrt(freedom), freedom) * np.sqrt(freedom) * step


def tail(t, shift, freedom, points=2001):
    """P(|T| > t) of the noncentral t: the normal tail integrated over the chi density."""
    if np.isinf(freedom):
        return ndtr(shift - t) + ndtr(-shift - t)
    w, weight = spreads(freedom, points)
    edge = np.multiply.outer(t, w)
    return (ndtr(shift - edge) + ndtr(-shift - edge)) @ weight


def density(t, shift, freedom, points=2001):
    """The density of |T|."""
    w, weight = spreads(freedom, points)
    edge = np.multiply.outer(t, w)
    return (norm.pdf(shift - edge) + norm.pdf(shift + edge)) @ (w * weight)


def two_points(n, effect, p, informative, d):
    """Probabilities of 0 to d informative features in a selection, by binomial sums.

    The last selected feature scores t; it is informative or not, the others lie on their sides.
    """
    freedom, shift = 2 * n - 2, effect * np.sqrt(2 * n)
    t, step = np.linspace(0.005, 25, 1000, retstep=True)
    f1, f0 = (density(t, one, freedom, 301) for one in (shift, 0.0))
    s1, s0 = (tail(t, one, freedom, 301) for one in (shift, 0.0))
    other = p - informative
    i = np.arange(d + 1)[:, np.newaxis]
    last1 = informative * f1 * binom.pmf(i - 1, informative - 1, s1) * binom.pmf(d - i, other, s0)
    last0 = other * f0 * binom.pmf(i, informative, s1) * binom.pmf(d - i - 1, other - 1, s0)
    return (last1 + last0).sum(axis=1) * step


def overlap(pmf, p, informative, d):
    """Probabilities of overlaps 0 to d of two selections with so many informative features."""
    r, total = np.arange(d + 1), np.zeros(d + 1)
    for a, first in enumerate(pmf):
        for b, second in enumerate(pmf):
            if first * second > 1e-12:
                shared = hypergeom.pmf(r, informative, a, b)
                others = hypergeom.pmf(r, p - informative, d - a, d - b)
                total += first * second * np.convolve(shared, others)[: d + 1]
    return total


def draw_scores(rng, n_per_class, effects, runs, law="f"):
    """Absolute t-scores of so many runs, from normal and χ² variates."""
    first, second = n_per_class
    shift = 2 * np.asarray(effects) * np.sqrt(first * second / (first + second))
    z = rng.normal(size=(runs, len(shift))) + shift
    if law == "chi2":
        return np.abs(z)
    freedom = first + second - 2
    return np.abs(z) / np.sqrt(rng.chisquare(freedom, size=z.shape) / freedom)


def draw_selections(rng, n_per_class, effects, d, runs, law="f"):
    """Which features each run selects, as a matrix of 0 and 1."""
    scores = draw_scores(rng, n_per_class, effects, runs, law)
    chosen = np.argpartition(-scores, d - 1, axis=1)[:, :d]
    selected = np.zeros(scores.shape, dtype=np.int8)
    np.put_along_axis(selected, chosen, 1, axis=1)
    return selected
