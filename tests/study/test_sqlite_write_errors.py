"""System calls that fail under SQLite: what was committed is kept, and a resume is exact."""

import errno
import re
import sys
from contextlib import closing, contextmanager

import pytest

import holdfast as hf
from holdfast.errors import StoreError
from holdfast.study._execution import _worker
from holdfast.study._storage._store import FILE, Store
from tests.conftest import missing
from tests.study.inline import work_here
from tests.study.run_folders import tables, units
from tests.study.small_data import small_data
from tests.study.sqlite_faults import CALLS, FILE_SYSTEM, SystemCalls

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SQLite has other calls there")

CODES = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EROFS": errno.EROFS}
MESSAGES = r"database or disk is full|disk I/O error|unable to open database file"
STUDY = {
    "selectors": ["t_score", "relieff"],
    "protocol": hf.Subsampling(30, 0.9),
    "sizes": [3],
    "classifiers": ["knn3"],
    "replication": 0,
}
SHARES = (0.1, 0.5, 0.95)
"""Shares of the calls of an undisturbed run after which all fail: 27 injections with `CODES`."""


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    if FILE_SYSTEM is None:
        missing("sqlite", "the system calls of this build of SQLite cannot be replaced")
    work_here(monkeypatch)


def run(folder):
    """Run the study with one transaction per unit, however fast the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_worker, "SECONDS_PER_BATCH", 0.0)
        _run(folder)


def _run(folder):
    hf.Study(**STUDY).run(*small_data(20), out=folder, n_jobs=1).store.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the folder of an undisturbed run, and how often it made each kind of call."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch, SystemCalls().installed() as calls:
        work_here(patch)
        run(folder)
    return folder, calls.counts


def record_commits(patch):
    """Return a set that gets the units of each transaction that succeeds."""
    committed, transaction = set(), Store.transaction

    @contextmanager
    def recorded(store):
        with transaction(store):
            yield
        committed.update(store.query("SELECT selector, resample FROM units"))

    patch.setattr(Store, "transaction", recorded)
    return committed


def inject(folder, kind, after, code):
    """Run the study while calls fail; return the units that were committed, and the error."""
    calls = SystemCalls(kind, after, code)
    with pytest.MonkeyPatch.context() as patch, calls.installed():
        committed = record_commits(patch)
        with pytest.raises(StoreError) as caught:
            run(folder)
    assert calls.failed
    return committed, str(caught.value)


def check_nothing_is_lost(folder, committed, whole):
    """Check the folder that an error left, and what the next run makes of it."""
    names = ("t_score", "relieff")
    if (folder / FILE).exists():
        with closing(hf.load(folder).store) as store:
            assert store.finished_units() == committed
    found = set(units(folder))
    assert found == {(names[selector], resample) for selector, resample in committed}
    run(folder)
    assert hf.check(folder).intact
    assert tables(folder) == tables(whole)


def test_the_calls_of_a_run_are_counted(whole):
    _, counts = whole
    assert set(counts) == set(CALLS)
    assert min(counts.values()) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("share", SHARES)
def test_what_was_committed_is_kept_and_a_new_run_is_exact(share, kind, code, whole, tmp_path):
    folder, (sound, counts) = tmp_path / "run", whole
    committed, message = inject(folder, kind, int(share * counts[kind]), code)
    assert re.search(rf"the store cannot be used \(({MESSAGES})\)", message)
    check_nothing_is_lost(folder, committed, sound)


def test_an_error_in_the_middle_of_a_run_is_reported_and_loses_nothing(whole, tmp_path):
    folder, (sound, counts) = tmp_path / "run", whole
    committed, message = inject(folder, "write", counts["write"] // 2, errno.EIO)
    assert committed
    assert str(folder / FILE) in message
    assert "disk I/O error" in message
    assert "Finished units are kept: free space, then resume." in message
    check_nothing_is_lost(folder, committed, sound)
