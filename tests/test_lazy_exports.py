"""Imports without garbage collection."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from holdfast._lazy_exports import pause_collection

IMPORT_IN_PAUSE = """
import gc
from holdfast._lazy_exports import pause_collection
assert gc.isenabled() and not gc.get_freeze_count()
with pause_collection():
    assert not gc.isenabled()
    import json.tool
print(gc.isenabled(), gc.get_freeze_count() > 0)
"""


def test_imported_objects_are_spared():
    command = [sys.executable, "-c", IMPORT_IN_PAUSE]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True"]


def test_nothing_is_spared_where_nothing_is_imported():
    n_frozen = gc.get_freeze_count()
    with pytest.raises(ImportError), pause_collection():
        raise ImportError
    assert gc.isenabled()
    assert gc.get_freeze_count() == n_frozen


def test_a_disabled_collector_stays_disabled():
    gc.disable()
    try:
        with pause_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
