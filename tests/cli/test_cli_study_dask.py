"""``--dask``: a cluster that is there, one that is not, and none at all."""

from __future__ import annotations

import socket
import sys

import pytest

from tests.cli.studies import SMALL, document, run
from tests.study.cluster import cluster


@pytest.fixture
def cannot_be_found(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)


def test_without_dask_the_way_to_get_it_is_reported(cannot_be_found, tmp_path):
    result = run("study", *SMALL, "--out", tmp_path / "run", "--dask", "tcp://localhost:8786")
    assert result.exit_code == 1
    assert "pip install 'holdfast[dask]'" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("content", [None, "", "{}", '{"address": 3}', "[]"])
def test_what_is_no_address_is_wrong_usage(require, tmp_path, content):
    require("dask")
    path = tmp_path / "scheduler.json"
    if content is not None:
        path.write_text(content)
    result = run("study", *SMALL, "--out", tmp_path / "run", "--dask", path)
    assert result.exit_code == 2
    assert "tcp://host:8786" in result.stderr


@pytest.mark.integration
def test_a_scheduler_that_cannot_be_reached_is_a_failed_run(require, tmp_path, monkeypatch):
    require("dask")
    monkeypatch.setattr("holdfast.cli._program.CONNECT_TIMEOUT_SECONDS", 0.5)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # nobody listens
        address = f"tcp://127.0.0.1:{unused.getsockname()[1]}"
        result = run("study", *SMALL, "--out", tmp_path / "run", "--dask", address)
    assert result.exit_code == 1
    assert f"--dask {address}: no Dask scheduler can be reached there" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "there is no such file"), ("", "no address"), ('{"address": 3}', "no address")],
)
def test_a_scheduler_file_without_an_address_is_wrong_usage(tmp_path, content, problem):
    path = tmp_path / "scheduler.json"
    if content is not None:
        path.write_text(content)
    result = run("study", *SMALL, "--out", tmp_path / "run", "--scheduler-file", path)
    assert result.exit_code == 2
    assert f"--scheduler-file {path}: " in result.stderr
    assert problem in result.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", [["study", *SMALL], ["reproduce", "somol2008"]])
def test_a_cluster_is_named_once(command, tmp_path):
    both = ["--dask", "tcp://localhost:8786", "--scheduler-file", "scheduler.json"]
    result = run(*command, "--out", tmp_path / "run", *both)
    assert result.exit_code == 2
    assert "--dask and --scheduler-file exclude each other" in result.stderr


@pytest.mark.integration
@pytest.mark.parametrize("option", ["--dask", "--scheduler-file"])
def test_a_cluster_gives_the_same_results(tmp_path, option):
    with cluster(tmp_path, workers=1) as started:
        there = run(
            *("study", *SMALL, "--out", tmp_path / "there", "--json"),
            *(option, tmp_path / "scheduler.json"),
        )
        assert there.exit_code == 0, there.stderr
        assert f"on the Dask cluster at {started.address}" in there.stderr
    here = run("study", *SMALL, "--out", tmp_path / "here", "--json")
    assert document(here) == document(there)
