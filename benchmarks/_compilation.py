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
    times = {str(name): _compile_time(str(name)) for name in hf.list_selectors().index}
    listed = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in times.items())
    return f"compilation (first fit less second, empty cache folder): {listed}"


def _compile_time(name: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run(
            [sys.executable, "-c", _PROGRAM, name],
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(answer.stdout)
