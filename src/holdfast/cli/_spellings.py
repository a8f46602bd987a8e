"""Lists on the command line: names with options, and sizes."""

from __future__ import annotations

import click

from holdfast._spelling import parse_names
from holdfast.errors import InvalidInputError


def split_spellings(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Divide names with options, such as ``a,b:x=1,y=2,c``; the callback of an option."""
    if value is None:
        return None
    try:
        return parse_names(value)
    except InvalidInputError as error:
        raise click.BadParameter(str(error)) from None


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
