"""Compiled loops: arrays in, arrays out, no checks. Each has a naive twin in tests/naive.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable


# How kernels are compiled: cached on disk where that is possible.

F = TypeVar("F", bound="Callable[..., Any]")


def kernel(function: F) -> F:
    """Compile a function to machine code, kept on disk for the next process.

    Where neither the package's folder nor the user's cache folder can be written, the function
    is compiled anew in every process.
    """
    try:
        compiled: F = njit(function, cache=True)
    except RuntimeError:
        compiled = njit(function)
    return compiled
