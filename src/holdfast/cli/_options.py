"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast._text import did_you_mean
from holdfast.cli._grouped import option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OTHER_NUMBER = {"subsets": "subset", "weight": "weights", "ranking": "rankings"}

seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    default=0,
    show_default=True,
    help="Of all that is random.",
)
CLASSES = option(
    "--classes",
    is_flag=True,
    default=None,  # what is not said is left to the study file
    help="The target's numbers are class labels.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def examples(*commands: str) -> str:
    """Return the closing part of a help text: commands to try, each on its line."""
    lines = "".join(f"\n  {command}" for command in commands)
    return f"\b\n{'Example' if len(commands) == 1 else 'Examples'}:{lines}"


def form_option(
    forms: Sequence[str],
    **attributes: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option ``--form``; singular and plural are both understood."""

    def chosen(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        form = value if value is None else _OTHER_NUMBER.get(value, value)
        if form is not None and form not in forms:
            raise click.BadParameter(f"no form is called {form!r}.{did_you_mean(form, forms)}")
        return form

    return click.option("--form", metavar=f"[{'|'.join(forms)}]", callback=chosen, **attributes)


def split_names(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Return the names between commas, each once; the callback of an option."""
    if value is None:
        return None
    names = [name.strip() for name in value.split(",")]
    if not all(names):
        raise click.BadParameter(f"names between commas are needed, got {value!r}.")
    return list(dict.fromkeys(names))
