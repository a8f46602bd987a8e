"""Record what a change of the code must not change, and compare it byte for byte.

``python tools/snapshot.py record FOLDER`` runs six small studies with one and with two processes,
reports and resumes the stored study of the tests, and writes plans, tables, exports, reports,
command output and the public API to FOLDER as text. ``python tools/snapshot.py compare FOLDER``
records again and names all files that differ; its exit status is 1 if there are any. With
``--numbers`` only numbers are compared, for changes of wording; pictures in pages are then left
out, because other words move what is drawn next to them.

Not recorded: wall-clock times, process numbers, versions of Python and of packages.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import inspect
import json
import pkgutil
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import holdfast

ROOT = Path(__file__).resolve().parents[1]
STORED_STUDY = ROOT / "tests" / "golden" / "store_version1"
SELECTIONS = ROOT / "examples" / "markers.txt"
TABLES_OF_TIMES = ("timings", "runs")
"""Tables of the store that hold wall-clock times."""
FIELDS_OF_THE_RUN = ("created", "written", "seconds", "duration", "versions", "machine", "python")
"""Keys of JSON files that differ from run to run, or from machine to machine."""
NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")
DRAWN = re.compile(
    r"<svg.*?</svg>|<style.*?</style>|sha256-[\w+/=]+|<span class=\"tip\".*?</span>|(term|tip)-\d+",
    re.DOTALL,
)
"""Parts of a page whose numbers depend on its words: pictures, styles, digests, explained terms."""
MAX_DIFFERENT_LINES = 12
"""Lines of a difference that are printed per file."""

STUDIES = {
    "subsampling": (
        "plain.csv --selectors f_score,relieff,svm_rfe,random_score --sizes 3,6 "
        "--protocol subsampling:n_resamples=12 --classifiers linear_svm,knn3 --replication 6"
    ),
    "nested": (
        "plain.csv --selectors f_score,t_score --sizes 3,6 "
        "--protocol nested:outer=cross_validation(n_folds=3),inner=subsampling(n_resamples=4) "
        "--classifiers knn3 --replication 4"
    ),
    "bootstrap_subjects": (
        "subjects.csv --groups subject --selectors f_score,relieff --sizes 4 "
        "--protocol bootstrap:n_resamples=10 --classifiers linear_svm --replication 4"
    ),
    "cohorts": (
        "cohorts.csv --cohort site --selectors t_score,relieff --sizes 4 "
        "--protocol subsampling:n_resamples=10 --classifiers knn3 --replication 4"
    ),
    "groups_and_searches": (
        "plain.csv --selectors drags,forward_selection,ensemble:base=f_score,n_bags=5 --sizes 3 "
        "--protocol complementary_halves:n_pairs=4 --classifiers none --replication 4"
    ),
    "until_width": (
        "plain.csv --selectors f_score,t_score --sizes 4 --until-width 0.3 "
        "--protocol subsampling:n_resamples=60 --classifiers knn3 --replication 4"
    ),
}
COMMANDS = {
    "list_measures": "list measures --json",
    "list_selectors": "list selectors --json",
    "list_protocols": "list protocols --json",
    "list_papers": "list papers --json",
    "measure": f"measure {SELECTIONS} --n-features 2000 --json",
    "plan_pilot": "plan plain.csv --selectors t_score --sizes 4 --n-pairs 10 --json",
    "plan_theory": "plan --effects 0.35 --informative 20 --features 200 --sizes 20 --json",
}


def main() -> int:
    """Record or compare; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--numbers", action="store_true", help="compare numbers only")
    options = parser.parse_args()
    if options.action == "record":
        record(options.folder)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        record(Path(folder) / "now")
        return compare(options.folder, Path(folder) / "now", numbers_only=options.numbers)


def record(folder: Path) -> None:
    """Write all that is compared to a new folder."""
    folder.mkdir(parents=True)
    (folder / "public_api.txt").write_text("\n".join(describe_public_api()) + "\n")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        write_data_sets(work)
        for command, arguments in COMMANDS.items():
            output = run_holdfast(arguments.split(), work)
            (folder / f"{command}.json").write_text(output)
        for command, text in collect_help_texts(work).items():
            (folder / f"help_{command}.txt").write_text(text)
        for study, arguments in STUDIES.items():
            for n_jobs in (1, 2):
                record_study(study, arguments, n_jobs, work, folder)
        record_stored_study(work, folder)


def write_data_sets(folder: Path) -> None:
    """Write three small tables: plain, with subjects, and with two sites."""
    rng = np.random.default_rng(7)
    labels = np.arange(60) % 2
    values = rng.normal(size=(60, 24)).round(6)
    values[:, :6] += labels[:, None] * np.linspace(1.4, 0.4, 6)
    values[:, 6] = values[:, 0] + rng.normal(scale=0.3, size=60)
    table = pd.DataFrame(values.round(6), columns=[f"gene{j}" for j in range(24)])
    table["class"] = np.where(labels, "ill", "well")
    table.to_csv(folder / "plain.csv", index=False)
    table.assign(subject=[f"s{i // 2 % 20}-{labels[i]}" for i in range(60)]).to_csv(
        folder / "subjects.csv", index=False
    )
    table.assign(site=np.where(np.arange(60) < 28, "north", "south")).to_csv(
        folder / "cohorts.csv", index=False
    )


def run_holdfast(arguments: list[str], folder: Path) -> str:
    """Run a command in a folder; return what it printed to standard output."""
    command = [sys.executable, "-m", "holdfast", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def collect_help_texts(folder: Path) -> dict[str, str]:
    """Return the help of the program and of each command."""
    program = run_holdfast(["--help"], folder)
    names = re.findall(r"^  (\w+) {2,}", program.split("Commands:")[1], re.MULTILINE)
    return {"holdfast": program} | {name: run_holdfast([name, "--help"], folder) for name in names}


def record_study(study: str, arguments: str, n_jobs: int, work: Path, folder: Path) -> None:
    """Run a study, and write what it keeps."""
    out = work / "study"
    options = ["--out", "study", "--n-jobs", str(n_jobs), "--export", "csv", "--quiet"]
    printed = run_holdfast(["study", *arguments.split(), *options], work)
    target = folder / f"{study}_{n_jobs}_processes"
    record_folder(out, target)
    (target / "standard_output.txt").write_text(printed)
    shutil.rmtree(out)


def record_stored_study(work: Path, folder: Path) -> None:
    """Report the stored study of the tests, which an earlier version has written, and resume it."""
    out = work / "study"
    for name, command in (("stored_study", "report"), ("resumed_study", "resume")):
        shutil.copytree(STORED_STUDY, out)
        printed = run_holdfast([command, "study", "--quiet"], work)
        record_folder(out, folder / name)
        (folder / name / "standard_output.txt").write_text(printed)
        shutil.rmtree(out)


def record_folder(study: Path, target: Path) -> None:
    """Write the files of a study as text that is equal whenever the study is."""
    target.mkdir(parents=True)
    for path in sorted(study.rglob("*")):
        name = "_".join(path.relative_to(study).parts)
        if path.suffix == ".sqlite":
            rows = "\n".join(dump_tables(path)) + "\n"
            (target / f"{name}.txt").write_text(rows.replace(str(study.parent), "FOLDER"))
        elif path.suffix == ".json":
            text = path.read_text().replace(str(study.parent), "FOLDER")
            document = without_run_fields(json.loads(text))
            (target / name).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
        elif path.suffix in {".csv", ".md", ".html"} and not name.endswith("timings.csv"):
            (target / name).write_text(without_dates(path.read_text()))


def dump_tables(path: Path) -> list[str]:
    """Return all rows of all tables of a store, sorted, but those of wall-clock times."""
    with sqlite3.connect(path) as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        tables = [name for (name,) in connection.execute(query)]
        lines = []
        for table in tables:
            if table not in TABLES_OF_TIMES:
                columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
                # checksums follow from the other values, and earlier versions had none
                kept = ", ".join(f'"{name}"' for name in columns if name != "checksum")
                others = " WHERE name != 'checksum'" if table == "facts" else ""
                rows = connection.execute(f'SELECT {kept} FROM "{table}"{others}').fetchall()
                lines += [f"{table}: {row}" for row in sorted(map(repr, rows))]
    return lines


def without_run_fields(value: object) -> object:
    """Return a JSON document without fields that differ from run to run."""
    if isinstance(value, dict):
        return {
            key: without_run_fields(entry)
            for key, entry in value.items()
            if not any(field in key for field in FIELDS_OF_THE_RUN)
        }
    if isinstance(value, list):
        return [without_run_fields(entry) for entry in value]
    return without_dates(value) if isinstance(value, str) else value


def without_dates(text: str) -> str:
    """Return a text with dates, times of day and durations left out."""
    text = re.sub(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(\+00:00|Z)?)?", "DATE", text)
    return re.sub(r"\d+(\.\d+)? (seconds?|minutes?|s|min)\b", "DURATION", text)


def describe_public_api() -> list[str]:
    """Return a line per public name: the signature of what can be called, else its type."""
    lines = []
    rooms = [room.name for room in pkgutil.iter_modules(holdfast.__path__) if room.ispkg]
    for module_name in ["holdfast", *(f"holdfast.{room}" for room in rooms if room[0] != "_")]:
        module = importlib.import_module(module_name)
        for name in sorted(getattr(module, "__all__", ())):
            lines += describe_name(f"{module_name}.{name}", getattr(module, name))
    return lines


def describe_name(name: str, value: object) -> list[str]:
    """Return the signature of a function or of a class with its public members."""
    if not callable(value):
        return [f"{name}: {type(value).__name__}"]
    lines = [f"{name}{signature_of(value)}"]
    if inspect.isclass(value):
        for member in sorted(member for member in dir(value) if not member.startswith("_")):
            attribute = inspect.getattr_static(value, member)
            shown = signature_of(getattr(value, member)) if callable(attribute) else ""
            lines.append(f"{name}.{member}{shown}")
    return lines


def signature_of(value: object) -> str:
    """Return a signature, without addresses of objects in memory."""
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(value)))
    except (TypeError, ValueError):
        return "(...)"


def compare(before: Path, now: Path, *, numbers_only: bool) -> int:
    """Print which files differ, and how; return the exit status."""
    names = sorted(
        {str(path.relative_to(top)) for top in (before, now) for path in top.rglob("*.*")}
    )
    different = [name for name in names if print_difference(before, now, name, numbers_only)]
    print(f"{len(names)} files compared, {len(different)} differ.")
    return 1 if different else 0


def print_difference(before: Path, now: Path, name: str, numbers_only: bool) -> bool:
    """Print the difference of one file; return whether there is any."""
    texts = [(top / name).read_text() if (top / name).exists() else "" for top in (before, now)]
    if numbers_only:
        texts = ["\n".join(NUMBER.findall(DRAWN.sub("", text))) for text in texts]
    if texts[0] == texts[1]:
        return False
    print(f"--- {name}")
    lines = difflib.unified_diff(*(text.splitlines() for text in texts), lineterm="", n=0)
    for line in list(lines)[2 : 2 + MAX_DIFFERENT_LINES]:
        print(line[:200])
    return True


if __name__ == "__main__":
    raise SystemExit(main())
