"""How often samples are tested, told from resamples."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import shortened
from holdfast.errors import HoldfastWarning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from holdfast.resample._base import Resample
    from holdfast.resample._record import Tested
    from holdfast.resample._units import Units


def times_tested(resamples: Iterable[Resample]) -> Tested:
    """Say how often a sample is tested in the resamples that errors come from.

    Parameters
    ----------
    resamples : iterable of Resample
        What :meth:`holdfast.resample.Protocol.draw` returned; inner resamples do not count.

    Returns
    -------
    {"once", "repeatedly", "never"}
        ``"once"``: no sample is tested more than once, and some are. ``"never"``: no tests.

    Examples
    --------
    >>> from holdfast.resample import Bootstrap, CrossValidation, times_tested
    >>> y = ["a"] * 10 + ["b"] * 10
    >>> times_tested(CrossValidation(5).draw(y)), times_tested(Bootstrap(50).draw(y))
    ('once', 'repeatedly')
    """
    testing = [r for r in resamples if r.role in ("main", "outer") and r.test.size]
    if not testing:
        return "never"
    return "repeatedly" if np.bincount(_tested_rows(testing)).max(initial=1) > 1 else "once"


def warn_of_untested(resamples: Iterable[Resample], units: Units) -> None:
    """Warn of classes that no test part has, where others are tested."""
    tested = np.bincount(units.codes[_tested_rows(resamples)], minlength=len(units.classes))
    if tested.any() and not tested.all():
        names = shortened(units.class_name(code) for code in np.flatnonzero(tested == 0).tolist())
        warnings.warn(
            f"no test part has samples of class {names}, so the errors say nothing about it. "
            "Smaller training parts may leave some of it out; of 2 samples both are always kept.",
            HoldfastWarning,
            stacklevel=3,
        )


def _tested_rows(resamples: Iterable[Resample]) -> NDArray[np.intp]:
    """Return the rows of all test parts that errors come from, one after the other."""
    # a draw has test samples of its own
    tests = [r.test for r in resamples if r.role in ("main", "outer") and r.draw < 0]
    return np.concatenate([np.empty(0, dtype=np.intp), *tests])
