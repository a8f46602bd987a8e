"""The limit on memory: its value, its messages, and what counts towards it; garbage collection."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys

import pytest

from holdfast import _memory
from holdfast._memory import MemoryUse, check_memory, memory_limit, pause_collection
from holdfast.errors import InvalidInputError


@pytest.mark.parametrize(
    ("text", "limit"),
    [("500M", 500 * 10**6), ("8G", 8 * 10**9), ("1.5 tb", 1_500 * 10**9), ("64", 64)],
)
def test_the_variable_sets_the_limit(monkeypatch, text, limit):
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", text)
    assert memory_limit() == limit


@pytest.mark.parametrize("text", ["much", "-1G", "8 cows", "1e3"])
def test_other_values_are_refused(monkeypatch, text):
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", text)
    with pytest.raises(InvalidInputError, match="HOLDFAST_MAX_MEMORY must be an amount"):
        memory_limit()


def test_half_of_the_memory_is_the_default(monkeypatch):
    monkeypatch.delenv("HOLDFAST_MAX_MEMORY", raising=False)
    assert 2 * memory_limit() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert memory_limit() > 0


def test_the_limit_of_a_container_counts(monkeypatch, tmp_path):
    monkeypatch.delenv("HOLDFAST_MAX_MEMORY", raising=False)
    (tmp_path / "max").write_text("1000000\n")
    monkeypatch.setattr(_memory, "_CONTAINER_LIMIT", tmp_path / "max")
    _memory._machine_memory.cache_clear()
    try:
        assert memory_limit() == 500_000
    finally:
        _memory._machine_memory.cache_clear()


@pytest.mark.parametrize("n_bytes", [1_000_001, 25 * 10**8, 10**16, 10**20])
def test_the_message_names_a_limit_that_is_enough(monkeypatch, n_bytes):
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "1M")
    with pytest.raises(InvalidInputError, match=r"^a table would take about .* 1 MB") as caught:
        check_memory(n_bytes, "a table", InvalidInputError)
    advice = re.search(r"HOLDFAST_MAX_MEMORY=(\w+)\.$", str(caught.value))
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", advice[1])
    assert memory_limit() >= n_bytes
    check_memory(n_bytes, "a table", InvalidInputError)


def test_use_is_summed(monkeypatch):
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "1K")
    use = MemoryUse(InvalidInputError)
    use.add(600, "one")
    with pytest.raises(InvalidInputError, match=r"another would take about 1\.2 KB"):
        use.add(600, "another")


# Pauses of garbage collection.

IMPORT_IN_PAUSE = """
import gc
from holdfast._memory import pause_collection
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
