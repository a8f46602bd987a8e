"""Kernels run where nothing can be cached."""

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


def test_kernels_call_subroutines():
    @_kernels.subroutine
    def square(x):
        return x * x

    @_kernels.kernel
    def fourth_power(x):
        return square(square(x))

    assert fourth_power(3) == 81
