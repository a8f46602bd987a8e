"""The job scripts and snippets for clusters: they run, or at least parse."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from holdfast.cli import main
from tests.conftest import missing
from tests.study.run_folders import contents, units

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "clusters"
SCRIPTS = sorted(EXAMPLES.glob("*.sh"))
PATIENCE_SECONDS = 600
"""Most seconds for a script, far more than it needs on a busy machine."""

FAKE_SBATCH = '''
"""Run a job at once, as SLURM would: from a copy of the script, in the folder it was sent from."""
import argparse, glob, json, os, re, shutil, signal, sqlite3, subprocess, sys, time
from pathlib import Path

parser = argparse.ArgumentParser()
for name in ("array", "dependency", "wrap", "job-name", "time", "output", "kill-on-invalid-dep"):
    parser.add_argument(f"--{name}")
parser.add_argument("--parsable", action="store_true", required=True)
parser.add_argument("script", nargs="?")
job = parser.parse_args()
state = Path(os.environ["FAKE_SLURM"])
number = len(list(state.glob("*.job"))) + 1
copy = state / f"{number}.job"
copy.write_text(f"#!/bin/sh\\n{job.wrap}\\n" if job.wrap else Path(job.script).read_text())
print(number)
if job.dependency:
    kind, _, needed = job.dependency.partition(":")
    assert kind == "afterok"
    if (state / f"{needed}.code").read_text() != "0":
        (state / f"{number}.code").write_text("never")
        sys.exit()


def stores_with_units():
    found = []
    for path in glob.glob(os.environ["FAKE_STORES"]):
        try:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
                found += [path] * bool(store.execute("SELECT count(*) FROM units").fetchone()[0])
        except sqlite3.Error:
            pass
    return found


def run(task):
    environment = {**os.environ, "SLURM_JOB_ID": str(number)}
    if task is not None:
        first, last = map(int, job.array.split("-"))
        values = {"ID": task, "MIN": first, "MAX": last, "COUNT": last - first + 1, "STEP": 1}
        environment |= {f"SLURM_ARRAY_TASK_{key}": str(value) for key, value in values.items()}
    shell = "sh" if job.wrap else "bash"
    with (state / f"{number}-{task}.log").open("w") as log:
        process = subprocess.Popen([shell, copy], env=environment, stdout=log, stderr=log)
        if str(task) == os.environ.get("FAKE_LIMIT"):
            while process.poll() is None and not stores_with_units():
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)  # to the script only, as --signal=B:TERM does
        return process.wait()


first, last = map(int, (job.array or "0-0").split("-"))
codes = [run(task if job.array else None) for task in range(first, last + 1)]
(state / f"{number}.code").write_text(str(max(map(abs, codes))))
'''

STUDY = """
[data]
file = "@wine"

[study]
selectors = ["f_score", "forest_importance"]
protocol = "subsampling:n_resamples=24,train_size=0.8"
sizes = [3]
classifiers = ["knn3"]
replication = 4
"""


class FakeSlurm:
    """A folder with a study and the job scripts, and an environment with a fake ``sbatch``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.state = folder / "slurm"
        self.scratch = folder / "scratch"
        programs = folder / "bin"
        for path in (self.state, self.scratch, programs):
            path.mkdir()
        shutil.copytree(EXAMPLES, self.folder)
        (self.folder / "study.toml").write_text(STUDY)
        program = programs / "sbatch"
        program.write_text(f"#!{sys.executable}\n{FAKE_SBATCH}")
        program.chmod(0o755)
        # the interpreter that runs the tests has the `holdfast` and `python` next to it
        path = f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environment = {
            **os.environ,
            "PATH": path,
            "FAKE_SLURM": str(self.state),
            "TMPDIR": str(self.scratch),
            "SLURM_CPUS_PER_TASK": "1",
        }

    def submit(self, script: str, **environment: str) -> list[str]:
        """Submit the study in three parts; return how each of the three jobs ended."""
        for path in self.state.iterdir():
            path.unlink()
        subprocess.run(
            ["bash", "submit.sh", "3", script],
            cwd=self.folder, env={**self.environment, **environment},
            check=True, capture_output=True, timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        return [(self.state / f"{number}.code").read_text() for number in (1, 2, 3)]

    def logs(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.state.glob("*.log")))

    def run_whole(self) -> Path:
        """Run the study as a whole, on this machine."""
        subprocess.run(
            ["holdfast", "study", "study.toml", "--out", "local", "--n-jobs", "1", "--quiet"],
            cwd=self.folder, env=self.environment,
            check=True, capture_output=True, timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        return self.folder / "local"


@pytest.fixture
def slurm(tmp_path):
    if shutil.which("bash") is None:
        missing("bash", "there is no bash on the path")
    return FakeSlurm(tmp_path)


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.parametrize("script", ["part.sh", "part_on_scratch.sh"])
def test_an_array_is_stopped_and_continued_and_gives_the_bytes_of_a_local_run(
    slurm, tmp_path, script
):
    stores = {
        "part.sh": slurm.folder / "parts" / "2" / "study.sqlite",
        "part_on_scratch.sh": slurm.scratch / "*" / "part" / "study.sqlite",
    }
    limit = {"FAKE_LIMIT": "2", "FAKE_STORES": str(stores[script])}
    assert slurm.submit(script, **limit) == ["130", "never", "never"], slurm.logs()
    done = {part: len(units(slurm.folder / "parts" / part)) for part in "123"}
    assert 0 < done["2"] < done["1"]
    assert not (slurm.folder / "whole").exists()
    assert slurm.submit(script) == ["0", "0", "0"], slurm.logs()
    assert f"{done['2']} of them done already" in slurm.logs()
    whole = slurm.folder / "whole"
    assert contents(whole, tmp_path) == contents(slurm.run_whole(), tmp_path)
    assert (whole / "report.html").stat().st_size > 10_000
    assert not list(slurm.scratch.glob("holdfast.*"))
    assert {path.name for path in (slurm.folder / "parts").iterdir()} == {"1", "2", "3"}


@pytest.mark.integration
def test_a_copy_from_scratch_that_fails_leaves_the_kept_part_as_it_was(slurm):
    """A full disk while the store is copied must neither replace it nor delete the scratch."""
    environment = {"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_MIN": "1"}
    environment |= {"SLURM_ARRAY_TASK_MAX": "2", "SLURM_ARRAY_TASK_COUNT": "2"}
    programs = slurm.state.parent / "full"
    programs.mkdir()
    broken = programs / "python"
    broken.write_text('#!/bin/sh\nprintf partial > "$4"\nexit 1\n')
    broken.chmod(0o755)
    path = f"{programs}:{slurm.environment['PATH']}"
    done = subprocess.run(
        ["bash", "part_on_scratch.sh"],
        cwd=slurm.folder, env={**slurm.environment, **environment, "PATH": path},
        check=False, capture_output=True, text=True, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert not (slurm.folder / "parts" / "1" / "study.sqlite").exists()
    (kept,) = slurm.scratch.glob("holdfast.*/part/study.sqlite")
    assert units(kept.parent)


@pytest.mark.integration
@pytest.mark.slow
# dask-jobqueue does not wait for the processes that it ends
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_study_on_dask_jobqueue_runs_on_its_local_jobs(tmp_path):
    """Its `LocalCluster` starts the job scripts as processes instead of submitting them."""
    try:
        from dask_jobqueue.local import LocalCluster
    except ImportError as error:
        missing("jobqueue", str(error))
    path = EXAMPLES / "dask_jobqueue_study.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # another cluster on this machine may have the usual port
    options = {"dashboard": False, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}
    with LocalCluster(
        cores=1, processes=1, memory="2GB", shared_temp_directory=tmp_path,
        local_directory=tmp_path, scheduler_options=options,
    ) as jobs:  # fmt: skip
        result = module.run_study(jobs, tmp_path / "run", max_jobs=1)
    assert result.complete
    assert "Dask cluster" in result.store.query("SELECT where_run FROM runs")[0][0]


# Syntax.


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_job_scripts_parse(script):
    bash = shutil.which("bash")
    if bash is None:
        missing("bash", "there is no bash on the path")
    done = subprocess.run([bash, "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_job_scripts_pass_shellcheck(script):
    program = shutil.which("shellcheck")
    if program is None:
        missing("shellcheck", "there is no shellcheck on the path")
    done = subprocess.run([program, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def holdfast_commands(path: Path) -> list[list[str]]:
    """Return the words of each holdfast command in a file, with 3 for every variable."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    text = re.sub(r'"\s*\n\s*"', "", text)  # strings of Python that continue each other
    text = re.sub(r"\$?\{[^}\n]*\}|\$\w+", "3", text).replace('"', "")
    found = re.findall(r"\bholdfast ((?:study|resume|merge|report) [^'&|`\n#]*)", text)
    return [shlex.split(command) for command in found]


@pytest.mark.parametrize(
    ("place", "count"),
    [
        ("examples/clusters/submit.sh", 2),
        ("examples/clusters/part.sh", 1),
        ("examples/clusters/part_on_scratch.sh", 1),
        ("examples/clusters/dask_on_slurm.sh", 1),
        ("examples/clusters/Snakefile", 2),
        ("examples/clusters/main.nf", 2),
        ("examples/clusters/Dockerfile", 1),
        ("docs/clusters.md", 5),
    ],
)
def test_the_commands_are_those_of_the_program(place, count, monkeypatch):
    for name, value in {"ID": "2", "MIN": "1", "MAX": "3", "COUNT": "3", "STEP": "1"}.items():
        monkeypatch.setenv(f"SLURM_ARRAY_TASK_{name}", value)
    commands = holdfast_commands(ROOT / place)
    assert len(commands) == count, commands
    for name, *arguments in commands:
        command = main.get_command(click.Context(main), name)
        assert command.make_context(name, arguments).params


def test_job_scripts_ask_for_the_signal_before_the_time_limit():
    for name in ("part.sh", "part_on_scratch.sh", "dask_on_slurm.sh"):
        directives = re.findall(r"^#SBATCH (--[\w-]+)=?(.*)$", (EXAMPLES / name).read_text(), re.M)
        assert dict(directives)["--signal"] == "B:TERM@120"
        assert "--time" in dict(directives)


# Containers: no image is built, their files are parsed.

DOCKER_INSTRUCTIONS = {"FROM", "COPY", "RUN", "ENV", "ENTRYPOINT", "CMD"}
APPTAINER_SECTIONS = ["files", "post", "environment", "runscript", "test"]


def test_the_dockerfile_has_known_instructions_and_installs_the_wheel():
    text = (EXAMPLES / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    instructions = [line.split()[0] for line in lines]
    assert set(instructions) == DOCKER_INSTRUCTIONS
    assert instructions[0] == "FROM"
    values = dict(line.split(maxsplit=1) for line in lines)
    assert values["COPY"] == "dist/holdfast-*.whl /tmp/"
    assert json.loads(values["ENTRYPOINT"]) == ["holdfast"]
    assert json.loads(values["CMD"]) == ["--help"]
    check_shell(values["RUN"])


def test_the_apptainer_definition_has_a_header_and_known_sections():
    header, *rest = re.split(r"^%(\w+)\n", (EXAMPLES / "holdfast.def").read_text(), flags=re.M)
    keys = [line.split(": ") for line in header.splitlines() if line and line[0] != "#"]
    assert dict(keys) == {"Bootstrap": "docker", "From": "python:3.12-slim"}
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    assert list(sections) == APPTAINER_SECTIONS
    assert sections.pop("files").split() == ["dist/*.whl", "/opt/"]
    for body in sections.values():
        check_shell(body)


def check_shell(text: str) -> None:
    """Raise if a text is no shell script."""
    subprocess.run(["sh", "-n"], input=text, text=True, check=True, capture_output=True)
