"""CAT score: t-scores that are decorrelated with a shrunk correlation matrix."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from holdfast._random import RandomState
from holdfast._typing import FloatArray, IndexArray, MatrixLike
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.select._ranker import ThresholdScorer
from holdfast.select._registry import selector

SCORE_WITHOUT_VARIANCE = 1e150
"""t-score of a difference of means without any variance; chosen so that its square is finite."""
ROUNDING = 1e-13
"""Relative size up to which a deviation is taken for rounding of a mean: about 500 roundings."""
RANK_TOLERANCE = 1e-10
"""Eigenvalues below this share of the largest one count as 0; chosen by hand."""


class Shrinkage(NamedTuple):
    """Shrinkage intensities of correlations, variances and class frequencies."""

    correlations: float
    variances: float
    frequencies: float


@selector(
    name="cat_score",
    title="CAT score (shrinkage correlation-adjusted t)",
    references=("zuber2009", "dernoncourt2014"),
    aliases=("correlation_adjusted_t",),
)
class CATScore(ThresholdScorer):
    r"""Score features by their correlation-adjusted t-scores.

    .. math:: \mathrm{cat}_k = (R^*)^{-1/2}\, t_k, \qquad
              \text{score} = \sqrt{\textstyle\sum_k (1 - f_k)\,\mathrm{cat}_k^2}

    t_k are shrinkage t-scores of class k against the pooled mean, R* is the correlation matrix
    shrunk towards the identity and f_k are the class frequencies shrunk towards equal ones. With
    two classes the score is the absolute CAT score. Correlations are within classes. For more
    features than samples the root is taken in the space that the samples span: nothing of size
    p x p is formed.

    Parameters
    ----------
    shrinkage : float or None, default None
        Shrinkage of the correlations, 0 to 1; None estimates it.
    shrinkage_variances : float or None, default None
        The same for the variances, which shrink towards their median.
    shrinkage_frequencies : float or None, default None
        The same for the class frequencies.
    diagonal : bool, default False
        Leave correlations out: plain shrinkage t-scores.
    threshold : float or None, default None
        Select all features that score at least this much, instead of a number of them.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them, if no cut is set.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of features with equal scores.

    Attributes
    ----------
    class_scores_ : array of shape (p, c)
        The CAT scores by class, with sign: positive if the class mean is above the pooled mean.
    shrinkage_ : Shrinkage
        The three intensities that were used.
    scores_ : array of shape (p,)
        Scores, 0 or more.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    A feature without variance within classes keeps its t-score; if no shrinkage gives it a
    variance, the score is 0 for equal means, else 1e150. Without shrinkage of the correlations, and
    with more features than samples, the inverse is a pseudo-inverse, and a warning is raised.

    References
    ----------
    V. Zuber, K. Strimmer (2009). Gene ranking and biomarker discovery under correlation.
    Bioinformatics 25(20), 2700-2707.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> hf.CATScore(n_features_to_select=2).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    """

    def __init__(
        self,
        *,
        shrinkage: float | None = None,
        shrinkage_variances: float | None = None,
        shrinkage_frequencies: float | None = None,
        diagonal: bool = False,
        threshold: float | None = None,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.shrinkage = shrinkage
        self.shrinkage_variances = shrinkage_variances
        self.shrinkage_frequencies = shrinkage_frequencies
        self.diagonal = diagonal
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        data = _shift_and_scale(np.asarray(X, dtype=np.float64))
        n = len(data)
        share = np.bincount(y) / n
        frequencies, by_frequency = _shrink_frequencies(
            share, n, self._check_shrinkage("shrinkage_frequencies")
        )
        means = np.array([data[y == k].mean(axis=0) for k in range(len(share))])
        centred = data - means[y]
        # features that vary within classes by no more than the rounding of their means are 0
        noise = np.abs(centred).max(axis=0) <= ROUNDING * np.abs(data).max(axis=0)
        centred = np.where(noise, 0.0, centred)
        variances, by_variance = _shrink_variances(
            centred, len(share), self._check_shrinkage("shrinkage_variances")
        )
        scores = _t_scores(means, variances, frequencies, n)
        by_correlation = np.nan
        if not self.diagonal:
            scores, by_correlation = _decorrelate_scores(
                scores, centred, self._check_shrinkage("shrinkage")
            )
        self.class_scores_ = scores
        self.shrinkage_ = Shrinkage(by_correlation, by_variance, by_frequency)
        # [Zuber2009]_: squared scores of the classes, weighted by 1 - frequency, summed
        return np.asarray(np.sqrt(np.square(scores) @ (1 - frequencies)))

    def _check_shrinkage(self, name: str) -> float | None:
        value: float | None = getattr(self, name)
        if value is not None and not 0 <= value <= 1:
            raise InvalidInputError(f"{name} must lie between 0 and 1 or be None, got {value}.")
        return value


def _shift_and_scale(data: FloatArray) -> FloatArray:
    """Subtract the first row, so that constant features are 0, and scale to values up to 1.

    All features are divided by one power of two, which changes no score.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is reported below
        shifted = data - data[0]
    largest = np.abs(shifted).max(initial=0.0)
    if not np.isfinite(largest):
        raise InvalidInputError("X holds values too large to be subtracted; rescale the features.")
    # a power of two scales without rounding; scores do not depend on the unit
    return np.asarray(np.ldexp(shifted, -np.frexp(largest)[1]))


def _shrink_frequencies(
    share: FloatArray, n: int, intensity: float | None
) -> tuple[FloatArray, float]:
    """Shrink class frequencies towards equal ones."""
    target = 1 / len(share)
    if intensity is None:
        # sum of the variances of the frequencies over their squared distance from the target, the
        # intensity of the smallest mean squared error (James-Stein); likewise below
        distance = np.square(share - target).sum()
        intensity = float((share * (1 - share)).sum() / (n - 1) / distance) if distance > 0 else 1.0
        intensity = min(max(intensity, 0.0), 1.0)
    return intensity * target + (1 - intensity) * share, intensity


def _shrink_variances(
    centred: FloatArray, classes: int, intensity: float | None
) -> tuple[FloatArray, float]:
    """Shrink variances within classes towards their median."""
    n = len(centred)
    squares = np.square(centred)
    mean = squares.mean(axis=0)
    plain = mean * n / (n - 1)
    target = float(np.median(plain))
    if intensity is None:
        noise = (np.square(squares).mean(axis=0) - mean**2).sum()
        distance = np.square(mean - target * (n - 1) / n).sum()
        intensity = float(noise / distance / (n - 1)) if distance > 0 else 1.0
        intensity = min(max(intensity, 0.0), 1.0)
    # the variances above divide by n - 1, but one mean per class was subtracted
    return (intensity * target + (1 - intensity) * plain) * (n - 1) / (n - classes), intensity


def _t_scores(
    means: FloatArray, variances: FloatArray, frequencies: FloatArray, n: int
) -> FloatArray:
    """Standardised distance of each class mean from the pooled mean; features x classes."""
    pooled = frequencies @ means
    # standard error of a class mean minus the pooled mean, which contains that class: 1/n_k - 1/n
    error = np.sqrt((1 - frequencies) / (frequencies * n))
    deviation = np.sqrt(variances)[:, None] * error[None, :]
    distance = (means - pooled).T
    # equal means of constant classes must not differ by the rounding of the pooled mean
    differs = np.abs(distance) > ROUNDING * np.abs(means).max(axis=0)[:, None]
    scores = np.where(differs, np.sign(distance) * SCORE_WITHOUT_VARIANCE, 0.0)
    return np.asarray(np.divide(distance, deviation, out=scores, where=deviation > 0))


def _decorrelate_scores(
    scores: FloatArray, centred: FloatArray, intensity: float | None
) -> tuple[FloatArray, float]:
    """Multiply scores by the inverse root of the shrunk correlation matrix."""
    n = len(centred)
    spread = np.sqrt(np.square(centred).sum(axis=0) / (n - 1))
    varies = spread > 0
    points = centred[:, varies] / spread[varies]
    gram = points @ points.T if _is_wide(points) else points.T @ points  # the smaller matrix
    if intensity is None:
        intensity = _correlation_shrinkage(points, gram)
    adjusted = scores.copy()
    adjusted[varies] = _inverse_root(points, gram, intensity, scores[varies])
    return adjusted, intensity


def _is_wide(points: FloatArray) -> bool:
    """Return whether there are at least as many features as samples."""
    return bool(points.shape[1] >= len(points))


def _correlation_shrinkage(points: FloatArray, gram: FloatArray) -> float:
    """Estimate the shrinkage intensity of the correlations.

    The squared Frobenius norms of both Gram matrices are equal, so the sum over pairs of features
    can be taken over pairs of samples.
    """
    n = len(points)
    squares = np.square(points)
    variances = squares.mean(axis=0)
    # sums over pairs of features i != j, without a p x p matrix: all pairs minus the diagonal
    pairs = np.square(gram).sum() / n**2 - np.square(variances).sum()
    fourth = np.square(squares.sum(axis=1)).mean() - np.square(squares).mean(axis=0).sum()
    if pairs <= 0:
        return 1.0
    return float(min(max((fourth - pairs) / ((n - 1) * pairs), 0.0), 1.0))


def _inverse_root(
    points: FloatArray, gram: FloatArray, intensity: float, scores: FloatArray
) -> FloatArray:
    """Apply (λI + (1 - λ)R)^(-1/2) through the eigenvectors of the smaller Gram matrix."""
    values, vectors = np.linalg.eigh(gram)
    keep = values > RANK_TOLERANCE * values.max(initial=0.0)
    values, vectors = values[keep], vectors[:, keep]
    # the eigenvectors of P'P follow from those of PP': P'v / sqrt(value)
    directions = points.T @ (vectors / np.sqrt(values)) if _is_wide(points) else vectors
    projections = directions.T @ scores
    eigenvalues = (1 - intensity) * values / (len(points) - 1)
    if intensity > 0:
        # orthogonal to the directions the matrix is λI, so only their part needs a correction
        gain = 1 / np.sqrt(eigenvalues + intensity) - 1 / np.sqrt(intensity)
        return np.asarray(scores / np.sqrt(intensity) + directions @ (gain[:, None] * projections))
    if len(values) < len(scores):
        warnings.warn(
            "the correlation matrix is not shrunk and not of full rank: a pseudo-inverse is used.",
            HoldfastWarning,
            stacklevel=6,
        )
    return np.asarray(directions @ (projections / np.sqrt(eigenvalues)[:, None]))
