"""The group of commands: loaded when called, and the one place where errors become exit codes."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from holdfast._text import did_you_mean
from holdfast.cli._talk import plain_warnings, say_error
from holdfast.errors import FileFormatError, HoldfastError, InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FAILED, USAGE, BAD_DATA, INTERRUPTED = 1, 2, 3, 130
COMMAND = "holdfast.command"
"""Where a context keeps the words of the whole command line."""


class Program(click.Group):
    """A group whose commands live in modules that are imported when they are asked for.

    Parameters
    ----------
    *args, **kwargs
        As for a click group.
    commands_at : mapping from str to str
        Where each command is: ``"module:attribute"``.
    """

    def __init__(
        self,
        *args: Any,
        commands_at: Mapping[str, str],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.no_args_is_help = False  # done here, so that all versions of click agree
        self._commands_at = dict(commands_at)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*super().list_commands(ctx), *self._commands_at})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is no such one."""
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
        """Run the command; a reader that went away, as with ``| head``, is no failure."""
        try:
            with plain_warnings():
                result = super().invoke(ctx)
                sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()
            ctx.exit(0)
        return result

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is called; name the nearest if there is none."""
        known = self.list_commands(ctx)
        if not ctx.resilient_parsing and args[0] not in known and not args[0].startswith("-"):
            ctx.fail(f"no command is called {args[0]!r}.{did_you_mean(args[0], known)}")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as click has it)
        """Run the program and leave with its exit code."""
        run: Any = super().main
        if not kwargs.pop("standalone_mode", True):
            return run(*args, standalone_mode=False, **kwargs)
        return sys.exit(exit_code(lambda: run(*args, standalone_mode=False, **kwargs)))


def exit_code(run: Callable[[], object]) -> int:
    """Run a program; say what went wrong in one line, and return the exit code."""
    try:
        result = run()
    except click.Abort:
        return say_error("interrupted.", INTERRUPTED)
    except click.ClickException as error:
        return say_error(_with_help(error), error.exit_code)
    except (HoldfastError, OSError, MemoryError) as error:
        return say_error(str(error) or "not enough memory.", _code_of(error))
    return result if isinstance(result, int) else 0


def _code_of(error: Exception) -> int:
    if isinstance(error, UnknownNameError):
        return USAGE
    return BAD_DATA if isinstance(error, FileFormatError | InvalidInputError) else FAILED


def _with_help(error: click.ClickException) -> str:
    """Return the message of an error, and where to read on if the usage was wrong."""
    message = error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"{message} See '{context.command_path} --help'." if context else message


def _drop_output() -> None:
    """Send what is still to be written nowhere, so that leaving does not complain either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
