"""How often samples are tested, told from resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.resample._base import Resample
    from holdfast.resample._record import Tested


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
    tests = [r.test for r in testing if r.draw < 0]  # a draw has test samples of its own
    rows = np.concatenate([np.empty(0, dtype=np.intp), *tests])
    return "repeatedly" if np.bincount(rows).max(initial=1) > 1 else "once"
