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
import anndata, numpy as np, pandas as pd, scipy.sparse
from holdfast.errors import FileFormatError, UnknownNameError
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
