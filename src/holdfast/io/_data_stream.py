"""Text files line by line: packed or not, in the encodings that tables come in."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, TypeAlias, TypeVar, cast

from holdfast.io._source import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from holdfast.errors import FileFormatError

    Progress: TypeAlias = Callable[[float], None]

T = TypeVar("T")
UTF_8, UTF_16, UTF_32, LATIN_1 = "utf-8-sig", "utf-16", "utf-32", "latin-1"
_MARKS = {
    b"\xff\xfe\0\0": UTF_32,  # before UTF-16, whose mark it begins with
    b"\0\0\xfe\xff": UTF_32,
    b"\xff\xfe": UTF_16,
    b"\xfe\xff": UTF_16,
}
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)
_HEAD = 1 << 16  # bytes that are looked at before a file counts as text
_STEP = 1 << 22  # packed bytes between two reports of progress
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")  # no table holds these
_NOTES = {
    UTF_16: "The file is in UTF-16.",
    UTF_32: "The file is in UTF-32.",
    LATIN_1: "The file is not in UTF-8: it was read as Latin-1; check names with special letters.",
}


@dataclass(frozen=True)
class TextFile:
    """A text file that is read from front to back, as often as need be."""

    path: Path
    encoding: str
    progress: Progress

    @property
    def where(self) -> str:
        """What messages call the file."""
        return str(self.path)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said about the encoding; nothing about UTF-8."""
        return (_NOTES[self.encoding],) if self.encoding in _NOTES else ()

    @property
    def suffix(self) -> str:
        """The ending that tells the format, in small letters."""
        return suffix_of(self.path)

    def error(self, message: str, line: int | None = None) -> FileFormatError:
        """Return an error that says where in this file something is wrong."""
        return problem(self.where, message, line)

    def lines(self) -> Iterator[str]:
        """Yield the lines, ends included, whatever system wrote them."""
        number = 0
        try:
            with self.path.open("rb") as raw, _unpacked(self.path, raw) as data:
                text = io.TextIOWrapper(data, encoding=self.encoding, newline="")
                for number, line in enumerate(_reported(text, raw, self), start=1):  # noqa: B007
                    yield line
        except _DAMAGED as error:
            raise _damage(self.path, error, number + 1) from None

    def refuse_control(self, cell: str, line: int) -> None:
        """Refuse a cell with signs that no text holds."""
        odd = _CONTROL.search(cell)
        if odd is not None:
            raise self.error(
                f"a text file is needed, got binary data (byte 0x{ord(odd[0]):02x}).", line
            )


def suffix_of(path: Path) -> str:
    """Return the ending of a name that tells the format; ``.gz`` only says that it is packed."""
    plain = path.with_suffix("") if _is_packed(path) else path
    return plain.suffix.lower()


def refuse_unreadable(path: Path) -> None:
    """Refuse a file that is not there or may not be opened."""
    try:
        path.open("rb").close()
    except FileNotFoundError:
        message = "there is no such file; check the path, or give @wine for data that come along."
    except (OSError, ValueError) as error:
        message = f"the file cannot be read ({getattr(error, 'strerror', None) or error})."
        if path.is_dir():
            message = "this is a folder, a file is needed; name one of the files in it."
    else:
        return
    raise problem(str(path), message)


def read_text(path: Path, progress: Progress, parse: Callable[[TextFile], T]) -> T:
    """Let `parse` read a file as UTF-8, or from the start as Latin-1 if it is not UTF-8."""
    encoding = _encoding(path)
    try:
        return parse(TextFile(path, encoding, progress))
    except UnicodeDecodeError as error:
        if encoding != UTF_8:
            raise problem(
                str(path), f"the text is not valid {encoding.upper()} ({error})."
            ) from None
    return parse(TextFile(path, LATIN_1, progress))


def _encoding(path: Path) -> str:
    """Return the encoding by the first bytes; refuse files that are empty or no text."""
    head = _head(path)
    if not head.strip(b"\xef\xbb\xbf \t\r\n"):
        raise problem(str(path), "the file is empty; a header and rows of data are needed.", 1)
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if marked is not None:
        return marked
    odd = _CONTROL.search(head.decode(LATIN_1))
    if odd is not None:
        raise problem(
            str(path),
            f"a text file is needed, got binary data (byte 0x{ord(odd[0]):02x}); "
            "export it as CSV, or give it the ending of its format.",
            1 + head[: odd.start()].count(b"\n"),
        )
    return UTF_8


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as raw, _unpacked(path, raw) as data:
            return data.read(_HEAD)
    except _DAMAGED as error:
        raise _damage(path, error, 1) from None


def _damage(path: Path, error: Exception, line: int) -> FileFormatError:
    told = str(error).rstrip(".")
    return problem(str(path), f"the packed file is damaged or cut off ({told}); get it anew.", line)


def _unpacked(path: Path, raw: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if _is_packed(path) else raw


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _reported(text: io.TextIOWrapper, raw: IO[bytes], file: TextFile) -> Iterator[str]:
    """Yield lines and report from time to time which part of the file is read."""
    size, told = max(1, file.path.stat().st_size), 0
    for line in text:
        yield line
        if raw.tell() - told >= _STEP:
            told = raw.tell()
            file.progress(min(1.0, told / size))
    file.progress(1.0)
