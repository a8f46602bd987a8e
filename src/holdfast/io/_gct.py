"""GCT, the format of GenePattern: features in rows, samples in columns; labels as CLS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._formatting import format_list
from holdfast._memory import MemoryUse
from holdfast._typing import AnyArray, FloatArray
from holdfast.io._binary import Matrix, dataset_from_matrix
from holdfast.io._columns import TARGET, TargetOrigin
from holdfast.io._csv import NumberReader, RowBlocks
from holdfast.io._text_files import (
    BYTES_PER_CHARACTER,
    TextFile,
    file_error,
    quote_value,
    read_text,
    refuse_repeats,
    refuse_unreadable,
)

if TYPE_CHECKING:
    from holdfast.io._columns import ColumnOptions
    from holdfast.io._dataset import Dataset


Lines = Iterator[tuple[int, list[str]]]


LABELS = ".cls"
_NUMERIC = "#numeric"  # begins a CLS file of a continuous phenotype
_COUNT = re.compile("[0-9]{1,12}")
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
    label_notes: tuple[str, ...] = ()
    names, X = _read_features(file, shape, lines, samples)
    if str(options.target).lower().endswith(LABELS):
        labels, label_notes = _read_cls(Path(options.target), shape.samples)
        side = {**side, TARGET: labels}
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
        notes=(*file.notes, *label_notes),
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
    if len(counts) != _VERSIONS[version] or not all(map(_COUNT.fullmatch, counts)):
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
    use = MemoryUse(file.error)
    for _ in range(shape.about_samples):
        number, cells = _read_row(file, shape, lines)
        name = cells[0].strip()
        use.add(BYTES_PER_CHARACTER * sum(map(len, cells)), "the rows about the samples")
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
    reader = NumberReader(file, samples, decimal_comma=False)
    blocks = RowBlocks(shape.samples, MemoryUse(file.error))
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


def _read_cls(path: Path, n_samples: int) -> tuple[AnyArray, tuple[str, ...]]:
    """Return the labels in a CLS file, and notes on it; raise unless there is one per sample."""
    refuse_unreadable(path)
    labels, notes = read_text(path, lambda _: None, _parse_cls)
    if len(labels) != n_samples:
        raise file_error(
            str(path), f"{n_samples:,} labels are needed, one per sample, got {len(labels):,}.", 3
        )
    return labels, notes


def _parse_cls(file: TextFile) -> tuple[AnyArray, tuple[str, ...]]:
    """Read a CLS file: counts, class names after #, then one label per sample.

    The first distinct label stands for the first name, the second for the second.
    """
    content = (line for line in file.lines() if line.strip())
    lines = [line.split() for line in islice(content, 4)]  # a fourth line is an error
    if lines[0][0].lower() == _NUMERIC:
        raise file.error(
            f"classes are needed, got a continuous phenotype ({_NUMERIC}), which is not supported "
            "yet.",
            1,
        )
    if len(lines) != 3 or not lines[1][0].startswith("#"):
        raise file.error(
            "a CLS file has three lines: counts, # and the names of the classes, the labels."
        )
    names = " ".join(lines[1]).removeprefix("#").split()
    labels = list(dict.fromkeys(lines[2]))
    refuse_repeats(names, "class", partial(file.error, line=2))
    if len(names) != len(labels):
        raise file.error(
            f"{len(names):,} classes are named, but there are {len(labels):,} distinct labels.", 3
        )
    if labels != names and set(labels) == set(names):
        raise file.error(
            "labels stand for the classes in order of appearance, but these are the names of the "
            f"classes in another order: {format_list(labels)}; write the names in line 2 in this "
            "order.",
            3,
        )
    counts = [len(lines[2]), len(names)]
    if [_parse_count(cell) for cell in lines[0]] not in ([*counts, 1], counts):
        raise file.error(
            f"the first line must hold the numbers of samples and classes, and 1: "
            f"'{counts[0]} {counts[1]} 1', got {quote_value(' '.join(lines[0]))}.",
            1,
        )
    name_of = dict(zip(labels, names, strict=True))
    notes = tuple(f"{file.path.name}: {note}" for note in file.notes)  # the data are another file
    return np.array([name_of[label] for label in lines[2]]), notes


def _parse_count(cell: str) -> int | None:
    """Return a count, None if it is anything else."""
    return int(cell) if _COUNT.fullmatch(cell) else None
