"""A digest of code that cannot be imported, so that a plan notices when it changes."""

from __future__ import annotations

import hashlib
import inspect
import re
from types import CodeType
from typing import Any

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def code_digest(thing: Any) -> str:  # noqa: ANN401
    """Return a digest of a function's code, or of that of a thing's class.

    Names of files and numbers of lines do not count: a notebook has others each time.
    """
    return hashlib.sha256(repr(_essence(thing)).encode("utf-8", "backslashreplace")).hexdigest()


def _essence(thing: Any) -> Any:  # noqa: ANN401
    if isinstance(thing, CodeType):
        return thing.co_code, thing.co_names, [_essence(one) for one in thing.co_consts]
    if inspect.isfunction(thing):
        cells = [cell.cell_contents for cell in thing.__closure__ or ()]
        held = [*cells, thing.__defaults__, thing.__kwdefaults__]
        return _essence(thing.__code__), [_shown(one) for one in held]
    if inspect.isclass(thing):
        own = {name: one for name, one in vars(thing).items() if inspect.isfunction(one)}
        return {name: _essence(one) for name, one in sorted(own.items())}
    if hasattr(type(thing), "__module__") and type(thing).__module__ == "builtins":
        return _shown(thing)
    return _essence(type(thing))


def _shown(thing: object) -> str:
    return _ADDRESS.sub("", repr(thing))
