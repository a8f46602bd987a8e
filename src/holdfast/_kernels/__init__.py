"""Compiled loops: arrays in, arrays out, no checks of the input.

Every file states its method, its reference, its deviations from the reference and what rounding
can change. Every kernel is tested against something slower that shares no code with it:

=====================  ==========================================================================
file                   checked against
=====================  ==========================================================================
``decimals``           Python's ``float``
``discretization``     WEKA (``tests/golden/weka.json``); slow versions in the test
``forest``             scikit-learn's trees and permutation importance; slow versions in the test
``gaussian``           refits of scikit-learn's ``QuadraticDiscriminantAnalysis``
``impurity_forest``    scikit-learn's trees and forests
``l1_path``            scikit-learn's lasso and logistic regression; proximal gradient steps
``mean_shift``         scikit-learn's ``MeanShift``; distances of all pairs
``moments``            scipy's t-tests and scikit-learn's ``f_classif``; slow versions in the test
``nearest_neighbors``  refits of scikit-learn's ``KNeighborsClassifier``; slow versions in the test
``nested_subsets``     scikit-learn's ``KNeighborsClassifier`` and ``SVC`` (``tests/study``)
``overlaps``           naive twins in ``tests/naive.py``; scipy's hypergeometric distribution
``ranks``              naive twins in ``tests/naive.py``; scipy's ``kendalltau`` and ``kruskal``
``redundancy``         numpy's ``corrcoef`` and scikit-learn's ``mutual_info_score``
``relief``             WEKA and skrebate (``tests/golden``); slow versions in the test
``shuffling``          the distribution of all permutations (test of ``forest``)
``similarity``         naive twins in ``tests/naive.py``; R package stabm (``tests/golden``)
``svm``                WEKA (``tests/golden/weka.json``); scikit-learn's ``SVC``; duality gaps
``svm_elimination``    WEKA (``tests/golden/weka.json``); slow versions in the test
``svm_many_samples``   the Gram matrix solver of ``svm``; scikit-learn's ``SVC``; duality gaps
=====================  ==========================================================================

Kernels are compiled on the user's machine, at their first call. To keep that short they avoid what
numba compiles again into each of them: array expressions, assignments to slices, reductions, most
functions of numpy. A literal argument, or a variable that starts with one, has its own type: a
callee would be compiled for it a second time.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.compiler_lock import global_compiler_lock
from numba.core.event import Event, Listener, register

try:
    import fcntl
except ImportError:  # on Windows, each process compiles for itself
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)
F = TypeVar("F", bound=Callable[..., Any])
LONGEST_WAIT = 30.0
"""Seconds after which a kernel is compiled though another process, maybe stopped, still does so."""
SECONDS_BETWEEN_TRIES = 0.02

# "numpy": a division by 0 gives inf or NaN; otherwise each division would have a branch that raises
_ENTRY_FOR_PYTHON: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
_NO_ENTRIES: dict[str, Any] = {**_ENTRY_FOR_PYTHON, "no_cpython_wrapper": True}


def kernel(function: F) -> F:
    """Compile a function to machine code and cache it on disk for the next process.

    Where neither the package's folder nor the user's cache folder is writable, the function is
    compiled again in every process. The entry for calls by a C pointer is left out.
    """
    try:
        compiled: Any = njit(function, cache=True, **_ENTRY_FOR_PYTHON)
    except RuntimeError:
        compiled = njit(function, **_ENTRY_FOR_PYTHON)
    else:
        lock_file = Path(compiled.stats.cache_path) / f"{function.__name__}.lock"
        compiled.compile = _compile_in_one_process(compiled.compile, lock_file)
    return cast("F", compiled)


def _compile_in_one_process(
    load_or_compile: Callable[[object], object], lock_file: Path
) -> Callable[[object], object]:
    """Let the other processes that need a kernel wait until the first has put it into the cache."""

    def compile_under_lock(signature: object) -> object:
        # numba's lock comes first: another thread may hold it while it waits for the file
        with global_compiler_lock, _file_lock(lock_file):
            return load_or_compile(signature)

    return compile_under_lock


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """Lock a file, or go on without where it cannot be locked or another process holds it long."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:  # the folder is read-only
        yield
        return
    try:
        end = time.monotonic() + LONGEST_WAIT
        while not _may_go_on(handle) and time.monotonic() < end:
            time.sleep(SECONDS_BETWEEN_TRIES)
        yield
    finally:
        os.close(handle)  # releases the lock; the system does so if the process is killed


def _may_go_on(handle: int) -> bool:
    """Return whether a file is locked now, or cannot be locked on its disk."""
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError)
    return True


def subroutine(function: F) -> F:
    """Compile a function that only kernels call, never Python.

    Its machine code becomes part of each kernel that calls it. It has no entries for Python or C,
    which take about as long to compile as a short function, and no file in the cache.
    """
    compiled: Any = njit(function, **_NO_ENTRIES)
    return cast("F", compiled)


class CompilationNotice(Listener):
    """Logs one line when a kernel is compiled: no earlier process has put it into the cache."""

    def __init__(self) -> None:
        self.is_logged = False

    def on_start(self, event: Event) -> None:
        """Log the line, unless the function is not of this package."""
        module = event.data["dispatcher"].py_func.__module__
        if not self.is_logged and module.startswith("holdfast."):
            self.is_logged = True
            logger.info(
                "compiling code for the first time, which takes up to a minute; later runs start "
                "at once."
            )

    def on_end(self, event: Event) -> None:
        """Do nothing: one line is enough."""


NOTICE = CompilationNotice()
register("numba:compile", NOTICE)  # type: ignore[no-untyped-call]
