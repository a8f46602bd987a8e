"""Points and commas before decimals: a file has the one or the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.io._source import shown

if TYPE_CHECKING:
    from holdfast.io._data_stream import TextFile

_POINT, _COMMA = ".", ","


def number_in(cell: str) -> float | None:
    """Return a cell as a number, None if it is text."""
    try:
        return None if "_" in cell else float(cell)  # float() takes 1_000, too
    except ValueError:
        return None


def with_point(cell: str) -> str:
    """Return a cell with a point for its decimal comma."""
    return cell.replace(_COMMA, _POINT, 1)


class DecimalSigns:
    """Remembers where each sign was met first; refuses a file with both.

    Beside decimal points a comma most likely parts thousands; 1,234 is not to become 1.234 then.
    """

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._met: dict[str, tuple[int, str]] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said about decimal commas, if there are any."""
        if _COMMA not in self._met:
            return ()
        line, cell = self._met[_COMMA]
        return (f"Commas in numbers are read as decimal commas, as in {cell!r} (line {line:,}).",)

    def watch(self, line: int, cells: list[str], text: str) -> None:
        """Look at a row, given as cells and as one text, which is searched much faster."""
        for sign in (_POINT, _COMMA):
            if sign in text and sign not in self._met:
                self._meet(sign, line, cells)

    def _meet(self, sign: str, line: int, cells: list[str]) -> None:
        found = (cell for cell in cells if sign in cell and number_in(with_point(cell)) is not None)
        number = next(found, None)
        if number is None:
            return
        self._met[sign] = (line, number.strip())
        if len(self._met) == 2:
            raise self._both(line)

    def _both(self, line: int) -> Exception:
        listed = " and ".join(f"{shown(cell)} in line {at:,}" for at, cell in self._met.values())
        return self._file.error(
            f"numbers must have one decimal sign, a point or a comma, got {listed}; write all "
            "with a point, and nothing between thousands.",
            line,
        )
