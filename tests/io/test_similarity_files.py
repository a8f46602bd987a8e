"""Matrices of similarities, and how they are matched with selections."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from holdfast.errors import FileFormatError
from holdfast.io import read_similarity, read_with_similarity
from holdfast.preferences import Subsets

MATRIX = np.array([[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]])
CSV = "a,b,c\n1,0.5,0\n0.5,1,0.25\n0,0.25,1\n"


def test_npy(tmp_path):
    np.save(tmp_path / "s.npy", MATRIX)
    matrix, names = read_similarity(tmp_path / "s.npy")
    assert np.array_equal(matrix, MATRIX)
    assert names is None


def test_npz_with_one_array(tmp_path):
    np.savez(tmp_path / "s.npz", anything=MATRIX)
    assert np.array_equal(read_similarity(tmp_path / "s.npz")[0], MATRIX)


@pytest.mark.parametrize("kind", [scipy.sparse.csc_matrix, scipy.sparse.coo_array])
def test_sparse_npz(tmp_path, kind):
    scipy.sparse.save_npz(tmp_path / "s.npz", kind(MATRIX))
    matrix, names = read_similarity(tmp_path / "s.npz")
    assert scipy.sparse.issparse(matrix)
    assert np.array_equal(matrix.toarray(), MATRIX)
    assert names is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.csv", CSV),
        ("s.tsv", CSV.replace(",", "\t")),
        ("s", CSV.replace(",", ";").replace(".", ",")),
        ("s.csv", ",a,b,c\na,1,0.5,0\nb,0.5,1,0.25\nc,0,0.25,1\n"),
    ],
)
def test_tables(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    matrix, names = read_similarity(tmp_path / name)
    assert np.array_equal(matrix, MATRIX)
    assert names == ["a", "b", "c"]


def saved(path, matrix):
    np.save(path, matrix)
    return path


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (MATRIX[:2], "square"),
        (MATRIX[0], "square"),
        (np.zeros((0, 0)), "square"),
        (np.full((2, 2), np.nan), "finite"),
        (np.array([["a", "b"], ["b", "a"]]), "numbers"),
        (MATRIX * 1j, "numbers"),
    ],
)
def test_arrays_that_are_no_similarities(tmp_path, matrix, words):
    path = saved(tmp_path / "s.npy", matrix)
    with pytest.raises(FileFormatError, match=words) as caught:
        read_similarity(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_pickled_arrays_are_not_opened(tmp_path):
    np.save(tmp_path / "s.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_similarity(tmp_path / "s.npy")


def test_cut_off_numpy_files(tmp_path):
    for name, save in (("s.npy", np.save), ("s.npz", np.savez)):
        save(tmp_path / name, MATRIX)
        data = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(data[: len(data) - 30])
        with pytest.raises(FileFormatError, match="cannot be read"):
            read_similarity(tmp_path / name)


def test_npz_with_two_arrays(tmp_path):
    np.savez(tmp_path / "s.npz", first=MATRIX, second=MATRIX)
    with pytest.raises(FileFormatError, match="got 2: first, second"):
        read_similarity(tmp_path / "s.npz")


def test_ragged_table_says_the_line(tmp_path):
    (tmp_path / "s.csv").write_text("a,b\n1,0\n0\n")
    with pytest.raises(FileFormatError, match="line 3"):
        read_similarity(tmp_path / "s.csv")


def test_table_that_is_not_square(tmp_path):
    (tmp_path / "s.csv").write_text("a,b\n1,0\n")
    with pytest.raises(FileFormatError, match="square"):
        read_similarity(tmp_path / "s.csv")


@pytest.fixture
def similarity(tmp_path):
    (tmp_path / "s.csv").write_text(CSV)
    return tmp_path / "s.csv"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "c\na c\n"),
        ("a.json", '[["c"], ["c", "a"]]'),
        ("a.json", '{"feature_names": ["c", "b", "a"], "subsets": [[0], [0, 2]]}'),
        ("a.csv", "c,b,a\n1,0,0\n1,0,1\n"),
    ],
)
def test_names_are_matched_with_the_matrix(tmp_path, similarity, name, content):
    (tmp_path / name).write_text(content)
    subsets, matrix = read_with_similarity(tmp_path / name, similarity)
    assert subsets == Subsets([[2], [0, 2]], feature_names=["a", "b", "c"])
    assert np.array_equal(matrix, MATRIX)


def test_indices_take_the_order_of_the_matrix(tmp_path):
    (tmp_path / "a.txt").write_text("2\n0 2\n")
    subsets, _ = read_with_similarity(tmp_path / "a.txt", saved(tmp_path / "s.npy", MATRIX))
    assert subsets == Subsets([[2], [0, 2]], n_features=3)


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("c\na d\n", {}, "line 2: a name must be among the 3 features, got 'd'"),
        ("c\na\n", {"n_features": 4}, "n_features = 4 rows, got 3"),
        ("0\n2 3\n", {}, "line 2: indices of features run from 0 to 2, got 3"),
        ("a,x\n0,1\n", {}, "must be the 3 of the similarity matrix"),
    ],
)
def test_selections_that_do_not_fit_the_matrix(tmp_path, similarity, content, options, words):
    (tmp_path / "a").write_text(content)
    with pytest.raises(FileFormatError, match=words):
        read_with_similarity(tmp_path / "a", similarity, **options)


def test_names_without_order_need_a_matrix_with_names(tmp_path):
    (tmp_path / "a.txt").write_text("c\na c\n")
    with pytest.raises(FileFormatError, match="no names to match"):
        read_with_similarity(tmp_path / "a.txt", saved(tmp_path / "s.npy", MATRIX))


@pytest.mark.parametrize("kind", ["npy", "npz", "compressed"])
def test_damaged_numpy_files_are_refused_whatever_the_damage(tmp_path, kind):
    path = tmp_path / ("s.npy" if kind == "npy" else "s.npz")
    save = {"npy": np.save, "npz": np.savez, "compressed": np.savez_compressed}[kind]
    save(path, MATRIX)
    sound = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(150):
        broken = bytearray(sound)
        for place in rng.integers(len(sound), size=3):
            broken[place] = rng.integers(256)
        path.write_bytes(bytes(broken))
        try:
            matrix, _names = read_similarity(path)
        except FileFormatError:
            continue
        assert matrix.shape[0] == matrix.shape[1]  # the damage hit a number, or nothing


def test_indices_next_to_a_named_matrix_are_checked(tmp_path):
    (tmp_path / "s.csv").write_text(CSV)
    path = tmp_path / "a.json"
    for index in (-1, 7):
        path.write_text(f'{{"feature_names": ["b", "a", "c"], "subsets": [[0, {index}], [1]]}}')
        with pytest.raises(FileFormatError, match=f"line 1.*got {index}"):
            read_with_similarity(path, tmp_path / "s.csv")
