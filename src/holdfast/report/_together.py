"""Files that belong together: written whole, or not at all."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write_together(texts: Mapping[Path, str]) -> None:
    """Write all files under other names, then rename them, so that none is ever half there."""
    partial = {path: path.with_name(f".{path.name}.partial") for path in texts}
    path = next(iter(texts))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            partial[path].write_bytes(text.encode())
        for path, new in partial.items():
            new.replace(path)
    except OSError as error:
        raise StoreError(
            f"{path}: the report cannot be written ({error.strerror or error}); "
            "earlier reports stay. The study itself is kept: make room, or give another place."
        ) from error
    finally:
        for new in partial.values():
            with suppress(OSError):  # the folder may be gone, or be read-only
                new.unlink()
