"""What a Gaussian model can be made of and asked for."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import numpy as np

from holdfast._checks import whole
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


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
    return whole(pair[0], "n_per_class", 0), whole(pair[1], "n_per_class", 0)


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
