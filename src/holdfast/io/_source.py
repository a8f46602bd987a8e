"""A file as text, with its name for messages and the lines it is made of."""

from __future__ import annotations

import io
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import FileFormatError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.errors import HoldfastError

STANDARD_INPUT = "-"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")  # no text file of tables holds these
_SHOWN = 40  # characters of a cell that a message repeats


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a file (or of standard input) and the name that messages call it by."""

    name: str
    suffix: str
    text: str

    def error(self, message: str, line: int | None = None) -> FileFormatError:
        """Return an error that says where in this file something is wrong."""
        return problem(self.name, message, line)

    def lines(self) -> Iterator[str]:
        """Yield the lines as they are, ends included, whatever system wrote them."""
        return io.StringIO(self.text, newline="")

    def line_at(self, offset: int) -> int:
        """Return the number of the line that holds the character at `offset`."""
        return _line_at(self.text[:offset].encode())


def problem(name: str, message: str, line: int | None = None) -> FileFormatError:
    """Return an error about a file, with the line (counted from 1) where it is known."""
    place = name if line is None else f"{name}, line {line}"
    return FileFormatError(f"{place}: {message}")


def shown(text: object) -> str:
    """Return a value the way messages show it: quoted, and cut if it is very long."""
    quoted = repr(text)
    return quoted if len(quoted) <= _SHOWN else f"{quoted[:_SHOWN]}..."


def first_repeat(items: Sequence[object]) -> int:
    """Return the position of the first item that was there before; there must be one."""
    first: dict[object, int] = {}
    return next(i for i, item in enumerate(items) if first.setdefault(item, i) != i)


def refuse_repeats(names: Sequence[str], noun: str, error: Callable[[str], HoldfastError]) -> None:
    """Refuse names of which one is given more than once; `error` makes the error."""
    if len(set(names)) == len(names):
        return
    double = shown(names[first_repeat(names)])
    raise error(f"{noun} names must be unique, got {double} more than once; rename or drop one.")


def read_source(path: str | os.PathLike[str]) -> Source:
    """Read a text file; ``-`` is standard input."""
    name = name_of(path)
    suffix = "" if str(path) == STANDARD_INPUT else Path(path).suffix.lower()
    return Source(name, suffix, decoded(name, read_bytes(path)))


def name_of(path: str | os.PathLike[str]) -> str:
    """Return what messages call the file."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read all of a file, or of standard input."""
    if str(path) == STANDARD_INPUT:
        stream = getattr(sys.stdin, "buffer", None)
        return stream.read() if stream is not None else sys.stdin.read().encode()
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        message = "there is no such file; check the path, or give - to read standard input."
    except IsADirectoryError:
        message = "this is a folder, a file is needed; name one of the files in it."
    except PermissionError:
        message = "the file may not be read; check its permissions."
    except (OSError, ValueError) as error:
        message = f"the file cannot be read ({getattr(error, 'strerror', None) or error})."
    raise problem(str(path), message)


def decoded(name: str, data: bytes) -> str:
    """Turn the bytes of a file into text; refuse what is not text in UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise problem(name, "the text must be UTF-8, got UTF-16; save it again as UTF-8.", 1)
    odd = _CONTROL.search(data)
    if odd is not None:
        raise problem(
            name,
            f"a text file is needed, got binary data (byte 0x{odd[0][0]:02x}); "
            "unpack or export it as CSV, JSON or plain text first.",
            _line_at(data[: odd.start()]),
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # the decoder counts from behind a byte order mark
        start = error.start + len(data) - len(error.object)
        line = _line_at(data[:start])
        raise problem(
            name,
            f"not UTF-8 (line {line}): got the byte 0x{data[start]:02x}, as in Latin-1 or binary "
            "files; save the file again as UTF-8.",
            line,
        ) from None
    if not text.strip():
        raise problem(name, "the file is empty; at least one line of data is needed.", 1)
    return text


def _line_at(before: bytes) -> int:
    return 1 + len(_LINE_END.findall(before))
