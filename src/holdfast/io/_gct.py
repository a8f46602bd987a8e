"""GCT, the format of GenePattern: features in rows, samples in columns; labels as CLS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._typing import AnyArray, FloatArray
from holdfast.io._binary import Matrix, dataset_from_matrix
from holdfast.io._columns import TARGET, TargetOrigin
from holdfast.io._csv import NumberReader, RowBlocks
from holdfast.io._text_files import TextFile, file_error, quote_value, read_text, refuse_unreadable

if TYPE_CHECKING:
    from holdfast.io._columns import ColumnOptions
    from holdfast.io._dataset import Dataset


Lines = Iterator[tuple[int, list[str]]]


LABELS = ".cls"
_VERSIONS = {"#1.2": 2, "#1.3": 4}  # the number of counts in the second line, by version


@dataclass(frozen=True)
class _Shape:
    """The second line: numbers of features, samples, and of columns and rows describing them."""

    features: int
    samples: int
    about_features: int = 1  # version 1.2 has a description
    about_samples: int = 0

    @property
    def start(self) -> int:
        """Number of cells in a row before those of the samples."""
        return 1 + self.about_features

    @property
    def width(self) -> int:
        """Number of cells in a row."""
        return self.start + self.samples


def read_gct(file: TextFile, options: ColumnOptions, source: dict[str, Any]) -> Dataset:
    """Read a GCT file; the target is a row describing the samples, or a CLS file."""
    lines = ((number, raw.rstrip("\r\n").split("\t")) for number, raw in enumerate(file.lines(), 1))
    shape = _read_shape(file, lines)
    samples = _read_row(file, shape, lines)[1][shape.start :]
    side = _read_sample_rows(file, shape, lines)
    names, X = _read_features(file, shape, lines, samples)
    if str(options.target).lower().endswith(LABELS):
        side = {**side, TARGET: _read_cls(Path(options.target), shape.samples)}
        options = replace(options, target=TARGET, classes=True)  # a CLS file names classes
    if not side:
        raise file.error(
            "this version of GCT holds no labels: give the path of a CLS file (.cls) as the target."
        )
    matrix = Matrix(
        where=file.where,
        X=X,
        feature_names=names,
        sample_columns=side,
        notes=file.notes,
        target_origin=TargetOrigin.TEXT,
    )
    return dataset_from_matrix(matrix, options, source)


def _read_shape(file: TextFile, lines: Lines) -> _Shape:
    """Read the first two lines."""
    version = next(lines)[1][0].strip()
    if version not in _VERSIONS:
        raise file.error(
            f"the first line of GCT must be #1.2 or #1.3, got {quote_value(version)}.", 1
        )
    number, cells = next(lines, (2, []))
    counts = [cell.strip() for cell in cells if cell.strip()]
    if len(counts) != _VERSIONS[version] or not all(count.isdecimal() for count in counts):
        raise file.error(
            f"the second line of GCT {version[1:]} holds {_VERSIONS[version]} counts between tabs, "
            f"got {quote_value(' '.join(cells))}.",
            number,
        )
    return _Shape(*map(int, counts))


def _read_row(file: TextFile, shape: _Shape, lines: Lines) -> tuple[int, list[str]]:
    """Return the next row; raise if it is missing or of another length."""
    number, cells = next(lines, (None, []))
    if not any(cells):
        problem = "the file ends too early" if number is None else "this line is blank"
        raise file.error(
            f"{shape.features:,} features of {shape.samples:,} samples are announced in line 2, "
            f"but {problem}; is the file truncated?",
            number,
        )
    if any(cells[shape.width :]) or len(cells) < shape.width:
        raise file.error(
            f"each row must have {shape.width:,} cells between tabs, as line 2 announces, "
            f"got {len(cells):,}.",
            number,
        )
    return number or 0, cells[: shape.width]  # spreadsheets pad short rows with tabs


def _read_sample_rows(file: TextFile, shape: _Shape, lines: Lines) -> dict[str, AnyArray]:
    """Read the rows that describe the samples, by name."""
    side: dict[str, AnyArray] = {}
    for _ in range(shape.about_samples):
        number, cells = _read_row(file, shape, lines)
        name = cells[0].strip()
        if name in side:
            raise file.error(
                f"rows about the samples need unique names, got {quote_value(name)} twice.", number
            )
        side[name] = np.array([cell.strip() for cell in cells[shape.start :]], dtype=object)
    return side


def _read_features(
    file: TextFile, shape: _Shape, lines: Lines, samples: list[str]
) -> tuple[list[str], FloatArray]:
    """Read the rows of features; return their names, and the numbers with samples in rows."""
    # features come in rows and are collected as such; the transpose is taken once, at the end
    reader, blocks = NumberReader(file, samples, decimal_comma=False), RowBlocks(shape.samples)
    names = []
    for _ in range(shape.features):
        number, cells = _read_row(file, shape, lines)
        names.append(cells[0].strip())
        blocks.add(reader.row(number, cells[shape.start :]))
    if reader.text_columns:
        sample, (line, cell) = next(iter(reader.text_columns.items()))
        raise file.error(
            f"values must be numbers, got {quote_value(cell)} in sample {quote_value(sample)}.",
            line,
        )
    for number, cells in lines:
        if any(cell.strip() for cell in cells):
            raise file.error(f"only {shape.features:,} features are announced, got more.", number)
    return names, blocks.to_matrix(as_columns=True)


def _read_cls(path: Path, n_samples: int) -> AnyArray:
    """Return the labels in a CLS file; raise unless there is one per sample."""
    refuse_unreadable(path)
    labels = read_text(path, lambda _: None, _parse_cls)
    if len(labels) != n_samples:
        raise file_error(
            str(path), f"{n_samples:,} labels are needed, one per sample, got {len(labels):,}.", 3
        )
    return labels


def _parse_cls(file: TextFile) -> AnyArray:
    """Read a CLS file: counts, class names after #, then one label per sample.

    The first distinct label stands for the first name, the second for the second.
    """
    lines = [line.split() for line in file.lines() if line.strip()]
    if len(lines) != 3 or not lines[1][0].startswith("#"):
        raise file.error(
            "a CLS file has three lines: counts, # and the names of the classes, the labels."
        )
    names = " ".join(lines[1]).removeprefix("#").split()
    labels = list(dict.fromkeys(lines[2]))
    if len(names) != len(labels):
        raise file.error(
            f"{len(names):,} classes are named, but there are {len(labels):,} distinct labels.", 3
        )
    return np.array([dict(zip(labels, names, strict=True))[label] for label in lines[2]])
