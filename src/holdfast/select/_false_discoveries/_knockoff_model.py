"""Gaussian knockoffs: copies of the features that know nothing about the classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, eigvalsh
from scipy.linalg.blas import dger
from sklearn.covariance import ledoit_wolf

from holdfast._typing import FloatArray
from holdfast.errors import InvalidInputError

MIN_EIGENVALUE = 1e-8
"""Smallest eigenvalue of a correlation matrix that is inverted; smaller ones are raised."""
MAX_SWEEPS = 100
"""Most sweeps of coordinate descent; at the limit the solution so far is used, which is valid."""
SWEEP_TOLERANCE = 1e-6
"""Largest relative change in a sweep at which coordinate descent ends; chosen by hand."""


def equicorrelated_distances(correlation: FloatArray) -> FloatArray:
    r"""Return equal distances, as large as possible.

    .. math:: s_j = \min(1, 2 \lambda_{\min}(\Sigma))

    Parameters
    ----------
    correlation : ndarray of shape (p, p)
        The correlations :math:`\Sigma` of the features.

    Returns
    -------
    ndarray of shape (p,)
        One minus the correlation of each feature with its knockoff.

    References
    ----------
    R. F. Barber, E. J. Candès (2015). Controlling the false discovery rate via knockoffs.
    Annals of Statistics 43(5), 2055-2085.
    """
    smallest = float(eigvalsh(correlation, subset_by_index=(0, 0))[0])
    return np.full(len(correlation), min(1.0, 2.0 * max(smallest, 0.0)))


def least_variance_distances(correlation: FloatArray) -> FloatArray:
    r"""Return the distances at which features are hardest to reconstruct from the others.

    .. math:: \min_{0 < s,\ S < 2 \Sigma} \operatorname{tr} (2\Sigma - S)^{-1} + \sum_j s_j^{-1},
              \qquad S = \operatorname{diag}(s)

    by coordinate descent. Along one coordinate the minimum has a closed form: with column d of
    :math:`(2\Sigma - S)^{-1}` the new :math:`s_j` is
    :math:`(1 + s_j d_j) / (d_j + \lVert d \rVert)`, which is always feasible. The inverse is
    updated by the formula of Sherman and Morrison, and computed again in every sweep.

    Parameters
    ----------
    correlation : ndarray of shape (p, p)
        The correlations :math:`\Sigma` of the features.

    Returns
    -------
    ndarray of shape (p,)
        One minus the correlation of each feature with its knockoff.

    References
    ----------
    A. Spector, L. Janson (2022). Powerful knockoffs via minimizing reconstructability.
    Annals of Statistics 50(1), 252-276.
    """
    p = len(correlation)
    distances = np.full(p, float(eigvalsh(correlation, subset_by_index=(0, 0))[0]))
    for _ in range(MAX_SWEEPS):
        before = distances.copy()
        factor = cho_factor(2.0 * correlation - np.diag(distances))
        # in the column order of Fortran, which the update in place requires
        inverse = np.asfortranarray(cho_solve(factor, np.eye(p)))
        for j in range(p):
            column = inverse[:, j].copy()
            new = (1.0 + distances[j] * column[j]) / (column[j] + np.sqrt(column @ column))
            change = new - distances[j]
            # (A - c e e')^-1 = A^-1 + c / (1 - c d_j) d d'
            inverse = dger(
                change / (1.0 - change * column[j]), column, column, a=inverse, overwrite_a=1
            )
            distances[j] = new
        if (np.abs(distances - before) <= SWEEP_TOLERANCE * before).all():
            break
    return distances


DISTANCES = {"mvr": least_variance_distances, "equicorrelated": equicorrelated_distances}
"""How the correlations between features and knockoffs are chosen."""


class KnockoffModel(NamedTuple):
    """The normal distribution of knockoffs given the features.

    Attributes
    ----------
    distances : ndarray of shape (p,)
        One minus the correlation of each feature with its knockoff.
    means : ndarray of shape (n, p)
        Expected knockoffs.
    root : ndarray of shape (p, p)
        The symmetric root of the covariance of the knockoffs about their means.
    """

    distances: FloatArray
    means: FloatArray
    root: FloatArray

    @classmethod
    def from_features(cls, Z: FloatArray, method: str) -> KnockoffModel:
        """Estimate the correlations by shrinkage (Ledoit and Wolf), and derive the model.

        Parameters
        ----------
        Z : ndarray of shape (n, p)
            Features with mean 0 and variance 1.
        method : {"mvr", "equicorrelated"}
            How distances are chosen.
        """
        return cls.from_correlation(Z, ledoit_wolf(Z, assume_centered=True)[0], method)

    @classmethod
    def from_correlation(cls, Z: FloatArray, correlation: FloatArray, method: str) -> KnockoffModel:
        r"""Derive the model from known correlations.

        Given the features z, knockoffs are normal with mean :math:`z - S \Sigma^{-1} z` and
        covariance :math:`2S - S \Sigma^{-1} S`, so that features and knockoffs can be swapped
        without a change of their joint distribution.
        """
        correlation = _raise_eigenvalues(correlation)
        distances = DISTANCES[method](correlation)
        scaled = cho_solve(cho_factor(correlation), np.diag(distances))
        covariance = 2.0 * np.diag(distances) - distances[:, np.newaxis] * scaled
        values, vectors = eigh((covariance + covariance.T) / 2.0)
        # equal distances make the covariance singular: its smallest eigenvalues are 0 or rounding
        # the symmetric root does not depend on the choice of eigenvectors, which rounding decides
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        return cls(distances, Z - Z @ scaled, root)

    def draw(self, generator: np.random.Generator) -> FloatArray:
        """Draw knockoffs of all features, of shape (n, p)."""
        return np.asarray(self.means + generator.standard_normal(self.means.shape) @ self.root)


def _raise_eigenvalues(correlation: FloatArray) -> FloatArray:
    """Return the matrix, with a multiple of the identity if it is too close to singular."""
    if not np.isfinite(correlation).all():
        raise InvalidInputError(
            "X holds values too large or too close together for correlations; rescale the features."
        )
    smallest = float(eigvalsh(correlation, subset_by_index=(0, 0))[0])
    if smallest >= MIN_EIGENVALUE:
        return correlation
    ridge = MIN_EIGENVALUE - min(smallest, 0.0)
    return np.asarray((correlation + ridge * np.eye(len(correlation))) / (1.0 + ridge))
