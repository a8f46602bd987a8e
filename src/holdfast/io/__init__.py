"""Files in: data sets, and selections, scores and ranks that any program wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._lazy_exports import lazy_exports

if TYPE_CHECKING:
    from holdfast.io._dataset import (
        Dataset,
        DatasetGenerator,
        DataSummary,
        GeneratedData,
        check_for_study,
        class_means,
        constant_features,
        has_missing,
        impute_medians,
    )
    from holdfast.io._frames import from_arrays
    from holdfast.io._named_datasets import DATASETS, SIGN
    from holdfast.io._read_data import read_data
    from holdfast.io._read_preferences import (
        read_preferences,
        read_similarity,
        read_with_similarity,
    )
    from holdfast.io._sparse import (
        as_canonical_csr,
        check_indices,
    )
    from holdfast.io._text_files import refuse_missing_list, refuse_unreadable

__all__ = [
    "DataSummary",
    "Dataset",
    "check_for_study",
    "from_arrays",
    "read_data",
    "read_preferences",
    "read_similarity",
    "read_with_similarity",
]

__getattr__, __dir__ = lazy_exports(__name__)
