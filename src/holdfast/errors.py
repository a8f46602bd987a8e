"""Everything holdfast raises or warns about.

::

    HoldfastError
    ├── InvalidInputError (ValueError)      an argument or a preference that cannot be used
    ├── UnknownNameError (LookupError)      a measure, form or option that does not exist
    ├── UndefinedMeasureError (ValueError)  a measure without a value, under undefined="raise"
    ├── FileFormatError (ValueError)        a file that is not what it should be
    ├── StoreError (OSError)                a run folder that cannot be read or written
    └── StudyError (RuntimeError)           a study that cannot go on; what was done is kept
    HoldfastWarning (UserWarning)
    └── UndefinedMeasureWarning             a measure without a value: NaN was returned
"""

from __future__ import annotations

__all__ = [
    "FileFormatError",
    "HoldfastError",
    "HoldfastWarning",
    "InvalidInputError",
    "StoreError",
    "StudyError",
    "UndefinedMeasureError",
    "UndefinedMeasureWarning",
    "UnknownNameError",
]


class HoldfastError(Exception):
    """Base of every error that holdfast raises on purpose."""


class InvalidInputError(HoldfastError, ValueError):
    """An argument or a preference that cannot be used."""


class UnknownNameError(HoldfastError, LookupError):
    """A name that no measure, form or option has."""


class UndefinedMeasureError(HoldfastError, ValueError):
    """A measure has no value for these preferences and ``undefined="raise"`` was asked for."""


class FileFormatError(HoldfastError, ValueError):
    """A file that cannot be read as what it should be; the message names the line."""


class StoreError(HoldfastError, OSError):
    """A run folder that cannot be read or written, or that another run or plan holds."""


class StudyError(HoldfastError, RuntimeError):
    """A study that cannot go on; what was done is kept."""


class HoldfastWarning(UserWarning):
    """Base of every warning that holdfast gives on purpose."""


class UndefinedMeasureWarning(HoldfastWarning):
    """A measure has no value for these preferences; NaN was returned."""
