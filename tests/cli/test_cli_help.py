"""Help: there for every command, with an example, and fast because nothing heavy is imported."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from holdfast.cli import main

HEAVY = {"numpy", "scipy", "sklearn", "pandas", "matplotlib", "numba", "pydantic", "joblib"}
LIST_IMPORTS = """
import json, sys
from holdfast.cli import main
try:
    main(sys.argv[1:], prog_name="holdfast")
finally:
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""


def commands(command=main, path=()):
    """Yield the path of every command of the tree, the root first."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))


def test_the_tree_is_walked():
    assert {(), ("measure",), ("list",), ("list", "measures")} <= set(commands())


@pytest.mark.integration
@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_help_imports_nothing_heavy(path):
    run = subprocess.run(
        [sys.executable, "-c", LIST_IMPORTS, *path, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(json.loads(run.stderr.splitlines()[-1]))
    assert "click" in imported
    assert not imported & HEAVY


@pytest.mark.integration
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("list measures", 0, ""),
        ("list selectors --json", 0, ""),
        ("list protocols", 0, ""),
        ("list papers", 0, ""),
        ("study @wine --selectors tscore", 2, "no selector is called 'tscore'"),
        ("study @wine --measures jacard", 2, "no measure is called 'jacard'"),
        ("study @wine --protocol subsampl(10)", 2, "no protocol is called 'subsampl'"),
        ("study @wine --classifiers knn99", 2, "no classifier is called 'knn99'"),
        ("study @wines", 2, "no data set is called '@wines'"),
        ("study missing.csv", 3, "missing.csv: there is no such file"),
        ("study missing.toml", 3, "missing.toml: there is no such file"),
        ("plan missing.csv", 3, "missing.csv: there is no such file"),
        ("plan @wine --measure jacard", 2, "no measure is called 'jacard'"),
        ("measure missing.txt", 3, "missing.txt: there is no such file"),
        ("measure missing.txt --measures jacard", 2, "no measure is called 'jacard'"),
        ("resume missing", 1, "missing: there is no such folder"),
        ("report missing", 1, "missing: there is no such folder"),
        ("check missing", 1, "missing: there is no such folder"),
        ("merge missing others --out joined", 1, "missing: there is no such folder"),
        ("reproduce missing", 2, "no paper is called 'missing'"),
    ],
)
def test_lists_and_mistakes_import_nothing_heavy(tmp_path, arguments, code, message):
    run = subprocess.run(
        [sys.executable, "-c", LIST_IMPORTS, *arguments.split()],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode == code
    assert message in run.stderr
    assert not set(json.loads(run.stderr.splitlines()[-1])) & HEAVY


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_help_explains_and_gives_an_example(path):
    result = CliRunner().invoke(main, [*path, "--help"], prog_name="holdfast")
    assert result.exit_code == 0
    assert result.stdout.startswith(" ".join(("Usage: holdfast", *path)))
    explanation, _, example = result.stdout.partition("Options:")
    assert len(explanation.split("\n\n")) >= 3
    assert "Example" in example
    assert "\n    holdfast " in example


@pytest.mark.parametrize("path", [(), ("list",)])
def test_groups_without_a_command_show_their_help_as_wrong_usage(path):
    result = CliRunner().invoke(main, path, prog_name="holdfast")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Commands:" in result.stderr


def test_version():
    result = CliRunner().invoke(main, ["--version"], prog_name="holdfast")
    assert result.exit_code == 0
    assert result.stdout.startswith("holdfast 0.")


@pytest.mark.integration
def test_python_dash_m():
    run = subprocess.run(
        [sys.executable, "-m", "holdfast", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("holdfast 0.")
