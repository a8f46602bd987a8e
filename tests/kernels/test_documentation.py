"""Kernels can be checked from their files: method, references, arrays with their shapes."""

import ast
import re
from pathlib import Path

import pytest

import holdfast
from holdfast import _kernels
from holdfast._bibliography import REFERENCES

SOURCE = Path(holdfast.__file__).parent
FILES = [path for path in sorted((SOURCE / "_kernels").glob("*.py")) if path.stem != "__init__"]
PARAGRAPHS = ["Method", "Reference", "Deviations", "Rounding"]
ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (ndarray.*)\n((?:    .*\n?)+)", re.MULTILINE)
SENTENCE = re.compile(r"[^.]*`\w+`(?:[^.]|\.(?=\S))*")
POINTER = re.compile(r"\b(?:As in|See) `(\w+)`")
by_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def paragraphs(tree):
    """Return the titles of the paragraphs of a module's docstring, with their first words."""
    return re.findall(r"^\*\*(\w+)\.\*\* (\S+)", ast.get_docstring(tree), re.MULTILINE)


def arrays(node):
    """Return the names of the array arguments of a function, or of the array fields of a class."""
    if isinstance(node, ast.ClassDef):
        hints = {
            one.target.id: one.annotation for one in node.body if isinstance(one, ast.AnnAssign)
        }
    else:
        hints = {argument.arg: argument.annotation for argument in node.args.args}
    return {name for name, hint in hints.items() if ast.unparse(hint).endswith(("Array", "]"))}


def documented(node):
    """Map the arrays that a docstring describes to the functions that it refers to, if any.

    An array is described by an entry that has its shape, or refers to a function that has it, or
    by a sentence with its name and shape.
    """
    text = ast.get_docstring(node) or ""
    pointers = {}
    for names, kind, description in ENTRY.findall(text):
        target = POINTER.search(description)
        if "shape" in kind or target:
            reference = None if "shape" in kind else target[1]
            pointers |= dict.fromkeys(names.split(", "), reference)
    for sentence in SENTENCE.findall(ENTRY.sub("", text)):
        if "shape" in sentence:
            pointers |= dict.fromkeys(re.findall(r"`(\w+)`", sentence))
    return pointers


def undocumented(tree):
    """Return all arrays of a file that are nowhere described, as pairs of names."""
    nodes = {node.name: node for node in tree.body if _has_arrays(node)}
    missing = set()
    for name, node in nodes.items():
        known = documented(node)
        for array in arrays(node):
            target = known.get(array)
            if array not in known or (target and array not in documented(nodes[target])):
                missing.add((name, array))
    return missing


def _has_arrays(node):
    if isinstance(node, ast.FunctionDef):
        return any(ast.unparse(one) in {"kernel", "subroutine"} for one in node.decorator_list)
    return isinstance(node, ast.ClassDef)


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@by_file
def test_a_file_states_method_reference_deviations_and_rounding(path):
    assert [title for title, _ in paragraphs(parsed(path))] == PARAGRAPHS


@by_file
def test_every_array_argument_is_documented_with_its_shape(path):
    assert undocumented(parsed(path)) == set()


@by_file
def test_every_kernel_has_a_docstring(path):
    kernels = [node for node in parsed(path).body if _has_arrays(node)]
    assert kernels
    assert all(ast.get_docstring(node) for node in kernels)


@pytest.mark.parametrize("folder", ["_kernels", "theory"])
def test_citations_are_in_the_bibliography(folder):
    text = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / folder).glob("*.py"))
    keys = {key.lower() for key in re.findall(r"\[([A-Z]\w+)\]_", text)}
    assert keys
    assert keys <= REFERENCES.keys()


@by_file
def test_the_reference_paragraph_cites_a_publication(path):
    reference = ast.get_docstring(parsed(path)).split("**Reference.**")[1]
    assert re.match(r"[^*]*\[[A-Z]\w+\]_", reference)


def test_the_package_lists_what_each_file_is_checked_against():
    listed = re.findall(r"^``(\w+)`` ", _kernels.__doc__, re.MULTILINE)
    assert listed == [path.stem for path in FILES]


@pytest.mark.parametrize(
    ("docstring", "missing"),
    [
        ("Add.", {"a", "b"}),
        ("Add `a`, of shape (n,), to b.", {"b"}),
        ("Add `a` to `b`.", {"a", "b"}),
        ("Add `a` and `b`, both of shape (n,).", set()),
        ("Add.\n\n    Parameters\n    ----------\n    a : ndarray\n        Numbers.\n", {"a", "b"}),
        ("Add.\n\n    Parameters\n    ----------\n    a, b : ndarray\n        As in `g`.\n", {"b"}),
        (
            "Add.\n\n    Parameters\n    ----------\n    a, b : ndarray of shape (n,)\n        x\n",
            set(),
        ),
    ],
)
def test_arrays_without_shapes_are_noticed(docstring, missing):
    source = (
        f'@kernel\ndef f(a: FloatArray, n: int, b: NDArray[Any]):\n    """{docstring}"""\n'
        '@kernel\ndef g(a: FloatArray):\n    """Take `a` of shape (n,)."""\n'
    )
    assert undocumented(ast.parse(source)) == {("f", name) for name in missing}


def test_missing_paragraphs_are_noticed():
    tree = ast.parse('"""Sums.\n\n**Method.** Add up.\n\n**Rounding**\n"""')
    assert paragraphs(tree) == [("Method", "Add")]
