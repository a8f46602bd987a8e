"""Commands with many options, shown in groups of sense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from collections.abc import Callable


class GroupedOption(click.Option):
    """An option that knows under which title it is shown."""

    def __init__(self, *args: Any, group: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help shows options under the titles of their groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, group by group, those of no group last."""
        groups: dict[str, list[tuple[str, str]]] = {}
        rest: list[tuple[str, str]] = []
        for one in self.get_params(ctx):
            record = one.get_help_record(ctx) if isinstance(one, click.Option) else None
            if record is not None:
                group = getattr(one, "group", None)
                (groups.setdefault(group, []) if group else rest).append(record)
        for title, records in [*groups.items(), ("Options", rest)]:
            with formatter.section(title):
                formatter.write_dl(records)


Said: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]


def option(*names: str, **attributes: Any) -> Said:
    """Return what is said of an option, for `in_group`."""
    return names, attributes


def in_group(title: str, *options: Said) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds options of one group."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for names, attributes in reversed(options):
            attach = click.option(*names, cls=GroupedOption, group=title, **attributes)
            function = attach(function)
        return function

    return add
