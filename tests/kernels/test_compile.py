"""Kernels run where nothing can be cached."""

import logging

from numba import njit

from holdfast import _kernels


def test_an_unwritable_cache_folder_is_no_obstacle(monkeypatch):
    """Numba refuses to cache where it finds no folder to write to."""

    def without_folders(function, *, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(function, **options)

    monkeypatch.setattr(_kernels, "njit", without_folders)

    @_kernels.kernel
    def twice(x):
        return 2 * x

    assert twice(21) == 42
    assert twice.signatures


def test_kernels_are_cached():
    @_kernels.kernel
    def thrice(x):
        return 3 * x

    assert thrice(14) == 42
    assert thrice.stats.cache_path


def test_the_first_compilation_is_announced_once(monkeypatch, caplog):
    monkeypatch.setattr(_kernels.NOTICE, "is_logged", False)
    caplog.set_level(logging.INFO, "holdfast._kernels")

    def double(x):
        return 2 * x

    njit(double)(1)
    assert not caplog.records  # a function of somebody else
    for _ in range(2):
        double.__module__ = "holdfast._kernels.doubling"
        njit(double)(1)
    (record,) = caplog.records
    assert record.getMessage().startswith("compiling code for the first time")


def test_kernels_call_subroutines():
    @_kernels.subroutine
    def square(x):
        return x * x

    @_kernels.kernel
    def fourth_power(x):
        return square(square(x))

    assert fourth_power(3) == 81
