"""Study files: all that the command line can say, and all their faults at once."""

from __future__ import annotations

import pytest

from holdfast.cli._study_command import build_request
from holdfast.errors import FileFormatError
from holdfast.select import ReliefF
from tests.cli.studies import run

WHOLE = """
[data]
file = "cells/colon.csv"
target = -1
drop = ["id", 3]
nominal = ["sex"]
groups = "patient"
positive = "tumor"

[study]
selectors = ["relieff:n_neighbors=5", "f_score"]
protocol = "bootstrap:n_resamples=50"
sizes = [10, 0.05]
classifiers = []
measures = ["jaccard"]
impute = "median"
seed = 7

[run]
out = "results"
n_jobs = 2
dask = "scheduler.json"
timeout = 60.0
export = "csv"
"""


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "study.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def asked(path, **options):
    return build_request(str(path), options)


def test_every_key_says_what_its_option_says(write, tmp_path):
    request = asked(write(WHOLE))
    assert request.file == str(tmp_path / "cells" / "colon.csv")
    assert request.column_options == {
        "target": -1,
        "drop": ["id", 3],
        "nominal": ["sex"],
        "groups": "patient",
        "positive": "tumor",
    }
    assert request.study == {
        "selectors": ["relieff:n_neighbors=5", "f_score"],
        "protocol": "bootstrap:n_resamples=50",
        "sizes": [10, 0.05],
        "classifiers": [],
        "measures": ["jaccard"],
        "impute": "median",
        "random_state": 7,
    }
    assert request.folder == tmp_path / "results"
    assert request.run.n_jobs == 2
    assert request.run.dask == str(tmp_path / "scheduler.json")
    assert request.run.timeout == 60
    assert request.run.export == "csv"


def test_the_command_line_overrides_the_file(write):
    path = write(WHOLE)
    request = asked(path, seed=1, out="here", n_jobs=None, sizes=[3], target="kind")
    assert request.study["random_state"] == 1
    assert str(request.folder) == "here"
    assert request.run.n_jobs == 2
    assert request.study["sizes"] == [3]
    assert request.column_options["target"] == "kind"


def test_addresses_and_bundled_data_are_no_paths(write):
    request = asked(write('[data]\nfile = "@wine"\n[run]\ndask = "tcp://host:8786"\n'))
    assert request.file == "@wine"
    assert request.run.dask == "tcp://host:8786"
    assert str(request.folder) == "wine-study"


def test_a_scheduler_file_replaces_the_cluster_of_the_file(write):
    path = write('[data]\nfile = "@wine"\n[run]\ndask = "tcp://host:8786"\n')
    run = asked(path, scheduler_file="scheduler.json").run
    assert (run.dask, run.scheduler_file) == (None, "scheduler.json")


def test_a_file_of_labels_lies_next_to_the_study_file(write, tmp_path):
    request = asked(write('[data]\nfile = "a.gct"\ntarget = "a.cls"\n'))
    assert request.column_options["target"] == str(tmp_path / "a.cls")


def test_selectors_and_protocol_may_be_tables(write):
    text = """
    [data]
    file = "@wine"
    [study.selectors.relieff]
    n_neighbors = 5
    [study.selectors.f_score]
    [study.protocol]
    name = "subsampling"
    n_resamples = 20
    """
    study = asked(write(text)).study
    assert list(study["selectors"]) == ["relieff", "f_score"]
    assert isinstance(study["selectors"]["relieff"], ReliefF)
    assert study["selectors"]["relieff"].n_neighbors == 5
    assert study["protocol"] == {"name": "subsampling", "n_resamples": 20}


FAULTY = """
[data]
fil = "a.csv"
target = 1.5
[study]
selectors = ["relief", 3]
sizes = [0, 5, 2.5, true]
protocol = "subsamplin"
impute = "mean"
measures = ["jacard"]
classifiers = "knn3"
seed = -1
[run]
n_job = 2
n_jobs = 0
timeout = 0
target = "a"
[selectors.relieff]
"""
FAULTS = [
    "data.file: this key is required",
    "data.fil: there is no such key. Did you mean 'file'?",
    "data.target: expected the name or number of a column, got 1.5",
    "study.selectors.0: no selector is called 'relief'. Did you mean 'relieff'?",
    "study.selectors.1: input should be a valid string, got 3",
    "study.sizes.0: expected a count, or a fraction",
    "study.sizes.2: expected a count, or a fraction",
    "study.sizes.3: expected a count, or a fraction",
    "study.protocol: no protocol is called 'subsamplin'. Did you mean 'subsampling'?",
    "study.impute: input should be 'median', got 'mean'",
    "study.measures.0: no measure is called 'jacard'. Did you mean 'jaccard'?",
    "study.classifiers: input should be a valid list, got 'knn3'",
    "study.seed: input should be greater than or equal to 0, got -1",
    "run.n_job: there is no such key. Did you mean 'n_jobs'?",
    "run.n_jobs: expected a number of processes",
    "run.timeout: input should be greater than 0, got 0",
    "run.target: there is no such key. Did you mean 'data.target'?",
    "selectors: there is no such key. Did you mean 'study.selectors'?",
]


def test_all_faults_are_reported_with_their_paths(write):
    path = write(FAULTY)
    result = run("study", path)
    assert result.exit_code == 3
    told = result.stderr.splitlines()
    assert len(told) == len(FAULTS)
    for fault in FAULTS:
        assert sum(line.startswith(f"error: {path}: {fault}") for line in told) == 1, fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[study.selectors.relieff]\nn_neighbour = 2", "relieff has no option 'n_neighbour'."),
        ("[study.selectors.releff]", "study.selectors.releff: no selector is called 'releff'"),
        ("[study.selectors]\nrelieff = 3", "study.selectors.relieff: input should be"),
        ('[study.protocol]\nname = "nested"\nouter_ = 2', "study.protocol: nested has no option"),
        ("[study]\nsizes = []", "study.sizes: expected at least one, got []"),
        ("[study]\nselectors = []", "study.selectors: expected at least one, got []"),
        ("[study.selectors]", "study.selectors: expected at least one, got {}"),
        ("[run]\ntimeout = inf", "run.timeout: input should be a finite number, got inf"),
        ("[run]\ntimeout = nan", "run.timeout: input should be a finite number, got nan"),
        ("[run]\ntimeout = 1e15", "run.timeout: input should be less than or equal to 10000000"),
        ("study = 3", "study: expected a table, got 3"),
    ],
)
def test_faults_in_tables_are_reported_with_their_paths(write, text, fault):
    head, tail = ('[data]\nfile = "@wine"\n', text) if text.startswith("[") else (
        text, '\n[data]\nfile = "@wine"\n'
    )  # fmt: skip
    with pytest.raises(FileFormatError) as caught:
        asked(write(f"{head}{tail}"))
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[data\n", "this is not TOML"),
        ('[data]\nfile = "a"\nfile = "b"\n', "this is not TOML"),
        (b"\xff\xfe\x00", "must be UTF-8"),
        ("", "data: this key is required"),
    ],
)
def test_files_that_are_none_are_bad_data(write, content, told):
    result = run("study", write(content))
    assert result.exit_code == 3
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_byte_order_mark_does_not_matter(write):
    assert asked(write(b'\xef\xbb\xbf[data]\nfile = "@wine"\n')).file == "@wine"


def test_a_missing_study_file_is_bad_data(tmp_path):
    result = run("study", tmp_path / "study.toml")
    assert result.exit_code == 3
    assert "there is no such file" in result.stderr
