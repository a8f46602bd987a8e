"""A document's numbers as tables to look at: rows, heads, and three numbers a cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.papers._document import shown_cells

if TYPE_CHECKING:
    from holdfast.papers._document import Document

NOTHING = "–"


@dataclass(frozen=True)
class Cell:
    """Our number, the published one and the difference, as text; empty where there is none."""

    ours: str
    published: str = ""
    difference: str = ""
    gap: float | None = None

    def text(self) -> str:
        """Return all three in one line."""
        if not self.published:
            return self.ours
        return f"{self.ours} ({self.published}{self.difference and f', {self.difference}'})"


@dataclass(frozen=True)
class Grid:
    """A table: titles of the row heads, heads of the columns, rows of heads and cells."""

    titles: list[str]
    heads: list[str]
    rows: list[tuple[list[str], list[Cell]]]

    @property
    def compared(self) -> bool:
        """Whether any number is published."""
        return any(cell.published for _, cells in self.rows for cell in cells)


def grid(document: Document, setting: str) -> Grid:
    """Return the numbers of a setting in the layout of the experiment."""
    cells = shown_cells(document, setting)
    rows, heads = document["rows"], document["heads"]
    found = {(_key(cell, rows), _key(cell, heads)): cell for cell in cells}
    columns = list(dict.fromkeys(_key(cell, heads) for cell in cells))
    lines = list(dict.fromkeys(_key(cell, rows) for cell in cells))
    return Grid(
        titles=[name.replace("_", " ") for name in rows],
        heads=[" ".join(column) for column in columns],
        rows=[
            (list(line), [_cell(found.get((line, one)), document["digits"]) for one in columns])
            for line in lines
        ],
    )


def _key(cell: Document, names: list[str]) -> tuple[str, ...]:
    return tuple(shown(cell[name]) for name in names)


def shown(value: Any) -> str:  # noqa: ANN401  (a key: text or number)
    """Return a key as text: whole numbers without decimals."""
    if value is None:
        return NOTHING
    return f"{value:,g}" if isinstance(value, int | float) else str(value)


def _cell(cell: Document | None, digits: int) -> Cell:
    if cell is None:
        return Cell(NOTHING)
    ours, theirs = cell["value"], cell["published"]
    return Cell(
        number(ours, digits),
        "" if theirs is None else number(theirs, digits),
        "" if None in (ours, theirs) else number(cell["difference"], digits, sign="+"),
        cell["difference"],
    )


def number(value: float | None, digits: int, sign: str = "") -> str:
    """Return a number in so many decimals; never a negative zero."""
    if value is None:
        return NOTHING
    text = f"{value:{sign}.{digits}f}"
    return text.replace("-", "+" if sign else "") if float(text) == 0 else text
