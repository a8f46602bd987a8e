"""How long the first call of each selector takes where no compiled kernel is on disk."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import holdfast as hf

_PROGRAM = """
import sys, time
import numpy as np
from holdfast.select import get_selector
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20, 30)), np.arange(20) % 2
selector = get_selector(sys.argv[1]).kind()
start = time.process_time()
selector.fit(X, y)
first = time.process_time() - start
start = time.process_time()
selector.fit(X, y)
print(first - (time.process_time() - start))
"""


def compile_times() -> str:
    """Return one line: CPU seconds that the first fit takes beyond the second, by selector."""
    times = {str(name): compile_time(str(name)) for name in hf.list_selectors().index}
    listed = ", ".join(
        f"{name} {seconds:.1f} s" for name, seconds in times.items() if seconds is not None
    )
    return f"compilation (first fit less second, empty cache folder): {listed}"


def compile_time(name: str) -> float | None:
    """Return the CPU seconds of one selector, or None if it cannot be fitted here."""
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run(
            [sys.executable, "-c", _PROGRAM, name],
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
            capture_output=True,
            text=True,
            check=False,
        )
    # some selectors need a package that is not installed
    return float(answer.stdout) if answer.returncode == 0 else None


if __name__ == "__main__":
    # python -m benchmarks._compilation [selector ...]
    for name in sys.argv[1:]:
        print(name, compile_time(name))
    if len(sys.argv) == 1:
        print(compile_times())
