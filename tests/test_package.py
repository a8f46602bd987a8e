"""The package as a whole: what is public, how it is layered, what it says of itself."""

import ast
import importlib
import importlib.metadata
import re
from pathlib import Path

import pytest

import holdfast
from holdfast import errors

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "holdfast"
# from left to right: nothing imports what stands to its right
LAYERS = [
    "_formatting", "errors", "_typing", "_random", "_interrupts", "_validation", "_object_spec",
    "_imported_objects",
    "_study_part", "_bibliography", "_memory", "_lazy_exports", "_registry", "_classifiers",
    "_kernels",
    "preferences", "measures", "theory", "io", "resample", "select", "testing", "simulate",
    "judge", "plot", "report", "study", "papers",
    "cli",
]  # fmt: skip


def test_public_names_are_there():
    assert len(set(holdfast.__all__)) == len(holdfast.__all__)
    for name in holdfast.__all__:
        assert getattr(holdfast, name) is not None
    assert set(holdfast.__all__) <= set(dir(holdfast))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = holdfast.nonsense


@pytest.mark.parametrize(
    "module",
    [
        "measures",
        "preferences",
        "io",
        "errors",
        "judge",
        "theory",
        "simulate",
        "resample",
        "papers",
    ],
)
def test_modules_export_what_they_say(module):
    loaded = importlib.import_module(f"holdfast.{module}")
    assert len(set(loaded.__all__)) == len(loaded.__all__)
    for name in loaded.__all__:
        assert hasattr(loaded, name), name


def test_imports_go_one_way():
    for path in SOURCE.rglob("*.py"):
        layer = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if layer not in LAYERS:
            continue
        for node in _running(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                parts = node.module.split(".")
                if parts[0] == "holdfast" and len(parts) > 1:
                    assert LAYERS.index(parts[1]) <= LAYERS.index(layer), path


def _running(node):
    """Yield all that runs: what is imported for its type alone makes nothing depend on it."""
    yield node
    if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
        for child in ast.iter_child_nodes(node):
            yield from _running(child)


def test_errors_are_also_the_matching_builtins():
    assert issubclass(errors.InvalidInputError, ValueError)
    assert issubclass(errors.UnknownNameError, LookupError)
    assert issubclass(errors.FileFormatError, ValueError)
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, errors.HoldfastError | errors.HoldfastWarning)


def test_version_is_the_same_everywhere():
    version = importlib.metadata.version("holdfast")
    assert holdfast.__version__ == version
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (\S+)$", citation, re.MULTILINE)[1] == version
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
