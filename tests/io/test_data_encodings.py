"""Text in other encodings: read as what it is, with a note; two values never become one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import FileFormatError
from holdfast.io import from_arrays, read_data

# with "replace", both would be the same text
MEN, MAGPIE = "Männer", "Mönner"
LATIN = [name.encode("latin-1") for name in (MEN, MAGPIE, MEN, MAGPIE)]
UTF = [name.encode() for name in (MEN, MAGPIE, MEN, MAGPIE)]
X = np.arange(8.0).reshape(4, 2)
NAMES = ["u", "v"]
SIDE = ["y", "groups", "cohorts"]
LABELS = [MEN, MAGPIE, MEN, MAGPIE]


NOTE = "The file is not in UTF-8: it was read as Latin-1; check names with special letters."


def save(path, **arrays):
    np.savez(path, **{"X": X, "y": ["a", "b", "a", "b"], **arrays})
    return path


def note_on(name):
    return (
        f"The bytes in '{name}' are not in UTF-8: they were read as Latin-1; check names with "
        "special letters."
    )


@pytest.mark.parametrize("name", SIDE)
@pytest.mark.parametrize(("values", "noted"), [(LATIN, True), (UTF, False)])
def test_labels_of_bytes_in_numpy_files(tmp_path, name, values, noted):
    data = read_data(save(tmp_path / "a.npz", **{name: np.array(values)}))
    assert getattr(data, name).tolist() == LABELS
    assert data.notes == ((note_on(name),) if noted else ())
    assert data.summary().lines()[-1:] == (
        [note_on(name)] if noted else data.summary().lines()[-1:]
    )


@pytest.mark.parametrize(("values", "noted"), [(LATIN, True), (UTF, False)])
def test_names_of_features_in_bytes(tmp_path, values, noted):
    data = read_data(save(tmp_path / "a.npz", feature_names=np.array(values[:2])))
    assert data.feature_names == (MEN, MAGPIE)
    assert data.notes == ((note_on("feature_names"),) if noted else ())
    assert from_arrays(X, LABELS, feature_names=values[:2]).feature_names == (MEN, MAGPIE)


def test_a_column_is_latin_1_as_a_whole(tmp_path):
    # one value is valid UTF-8, the other is not: as Latin-1 they stay different
    mixed = np.array([MEN.encode(), MEN.encode("latin-1")] * 2)
    data = read_data(save(tmp_path / "a.npz", y=mixed))
    assert data.y.tolist() == ["MÃ¤nner", MEN] * 2
    assert data.notes == (note_on("y"),)


@pytest.mark.parametrize(("values", "noted"), [(LATIN, True), (UTF, False)])
def test_bytes_in_parquet_files(tmp_path, values, noted, require):
    pa, parquet = require("parquet"), pytest.importorskip("pyarrow.parquet")
    columns = {"x": X[:, 0], "class": pa.array(values, pa.binary()), "who": values, "kind": values}
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    data = read_data(tmp_path / "a.parquet", groups="who", nominal="kind")
    assert data.y.tolist() == data.groups.tolist() == LABELS
    assert data.X[:, 1].tolist() == [0, 1, 0, 1]
    assert any("'class', 'who', 'kind' are not in UTF-8" in note for note in data.notes) is noted


def test_text_of_parquet_that_is_not_utf_8(tmp_path, require):
    pa, parquet = require("parquet"), pytest.importorskip("pyarrow.parquet")
    # a column that is declared as text, but holds Latin-1; writers do not check it
    text = pa.array(LATIN, pa.binary()).view(pa.string())
    parquet.write_table(pa.table({"x": X[:, 0], "class": text}), tmp_path / "a.parquet")
    data = read_data(tmp_path / "a.parquet")
    assert data.y.tolist() == LABELS
    assert data.notes == (note_on("class"),)


@pytest.mark.parametrize("name", ["y", "groups", "cohorts"])
def test_arrays_of_bytes(name):
    side = {"y": ["a", "b", "a", "b"], name: LATIN}
    data = from_arrays(X, **side)
    assert getattr(data, name).tolist() == LABELS
    assert data.notes == (note_on(name),)
    assert from_arrays(X, **{**side, name: UTF}).notes == ()


def test_frames_of_bytes():
    frame = pd.DataFrame({"x": X[:, 0], "class": LATIN})
    data = read_data(frame)
    assert data.y.tolist() == LABELS
    assert data.notes == (note_on("class"),)


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", ()),
        ("utf-8-sig", ()),
        ("utf-16", ("The file is in UTF-16.",)),
        ("latin-1", (NOTE,)),
    ],
)
def test_text_tables(tmp_path, encoding, note):
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(LABELS))
    (tmp_path / "a.csv").write_bytes(("x,class\n" + rows).encode(encoding))
    data = read_data(tmp_path / "a.csv")
    assert data.y.tolist() == LABELS
    assert data.notes == note


def test_the_note_on_a_cls_file_names_it(tmp_path):
    (tmp_path / "a.gct").write_text("#1.2\n1\t2\nName\tDescription\tS1\tS2\ng\t\t1\t2\n")
    (tmp_path / "b.cls").write_bytes(f"2 2 1\n# {MEN} {MAGPIE}\n0 1\n".encode("latin-1"))
    data = read_data(tmp_path / "a.gct", target=tmp_path / "b.cls")
    assert data.y.tolist() == [MEN, MAGPIE]
    assert data.notes == (f"b.cls: {NOTE}",)


def test_text_of_numpy_with_impossible_characters(tmp_path):
    odd = np.array([0x61, 0x62, 0xFFFFFFFF, 0x61], dtype=np.uint32).view("<U1")
    with pytest.raises(FileFormatError, match="'y' must be text"):
        read_data(save(tmp_path / "a.npz", y=odd))
