"""Data for small studies."""

from __future__ import annotations

import numpy as np


def small_data(n_features=200):
    """Return data in memory: noise, and five features that differ between two classes."""
    y = np.arange(60) % 2
    X = np.random.default_rng(7).standard_normal((60, n_features))
    X[:, :5] += y[:, None]
    return X, y
