"""Lists on the command line: names with options, and sizes."""

from __future__ import annotations

import re

import click

_COMMA = re.compile(r",(?![^()]*\))")  # not within round brackets


def split_spellings(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Divide ``a,b:x=1,y=2,c`` into ``a``, ``b:x=1,y=2`` and ``c``; the callback of an option.

    A part with an equals sign before any colon is an option of the name before it.
    """
    if value is None:
        return None
    spellings: list[str] = []
    for part in map(str.strip, _COMMA.split(value)):
        if not part:
            raise click.BadParameter(f"names between commas are needed, got {value!r}.")
        if "=" not in part.partition(":")[0]:
            spellings.append(part)
        elif spellings and ":" in spellings[-1]:
            spellings[-1] += f",{part}"
        else:
            raise click.BadParameter(_lost(part, spellings))
    return spellings


def _lost(option: str, before: list[str]) -> str:
    name = before[-1] if before else "name"
    return f"{option!r} follows no name with a colon; spell options as {name}:{option}."


def split_or_none(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[str] | None:
    """Divide names with options; ``none`` is none of them."""
    return [] if value == "none" else split_spellings(context, parameter, value)


def split_sizes(_: click.Context, __: click.Parameter, value: str | None) -> list[float] | None:
    """Return the sizes between commas: counts, or fractions written with a point."""
    if value is None:
        return None
    try:
        return [_size(part.strip()) for part in value.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"counts or fractions between commas are needed, as in 10,20,0.05; got {value!r}."
        ) from None


def _size(text: str) -> float:
    size = int(text) if text.isdecimal() else float(text)
    if not (isinstance(size, int) and size > 0) and not 0 < size <= 1:
        raise ValueError(text)
    return size
