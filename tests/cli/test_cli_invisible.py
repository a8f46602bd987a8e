"""Names with characters that a terminal obeys: they are spelled out, and files keep them."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast._formatting import INVISIBLE_CHARACTERS, spell_out_invisible
from holdfast.cli._output import Column, table_lines
from holdfast.cli._progress import BarProgress
from holdfast.errors import HoldfastError, HoldfastWarning, InvalidInputError
from tests.cli.studies import run
from tests.study.small_data import small_data

ODD = (
    "\x1b[2J\x1b[31m",
    "\u202egnol\u202c",
    "a\nb\r",
    "\x9b31m",
    "x\ty",
    "\u200b\ufeff",
    "\x07\x08",
)
CLASSES = {0: "\x1b]0;title\x07tumour", 1: "\u202enormal\n"}
SELECTOR = "t\x1b[1A\u2066\nscore"
STUDY = {
    "selectors": {SELECTOR: "t_score", "f\x1b[1Ascore": "f_score"},
    "protocol": hf.Subsampling(30, 0.8),
    "sizes": [2, 4],
    "classifiers": ["knn3"],
}


def is_safe(text):
    """Return whether a terminal shows all characters of a text; lines are lines."""
    return not INVISIBLE_CHARACTERS.search(text) and not set(text) & {"\t", "\r"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of a study in which all names are odd, and so is that of the folder."""
    X, y = small_data(12)
    X[y == y[0], :3] += 2.0
    labels = np.array([CLASSES[int(label == y[0])] for label in y])
    names = [*ODD, *(f"f{i}" for i in range(X.shape[1] - len(ODD)))]
    place = tmp_path_factory.mktemp("odd") / "data\x1b[31m\u202e"
    place.mkdir()
    np.savez(place / "a.npz", X=X, y=labels, feature_names=names)
    data = hf.io.read_data(place / "a.npz")
    hf.Study(**STUDY).run(data, out=place / "run", n_jobs=1).store.close()
    return place


def commands(folder, tmp_path):
    """Return commands that print names: arguments, exit code, and a part of what is shown."""
    data, study = folder / "a.npz", folder / "run"
    options = ["--selectors=f_score,relieff", "--sizes=3", "--n-jobs=1", "--replication=0",
               "--protocol=subsampling:n_resamples=10", "--classifiers=knn3"]  # fmt: skip
    new = tmp_path / "new\x1b[31m"
    return {
        "study": ([*options, data, "--out", new, "--export", "csv"], 0, "new⟨U+001B⟩[31m"),
        "study --json": ([*options, data, "--out", new, "--json"], 0, r"new\u001b[31m"),
        "resume": ([study], 0, "t⟨U+001B⟩[1A⟨U+2066⟩⟨U+000A⟩score"),
        "report": ([study, "--out", new], 0, "new⟨U+001B⟩[31m"),
        "merge": ([study, "--out", tmp_path / "merged\x9b1A"], 0, "merged⟨U+009B⟩1A"),
        "check": ([study], 0, "intact"),
        "check --json": ([study, "--json"], 0, r"data\u001b[31m\u202e"),
        "check nothing": ([tmp_path / "no\x1b[31m\nthing"], 1, "no⟨U+001B⟩[31m thing"),
        "study nothing": ([tmp_path / "no\u202e.csv", "--out", new], 3, "no⟨U+202E⟩.csv"),
        "study selectors": ([data, "--selectors=\x1b[31m", "--out", new], 2, "'\\x1b[31m'"),
        "measure": ([tmp_path / "lists\x1b.txt"], 3, "lists⟨U+001B⟩.txt"),
    }


@pytest.mark.parametrize("kind", commands(Path("a"), Path("b")))
def test_no_command_prints_a_character_that_a_terminal_obeys(kind, folder, tmp_path):
    arguments, code, shown = commands(folder, tmp_path)[kind]
    found = run(kind.split()[0], *arguments)
    assert found.exit_code == code, found.stderr
    assert shown in found.stdout + found.stderr
    assert is_safe(found.stdout), repr(found.stdout)
    assert is_safe(found.stderr), repr(found.stderr)


def test_json_keeps_the_names(folder):
    found = run("check", folder / "run", "--json")
    assert json.loads(found.stdout)["folder"] == str(folder / "run")


def test_tables_and_files_keep_the_names(folder, tmp_path):
    result = hf.load(folder / "run")
    assert set(ODD) <= set(result.frequencies["feature"]) | set(result.features["feature"])
    hf.export(result, tmp_path / "tables", "csv")
    with (tmp_path / "tables" / "frequencies.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["feature"] for row in rows} == set(result.frequencies["feature"])
    assert {row["selector"] for row in rows} == set(STUDY["selectors"])


def test_markdown_shows_the_names_on_one_line(folder, tmp_path):
    hf.load(folder / "run").report(tmp_path / "page")
    text = (tmp_path / "page" / "report.md").read_text(encoding="utf-8")
    assert not INVISIBLE_CHARACTERS.search(re.sub("[\u2068\u2069]", "", text))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    shown = [row for row in rows if "⟨U+001B⟩\\[2J" in row]
    assert shown
    assert {row.count("|") for row in shown} <= {row.count("|") for row in rows if "---" in row}


def test_a_table_has_one_line_per_row_and_straight_columns():
    rows = [[name, "1"] for name in ODD]
    header, *lines = table_lines([Column("feature"), Column("n", right=True)], rows)
    assert len(lines) == len(ODD)
    assert {len(line) for line in (header, *lines)} == {len(header)}
    assert all(map(is_safe, lines))


def test_bars_show_names_without_escapes(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    progress = BarProgress("")
    progress.start({SELECTOR: 3}, {}, "here")
    progress.advance({SELECTOR: 1}, 0)
    descriptions = [task.description for task in progress._bars.tasks]
    progress.stop()
    assert descriptions == ["all", spell_out_invisible(SELECTOR, breaks=True)]
    assert all(map(is_safe, descriptions))


@pytest.mark.parametrize("kind", [HoldfastError, InvalidInputError, HoldfastWarning])
def test_messages_in_python_spell_names_out(kind):
    assert str(kind("no feature \x1b[31m")) == "no feature ⟨U+001B⟩[31m"
    assert str(kind()) == ""


def test_the_result_of_a_notebook_spells_names_out(folder):
    from rich.console import Console

    console = Console(width=200, record=True, file=io.StringIO())
    console.print(hf.load(folder / "run"))
    assert is_safe(console.export_text())


OBJECTS = {
    "summary of the data": lambda result: "\n".join(result.dataset.summary().lines()),
    "recommendation": lambda result: result.recommend(),
    "stability profile": lambda result: result.profile(),
    "stand-ins": lambda result: result.stand_ins(),
    "similarity of selectors": lambda result: result.similarity(),
    "preferences": lambda result: result.preferences,
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_spell_names_out_where_they_are_printed(kind, folder):
    shown = OBJECTS[kind](hf.load(folder / "run"))
    for text in (str(shown), repr(shown) if not isinstance(shown, str) else ""):
        assert is_safe(text), ascii(text)
