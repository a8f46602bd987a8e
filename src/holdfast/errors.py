"""Errors and warnings.

::

    HoldfastError
    ├── InvalidInputError (ValueError)      an argument or a preference that cannot be used
    ├── UnknownNameError (LookupError)      a measure, form or option that does not exist
    ├── UndefinedMeasureError (ValueError)  a measure without a value, under undefined="raise"
    ├── FileFormatError (ValueError)        a file in the wrong format
    ├── StoreError (OSError)                a run folder that cannot be read or written
    └── StudyError (RuntimeError)           a study that cannot continue; finished work is kept
        └── UntrustedCodeError              a plan names code that runs only if it is trusted
    HoldfastWarning (UserWarning)
    └── UndefinedMeasureWarning             a measure without a value: NaN was returned
"""

from __future__ import annotations

from holdfast._formatting import spell_out_invisible

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
    "UntrustedCodeError",
]


class HoldfastError(Exception):
    """Base class of all errors that holdfast raises."""

    def __str__(self) -> str:
        """Return the message; names in it may hold characters that a terminal obeys."""
        return spell_out_invisible(super().__str__())


class InvalidInputError(HoldfastError, ValueError):
    """An argument or a preference that cannot be used."""


class UnknownNameError(HoldfastError, LookupError):
    """A name that no measure, selector, protocol, form or option has."""


class UndefinedMeasureError(HoldfastError, ValueError):
    """A measure has no value for these preferences, and ``undefined="raise"`` was set."""


class FileFormatError(HoldfastError, ValueError):
    """A file in the wrong format; the message names the line."""


class StoreError(HoldfastError, OSError):
    """A run folder that cannot be read or written, or that another run or plan holds."""


class StudyError(HoldfastError, RuntimeError):
    """A study that cannot continue; finished work is kept."""


class UntrustedCodeError(StudyError):
    """A stored plan names code that is not holdfast's, nor of an installed estimator."""


class HoldfastWarning(UserWarning):
    """Base class of all warnings that holdfast issues."""

    def __str__(self) -> str:
        """Return the message; names in it may hold characters that a terminal obeys."""
        return spell_out_invisible(super().__str__())


class UndefinedMeasureWarning(HoldfastWarning):
    """A measure has no value for these preferences; NaN was returned."""
