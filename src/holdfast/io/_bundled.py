"""Data sets that come along: ``@wine`` and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import did_you_mean
from holdfast.errors import UnknownNameError
from holdfast.io._data_columns import TARGET
from holdfast.io._data_matrix import Matrix
from holdfast.simulate import Microarray

if TYPE_CHECKING:
    from collections.abc import Callable

SIGN = "@"


def read_bundled(name: str) -> Matrix:
    """Return a data set by its name, which begins with @; its target is called ``class``."""
    if name not in BUNDLED:
        raise UnknownNameError(f"no bundled data are called {name!r}.{did_you_mean(name, BUNDLED)}")
    return BUNDLED[name](name)


def _from_sklearn(name: str) -> Matrix:
    from sklearn import datasets  # noqa: PLC0415  (not every study needs it)

    found: Any = getattr(datasets, f"load_{name.removeprefix(SIGN)}")()
    labels = np.array([str(label) for label in found.target_names])[found.target]
    return Matrix(
        where=name,
        X=np.ascontiguousarray(found.data, dtype=np.float64),
        feature_names=[str(feature) for feature in found.feature_names],
        side={TARGET: labels},
    )


def _simulated(name: str) -> Matrix:
    generator = Microarray()
    drawn = generator.draw(0)
    return Matrix(
        where=name,
        X=drawn.X,
        feature_names=list(drawn.feature_names),
        side={TARGET: drawn.y},
        truth=drawn.informative,
        generator=generator,
    )


BUNDLED: dict[str, Callable[[str], Matrix]] = {
    "@breast_cancer": _from_sklearn,
    "@digits": _from_sklearn,
    "@simulated": _simulated,
    "@wine": _from_sklearn,
}
