"""Print figures of the code: sizes of files and functions, names, comments, exceptions.

``python tools/code_figures.py [FOLDER ...]`` prints one column per folder of Python files; by
default ``src/holdfast`` of this repository. Code lines are lines that are neither blank nor
comments nor docstrings. The length of a body counts its lines without the docstring. A private
function counts as used once if its name occurs once in its file apart from its definition.
"""

from __future__ import annotations

import ast
import io
import re
import statistics
import sys
import tokenize
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_FOLDER = Path(__file__).resolve().parents[1] / "src" / "holdfast"
PERCENTILE_OF_LONG = 0.9
FOR_TOOLS = ("# noqa", "# type:", "# fmt:")


@dataclass
class CodeFigures:
    """Counts over all files of a folder."""

    lines_per_file: list[int] = field(default_factory=list)
    code_lines: int = 0
    non_blank_lines: int = 0
    comments: int = 0
    body_lengths: list[int] = field(default_factory=list)
    function_names: list[str] = field(default_factory=list)
    single_use_functions: int = 0
    class_names: Counter[str] = field(default_factory=Counter)
    noqa: int = 0
    any_annotations: int = 0

    def add_file(self, path: Path) -> None:
        """Count one file."""
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        lines = text.splitlines()
        comment_lines = comments_of(text)
        non_blank = {number for number, line in enumerate(lines, 1) if line.strip()}
        full_comments = {n for n in comment_lines if lines[n - 1].lstrip().startswith("#")}
        self.lines_per_file.append(len(lines))
        self.non_blank_lines += len(non_blank)
        self.code_lines += len(non_blank - docstring_lines(tree) - full_comments)
        self.comments += len(comment_lines)
        self.noqa += text.count("# noqa")
        names_in_file = Counter(re.findall(r"\w+", text))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                self.class_names[node.name] += 1
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.add_function(node, names_in_file)
            elif isinstance(node, ast.Name) and node.id == "Any":
                self.any_annotations += 1

    def add_function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, names_in_file: Counter[str]
    ) -> None:
        """Count one function or method."""
        body = node.body[1:] if ast.get_docstring(node) else node.body
        if body:
            self.body_lengths.append((body[-1].end_lineno or 0) - body[0].lineno + 1)
        if node.name.startswith("__"):
            return
        self.function_names.append(node.name.strip("_"))
        if node.name.startswith("_") and names_in_file[node.name] == 2:
            self.single_use_functions += 1

    def rows(self) -> dict[str, str]:
        """Return the figures as text, by their names."""
        files, functions = len(self.lines_per_file), len(self.function_names)
        per_thousand = self.code_lines / 1000
        name_length = statistics.mean(map(len, self.function_names))
        one_word = sum("_" not in name for name in self.function_names)
        repeated = sum(count > 1 for count in self.class_names.values())
        return {
            "files": f"{files:,}",
            "lines": f"{sum(self.lines_per_file):,}",
            "code lines": f"{self.code_lines:,}",
            "lines per file, median, p90, max": spread(self.lines_per_file),
            "files per 1,000 code lines": f"{files / per_thousand:.1f}",
            "functions": f"{functions:,}",
            "functions per 1,000 code lines": f"{functions / per_thousand:.0f}",
            "lines per body, median, p90, max": spread(self.body_lengths),
            "private functions used once": f"{self.single_use_functions / functions:.0%}",
            "one-word function names": f"{one_word / functions:.0%}",
            "mean length of function names": f"{name_length:.1f}",
            "class names used more than once": f"{repeated} of {len(self.class_names)}",
            "comments per non-blank line": f"{self.comments / self.non_blank_lines:.1%}",
            "noqa": f"{self.noqa} ({self.noqa / per_thousand:.1f} per 1,000)",
            "Any": f"{self.any_annotations} ({self.any_annotations / per_thousand:.1f} per 1,000)",
        }


def comments_of(text: str) -> set[int]:
    """Return the lines with comments; those for linters and type checkers do not count."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {
        token.start[0]
        for token in tokens
        if token.type == tokenize.COMMENT and not token.string.startswith(FOR_TOOLS)
    }


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of docstrings, including those of attributes and constants."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_constant and isinstance(node.value.value, str):
            lines |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def spread(values: list[int]) -> str:
    """Return median, 90th percentile and maximum."""
    ordered = sorted(values)
    long = ordered[int(PERCENTILE_OF_LONG * (len(ordered) - 1))]
    return f"{statistics.median(ordered):.0f}, {long}, {ordered[-1]}"


def main() -> int:
    """Print a table with one column per folder."""
    folders = [Path(argument) for argument in sys.argv[1:]] or [DEFAULT_FOLDER]
    columns = []
    for folder in folders:
        figures = CodeFigures()
        for path in sorted(folder.rglob("*.py")):
            figures.add_file(path)
        columns.append(figures.rows())
    for name in columns[0]:
        print(f"{name:34}" + "".join(f"{column[name]:>22}" for column in columns))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
