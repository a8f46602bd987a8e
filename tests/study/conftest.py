"""Tests of studies that other systems than POSIX cannot run."""

import sys

collect_ignore_glob = ["test_survival_*.py"] if sys.platform == "win32" else []
