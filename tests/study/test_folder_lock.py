"""The lock of a folder: one run at a time, on any disk, and no longer than its process lives."""

import errno
import logging
import multiprocessing
import os
import sys

import pytest

import holdfast as hf
from holdfast.errors import StoreError
from holdfast.study._storage._folder_lock import LOCK_FILE, LOCK_UNSUPPORTED, folder_lock
from tests.study.small_data import small_data

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the locks of POSIX")
IN_USE = "another run is using"


def refuse_flock(number):
    """Return a `flock` that fails as that of a network disk."""

    def flock(handle, operation):
        raise OSError(number, os.strerror(number))

    return flock


@pytest.fixture(params=["flock", *sorted(LOCK_UNSUPPORTED)])
def kind(request, monkeypatch):
    """Let folders be locked by flock, or by fcntl as flock fails."""
    if request.param == "flock":
        return "flock"
    monkeypatch.setattr("fcntl.flock", refuse_flock(request.param))
    return "fcntl"


def test_a_folder_is_locked_once_and_the_log_names_the_kind(kind, tmp_path, caplog):
    with caplog.at_level(logging.DEBUG, "holdfast"), folder_lock(tmp_path):
        with pytest.raises(StoreError, match=IN_USE), folder_lock(tmp_path):
            pass
        # the failed attempt must not have released the lock
        with pytest.raises(StoreError, match=IN_USE), folder_lock(tmp_path):
            pass
    assert f"is locked by {kind}" in caplog.text
    with folder_lock(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == [LOCK_FILE]


def test_flock_is_asked_for_a_file_open_for_writing(tmp_path, monkeypatch):
    import fcntl

    modes = []

    def flock_of_nfs(handle, operation):
        modes.append(fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE)
        if modes[-1] == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr("fcntl.flock", flock_of_nfs)
    with folder_lock(tmp_path):
        pass
    assert modes == [os.O_RDWR]


def test_other_errors_of_a_lock_are_reported(tmp_path, monkeypatch):
    monkeypatch.setattr("fcntl.flock", refuse_flock(errno.ENOLCK))
    monkeypatch.setattr("fcntl.lockf", refuse_flock(errno.ENOLCK))
    with pytest.raises(StoreError, match="neither flock nor fcntl locks"), folder_lock(tmp_path):
        pass


def test_a_lock_file_left_behind_is_not_foreign_content(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / LOCK_FILE).write_text("left behind")
    study = hf.Study("t_score", protocol=hf.Subsampling(4), sizes=[1], classifiers=())
    assert study.run(*small_data(), out=tmp_path / "run", n_jobs=1).complete
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / LOCK_FILE).touch()
    assert hf.merge([tmp_path / "run"], tmp_path / "whole").complete


@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_what_is_no_file_is_not_locked(what, tmp_path):
    path, target = tmp_path / LOCK_FILE, tmp_path / "elsewhere"
    if what == "link":
        path.symlink_to(target)
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(StoreError, match="remove"), folder_lock(tmp_path):
        pass
    assert not target.exists()


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_read_only_folder_is_read_without_a_lock_but_not_written(number, tmp_path, monkeypatch):
    def refuse(path, flags, mode=0o777):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("os.open", refuse)
    with folder_lock(tmp_path, reading=True):
        assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match="copy the folder"), folder_lock(tmp_path):
        pass


def hold(folder, held, leave, *, by_fcntl):
    if by_fcntl:
        import fcntl

        fcntl.flock = refuse_flock(errno.EBADF)
    with folder_lock(folder):
        held.set()
        leave.wait(60)


@pytest.mark.integration
@pytest.mark.parametrize("by_fcntl", [False, True])
def test_a_lock_dies_with_its_process(by_fcntl, tmp_path, monkeypatch):
    context = multiprocessing.get_context("spawn")
    held, leave = context.Event(), context.Event()
    other = context.Process(
        target=hold, args=(tmp_path, held, leave), kwargs={"by_fcntl": by_fcntl}
    )
    other.start()
    assert held.wait(60)
    if by_fcntl:
        monkeypatch.setattr("fcntl.flock", refuse_flock(errno.EBADF))
    with pytest.raises(StoreError, match=IN_USE), folder_lock(tmp_path):
        pass
    other.kill()
    other.join(60)
    with folder_lock(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == [LOCK_FILE]
