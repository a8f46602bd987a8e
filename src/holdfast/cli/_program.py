"""The group of commands: imported when called; errors become exit codes here."""

from __future__ import annotations

import importlib
import io
import json
import logging
import os
import re
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from holdfast._formatting import did_you_mean
from holdfast._interrupts import EXIT_CODE_OF_INTERRUPT, handle_interrupts
from holdfast.cli._output import plain_warnings, print_error
from holdfast.errors import (
    FileFormatError,
    HoldfastError,
    InvalidInputError,
    StudyError,
    UnknownNameError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast._typing import DaskClient


FAILED, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 3, EXIT_CODE_OF_INTERRUPT
SIGNALS = (signal.SIGINT, signal.SIGTERM)
"""Ctrl-C, and the signal by which clusters end jobs."""
COMMAND = "holdfast.command"
"""Key of a context under which the arguments of the command line are kept."""


class Program(click.Group):
    """A group whose commands are imported when they are called.

    Parameters
    ----------
    *args, **kwargs
        As for a click group.
    commands_at : mapping from str to str
        Import path of each command: ``"module:attribute"``.
    """

    def __init__(self, *args: Any, commands_at: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.no_args_is_help = False  # handled in `parse_args`, as versions of click differ
        self._commands_at = dict(commands_at)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*super().list_commands(ctx), *self._commands_at})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of this name."""
        if cmd_name not in self._commands_at:
            return super().get_command(ctx, cmd_name)
        module, attribute = self._commands_at[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, show the help."""
        ctx.meta[COMMAND] = [ctx.info_name or "holdfast", *args]
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(USAGE)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401  (what commands return)
        """Run the command; a closed pipe (as with ``| head``) is not an error."""
        try:
            with handle_interrupts(*SIGNALS), plain_warnings():
                result = super().invoke(ctx)
                sys.stdout.flush()
        except BrokenPipeError:
            # discard the remaining output, or Python's own flush at exit would fail as well
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        return result

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown name, suggest the nearest one."""
        known = self.list_commands(ctx)
        if not ctx.resilient_parsing and args[0] not in known and not args[0].startswith("-"):
            ctx.fail(f"no command is called {args[0]!r}.{did_you_mean(args[0], known)}")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as click has it)
        """Run the program and exit with its exit code."""
        run: Any = super().main
        if not kwargs.pop("standalone_mode", True):
            return run(*args, standalone_mode=False, **kwargs)
        return sys.exit(exit_code(lambda: run(*args, standalone_mode=False, **kwargs)))


def exit_code(run: Callable[[], object]) -> int:
    """Run a program, print errors in one line, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # paths may hold bytes that are no text
            stream.reconfigure(errors="backslashreplace")
    try:
        result = run()
    except click.Abort:
        return print_error("interrupted.", INTERRUPTED)
    except click.ClickException as error:
        message = error.format_message()
        context = error.ctx if isinstance(error, click.UsageError) else None
        pointer = f" See '{context.command_path} --help'." if context else ""
        return print_error(f"{message}{pointer}", error.exit_code)
    except UnknownNameError as error:
        return print_error(str(error), USAGE)
    except (FileFormatError, InvalidInputError) as error:
        return print_error(str(error), BAD_DATA)
    except (HoldfastError, OSError, MemoryError) as error:
        return print_error(str(error) or "not enough memory.", FAILED)
    return result if isinstance(result, int) else 0


# Commands that group their options in ``--help``.


class GroupedOption(click.Option):
    """An option with the title of its group."""

    def __init__(self, *args: Any, group: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.group = group


class GroupedCommand(click.Command):
    """A command that groups its options in ``--help``."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group, those without group last."""
        groups: dict[str, list[tuple[str, str]]] = {}
        rest: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            is_option = isinstance(parameter, click.Option)
            record = parameter.get_help_record(ctx) if is_option else None
            if record is not None:
                group = getattr(parameter, "group", None)
                (groups.setdefault(group, []) if group else rest).append(record)
        for title, records in [*groups.items(), ("Options", rest)]:
            with formatter.section(title):
                formatter.write_dl(records)


OptionArguments: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]


def option(*names: str, **attributes: Any) -> OptionArguments:
    """Return the arguments of an option, for `in_group`."""
    return names, attributes


def in_group(
    title: str, *options: OptionArguments
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds options of one group."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for names, attributes in reversed(options):
            attach = click.option(*names, cls=GroupedOption, group=title, **attributes)
            function = attach(function)
        return function

    return add


# The connection to a Dask cluster.

_ADDRESS = re.compile(r"([a-z]+://)?[^/]+:\d+/?")
CONNECT_TIMEOUT_SECONDS = 10.0
"""Seconds to reach the scheduler; chosen by hand."""
DISCONNECT_TIMEOUT_SECONDS = 2.0
"""Seconds to disconnect, short as the scheduler may be gone; chosen by hand."""


@contextmanager
def cluster(dask: str | None, scheduler_file: str | None) -> Iterator[Any]:
    """Yield a client of the cluster that ``--dask`` or ``--scheduler-file`` names; else None."""
    if dask is not None and scheduler_file is not None:
        raise click.UsageError(
            "--dask and --scheduler-file exclude each other: both name the cluster; omit one.",
            click.get_current_context(),
        )
    if scheduler_file is not None:
        client = _connect_client(
            f"--scheduler-file {scheduler_file}", _read_scheduler_file(scheduler_file)
        )
    elif dask is not None:
        client = _connect_client(f"--dask {dask}", _resolve_address(dask))
    else:
        yield None
        return
    try:
        yield client
    finally:
        client.close(timeout=DISCONNECT_TIMEOUT_SECONDS)


def _connect_client(option: str, address: str) -> DaskClient:
    connect = _client_class(option)
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # their tracebacks do not help users
    try:
        return connect(address, timeout=CONNECT_TIMEOUT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise StudyError(
            f"{option}: no Dask scheduler can be reached there within "
            f"{CONNECT_TIMEOUT_SECONDS:g} s ({reason}); is it running? Without this option, the "
            "study runs in local processes."
        ) from error


def _client_class(option: str) -> DaskClient:
    try:
        from distributed import Client
    except ImportError as error:
        raise StudyError(
            f"{option}: Dask is not installed; install it: pip install 'holdfast[dask]'."
        ) from error
    return Client


def _resolve_address(place: str) -> str:
    """Return an address, read from the scheduler file if a file is given."""
    address = _read_address(Path(place)) if Path(place).is_file() else place
    if not _ADDRESS.fullmatch(address):
        raise click.UsageError(
            f"--dask takes the address that 'dask scheduler' prints, as in tcp://host:8786, or the "
            f"path of its scheduler file; got {place!r}.",
            click.get_current_context(),
        )
    return address


def _read_scheduler_file(path: str) -> str:
    address = _read_address(Path(path))
    if not _ADDRESS.fullmatch(address):
        problem = "this file has no address" if Path(path).exists() else "there is no such file"
        raise click.UsageError(
            f"--scheduler-file {path}: {problem}. Give the file that 'dask scheduler "
            "--scheduler-file FILE' writes when it starts, on a disk that both can read.",
            click.get_current_context(),
        )
    return address


def _read_address(path: Path) -> str:
    """Return the address in a scheduler file; empty if there is none."""
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["address"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
