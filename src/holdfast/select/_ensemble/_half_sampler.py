"""What selectors share that run a base selector on halves of the samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from holdfast._typing import AnyArray, LabelsLike, MatrixLike, SelectorLike
from holdfast.errors import InvalidInputError
from holdfast.select._ensemble._ensemble import Resampler
from holdfast.select._ensemble._stability_path import LabelledSamples, as_base, is_regression
from holdfast.select._l1_path import L1Path

if TYPE_CHECKING:
    from holdfast.select._ranker import Ranker

MAX_EXPECTED_CLASSES = 20
"""With more distinct numbers than this, errors explain how to regress; chosen by hand."""


class HalfSampler(Resampler):
    """Base class of selectors that run a base on halves of the samples; the base may regress."""

    base: SelectorLike

    @property
    def supports_missing(self) -> bool:
        """Whether the data may hold missing values: if the base accepts them."""
        return self._base().supports_missing

    @property
    def selects_own_size(self) -> bool:
        """Whether the selector chooses the number of features itself."""
        return self.n_features_to_select is None

    def _label_samples(self, X: MatrixLike, y: AnyArray) -> LabelledSamples:
        classes = self.classes_ if self._needs_classes else None
        return LabelledSamples(X, y, classes, self._subjects)

    def _base(self) -> Ranker:
        return as_base(self.base, L1Path)

    def _validate_data(self, X: MatrixLike, y: LabelsLike) -> tuple[Any, AnyArray]:
        # decided by the target: the same base may classify or regress
        self._needs_classes = not is_regression(self._base(), y)
        if self._needs_classes:
            return self._validate_classes(X, y)
        data, target = validate_data(
            self,
            X,
            y,
            y_numeric=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if self.supports_missing else True,
            ensure_min_samples=4,
        )
        return data, target.astype(np.float64)

    def _validate_classes(self, X: MatrixLike, y: LabelsLike) -> tuple[Any, AnyArray]:
        try:
            return super()._validate_data(X, y)
        except InvalidInputError as error:
            # only numbers can be meant as a target of regression
            if np.asarray(y).dtype.kind not in "iuf" or len(np.unique(y)) <= MAX_EXPECTED_CLASSES:
                raise
            raise InvalidInputError(
                f"{error} To regress on integers, give base=L1Path(family='gaussian') or a "
                "regressor."
            ) from None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
