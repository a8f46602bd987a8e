"""Model of two Gaussian classes with exact classification errors."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from holdfast._typing import BoolArray, FloatArray, IndexArray
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.simulate._gaussian_theory import (
    best_features,
    block_sums,
    correlate_blocks,
    squared_distances,
)

FloatOrArray: TypeAlias = np.float64 | FloatArray


@dataclass(frozen=True, eq=False)
class GaussianModel:
    r"""Two equally likely classes, :math:`N(+\mu, \Sigma)` and :math:`N(-\mu, \Sigma)`.

    Variances are 1. Adjacent features form blocks: features in the same block have the same
    pairwise correlation, features in different blocks are independent. No p x p matrix is formed:
    a block is a common factor plus independent noise, and its inverse has a closed form.

    Parameters
    ----------
    mu : array-like of shape (p,)
        Half the difference between the class means of each feature, in standard deviations
        within a class. (`Simulated.effects` is the full difference, ``2 * mu``.)
    block_size : int, default 1
        Number of features in a block; the last block may be smaller.
    correlation : float, default 0.0
        Correlation of two features in the same block, at least 0 and below 1.

    References
    ----------
    Dernoncourt et al. 2014, section 4.

    Examples
    --------
    >>> from holdfast.simulate import GaussianModel
    >>> model = GaussianModel([0.9, 0.8, 0.1, 0.0], block_size=2, correlation=0.5)
    >>> model.best_subset(2), round(model.best_error(2), 4)
    (array([0, 1]), 0.1619)
    >>> round(float(model.bayes_error([0, 2])), 4), round(float(model.bayes_error()), 4)
    (0.1826, 0.1603)
    """

    mu: FloatArray
    block_size: int = 1
    correlation: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", as_means(self.mu))
        object.__setattr__(self, "block_size", check_integer(self.block_size, "block_size", 1))
        object.__setattr__(self, "correlation", check_correlation(self.correlation))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.mu)

    @property
    def independent(self) -> bool:
        """Whether no two features are correlated."""
        return self.block_size == 1 or self.correlation == 0

    def bayes_error(self, features: ArrayLike | None = None) -> FloatOrArray:
        r"""Error of the best possible rule on the given features.

        .. math:: \Phi\left(-\sqrt{\mu_S^\top \Sigma_S^{-1} \mu_S}\right)

        The error lies between 0 and 0.5; without features it is 0.5.

        Parameters
        ----------
        features : array-like of int of shape (..., d), optional
            Indices of distinct features; all features by default. The last axis is a subset;
            further axes hold several subsets.

        Returns
        -------
        float, or ndarray of shape (...)

        Examples
        --------
        >>> from holdfast.simulate import GaussianModel
        >>> GaussianModel([1.0, 0.5]).bayes_error([[0], [1]]).round(4)
        array([0.1587, 0.3085])
        """
        indices = self._as_indices(features)
        squared = squared_distances(self.mu[indices], self._blocks(indices), self.correlation)
        return ndtr(-np.sqrt(squared))

    def best_subset(self, size: int) -> IndexArray:
        r"""Return the subset of a given size with the smallest Bayes error.

        For independent features these are the ones with the largest absolute means. With blocks
        the result is exact as well and takes :math:`O(p \cdot size)` time, see Notes.

        Parameters
        ----------
        size : int
            Number of features, from 0 to the number of all features.

        Returns
        -------
        ndarray of shape (size,)
            Indices in ascending order; one of the best subsets if several are equally good.

        Notes
        -----
        With all other features fixed, the squared distance is strictly convex in the mean of one
        feature. The best subset of a block therefore consists of the first and the last features
        when these are sorted by their means. Dynamic programming distributes the size over the
        blocks.

        Examples
        --------
        >>> from holdfast.simulate import GaussianModel
        >>> GaussianModel([0.5, 0.4, -0.3], block_size=3, correlation=0.6).best_subset(2)
        array([0, 2])
        """
        count = check_integer(size, "size", 0)
        if count > self.n_features:
            raise InvalidInputError(
                f"size must be at most the number of features ({self.n_features:,}); got {count:,}."
            )
        if self.independent:
            # without correlation, the squared distance is a sum over features
            return np.sort(np.argsort(-np.abs(self.mu), kind="stable")[:count])
        return best_features(self.mu, self.block_size, self.correlation, count)

    def best_error(self, size: int) -> float:
        """Return the Bayes error of the best subset of a given size.

        Parameters
        ----------
        size : int
            Number of features, from 0 to the number of all features.

        Returns
        -------
        float

        Examples
        --------
        >>> from holdfast.simulate import GaussianModel
        >>> round(GaussianModel([1.0, 0.5, 2.0]).best_error(1), 4)
        0.0228
        """
        return float(self.bayes_error(self.best_subset(size)))

    def linear_error(
        self, weights: ArrayLike, offset: ArrayLike = 0.0, features: ArrayLike | None = None
    ) -> FloatOrArray:
        r"""Exact error of a linear rule.

        The rule predicts the class at :math:`+\mu` where :math:`w^\top x + b > 0`. With
        :math:`s = \sqrt{w^\top \Sigma w}` its error is

        .. math:: \tfrac12 \Phi\left(-\frac{w^\top\mu + b}{s}\right)
                  + \tfrac12 \Phi\left(-\frac{w^\top\mu - b}{s}\right).

        If all weights are 0, the error is 0.5.

        Parameters
        ----------
        weights : array-like of shape (..., d)
            The last axis is a rule; further axes hold several rules.
        offset : array-like of shape (...), default 0.0
            Constant added to the weighted sum.
        features : array-like of int of shape (d,) or (..., d), optional
            The feature of each weight; all features by default.

        Returns
        -------
        float, or ndarray of shape (...)

        Examples
        --------
        >>> from holdfast.simulate import GaussianModel
        >>> model = GaussianModel([1.0, 0.5])
        >>> round(float(model.linear_error([1.0, 0.5])), 4) == round(float(model.bayes_error()), 4)
        True
        >>> round(float(model.linear_error([3.0], features=[0])), 4)
        0.1587
        """
        indices = self._as_indices(features)
        w, b = np.asarray(weights, dtype=np.float64), np.asarray(offset, dtype=np.float64)
        check_rules(w, b, indices)
        signal = np.sum(w * self.mu[indices], axis=-1)
        spread = np.sqrt(self._variance(w, np.broadcast_to(indices, w.shape)))
        # both classes are equally likely
        return (_class_error(signal + b, spread) + _class_error(signal - b, spread)) / 2

    def draw(
        self, n_per_class: int | tuple[int, int], generator: np.random.Generator
    ) -> tuple[FloatArray, BoolArray]:
        """Draw samples.

        Parameters
        ----------
        n_per_class : int or pair of int
            Number of samples of each class, or a pair: at +mu and at -mu.
        generator : numpy.random.Generator
            Source of random numbers.

        Returns
        -------
        X : ndarray of shape (n, p)
            One row per sample, the class at +mu first.
        positive : ndarray of shape (n,)
            Whether each sample is of the class at +mu.

        Examples
        --------
        >>> import numpy as np
        >>> from holdfast.simulate import GaussianModel
        >>> X, positive = GaussianModel([1.0, 0.5]).draw((3, 2), np.random.default_rng(0))
        >>> X.shape, positive
        ((5, 2), array([ True,  True,  True, False, False]))
        """
        counts = as_class_counts(n_per_class)
        X = generator.standard_normal((sum(counts), self.n_features))
        if not self.independent:
            correlate_blocks(X, self.block_size, self.correlation, generator)
        X[: counts[0]] += self.mu
        X[counts[0] :] -= self.mu
        return X, np.repeat([True, False], counts)

    def _as_indices(self, features: ArrayLike | None) -> IndexArray:
        if features is None:
            return np.arange(self.n_features)
        return check_features(features, self.n_features)

    def _blocks(self, indices: IndexArray) -> IndexArray | None:
        """Return the block of each feature, or None if all features are independent."""
        return None if self.independent else indices // self.block_size

    def _variance(self, weights: FloatArray, indices: IndexArray) -> FloatOrArray:
        """Return the variance of weighted sums within a class."""
        blocks = self._blocks(indices)
        squares = np.asarray(np.sum(weights**2, axis=-1))
        if blocks is None:
            return squares
        common = np.asarray(np.sum(block_sums(weights, blocks) ** 2, axis=-1))
        # w' Sigma w for Sigma = (1 - r) I + r 11' within each block
        return (1 - self.correlation) * squares + self.correlation * common


def _class_error(signal: FloatOrArray, spread: FloatOrArray) -> FloatOrArray:
    """Return the error in one class; 0.5 where all samples have the same value."""
    safe = np.where(spread > 0, spread, 1.0)
    return ndtr(-np.where(spread > 0, signal / safe, 0.0))


# Validation of the parameters and arguments of a model.


def as_means(values: ArrayLike) -> FloatArray:
    """Return the means as a read-only copy."""
    mu = np.array(values, dtype=np.float64)
    if mu.ndim != 1 or len(mu) == 0 or not np.isfinite(mu).all():
        raise InvalidInputError(
            "mu must be a list of finite numbers, one per feature; "
            f"got an array of shape {mu.shape}"
            + ("." if np.isfinite(mu).all() else " with values that are not finite.")
        )
    mu.setflags(write=False)
    return mu


def check_rules(weights: FloatArray, offset: FloatArray, indices: IndexArray) -> None:
    """Raise an error if weights, offsets and features do not match in shape."""
    if weights.ndim == 0 or indices.shape not in {weights.shape, weights.shape[-1:]}:
        raise InvalidInputError(
            "weights must have one number per feature; got shapes "
            f"{weights.shape} for weights and {indices.shape} for features."
        )
    if offset.shape not in {(), weights.shape[:-1]}:
        raise InvalidInputError(
            f"offset must be one number per rule (shape {weights.shape[:-1]}); "
            f"got shape {offset.shape}."
        )
    if not (np.isfinite(weights).all() and np.isfinite(offset).all()):
        raise InvalidInputError("weights and offset must be finite; got NaN or infinity.")


def as_class_counts(n_per_class: int | tuple[int, int]) -> tuple[int, int]:
    """Return the number of samples of each class."""
    pair = n_per_class if isinstance(n_per_class, tuple | list) else (n_per_class, n_per_class)
    if len(pair) != 2:
        raise InvalidInputError(
            f"n_per_class must be an integer or a pair of integers; got {n_per_class!r}."
        )
    return check_integer(pair[0], "n_per_class", 0), check_integer(pair[1], "n_per_class", 0)


def check_correlation(value: object) -> float:
    """Return the correlation as a float, at least 0 and below 1."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and 0 <= float(value) < 1:
        return float(value)
    raise InvalidInputError(
        f"correlation must be at least 0 and below 1; got {value!r}. "
        "At 1 the features of a block would be copies of each other: use one of them."
    )


def check_features(features: ArrayLike, n_features: int) -> IndexArray:
    """Return the features as indices, distinct along the last axis."""
    indices = np.asarray(features)
    if indices.size == 0:
        return indices.astype(np.intp)
    if indices.ndim == 0 or indices.dtype.kind not in "iu":
        raise InvalidInputError(
            "features must be a list of integers, the indices of features; got "
            f"{indices.dtype} of shape {indices.shape}. Use numpy.flatnonzero to convert a mask."
        )
    if indices.min() < 0 or indices.max() >= n_features:
        raise InvalidInputError(
            f"features must be between 0 and {n_features - 1:,}; "
            f"got {indices.min()} to {indices.max()}."
        )
    if not np.diff(np.sort(indices, axis=-1), axis=-1).all():
        raise InvalidInputError("features must be distinct; got a feature twice.")
    return indices.astype(np.intp, copy=False)
