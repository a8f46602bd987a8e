"""Missing values: refused before any work, or imputed within each part of the data."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import plural, shortened
from holdfast.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.measures import Measure
    from holdfast.select import Selector


def check_missing(
    data: Dataset, selectors: Mapping[str, Selector], record: Measure, impute: str | None
) -> None:
    """Refuse missing values that selectors, or the measure, do not take.

    Parameters
    ----------
    data : Dataset
        The data.
    selectors : mapping
        Selectors by name, for messages.
    record : Measure
        The measure of similarity.
    impute : {"median"} or None
        What is put in their place.
    """
    if impute not in (None, "median"):
        raise UnknownNameError(f"impute must be 'median' or None, got {impute!r}.")
    missing = int(np.isnan(data.X).sum())
    refusing = [name for name, one in selectors.items() if not one.takes_missing]
    if missing and refusing and impute is None:
        raise InvalidInputError(
            f"the data have {plural(missing, 'missing value')}, which {_of(refusing)} not take. "
            "Impute them by the median of each part of the data (impute='median', --impute "
            "median), or choose other selectors."
        )
    if missing and record.needs & {"similarity", "data"}:
        raise InvalidInputError(
            f"{record.name} compares features by their data, which must not have missing values "
            f"(there are {missing:,}); choose another measure, or fill the values first."
        )


def _of(names: list[str]) -> str:
    return f"{shortened(names)} {'does' if len(names) == 1 else 'do'}"


def is_imputed(data: Dataset, selector: Selector) -> bool:
    """Tell whether a selector sees imputed values in the place of missing ones."""
    return not selector.takes_missing and bool(np.isnan(data.X).any())


def imputed(part: NDArray[Any]) -> NDArray[Any]:
    """Put each feature's median, or 0 if it has no value, in the place of missing values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any value
        medians = np.nan_to_num(np.nanmedian(part, axis=0))
    return np.where(np.isnan(part), medians, part).astype(part.dtype, copy=False)
