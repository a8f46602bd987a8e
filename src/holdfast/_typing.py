"""Types that annotations share: arrays by their elements, and what users may pass.

scikit-learn ships no types, and accepts as data whatever its own checks accept. The aliases of
``Any`` below name what is meant where no narrower type exists; the checks are done at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyArray: TypeAlias = NDArray[Any]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
IndexArray: TypeAlias = NDArray[np.intp]
"""Positions of rows, columns or features, counted from 0."""
IntArray: TypeAlias = NDArray[np.int64]

RowLists: TypeAlias = Sequence[NDArray[np.integer]]
"""The rows of each resample."""

MatrixLike: TypeAlias = Any
"""Samples by features: an array, a sparse matrix, or a data frame of pandas or polars."""
LabelsLike: TypeAlias = Any
"""One entry per sample: classes, subjects or cohorts, as an array, list or column."""
EstimatorLike: TypeAlias = Any
"""An object with scikit-learn's ``fit`` and ``get_params``, or the name of one."""
SelectorLike: TypeAlias = Any
"""A selector, an estimator, a function ``f(X, y)``, or a name with options."""
ProtocolLike: TypeAlias = Any
"""A protocol, a splitter of scikit-learn, a list of resamples, or a name with options."""
DataLike: TypeAlias = Any
"""A path, the ``@name`` of a bundled data set, a frame of pandas or polars, or a `Dataset`."""
FeaturesLike: TypeAlias = Any
"""Features by name, by number, or as a mask."""
PreferenceView: TypeAlias = Any
"""Preferences in the form that a measure needs: tables of overlaps, rankings, weights, groups."""
JSON: TypeAlias = Any
"""A value of a JSON document: object, array, string, number, true, false or null."""
DaskClient: TypeAlias = Any
"""A ``distributed.Client``; the package is optional."""
