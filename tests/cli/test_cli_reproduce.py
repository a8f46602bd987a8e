"""``holdfast reproduce`` and ``holdfast list papers``: what is printed, written and refused."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from holdfast.cli import _reproduce_run
from tests.cli.studies import run
from tests.papers.conftest import sample  # noqa: F401  (a fixture)
from tests.papers.sample import NAME
from tests.study.cluster import cluster

TABLE = [f"{NAME}-table{end}" for end in (".html", ".json", ".csv", "-often.svg")]


@pytest.fixture
def reproduced(sample, tmp_path):  # noqa: F811
    """Run the sample's experiments."""
    return tmp_path / "out", run("reproduce", NAME, "--out", tmp_path / "out", "--n-jobs", "1")


def test_time_is_said_first_and_files_are_named_last(reproduced):
    folder, result = reproduced
    assert result.exit_code == 0, result.stderr
    first, *_ = said = result.stderr.splitlines()
    assert first == "expected: about 3 s of computing, shared by all processes."
    assert f"experiment: {NAME}-table: Stability <of> two selectors" in said
    assert "study: wine" in said
    assert "simulating: drawn" in said
    figure = [f"{NAME}-figure1.{end}" for end in ("html", "json", "csv")]
    files = [*TABLE, *figure, "index.html"]
    assert said[-len(files) :] == [f"written: {folder / name}" for name in files]
    assert all((folder / name).is_file() for name in (*TABLE, "index.html"))


def test_numbers_agreement_and_findings_are_printed(reproduced):
    text = reproduced[1].stdout
    assert "Somol & Novovičová 2008, Table: Stability <of> two selectors" in text
    assert "Reduced size: 4 resamples." in text
    assert "Data: wine (178 x 13; in the paper 178 x 14)." in text
    assert "two: Two features. Ours (published, difference)." in text
    assert "(0.90, " in text
    assert "Our numbers differ from the published ones by 0." in text
    assert "1. F is stabler than chance. (Section 2; bar: as stated)\n   published: on 1" in text
    assert "   held (two): on 1 data sets" in text
    assert "   not held (two): no; cause: data: few samples" in text
    assert "   cannot be checked (two): the data cannot be had" in text


def test_json_is_the_documents(sample, tmp_path):  # noqa: F811
    result = run("reproduce", NAME, "figure1", "--out", tmp_path, "--json", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    (told,) = json.loads(result.stdout)
    assert told["experiment"] == "figure1"
    assert [cell["value"] for cell in told["cells"]] == [0.1, 0.25]
    assert json.loads((tmp_path / f"{NAME}-figure1.json").read_text(encoding="utf-8")) == told


def test_a_second_run_replaces_its_own_files_but_no_others(reproduced):
    folder, first = reproduced
    again = run("reproduce", NAME, "--out", folder, "--n-jobs", "1")
    assert again.exit_code == 0
    assert again.stdout == first.stdout
    (folder / f"{NAME}-table.json").write_text("mine", encoding="utf-8")
    refused = run("reproduce", NAME, "table", "--out", folder)
    assert refused.exit_code == 1
    assert "is not a holdfast reproduction" in refused.stderr
    assert (folder / f"{NAME}-table.json").read_text(encoding="utf-8") == "mine"
    assert run("reproduce", NAME, "table", "--out", folder, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["saeys208"], 2, "Did you mean 'saeys2008'"),
        ([NAME, "tabel"], 2, "Did you mean 'table'"),
        ([NAME, "--datasets", "colon"], 2, "none of these experiments uses"),
        ([NAME, "--datasets", "sonar"], 3, "sonar is not available"),
        ([NAME, "--data", "no-such-folder"], 1, "no such folder"),
        (["all", "table"], 3, "name one paper to choose some of its experiments"),
        (["saeys2008", "table2"], 3, "none of its data sets is available"),
        ([], 2, "Missing argument"),
        ([NAME, "--n-jobs", "0"], 2, "got 0"),
    ],
)
def test_what_cannot_be_is_reported_before_work(sample, tmp_path, words, code, message):  # noqa: F811
    result = run("reproduce", *words, "--out", tmp_path / "new")
    assert result.exit_code == code, result.stderr
    assert message in result.stderr
    assert not (tmp_path / "new").exists()


def test_what_lacks_data_is_left_out_of_all(monkeypatch, tmp_path):
    monkeypatch.delenv("HOLDFAST_DATA", raising=False)
    asked = []
    monkeypatch.setattr(_reproduce_run, "_run", lambda orders, *_: asked.extend(orders) or 0)
    result = run("reproduce", "all", "--out", tmp_path)
    assert result.exit_code == 0
    left = [line for line in result.stderr.splitlines() if line.startswith("left out: saeys2008-")]
    assert len(left) == 4
    assert "expected: about " in result.stderr
    names = {(order.paper.name, order.experiment.name) for order in asked}
    assert (NAME, "table") in names
    assert ("dernoncourt2014", "figure9") in names
    assert ("saeys2008", "table2") not in names


INTERRUPTED = """
import os, signal
from holdfast.cli import main
from holdfast.study._execution._scheduler import Scheduler
store_results = Scheduler._store_results
def store_and_interrupt(self, results):
    store_results(self, results)
    if results:
        os.killpg(0, signal.SIGINT)  # a terminal sends Ctrl-C to all processes of a group
Scheduler._store_results = store_and_interrupt
main()
"""


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
def test_an_interrupted_run_says_how_to_go_on(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "reproduce", NAME, "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert run.returncode == 130, run.stderr
    assert run.stdout == ""
    assert list(tmp_path.glob("out/studies/*/study.sqlite"))
    last = run.stderr.splitlines()[-1]
    assert (
        last
        == f"interrupted: what was done is kept in {tmp_path / 'out'}; the same command continues."
    )


def test_nothing_is_said_to_be_kept_where_nothing_was_done(sample, monkeypatch, tmp_path):  # noqa: F811
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_reproduce_run.ExperimentSession, "read", interrupted)
    result = run("reproduce", NAME, "--out", tmp_path / "out")
    assert result.exit_code == 130
    last = result.stderr.splitlines()[-1]
    assert last == "interrupted: nothing was done yet; the same command continues."


@pytest.mark.integration
def test_a_cluster_gives_the_same_bytes(sample, reproduced, tmp_path):  # noqa: F811
    folder, _ = reproduced
    with cluster(tmp_path, workers=1):
        there = run(
            *("reproduce", NAME, "--out", tmp_path / "there"),
            *("--dask", tmp_path / "scheduler.json"),
        )
    assert there.exit_code == 0, there.stderr
    for name in (*TABLE, "index.html"):
        assert (tmp_path / "there" / name).read_bytes() == (folder / name).read_bytes(), name


@pytest.mark.integration
@pytest.mark.slow
def test_a_table_of_a_paper_has_the_same_bytes_on_a_cluster(tmp_path):
    paper = ("reproduce", "dernoncourt2014", "table2", "--datasets", "breast_cancer")
    here = run(*paper, "--out", tmp_path / "here", "--n-jobs", "1")
    assert here.exit_code == 0, here.stderr
    with cluster(tmp_path, workers=1):
        there = run(
            *(*paper, "--out", tmp_path / "there"),
            *("--scheduler-file", tmp_path / "scheduler.json"),
        )
    assert there.exit_code == 0, there.stderr
    assert there.stdout == here.stdout
    pages = {path.name for path in (tmp_path / "here").iterdir() if path.is_file()}
    assert "dernoncourt2014-table2.json" in pages
    for name in pages:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_papers_are_listed_with_their_data(sample):  # noqa: F811
    result = run("list", "papers")
    assert result.exit_code == 0
    header, *lines = result.stdout.splitlines()
    assert header.split()[:3] == ["paper", "experiment", "claims"]
    (line,) = [line for line in lines if line.startswith(f"{NAME}  ") and " table " in line]
    assert line.split("  ")[-1].strip() == "sonar, stroke"
    assert "wine, breast_cancer" in line
    (line,) = [line for line in lines if line.startswith(f"{NAME}  ") and " figure1 " in line]
    assert line.endswith("simulated")


def test_papers_as_json(sample):  # noqa: F811
    told = json.loads(run("list", "papers", "--json").stdout)
    (one,) = [row for row in told if (row["paper"], row["experiment"]) == (NAME, "table")]
    assert one["at_hand"] == ["wine", "breast_cancer"]
    assert one["missing"] == ["sonar", "stroke"]
    assert one["claims"] == 3
    assert run("list", "papers", "--data", "nowhere").exit_code == 1
