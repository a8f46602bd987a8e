"""Kernels are compiled by one process, cached for others, and run where nothing can be cached."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
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


DOUBLING = """
import sys
from holdfast._kernels import kernel

@kernel
def double(values):
    total = 0
    for value in values:
        total += 2 * value
    return total

print("ready", flush=True)
sys.stdin.readline()
double((1, 2, 3))
print(sum(double.stats.cache_misses.values()), sum(double.stats.cache_hits.values()))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no lock")
def test_one_of_two_processes_compiles_a_kernel(tmp_path):
    script = tmp_path / "doubling.py"
    script.write_text(DOUBLING)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    processes = [
        subprocess.Popen(
            [sys.executable, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    # cache misses and hits
    assert sorted(process.communicate()[0].split() for process in processes) == [
        ["0", "1"],
        ["1", "0"],
    ]


def test_a_process_that_keeps_a_kernel_locked_is_not_waited_for_forever(monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(_kernels, "LONGEST_WAIT", 0.1)

    @_kernels.kernel
    def six_times(x):
        return 6 * x

    path = Path(six_times.stats.cache_path) / "six_times.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert six_times(7) == 42


def test_a_kernel_is_compiled_where_no_lock_file_can_be_made():
    @_kernels.kernel
    def seven_times(x):
        return 7 * x

    path = Path(seven_times.stats.cache_path) / "seven_times.lock"
    path.mkdir(parents=True, exist_ok=True)  # cannot be opened as a file
    try:
        assert seven_times(6) == 42
    finally:
        path.rmdir()
