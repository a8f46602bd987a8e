"""Reference implementation of the Gaussian model with its covariance matrix."""

import numpy as np
from scipy.stats import norm


def covariance(model):
    block = np.arange(model.n_features) // model.block_size
    sigma = np.where(block[:, np.newaxis] == block, model.correlation, 0.0)
    np.fill_diagonal(sigma, 1.0)
    return sigma


def bayes_error(model, features):
    mu, sigma = model.mu[features], covariance(model)[np.ix_(features, features)]
    return norm.cdf(-np.sqrt(mu @ np.linalg.solve(sigma, mu)))


def counted_error(rule, X, positive):
    """Return the balanced error of a rule on samples, and its standard error."""
    wrong = (X @ rule.weights + rule.offset > 0) != positive
    shares = [wrong[positive].mean(), wrong[~positive].mean()]
    variance = sum(
        share * (1 - share) / count
        for share, count in zip(shares, (positive.sum(), (~positive).sum()), strict=True)
    )
    return np.mean(shares), np.sqrt(variance) / 2
