"""The progress of a run in Python: one line, in notebooks by default."""

from __future__ import annotations

import io
import re
import sys
from types import SimpleNamespace

import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.study._execution._progress import (
    SECONDS_BETWEEN_LINES,
    ProgressLine,
    UnitCounter,
    as_progress,
    in_notebook,
)

TOTALS = {"f_score": 100, "relieff": 100}
STUDY = hf.Study("f_score", protocol=hf.Subsampling(4, 0.9), replication=0, classifiers=())


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def notebook(monkeypatch):
    """Let this process look like the kernel of a notebook."""
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


def test_units_of_an_earlier_run_took_no_time():
    clock = Clock()
    counter = UnitCounter(clock)
    counter.start(TOTALS, {"relieff": 100}, "here")
    assert counter.describe() == "100 of 200 units done (50%)."
    clock.now = 20.0
    counter.advance({"f_score": 25}, 1)  # 25 in 20 s: the other 75 take 60 s
    assert counter.describe() == "125 of 200 units done (62%), 1 failed, 0:01:00 left."


def test_a_line_is_overwritten_and_ends_with_the_time():
    clock, stream = Clock(), io.StringIO()
    line = ProgressLine(stream, overwrites=True, clock=clock)
    line.start(TOTALS, {}, "2 local processes")
    for second in (1, 1.01, 2):
        clock.now = second
        line.advance({"f_score": 50}, 0)
    line.note("estimated time: 5 min")
    line.advance({"relieff": 50}, 3)
    line.stop()
    assert stream.getvalue().splitlines() == [
        "200 units on 2 local processes.",
        "",
        "50 of 200 units done (25%), 0:00:03 left.",
        "150 of 200 units done (75%), 0:00:01 left.",
        "estimated time: 5 min.".ljust(len("150 of 200 units done (75%), 0:00:01 left.")),
        "200 of 200 units done in 0:00:02, 3 of them failed.",
    ]


def test_a_file_gets_few_lines():
    clock, stream = Clock(), io.StringIO()
    line = ProgressLine(stream, clock=clock)
    line.start(TOTALS, {}, "here")
    for clock.now in range(100):
        line.advance({"f_score": 1}, 0)
    assert "\r" not in stream.getvalue()
    assert len(stream.getvalue().splitlines()) == 1 + 99 // SECONDS_BETWEEN_LINES


def test_notebooks_show_the_progress_by_default(notebook, capsys):
    assert in_notebook()
    STUDY.run(hf.io.read_data("@wine"), n_jobs=1)
    assert capsys.readouterr().err.splitlines()[0] == "4 units on 1 local process."
    STUDY.run(hf.io.read_data("@wine"), n_jobs=1, progress=False)
    assert capsys.readouterr().err == ""


def test_other_programs_show_it_if_asked(capsys, tmp_path):
    assert not in_notebook()
    data = hf.io.read_data("@wine")
    study = hf.Study("f_score", protocol=hf.Subsampling(24, 0.9), replication=0, classifiers=())
    study.run(data, n_jobs=1, part="1/2", out=tmp_path / "run")
    assert capsys.readouterr().err == ""
    hf.resume(tmp_path / "run", n_jobs=1, progress=True)
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first == "24 units on 1 local process."
    assert re.fullmatch(r"24 of 24 units done in [\d:]+\.", last)


def test_a_shell_without_a_kernel_is_no_notebook(monkeypatch):
    for shell in (None, SimpleNamespace(kernel=None), SimpleNamespace()):
        module = SimpleNamespace(get_ipython=lambda shell=shell: shell)
        monkeypatch.setitem(sys.modules, "IPython", module)
        assert not in_notebook()


def test_progress_is_a_switch_or_an_object():
    counter = UnitCounter()
    assert as_progress(counter) is counter
    assert as_progress(False) is None
    with pytest.raises(InvalidInputError, match="progress must be True, False, None, or an object"):
        STUDY.run(hf.io.read_data("@wine"), progress="bar")
