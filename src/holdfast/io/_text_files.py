"""Text files, read line by line: compressed or not, in the encodings that tables come in."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias, TypeVar, cast

from holdfast._memory import MEMORY_VARIABLE, MemoryUse, memory_limit
from holdfast.errors import FileFormatError, HoldfastError

Progress: TypeAlias = Callable[[float], None]


T = TypeVar("T")
COMMENT = "#"
"""First character of lines that are skipped, in tables and lists."""
UTF_8, UTF_16, UTF_32, LATIN_1 = "utf-8-sig", "utf-16", "utf-32", "latin-1"
_BYTE_ORDER_MARKS = {
    b"\xff\xfe\0\0": UTF_32,  # before UTF-16, whose mark it begins with
    b"\0\0\xfe\xff": UTF_32,
    b"\xff\xfe": UTF_16,
    b"\xfe\xff": UTF_16,
}
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)
_HEAD_BYTES = 1 << 16  # checked before a file counts as text; chosen by hand
_PROGRESS_STEP_BYTES = 1 << 22  # on disk, between two progress callbacks; chosen by hand
_PART_BYTES = 1_000_000  # read at once from a list; chosen by hand
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")  # never part of a table
BYTES_PER_CHARACTER = 64
"""Memory that a character of a line takes once the line is split into cells.

Measured: 26 to 30 bytes in a header of 200,000 to 300,000 names; doubled, as names may be shorter.
"""
BYTES_PER_SOURCE_BYTE = 8
"""Most memory that a byte of a list takes as text: as it is, decoded, and as wide characters."""
_ENCODING_NOTES = {
    UTF_16: "The file is in UTF-16.",
    UTF_32: "The file is in UTF-32.",
    LATIN_1: "The file is not in UTF-8: it was read as Latin-1; check names with special letters.",
}


@dataclass(frozen=True)
class TextFile:
    """A text file that can be read from start to end any number of times."""

    path: Path
    encoding: str
    progress: Progress

    @property
    def where(self) -> str:
        """The name of the file in messages."""
        return str(self.path)

    @property
    def notes(self) -> tuple[str, ...]:
        """A note on the encoding; none for UTF-8."""
        return (_ENCODING_NOTES[self.encoding],) if self.encoding in _ENCODING_NOTES else ()

    @property
    def suffix(self) -> str:
        """The file name extension that determines the format, in lower case."""
        return format_suffix(self.path)

    def error(self, message: str, line: int | None = None) -> FileFormatError:
        """Return an error with the name of the file and the line."""
        return file_error(self.where, message, line)

    def lines(self) -> Iterator[str]:
        """Yield the lines with their line ends, of any operating system."""
        number = 0
        try:
            with self.path.open("rb") as raw, _decompress_stream(self.path, raw) as data:
                text = io.TextIOWrapper(data, encoding=self.encoding, newline="")
                longest = longest_line()
                for number, line in enumerate(_read_with_progress(text, raw, self), start=1):
                    if len(line) > longest:
                        raise long_line_error(partial(self.error, line=number))
                    yield line
        except _DAMAGED as error:
            raise _damaged_file_error(self.path, error, number + 1) from None

    def refuse_control(self, cell: str, line: int) -> None:
        """Raise if a cell holds control characters, which are never part of a table."""
        odd = _CONTROL.search(cell)
        if odd is not None:
            raise self.error(
                f"a text file is needed, got binary data (byte 0x{ord(odd[0]):02x}).", line
            )


def format_suffix(path: Path) -> str:
    """Return the extension that determines the format; a ``.gz`` behind it is skipped."""
    plain = path.with_suffix("") if _is_compressed(path) else path
    return plain.suffix.lower()


def refuse_unreadable(path: Path) -> None:
    """Raise if a file does not exist, cannot be opened, or is a pipe or a device."""
    try:
        # before it is opened: opening a pipe waits for its other end
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            path.open("rb").close()
            return
    except FileNotFoundError:
        message = "there is no such file; check the path, or use a bundled data set such as @wine."
    except (OSError, ValueError) as error:
        message = f"the file cannot be read ({getattr(error, 'strerror', None) or error})."
    else:
        message = "this is not a regular file; save the data to one, as they are read repeatedly."
        if stat.S_ISDIR(mode):
            message = "this is a folder; give one of the files in it."
    raise file_error(str(path), message)


def read_text(path: Path, progress: Progress, parse: Callable[[TextFile], T]) -> T:
    """Parse a file as UTF-8; if it is not valid UTF-8, parse it again as Latin-1."""
    encoding = _detect_encoding(path)
    # invalid UTF-8 may come late in a file, so it is found by reading, not by a look at the start
    try:
        return parse(TextFile(path, encoding, progress))
    except UnicodeDecodeError as error:
        if encoding != UTF_8:
            raise file_error(
                str(path), f"the text is not valid {encoding.upper()} ({error})."
            ) from None
    return parse(TextFile(path, LATIN_1, progress))


def _detect_encoding(path: Path) -> str:
    """Detect the encoding from the first bytes; raise for empty and binary files."""
    try:
        with path.open("rb") as raw, _decompress_stream(path, raw) as data:
            head = data.read(_HEAD_BYTES)
    except _DAMAGED as error:
        raise _damaged_file_error(path, error, 1) from None
    if not head.strip(b"\xef\xbb\xbf \t\r\n"):
        raise file_error(str(path), "the file is empty; a header and rows of data are needed.", 1)
    marked = next((name for mark, name in _BYTE_ORDER_MARKS.items() if head.startswith(mark)), None)
    if marked is not None:
        return marked
    odd = _CONTROL.search(head.decode(LATIN_1))
    if odd is not None:
        raise file_error(
            str(path),
            f"a text file is needed, got binary data (byte 0x{ord(odd[0]):02x}); "
            "export it as CSV, or give the file the extension of its format.",
            1 + head[: odd.start()].count(b"\n"),
        )
    return UTF_8


def longest_line() -> int:
    """Return how many characters a line, or a row over several lines, may have."""
    return memory_limit() // BYTES_PER_CHARACTER


def long_line_error(error: Callable[[str], HoldfastError]) -> HoldfastError:
    """Return the error about a line of more characters than allowed."""
    longest = longest_line()
    return error(
        f"a row may have at most {longest:,} characters, got more: it would exceed the limit on "
        f"memory. Is a line end missing? If the machine has the memory, raise {MEMORY_VARIABLE}."
    )


def _damaged_file_error(path: Path, error: Exception, line: int) -> FileFormatError:
    reason = str(error).rstrip(".")
    return file_error(
        str(path),
        f"the compressed file is damaged or incomplete ({reason}); get it again.",
        line,
    )


def _decompress_stream(path: Path, raw: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if _is_compressed(path) else raw


def _is_compressed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _read_with_progress(text: io.TextIOWrapper, raw: IO[bytes], file: TextFile) -> Iterator[str]:
    """Yield lines; call the progress callback with the fraction read after every few megabytes."""
    size, reported = max(1, file.path.stat().st_size), 0
    # one character more than allowed: the rest of a longer line is never read
    for line in iter(partial(text.readline, longest_line() + 1), ""):
        yield line
        if raw.tell() - reported >= _PROGRESS_STEP_BYTES:
            reported = raw.tell()
            file.progress(min(1.0, reported / size))
    file.progress(1.0)


# Whole files as text: selections, scores and ranks.

STANDARD_INPUT = "-"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_CONTROL_SOURCE = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")  # never part of a text file
_MAX_QUOTED_CHARACTERS = 40  # characters of a cell that a message quotes


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a file (or of standard input), and its name in messages."""

    name: str
    suffix: str
    text: str

    def error(self, message: str, line: int | None = None) -> FileFormatError:
        """Return an error that says where in this file something is wrong."""
        return file_error(self.name, message, line)

    def lines(self) -> Iterator[str]:
        """Yield the lines with their line ends, of any operating system."""
        return io.StringIO(self.text, newline="")

    def line_at(self, offset: int) -> int:
        """Return the number of the line that holds the character at `offset`."""
        return _line_at(self.text[:offset].encode())


def file_error(name: str, message: str, line: int | None = None) -> FileFormatError:
    """Return an error about a file, with the line (counted from 1) if known."""
    place = name if line is None else f"{name}, line {line}"
    return FileFormatError(f"{place}: {message}")


def quote_value(text: object) -> str:
    """Return a value as messages show it: quoted, and shortened if it is long."""
    quoted = repr(text)
    return (
        quoted if len(quoted) <= _MAX_QUOTED_CHARACTERS else f"{quoted[:_MAX_QUOTED_CHARACTERS]}..."
    )


def first_repeat(items: Sequence[object]) -> int:
    """Return the position of the first repeated item; there must be one."""
    first: dict[object, int] = {}
    return next(i for i, item in enumerate(items) if first.setdefault(item, i) != i)


def refuse_repeats(names: Sequence[str], noun: str, error: Callable[[str], HoldfastError]) -> None:
    """Raise if a name is repeated; `error` makes the exception."""
    if len(set(names)) == len(names):
        return
    double = quote_value(names[first_repeat(names)])
    raise error(f"{noun} names must be unique, got {double} more than once; rename or drop one.")


def read_source(path: str | os.PathLike[str]) -> SourceText:
    """Read a text file; ``-`` is standard input."""
    name = source_name(path)
    suffix = "" if str(path) == STANDARD_INPUT else Path(path).suffix.lower()
    return SourceText(name, suffix, decode_text(name, read_bytes(path)))


def source_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file in messages."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def refuse_missing_list(path: str | os.PathLike[str]) -> None:
    """Raise if a file of preferences does not exist."""
    if str(path) != STANDARD_INPUT and not Path(path).exists():
        raise _missing_list_error(path)


def _missing_list_error(path: str | os.PathLike[str]) -> FileFormatError:
    message = "there is no such file; check the path, or use - to read standard input."
    return file_error(str(path), message)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read all of a file, or of standard input."""
    if str(path) == STANDARD_INPUT:
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            return sys.stdin.read().encode()
        return _read_within_limit(source_name(path), stream)
    try:
        with Path(path).open("rb") as file:
            return _read_within_limit(str(path), file)
    except FileNotFoundError:
        raise _missing_list_error(path) from None
    except IsADirectoryError:  # on Windows a folder raises PermissionError
        message = "this is a folder; give one of the files in it."
    except PermissionError:
        message = "permission to read the file is denied; check its permissions."
    except (OSError, ValueError) as error:
        message = f"the file cannot be read ({getattr(error, 'strerror', None) or error})."
    raise file_error(str(path), message)


def _read_within_limit(name: str, stream: IO[bytes]) -> bytes:
    """Read a stream in parts, as neither a pipe nor a device has a size."""
    use = MemoryUse(partial(file_error, name))
    parts: list[bytes] = []
    while part := stream.read(_PART_BYTES):
        use.add(BYTES_PER_SOURCE_BYTE * len(part), f"a file of more than {len(parts):,} MB")
        parts.append(part)
    return b"".join(parts)


def decode_text(name: str, data: bytes) -> str:
    """Decode the bytes of a file; raise unless they are text in UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise file_error(name, "the text must be UTF-8, got UTF-16; save it again as UTF-8.", 1)
    odd = _CONTROL_SOURCE.search(data)
    if odd is not None:
        raise file_error(
            name,
            f"a text file is needed, got binary data (byte 0x{odd[0][0]:02x}); "
            "decompress it, or export it as CSV, JSON or plain text.",
            _line_at(data[: odd.start()]),
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # the decoder counts from the end of a byte order mark
        start = error.start + len(data) - len(error.object)
        line = _line_at(data[:start])
        raise file_error(
            name,
            f"not UTF-8 (line {line}): got the byte 0x{data[start]:02x}, as in Latin-1 or binary "
            "files; save the file again as UTF-8.",
            line,
        ) from None
    if not text.strip():
        raise file_error(name, "the file is empty; at least one line of data is needed.", 1)
    return text


def _line_at(before: bytes) -> int:
    return 1 + len(_LINE_END.findall(before))
