"""Two Gaussian classes whose errors are known exactly."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import ndtr

from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.simulate._gaussian_theory import best_features, block_sums, correlate, distances

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = np.float64 | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GaussianModel:
    r"""Two equally likely classes, :math:`N(+\mu, \Sigma)` and :math:`N(-\mu, \Sigma)`.

    Variances are 1. Features come in blocks of neighbours; two features of one block have the
    same correlation, features of different blocks are independent. Nothing of size p x p is
    formed: a block is a common factor and noise of each feature's own, and its inverse is known.

    Parameters
    ----------
    mu : array-like of shape (p,)
        Half the difference of the class means of each feature, in standard deviations within a
        class. (`Simulated.effects` is the whole difference, ``2 * mu``.)
    block_size : int, default 1
        Number of features in a block; the last block may be smaller.
    correlation : float, default 0.0
        Correlation of two features of one block, from 0 to below 1.

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

    mu: NDArray[np.float64]
    block_size: int = 1
    correlation: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", means_of(self.mu))
        object.__setattr__(self, "block_size", check_integer(self.block_size, "block_size", 1))
        object.__setattr__(self, "correlation", correlation_of(self.correlation))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.mu)

    @property
    def independent(self) -> bool:
        """Whether no two features are correlated."""
        return self.block_size == 1 or self.correlation == 0

    def bayes_error(self, features: ArrayLike | None = None) -> Floats:
        r"""Error of the best possible rule on some features.

        .. math:: \Phi\left(-\sqrt{\mu_S^\top \Sigma_S^{-1} \mu_S}\right)

        It lies between 0 and 0.5, and is 0.5 without features.

        Parameters
        ----------
        features : array-like of int of shape (..., d), optional
            Features by their index, each at most once; all by default. The last axis is a subset;
            more axes are many subsets at once.

        Returns
        -------
        float, or ndarray of shape (...)

        Examples
        --------
        >>> from holdfast.simulate import GaussianModel
        >>> GaussianModel([1.0, 0.5]).bayes_error([[0], [1]]).round(4)
        array([0.1587, 0.3085])
        """
        chosen = self._chosen(features)
        squared = distances(self.mu[chosen], self._blocks(chosen), self.correlation)
        return _error(np.sqrt(squared))

    def best_subset(self, size: int) -> NDArray[np.intp]:
        r"""Return the features whose Bayes error is the least among all subsets of a size.

        Of independent features these are the ones with the largest means. With blocks the best
        subset is still found exactly, in :math:`O(p \cdot size)`, see Notes.

        Parameters
        ----------
        size : int
            Number of features, from 0 to all.

        Returns
        -------
        ndarray of shape (size,)
            Indices in rising order; of equally good subsets one is given.

        Notes
        -----
        With all other features fixed, the squared distance is strictly convex in the mean of one
        feature. So in the best subset of a block no feature lies between two that are left out:
        it is a head and a tail of the features sorted by their means. Sizes are shared out among
        the blocks by dynamic programming.

        Examples
        --------
        >>> from holdfast.simulate import GaussianModel
        >>> GaussianModel([0.5, 0.4, -0.3], block_size=3, correlation=0.6).best_subset(2)
        array([0, 2])
        """
        count = check_integer(size, "size", 0)
        if count > self.n_features:
            raise InvalidInputError(
                f"size must be at most the number of features ({self.n_features:,}); "
                f"received {count:,}."
            )
        if self.independent:
            return np.sort(np.argsort(-np.abs(self.mu), kind="stable")[:count])
        return best_features(self.mu, self.block_size, self.correlation, count)

    def best_error(self, size: int) -> float:
        """Return the Bayes error of the best subset of a size.

        Parameters
        ----------
        size : int
            Number of features, from 0 to all.

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
    ) -> Floats:
        r"""Error of a linear rule, without a test sample.

        The rule is for :math:`+\mu` where :math:`w^\top x + b > 0`. With
        :math:`s = \sqrt{w^\top \Sigma w}` it errs in a share of

        .. math:: \tfrac12 \Phi\left(-\frac{w^\top\mu + b}{s}\right)
                  + \tfrac12 \Phi\left(-\frac{w^\top\mu - b}{s}\right)

        of the samples. A rule without weights errs in one half.

        Parameters
        ----------
        weights : array-like of shape (..., d)
            The last axis is a rule; more axes are many rules at once.
        offset : array-like of shape (...), default 0.0
            What is added to the weighted sum.
        features : array-like of int of shape (d,) or (..., d), optional
            The feature each weight belongs to; all by default.

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
        chosen = self._chosen(features)
        w, b = np.asarray(weights, dtype=np.float64), np.asarray(offset, dtype=np.float64)
        check_rules(w, b, chosen)
        signal = np.sum(w * self.mu[chosen], axis=-1)
        spread = np.sqrt(self._variance(w, np.broadcast_to(chosen, w.shape)))
        return (_error_beyond(signal + b, spread) + _error_beyond(signal - b, spread)) / 2

    def draw(
        self, n_per_class: int | tuple[int, int], generator: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Draw samples.

        Parameters
        ----------
        n_per_class : int or pair of int
            Number of samples of each class, or of the class at +mu and of that at -mu.
        generator : numpy.random.Generator
            Where random numbers come from.

        Returns
        -------
        X : ndarray of shape (n, p)
            One row a sample; those of the class at +mu come first.
        positive : ndarray of shape (n,)
            Which samples are of the class at +mu.

        Examples
        --------
        >>> import numpy as np
        >>> from holdfast.simulate import GaussianModel
        >>> X, positive = GaussianModel([1.0, 0.5]).draw((3, 2), np.random.default_rng(0))
        >>> X.shape, positive
        ((5, 2), array([ True,  True,  True, False, False]))
        """
        counts = counts_of(n_per_class)
        X = generator.standard_normal((sum(counts), self.n_features))
        if not self.independent:
            correlate(X, self.block_size, self.correlation, generator)
        X[: counts[0]] += self.mu
        X[counts[0] :] -= self.mu
        return X, np.repeat([True, False], counts)

    def _chosen(self, features: ArrayLike | None) -> NDArray[np.intp]:
        if features is None:
            return np.arange(self.n_features)
        return distinct_features(features, self.n_features)

    def _blocks(self, chosen: NDArray[np.intp]) -> NDArray[np.intp] | None:
        """Return the block of each feature, or None where blocks do not matter."""
        return None if self.independent else chosen // self.block_size

    def _variance(self, weights: NDArray[np.float64], chosen: NDArray[np.intp]) -> Floats:
        """Return the variance of weighted sums within a class."""
        blocks = self._blocks(chosen)
        own = np.asarray(np.sum(weights**2, axis=-1))
        if blocks is None:
            return own
        common = np.asarray(np.sum(block_sums(weights, blocks) ** 2, axis=-1))
        return (1 - self.correlation) * own + self.correlation * common


def _error(distance: Floats) -> Floats:
    return ndtr(-distance)


def _error_beyond(signal: Floats, spread: Floats) -> Floats:
    """Return the error of one class; one half where all samples get the same value."""
    safe = np.where(spread > 0, spread, 1.0)
    return _error(np.where(spread > 0, signal / safe, 0.0))


# What a Gaussian model can be made of and asked for.


def means_of(values: ArrayLike) -> NDArray[np.float64]:
    """Return the means as an array of their own that nobody can write to."""
    mu = np.array(values, dtype=np.float64)
    if mu.ndim != 1 or len(mu) == 0 or not np.isfinite(mu).all():
        raise InvalidInputError(
            "mu must be a list of finite numbers, one for each feature; "
            f"received an array of shape {mu.shape}"
            + ("." if np.isfinite(mu).all() else " with values that are not finite.")
        )
    mu.setflags(write=False)
    return mu


def check_rules(
    weights: NDArray[np.float64], offset: NDArray[np.float64], chosen: NDArray[np.intp]
) -> None:
    """Refuse weights, offsets and features that do not belong together."""
    if weights.ndim == 0 or chosen.shape not in {weights.shape, weights.shape[-1:]}:
        raise InvalidInputError(
            "weights must have one number for each feature; received shapes "
            f"{weights.shape} for weights and {chosen.shape} for features."
        )
    if offset.shape not in {(), weights.shape[:-1]}:
        raise InvalidInputError(
            f"offset must be one number for each rule (shape {weights.shape[:-1]}); "
            f"received shape {offset.shape}."
        )
    if not (np.isfinite(weights).all() and np.isfinite(offset).all()):
        raise InvalidInputError("weights and offset must be finite; received some that are not.")


def counts_of(n_per_class: int | tuple[int, int]) -> tuple[int, int]:
    """Return the number of samples of each class."""
    pair = n_per_class if isinstance(n_per_class, tuple | list) else (n_per_class, n_per_class)
    if len(pair) != 2:
        raise InvalidInputError(
            f"n_per_class must be a whole number or a pair of them; received {n_per_class!r}."
        )
    return check_integer(pair[0], "n_per_class", 0), check_integer(pair[1], "n_per_class", 0)


def correlation_of(value: object) -> float:
    """Return a correlation that a common factor can give."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool) and 0 <= float(value) < 1:
        return float(value)
    raise InvalidInputError(
        f"correlation must lie from 0 to below 1; received {value!r}. "
        "At 1 the features of a block are copies of each other: use one of them."
    )


def distinct_features(features: ArrayLike, n_features: int) -> NDArray[np.intp]:
    """Return indices of features, each at most once along the last axis."""
    found = np.asarray(features)
    if found.size == 0:
        return found.astype(np.intp)
    if found.ndim == 0 or found.dtype.kind not in "iu":
        raise InvalidInputError(
            "features must be a list of whole numbers, the indices of features; received "
            f"{found.dtype} of shape {found.shape}. numpy.flatnonzero turns a mask into indices."
        )
    if found.min() < 0 or found.max() >= n_features:
        raise InvalidInputError(
            f"features must lie from 0 to {n_features - 1:,}; received {found.min()} to "
            f"{found.max()}."
        )
    if not np.diff(np.sort(found, axis=-1), axis=-1).all():
        raise InvalidInputError("features must name each feature at most once; one comes twice.")
    return found.astype(np.intp, copy=False)
