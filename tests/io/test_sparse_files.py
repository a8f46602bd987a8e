"""Sparse matrices in files: every index is checked before SciPy, which would crash, sees it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from holdfast.errors import FileFormatError
from holdfast.io import read_similarity
from holdfast.io._numpy_files import check_sparse

MATRIX = np.array([[1, 0.5, 0, 0], [0.5, 1, 0.25, 0], [0, 0.25, 1, 0], [0, 0, 0, 1]])
FORMATS = ["csr", "csc", "coo", "bsr", "dia"]


def arrays_of(path, kind):
    scipy.sparse.save_npz(path, getattr(scipy.sparse, f"{kind}_array")(MATRIX))
    with np.load(path) as file:
        return {key: file[key] for key in file.files}


def expect_refusal(path, arrays):
    np.savez(path, **arrays)
    with pytest.raises(FileFormatError) as caught:
        read_similarity(path)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


@pytest.mark.parametrize("kind", FORMATS)
def test_sound_files_are_read(tmp_path, kind):
    np.savez(tmp_path / "s.npz", **arrays_of(tmp_path / "s.npz", kind))
    assert np.array_equal(read_similarity(tmp_path / "s.npz")[0].toarray(), MATRIX)


INDICES = [
    ("csr", "indices"), ("csr", "indptr"), ("csc", "indices"), ("csc", "indptr"),
    ("coo", "row"), ("coo", "col"), ("bsr", "indices"), ("bsr", "indptr"), ("dia", "offsets"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), INDICES)
@pytest.mark.parametrize("value", [-4, 10**6, 2**62, -(2**63)])
@pytest.mark.parametrize("place", [0, -1])
def test_indices_out_of_bounds(tmp_path, kind, name, value, place):
    arrays = arrays_of(tmp_path / "s.npz", kind)
    wrong = arrays[name].astype(np.int64)
    wrong[place] = value
    assert f"'{name}' must" in expect_refusal(tmp_path / "s.npz", {**arrays, name: wrong})


@pytest.mark.parametrize(("kind", "name"), INDICES)
@pytest.mark.parametrize(
    "change",
    [
        lambda array: array[:-1],
        lambda array: np.append(array, array[-1:]),
        lambda array: array.astype(np.float64),
        lambda array: array[None],
        lambda array: array.astype(str),
        lambda array: array[:0],
    ],
    ids=["shorter", "longer", "float", "matrix", "text", "empty"],
)
def test_index_arrays_of_another_shape_or_type(tmp_path, kind, name, change):
    arrays = arrays_of(tmp_path / "s.npz", kind)
    expect_refusal(tmp_path / "s.npz", {**arrays, name: change(arrays[name])})


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"shape": np.array([4, -4])}, "positive integers"),
        ({"shape": np.array([4.0, 4.0])}, "positive integers"),
        ({"shape": np.array([4])}, "positive integers"),
        ({"shape": np.array([2, 2])}, ""),
        ({"data": np.array(1.0)}, ""),
        ({"data": np.array(["a"])}, "must hold numbers, got"),
        ({"data": np.array([1j])}, "must hold numbers, got"),
        ({"format": np.array("lil")}, "must be in one of the formats csr, csc"),
        ({"format": np.array(b"\xff")}, "must be in one of the formats csr, csc"),
        ({"format": np.array(["csr"])}, "must be in one of the formats csr, csc"),
    ],
)
def test_other_arrays(tmp_path, kind, change, words):
    arrays = arrays_of(tmp_path / "s.npz", kind)
    assert words in expect_refusal(tmp_path / "s.npz", {**arrays, **change})


@pytest.mark.parametrize("kind", FORMATS)
def test_missing_arrays(tmp_path, kind):
    arrays = arrays_of(tmp_path / "s.npz", kind)
    for name in set(arrays) - {"format", "_is_array"}:
        rest = {key: values for key, values in arrays.items() if key != name}
        assert f"needs the array '{name}'" in expect_refusal(tmp_path / "s.npz", rest)


@pytest.mark.parametrize("kind", FORMATS)
def test_infinite_values(tmp_path, kind):
    arrays = arrays_of(tmp_path / "s.npz", kind)
    assert "finite" in expect_refusal(
        tmp_path / "s.npz", {**arrays, "data": np.full_like(arrays["data"], np.inf)}
    )


def test_indptr_that_falls(tmp_path):
    arrays = arrays_of(tmp_path / "s.npz", "csr")
    arrays["indptr"][1:3] = 5, 2
    assert "'indptr' must rise from 0 in 5 steps" in expect_refusal(tmp_path / "s.npz", arrays)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("csr", {"indices": [1, 1, 0, 1, 2, 1, 2, 3]}),
        ("coo", {"row": [0] * 8, "col": [0] * 8}),
        ("dia", {"offsets": [0, 0, 1]}),
    ],
)
def test_cells_that_are_stored_twice(tmp_path, kind, change):
    arrays = arrays_of(tmp_path / "s.npz", kind)
    change = {name: np.array(values, dtype=np.int32) for name, values in change.items()}
    assert "one" in expect_refusal(tmp_path / "s.npz", {**arrays, **change})


def test_blocks_that_do_not_fill_the_matrix(tmp_path):
    arrays = arrays_of(tmp_path / "s.npz", "bsr")
    change = {"data": np.ones((len(arrays["data"]), 3, 3))}
    assert "do not fill the shape" in expect_refusal(tmp_path / "s.npz", {**arrays, **change})


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_matrices_of_other_libraries(kind):
    # as in AnnData files, which are read by a library that does not check indices
    matrix = getattr(scipy.sparse, f"{kind}_matrix")(MATRIX)
    check_sparse("a.h5ad", matrix)
    matrix.indices[-1] = 10**6
    with pytest.raises(FileFormatError, match=r"^a.h5ad: 'indices' must be from 0 to 3"):
        check_sparse("a.h5ad", matrix)
