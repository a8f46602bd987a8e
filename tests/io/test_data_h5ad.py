"""AnnData files, read in an environment of their own: anndata asks for an older pandas."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.errors import InvalidInputError
from holdfast.io import read_data
from tests.conftest import missing

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
import warnings
import anndata, h5py, numpy as np, pandas as pd, scipy.sparse
from holdfast.errors import FileFormatError, HoldfastError, UnknownNameError
from holdfast.io import read_data

X = np.array([[1.5, 0.0, 2.0], [0.0, 0.25, -3.0]], dtype=np.float32)
obs = pd.DataFrame(
    {"class": pd.Categorical(["t", "b"]), "grade": [1, 2], "donor": ["d1", "d2"]},
    index=["cell1", "cell2"],
)
var = pd.DataFrame(index=["TP53", "KRAS", "APC"])
for values in (X, scipy.sparse.csr_matrix(X), scipy.sparse.csc_matrix(X)):
    anndata.AnnData(X=values, obs=obs, var=var).write_h5ad("cells.h5ad")
    data = read_data("cells.h5ad", groups="donor", drop="KRAS")
    assert data.X.dtype == np.float32
    np.testing.assert_array_equal(data.X, X[:, [0, 2]])
    assert data.feature_names == ("TP53", "APC")
    assert data.y.tolist() == ["t", "b"]
    assert data.groups.tolist() == ["d1", "d2"]
    assert read_data("cells.h5ad", target="grade").y.tolist() == ["1", "2"]
    assert read_data("cells.h5ad", cohort="donor").cohorts.tolist() == ["d1", "d2"]
try:
    read_data("cells.h5ad", target="grad")
except UnknownNameError as error:
    assert "Did you mean 'grade'" in str(error)
else:
    sys.exit("an unknown column was taken")
open("broken.h5ad", "w").write("x,class")
try:
    read_data("broken.h5ad")
except FileFormatError as error:
    assert "an .h5ad file is needed" in str(error)
else:
    sys.exit("a broken file was taken")


def refusal(change):
    # the message about a file after a change by h5py, or an empty text
    anndata.AnnData(X=scipy.sparse.csr_matrix(X), obs=obs, var=var).write_h5ad("odd.h5ad")
    with h5py.File("odd.h5ad", "r+") as file:
        change(file)
    try:
        read_data("odd.h5ad", groups="donor")
    except FileFormatError as error:
        return str(error)
    return ""


def set_last_index(file):
    file["X/indices"][-1] = 10**6


def set_shape(file):
    file["X"].attrs["shape"] = [2, 10**12]


def replace_matrix(file):
    del file["X"]
    file.create_dataset("X", shape=(10**6, 10**7), dtype="f4", chunks=(1000, 1000))


def remove_matrix(file):
    del file["X"]


assert refusal(lambda file: None) == ""
assert "'indices' must be from 0 to 2" in refusal(set_last_index)
assert "HOLDFAST_MAX_MEMORY" in refusal(set_shape)
assert "HOLDFAST_MAX_MEMORY" in refusal(replace_matrix)
assert "X must be a matrix of numbers" in refusal(remove_matrix)

refusal(lambda file: None)
with open("odd.h5ad", "rb") as file:
    sound = file.read()
for length in range(0, len(sound), len(sound) // 50):
    with open("odd.h5ad", "wb") as file:
        file.write(sound[:length])
    try:
        read_data("odd.h5ad")
        sys.exit("a file that is cut off was taken")
    except FileFormatError as error:
        assert "\\n" not in str(error), str(error)


# Values are changed, not bytes: the HDF5 library itself may crash on a damaged structure.
def change_value(file):
    names = []
    file.visit(names.append)
    items = [file[name] for name in names]
    arrays = [item for item in items if isinstance(item, h5py.Dataset) and item.shape != ()]
    array = arrays[rng.integers(len(arrays))]
    value = [-1, 0, 1, 2, 5, 10**6, 2**31 - 1, 1e300][rng.integers(8)]
    if array.dtype.kind in "iu":
        value = int(min(value, np.iinfo(array.dtype).max))
    array[rng.integers(len(array))] = value if array.dtype.kind in "iuf" else str(value)
    if rng.integers(4) == 0:
        names = [name for name in names if "/" in name]
        del file[names[rng.integers(len(names))]]


warnings.simplefilter("ignore")  # of anndata and NumPy, about odd values
messages = []
for seed in range(200):
    rng = np.random.default_rng(seed)
    try:
        messages.append(refusal(change_value))
    except HoldfastError as error:
        messages.append(str(error))
    assert "\\n" not in messages[-1], (seed, messages[-1])
assert "" in messages
assert len(set(messages)) > 10
print("read", anndata.__version__)
"""


def run(*command, folder):
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ""},
    )


@pytest.mark.integration
@pytest.mark.slow
def test_h5ad_files_are_read_in_an_environment_of_their_own(tmp_path):
    made = run(sys.executable, "-m", "venv", "env", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    got = run(
        python, "-m", "pip", "install", "-q", f"holdfast[anndata] @ {ROOT.as_uri()}",
        folder=tmp_path,
    )  # fmt: skip
    if got.returncode != 0:
        missing("anndata", got.stderr.strip()[-500:])
    read = run(python, "-c", SCRIPT, folder=tmp_path)
    assert read.returncode == 0, read.stderr
    assert read.stdout.startswith("read")


def test_without_anndata_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    path = tmp_path / "cells.h5ad"
    path.write_bytes(b"")
    with pytest.raises(InvalidInputError, match=r"pip install 'holdfast\[anndata\]'"):
        read_data(path)
