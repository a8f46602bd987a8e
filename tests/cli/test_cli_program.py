"""Errors and warnings: one plain line on standard error, and the right exit code."""

from __future__ import annotations

import subprocess
import sys
import warnings

import click
import pytest
from click.testing import CliRunner

from holdfast.cli._program import Program
from holdfast.errors import (
    FileFormatError,
    HoldfastError,
    InvalidInputError,
    UndefinedMeasureError,
    UndefinedMeasureWarning,
    UnknownNameError,
)


def run(error=None, act=None):
    """Run a command that raises an error or acts."""

    @click.group(cls=Program, commands_at={})
    def program():
        pass

    @program.command()
    def work():
        if error is not None:
            raise error
        act()

    return CliRunner().invoke(program, ["work"], prog_name="holdfast")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UnknownNameError("no such thing."), 2),
        (click.UsageError("wrong."), 2),
        (click.BadParameter("wrong."), 2),
        (FileFormatError("a.txt, line 3: odd."), 3),
        (InvalidInputError("odd."), 3),
        (UndefinedMeasureError("undefined."), 1),
        (HoldfastError("failed."), 1),
        (click.ClickException("failed."), 1),
        (OSError(28, "No space left on device"), 1),
        (MemoryError(), 1),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_become_one_line_and_an_exit_code(error, code):
    result = run(error)
    assert result.exit_code == code
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    assert len(lines[0]) > len("error: ")


def test_line_breaks_do_not_break_the_line():
    assert run(FileFormatError("one\ntwo")).stderr == "error: one two\n"


def test_bugs_are_not_hidden():
    assert isinstance(run(ZeroDivisionError()).exception, ZeroDivisionError)


def test_warnings_become_plain_lines_reported_once():
    def act():
        for _ in range(2):
            warnings.warn("undefined,\nas sizes differ.", UndefinedMeasureWarning, stacklevel=1)
        click.echo("data")

    result = run(act=act)
    assert result.exit_code == 0
    assert result.stdout == "data\n"
    assert result.stderr == "warning: undefined, as sizes differ.\n"


def test_warnings_of_others_stay_what_they_are():
    def act():
        warnings.warn("of another library", RuntimeWarning, stacklevel=1)

    assert isinstance(run(act=act).exception, RuntimeWarning)


def test_return_value_outside_of_standalone_mode():
    @click.group(cls=Program, commands_at={})
    def program():
        pass

    @program.command()
    def work():
        return "value"

    assert program.main(["work"], standalone_mode=False) == "value"


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise on Windows")
@pytest.mark.parametrize("times", [1, 10_000])
def test_a_reader_that_goes_away_is_no_error(times):
    script = f"""
import click
from holdfast.cli._program import Program
@click.group(cls=Program, commands_at={{}})
def program(): pass
@program.command()
def work():
    import sys
    sys.stdin.readline()
    for _ in range({times}): click.echo("x" * 100)
program()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script, "work"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    process.stdin.write(b"go\n")
    process.stdin.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == 0
