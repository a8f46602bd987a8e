"""Files that stand for more than the limit on memory are refused before memory is taken."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
import scipy.sparse

from holdfast.errors import FileFormatError
from holdfast.io import read_data, read_preferences, read_similarity

LIMIT = 5_000_000
"""Bytes of the limit in these tests."""
RESERVED = 10_000_000
"""Bytes above the limit: a block of rows (8 MB), reserved before it is filled, and code."""


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory):
    """Load the compiled parser, whose memory does not count."""
    path = tmp_path_factory.mktemp("first") / "a.csv"
    path.write_text("x,class\n1,a\n2,b\n")
    read_data(path)


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", str(LIMIT))


def assert_refused(read, path, match="HOLDFAST_MAX_MEMORY", **options):
    """Return the message; the memory that was taken in between is bounded."""
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError, match=match) as caught:
            read(path, **options)
        assert tracemalloc.get_traced_memory()[1] < LIMIT + RESERVED
    finally:
        tracemalloc.stop()
    message = str(caught.value)
    assert message.startswith(str(path))
    assert len(message) < 500
    return message


def write_gz(path, parts):
    """Compress parts one by one, so that the test takes no memory either."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        for part in parts:
            file.write(part)
    return path


def test_compressed_rows_without_end(tmp_path):
    row = b"1," * 500 + b"a\n"
    header = ",".join(f"x{j}" for j in range(500)).encode() + b",class\n"
    path = write_gz(tmp_path / "a.csv.gz", [header, *([row * 100] * 20)])
    assert path.stat().st_size < 200_000
    assert "a table of more than" in assert_refused(read_data, path)


@pytest.mark.parametrize("start", [b"x,class\n1,a\n", b""])
def test_a_line_without_end(tmp_path, start):
    path = write_gz(tmp_path / "a.csv.gz", [start, *([b"1," * 50_000] * 40)])
    assert path.stat().st_size < 200_000
    assert "a row may have at most 78,125 characters" in assert_refused(read_data, path)


def test_a_row_over_lines_without_end(tmp_path):
    path = write_gz(tmp_path / "a.csv.gz", [b"x,class\n", *([b'"\n",' * 20_000] * 40)])
    assert "a row may have at most 78,125 characters" in assert_refused(read_data, path)


def test_labels_without_end(tmp_path):
    rows = ("".join(f"1,{'b' * 200}{i}\n" for i in range(1000 * k, 1000 * k + 1000)).encode()
            for k in range(20))  # fmt: skip
    path = write_gz(tmp_path / "a.csv.gz", [b"x,class\n", *rows])
    assert_refused(read_data, path)


def test_sparse_rows_of_many_attributes(tmp_path):
    names = "".join(f"@attribute x{j} real\n" for j in range(2000))
    head = f"@relation r\n{names}@attribute class {{a,b}}\n@data\n".encode()
    path = write_gz(tmp_path / "a.arff.gz", [head, *([b"{}\n" * 100] * 20)])
    assert "2,000 columns" in assert_refused(read_data, path)


def test_a_header_without_end(tmp_path):
    lines = (f"@attribute x{j} real\n".encode() for j in range(10_000))
    path = write_gz(tmp_path / "a.arff.gz", lines)
    assert "a header of" in assert_refused(read_data, path)


def test_rows_about_samples_without_end(tmp_path):
    rows = (f"n{j}\t".encode() + b"1\t" * 1000 + b"\n" for j in range(1000))
    head = b"#1.3\n1\t1000\t0\t1000\nid\t" + b"\t".join(b"s%d" % j for j in range(1000)) + b"\n"
    assert_refused(read_data, write_gz(tmp_path / "a.gct.gz", [head, *rows]), target="n0")


def npy(shape, kind="<f8", data=b""):
    """Return a file of NumPy that announces a shape, whatever it holds."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": kind, "fortran_order": False, "shape": shape}
    )
    return file.getvalue() + data


@pytest.mark.parametrize(
    ("shape", "kind", "match"),
    [
        ((10**6, 10**6), "<f8", "more than the file holds"),
        ((-1, 10), "<f8", "more than the file holds"),
        ((10**12,), "|S0", "MAX_MEMORY"),
        ((2, 2), "|O", "Python objects"),
        ((2, 2), [("a", "<f8")], "structured array"),
    ],
)
def test_headers_of_arrays_that_announce_too_much(tmp_path, shape, kind, match):
    (tmp_path / "a.npy").write_bytes(npy(shape, kind, b"\0" * 64))
    assert_refused(read_similarity, tmp_path / "a.npy", match)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("X.npy", npy(shape, kind, b"\0" * 64))
    assert_refused(read_data, tmp_path / "a.npz", match)


def test_compressed_arrays(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", npy((2_000, 2_000), "|b1", b"\0" * 4_000_000))
    assert (tmp_path / "a.npz").stat().st_size < 10_000
    assert "'X' of the shape (2000, 2000)" in assert_refused(read_data, tmp_path / "a.npz")
    assert_refused(read_similarity, tmp_path / "a.npz")


def test_many_compressed_arrays(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for j in range(20):
            archive.writestr(f"a{j}.npy", npy((1_000_000,), "|b1", b"\0" * 1_000_000))
    assert_refused(read_data, tmp_path / "a.npz")


def test_sparse_matrices_that_announce_too_much(tmp_path):
    empty = np.zeros(0, dtype=np.int64)
    np.savez(
        tmp_path / "s.npz", format="coo", shape=[10**9, 10**9], row=empty, col=empty, data=empty
    )
    assert "a sparse matrix of the shape" in assert_refused(read_similarity, tmp_path / "s.npz")
    np.savez(
        tmp_path / "s.npz", format="coo", shape=[2**40, 2**40], row=empty, col=empty, data=empty
    )
    assert_refused(read_similarity, tmp_path / "s.npz", "is too large")


def test_sparse_matrices_within_the_limit(tmp_path):
    scipy.sparse.save_npz(tmp_path / "s.npz", scipy.sparse.eye_array(1000).tocsr())
    assert read_similarity(tmp_path / "s.npz")[0].shape == (1000, 1000)


def test_parquet_of_repeated_values(tmp_path, require):
    pa, parquet = require("parquet"), pytest.importorskip("pyarrow.parquet")
    n = 1_000_000
    table = pa.table({"x": np.zeros(n), "class": pa.array(["a"] * n).dictionary_encode()})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 10_000
    assert "1,000,000 rows and 2 columns" in assert_refused(read_data, tmp_path / "a.parquet")


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.csv"])
def test_lists_without_end(tmp_path, name):
    (tmp_path / name).write_bytes(b"0 1\n" * 1_000_000)
    assert_refused(read_preferences, tmp_path / name)


@pytest.mark.parametrize(("name", "text"), [("a.txt", "0 1\n"), ("a.json", "[],\n")])
def test_lists_that_grow_when_they_are_split(tmp_path, name, text):
    (tmp_path / name).write_text(text * 100_000)
    assert_refused(read_preferences, tmp_path / name)


def test_standard_input_without_end(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0 1\n" * 1_000_000)))
    with pytest.raises(FileFormatError, match=r"^standard input: .*HOLDFAST_MAX_MEMORY"):
        read_preferences("-")


def test_a_larger_limit_lets_the_file_in(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("x,class\n" + "1,a\n2,b\n" * 100)
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "10K")
    assert_refused(read_data, path)
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "1M")
    assert read_data(path).n_samples == 200
