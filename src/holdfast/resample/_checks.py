"""Resamples that no selector can use are refused before any work starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.resample._base import Resample
    from holdfast.resample._units import Units


def check_training(resamples: Sequence[Resample], units: Units) -> None:
    """Refuse training parts that no selector takes: one class, or a class with one sample."""
    for position, resample in enumerate(resamples):
        if resample.draw < 0 and not is_enough(counts := units.distinct(resample.train)):
            raise InvalidInputError(_poor(position, counts, units))


def is_enough(counts: NDArray[np.intp]) -> bool:
    """Whether selectors take so many different samples of each class."""
    return 1 not in counts and bool(np.count_nonzero(counts) >= 2)


def _poor(position: int, counts: NDArray[np.intp], units: Units) -> str:
    listed = ", ".join(
        f"{plural(int(count), 'sample')} of class {units.class_name(code)}"
        for code, count in enumerate(counts)
    )
    return (
        f"the training part of resample {position} has {listed}; selectors need at least two "
        "classes, and 2 different samples of every class that is there. Larger training parts "
        "avoid this, and so do stratified protocols where no subject has several classes."
    )
