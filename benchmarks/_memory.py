"""How much memory a process uses, as Linux tells it; NaN elsewhere."""

from __future__ import annotations

import contextlib
import ctypes
import gc
from pathlib import Path


def status_mb(field: str, process: int | str = "self") -> float:
    """Return a field of /proc/PROCESS/status in MB, such as VmRSS, VmHWM or RssAnon."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("nan")
    found = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
    return int(found[0]) * 1024 / 1e6 if found else float("nan")


def settle() -> None:
    """Give freed memory back and restart the peak (VmHWM) from what is in use now."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
