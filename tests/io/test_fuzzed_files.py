"""Valid files, damaged at random: each is refused in one line, or read as others read it.

Every case has a seed, which a failure names; ``fuzzed(kind, seed)`` gives its bytes again.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from holdfast.cli._study_file import read_study_file
from holdfast.errors import HoldfastError
from holdfast.io import read_data, read_preferences, read_similarity
from holdfast.io._columns import MISSING
from tests.waiting import hang_limit

N_CASES, N_CASES_SLOW = 25, 600
"""Cases of each of the 16 kinds of files: 400 in ``make test``, 9,600 more in ``make test-all``."""

ROWS = "".join(
    f"{i}.5,{(i * i) % 7},{'NA' if i == 3 else i / 8},{'ab'[i % 2]},s{i // 2}\n" for i in range(12)
)
TABLE = f"x,y,z,class,who\n{ROWS}"
ARFF = (
    "@relation r\n@attribute x real\n@attribute 'a b' {u,'v w'}\n@attribute class {a,b}\n@data\n"
    "1.5,u,a\n2,'v w',b\n?,u,a\n{0 3,2 b}\n"
)
GCT = (
    "#1.3\n2\t3\t1\t2\nid\tsymbol\tS1\tS2\tS3\nclass\tna\tt\tn\tt\ndonor\tna\t1\t2\t1\n"
    "g1\tTP53\t1\t2\t3\ng2\tKRAS\t0.5\t\t-7\n"
)
LISTS = {"n_features": 12, "feature_names": [f"g{i}" for i in range(12)], "subsets": [[0, 3], [7]]}
STUDY = """[data]
file = "cells.csv"
target = -1
drop = ["id", 3]
[study]
protocol = {name = "bootstrap", n_resamples = 50}
sizes = [10, 0.05]
[study.selectors.relieff]
n_neighbors = 5
[run]
timeout = 60.0
"""
SQUARE = np.array([[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]])
X = np.arange(12.0).reshape(6, 2)
LABELS = ["Männer", "b", "a", "b", "a", "b"]
CLS = "2 2 1\n# t n\n0 1\n"
GCT_WITHOUT_LABELS = "#1.2\n1\t2\nName\tDescription\tS1\tS2\ng\t\t1\t2\n"


def saved(save, *arguments, **arrays):
    file = io.BytesIO()
    save(file, *arguments, **arrays)
    return file.getvalue()


def parquet_file():
    frame = pd.DataFrame({"x": X[:, 0], "n": range(6), "class": pd.Categorical(LABELS)})
    frame["when"] = pd.date_range("2020-01-01", periods=6)
    return saved(lambda file: frame.to_parquet(file, engine="pyarrow"))


@cache
def sound_file(kind):
    """Return the name and the content of a valid file."""
    names = {"u": b"u", "v": b"v"}
    makers = {
        "csv": lambda: ("a.csv", TABLE.encode()),
        "tsv": lambda: ("a.tsv", TABLE.replace(",", "\t").replace(".", ",").encode("utf-16")),
        "gz": lambda: ("a.csv.gz", gzip.compress(TABLE.encode(), mtime=0)),
        "arff": lambda: ("a.arff", ARFF.encode()),
        "gct": lambda: ("a.gct", GCT.encode()),
        "cls": lambda: ("a.cls", CLS.encode()),
        "npz": lambda: ("a.npz", saved(np.savez, X=X, y=np.array(LABELS), feature_names=[*names])),
        "packed npz": lambda: (
            "a.npz",
            saved(np.savez_compressed, X=X.astype(np.float32), y=[v.encode() for v in LABELS]),
        ),
        "parquet": lambda: ("a.parquet", parquet_file()),
        "json": lambda: ("a.json", json.dumps(LISTS, indent=1).encode()),
        "lists": lambda: ("a.txt", b"# x\nTP53 KRAS\n-\nAPC;TP53,MYC\n"),
        "weights": lambda: ("a.csv", b"a;b;c\n1,5;2;3\n0;-1e3;7\n"),
        "npy similarity": lambda: ("s.npy", saved(np.save, SQUARE)),
        "csr similarity": lambda: (
            "s.npz", saved(scipy.sparse.save_npz, scipy.sparse.csr_array(SQUARE), compressed=False)
        ),
        "coo similarity": lambda: (
            "s.npz", saved(scipy.sparse.save_npz, scipy.sparse.coo_array(SQUARE))
        ),
        "toml": lambda: ("a.toml", STUDY.encode()),
    }  # fmt: skip
    return makers[kind]()


KINDS = [
    "csv", "tsv", "gz", "arff", "gct", "cls", "npz", "packed npz", "parquet", "json", "lists",
    "weights", "npy similarity", "csr similarity", "coo similarity", "toml",
]  # fmt: skip

PIECES = [
    b"", b"\n", b"\r", b",", b";", b"\t", b'"', b"'", b"{", b"}", b"[", b"]", b"#", b"%", b"?",
    b"-", b"NaN", b"inf", b"1e309", b"1e300", b"-1", b"9" * 30, b"\0", b"\xff", b"\xef\xbb\xbf",
    b"\xff\xfe", "é".encode(), b"\xe4", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0" * 8, b"=",
]  # fmt: skip


def fuzzed(kind, seed):
    """Return a valid file with one to four changes."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    data = bytearray(sound_file(kind)[1])
    for _ in range(rng.integers(1, 5)):
        at, length = int(rng.integers(len(data) + 1)), int(rng.integers(1, 20))
        part = data[at : at + length]
        change = rng.integers(7)
        if change == 0 and at < len(data):
            data[at] ^= 1 << int(rng.integers(8))
        elif change == 1 and at < len(data):
            data[at] = rng.integers(256)
        elif change == 2:
            data[at : at + int(rng.integers(3))] = PIECES[rng.integers(len(PIECES))]
        elif change == 3:
            del data[at : at + length]
        elif change == 4:
            data[at:at] = part * int(rng.integers(1, 4))
        elif change == 5:
            to = int(rng.integers(len(data) + 1))
            data[to : to + len(part)] = part
        elif rng.integers(4) == 0:  # rarely: most cut files are alike
            del data[at:]
    return bytes(data)


DROPPED = {"csv": "who", "tsv": "who", "gz": "who", "parquet": "when"}


def read(kind, path):
    """Read a file as a user would."""
    if kind == "cls":
        gct = path.with_name("labels.gct")
        gct.write_text(GCT_WITHOUT_LABELS)
        return read_data(gct, target=path)
    if kind == "toml":
        return read_study_file(path)
    if kind.endswith("similarity"):
        return read_similarity(path)
    if kind in ("json", "lists"):
        return read_preferences(path)
    if kind == "weights":
        return read_preferences(path, form="weights")
    return read_data(path, drop=DROPPED.get(kind, ()))


# Independent readings of what was accepted.


def decoded(data):
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return data.decode("utf-32")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def check_table(path, data):
    """Compare with the cells that the module csv reads."""
    content = path.read_bytes()
    text = decoded(gzip.decompress(content) if path.suffix == ".gz" else content)
    lines = [line for line in io.StringIO(text, newline="") if line.strip()]
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    separator = "\t" if path.suffix == ".tsv" else max("\t;,", key=lines[0].count)
    header, *rows = [row for row in csv.reader(lines, delimiter=separator) if any(row)]
    names = [name.strip() for name in header]
    targets = [name for name in names if name.lower() == "class"]
    target = "class" if "class" in targets else next(iter(targets), None)
    if target is None or len(rows) != data.n_samples:  # a header that begins with #
        assert "#" in text or '"' in text
        return
    labels = [row[names.index(target)].strip() for row in rows]
    assert data.y.tolist() == labels
    for j, name in enumerate(data.feature_names):
        cells = [row[names.index(name)].strip() for row in rows]
        if separator != ",":
            cells = [cell.replace(",", ".") for cell in cells]
        expected = [np.nan if cell.lower() in MISSING else float(cell) for cell in cells]
        np.testing.assert_array_equal(data.X[:, j], expected)


def check_arrays(path, data):
    with np.lib.npyio.NpzFile(path) as arrays:  # np.load guesses the format from the first bytes
        np.testing.assert_array_equal(data.X, arrays["X"])
        labels = [v.decode() if isinstance(v, bytes) else str(v) for v in arrays["y"].tolist()]
        assert data.y.tolist() == [label.strip() for label in labels]


def check_frame(path, data):
    # without the metadata of pandas, which the damage may have hit
    table = pytest.importorskip("pyarrow.parquet").read_table(path).replace_schema_metadata(None)
    columns = table.select([*data.feature_names, "class"]).to_pydict()
    for j, name in enumerate(data.feature_names):
        expected = [np.nan if value is None else float(value) for value in columns[name]]
        np.testing.assert_array_equal(data.X[:, j], expected)
    assert data.y.tolist() == columns["class"]


def check_json(path, subsets):
    document = json.loads(decoded(path.read_bytes()))
    rows = document["subsets"] if isinstance(document, dict) else document
    found = [subsets.indices[a:b].tolist() for a, b in zip(subsets.indptr, subsets.indptr[1:])]  # noqa: B905
    names = document.get("feature_names") if isinstance(document, dict) else None
    if names is not None:
        rows = [[names.index(i) if isinstance(i, str) else i for i in row] for row in rows]
    if all(isinstance(item, int) for row in rows for item in row):
        assert found == [sorted(row) for row in rows]


def check_dense(path, found):
    np.testing.assert_array_equal(found[0], np.load(path))


def check_sparse(path, found):
    np.testing.assert_array_equal(found[0].toarray(), scipy.sparse.load_npz(path).toarray())


COMPARISONS = {
    "csv": check_table,
    "tsv": check_table,
    "gz": check_table,
    "npz": check_arrays,
    "packed npz": check_arrays,
    "parquet": check_frame,
    "json": check_json,
    "npy similarity": check_dense,
    "csr similarity": check_sparse,
    "coo similarity": check_sparse,
}


def check_case(kind, seed, folder):
    """Read a damaged file; return whether it was accepted."""
    path = folder / sound_file(kind)[0]
    path.write_bytes(fuzzed(kind, seed))
    try:
        with hang_limit(f"reading {kind}, seed {seed}"):
            found = read(kind, path)
        COMPARISONS.get(kind, lambda *_: None)(path, found)
    except HoldfastError as error:
        message = str(error)
        assert "\n" not in message, f"{kind}, seed {seed}: {message!r}"
        assert len(message) < 700, f"{kind}, seed {seed}: {message!r}"
        return False
    except Exception as error:
        raise AssertionError(f"{kind}, seed {seed}: {error!r}") from error
    return True


def check_cases(kind, seeds, folder, monkeypatch, require):
    if kind == "parquet":
        require("parquet")
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "500M")
    accepted = [check_case(kind, seed, folder) for seed in seeds]
    assert not all(accepted)


@pytest.mark.parametrize("kind", KINDS)
def test_sound_files_are_read(kind, tmp_path, require):
    if kind == "parquet":
        require("parquet")
    path = tmp_path / sound_file(kind)[0]
    path.write_bytes(sound_file(kind)[1])
    found = read(kind, path)
    COMPARISONS.get(kind, lambda *_: None)(path, found)
    assert found is not None


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files(kind, tmp_path, monkeypatch, require):
    check_cases(kind, range(N_CASES), tmp_path, monkeypatch, require)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_damaged_files(kind, tmp_path, monkeypatch, require):
    check_cases(kind, range(N_CASES, N_CASES + N_CASES_SLOW), tmp_path, monkeypatch, require)
