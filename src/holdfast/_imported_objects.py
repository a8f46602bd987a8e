"""Objects that users name by a module or a file: ``package.module:name``, ``path/to/file.py:name``.

The code of a module or a file runs when it is imported, so only names that a user has just given
are imported here; a stored plan needs trust. The module of a file has a name that is derived from
its content. Worker processes, also on other machines, get the content and import it under the
same name, so objects of the file can be pickled by reference.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.abc
import importlib.util
import pickle
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import cloudpickle

from holdfast._formatting import did_you_mean
from holdfast._object_spec import is_file_place
from holdfast.errors import InvalidInputError

FILE_MODULE_PREFIX = "holdfast_file_"
"""How the names of modules of files begin."""
MAX_SOURCE_BYTES = 10_000_000
"""Largest file that is imported; chosen by hand, much larger than any that people write."""


class CodeFile(NamedTuple):
    """A file of Python code, as it was when it was read."""

    path: str
    """The path as the user gave it, with forward slashes."""
    location: str
    """The full path."""
    source: bytes

    @property
    def sha256(self) -> str:
        """The digest of the content."""
        return hashlib.sha256(self.source).hexdigest()

    @property
    def module(self) -> str:
        """The name of the module: the same file has the same one, a changed file another."""
        stem = re.sub(r"\W", "_", Path(self.path).stem)
        key = f"{self.path}\0{self.location}\0{self.sha256}"
        return f"{FILE_MODULE_PREFIX}{stem}_{hashlib.sha256(key.encode()).hexdigest()[:12]}"


IMPORTED_FILES: dict[str, CodeFile] = {}
"""The files that this process has imported, by the names of their modules."""


def import_named_object(place: str, name: str) -> Any:  # noqa: ANN401  (any object)
    """Return an object of a module or a file that the user has named.

    Parameters
    ----------
    place : str
        A module, as ``"package.module"``, or the path of a file that ends in ``.py``.
    name : str
        The name of the object in it.

    Raises
    ------
    InvalidInputError
        There is no such module, file or object, or its code fails.
    """
    if is_file_place(place):
        return import_from_file(read_code_file(place), name)
    return _get_attribute(_import_module(place), place, name)


def import_from_file(file: CodeFile, name: str) -> Any:  # noqa: ANN401
    """Return an object of a file that was read; see `import_named_object`."""
    return _get_attribute(import_file(file), file.path, name)


def read_code_file(path: str) -> CodeFile:
    """Read a file of Python code; nothing of it is run."""
    location = Path(path)
    try:
        if not location.is_file():  # reading from a pipe may never end
            problem = "is no regular file" if location.exists() else "does not exist"
            raise InvalidInputError(f"{path}: this file {problem} ({location.absolute()}).")
        with location.open("rb") as file:
            source = file.read(MAX_SOURCE_BYTES + 1)
        if len(source) > MAX_SOURCE_BYTES:
            raise InvalidInputError(f"{path}: a file of code may have {MAX_SOURCE_BYTES:,} bytes.")
        return CodeFile(location.as_posix(), str(location.resolve()), source)
    except (OSError, ValueError) as error:  # ValueError: null bytes in the path
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"{path}: the file cannot be read ({error}).") from error


class _FileLoader(importlib.abc.ExecutionLoader):
    """Loads a module from the content of a file, which may not exist on this machine."""

    def __init__(self, file: CodeFile) -> None:
        self._file = file

    def get_source(self, fullname: str) -> str:
        return importlib.util.decode_source(self._file.source)

    def get_filename(self, fullname: str) -> str:
        return self._file.location


def import_file(file: CodeFile) -> ModuleType:
    """Import a file, once per process and content; modules next to it can be imported by it."""
    name = file.module
    if name in IMPORTED_FILES:
        return sys.modules[name]
    spec = importlib.util.spec_from_loader(name, _FileLoader(file))
    if spec is None or spec.loader is None:
        raise InvalidInputError(f"{file.path}: the file cannot be imported.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name], IMPORTED_FILES[name] = module, file
    folder = str(Path(file.location).parent)
    sys.path.append(folder)
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name], IMPORTED_FILES[name]
        if isinstance(error, Exception | SystemExit):
            raise _import_error(file.path, file.location, error) from error
        raise
    finally:
        sys.path.remove(folder)
    return module


def _import_module(place: str) -> ModuleType:
    try:
        return importlib.import_module(place)
    except (Exception, SystemExit) as error:  # the code of a user may raise anything
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and f"{place}.".startswith(f"{missing}."):
            raise InvalidInputError(
                f"no module is called {missing!r}. Install its package, or give the path of its "
                "file, as in path/to/file.py:name."
            ) from None
        raise _import_error(place, "", error) from error


def _import_error(place: str, location: str, error: BaseException) -> InvalidInputError:
    """Return the error for code that fails when it is imported, with the line of the user."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        where = (error.lineno, (error.text or "").strip())
        message = error.msg
    else:
        frames = traceback.extract_tb(error.__traceback__)
        inside = [frame for frame in frames if frame.filename == location]
        others = [frame for frame in frames if not frame.filename.startswith("<")]
        frame = (inside or others)[-1]
        where = (frame.lineno or 0, (frame.line or "").strip())
        message = str(error)
    text = f"{type(error).__name__}: {message}".rstrip(": .")
    number, line = where
    return InvalidInputError(f"{place} cannot be imported: {text} (line {number}: {line[:80]}).")


def _get_attribute(module: ModuleType, place: str, name: str) -> Any:  # noqa: ANN401
    thing: Any = module
    for part in name.split("."):
        if not hasattr(thing, part):
            public = [key for key, value in vars(thing).items()
                      if not key.startswith("_") and not isinstance(value, ModuleType)]  # fmt: skip
            raise InvalidInputError(f"{place} has no {name!r}.{did_you_mean(part, public)}")
        thing = getattr(thing, part)
    return thing


# Pickles for other processes.


class PackedValue(NamedTuple):
    """A pickled value and the files that define objects of it."""

    files: tuple[CodeFile, ...]
    value: bytes
    """Pickled by itself, as it can be read only when the files are imported."""


def pickle_with_files(value: object) -> bytes:
    """Pickle a value together with the files that this process has imported."""
    files = tuple(IMPORTED_FILES.values())
    return pickle.dumps(PackedValue(files, cloudpickle.dumps(value)))


def unpickle_with_files(data: bytes) -> Any:  # noqa: ANN401
    """Return a pickled value; if it was packed with files, import them first."""
    value = pickle.loads(data)
    if not isinstance(value, PackedValue):
        return value
    for file in value.files:
        import_file(file)
    return pickle.loads(value.value)
