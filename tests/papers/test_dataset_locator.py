"""Data sets: where they are, in which formats, and what is told where they are not."""

import pandas as pd
import pytest

from holdfast.errors import FileFormatError, StoreError, UnknownNameError
from holdfast.papers import PAPERS
from holdfast.papers._dataset_locator import DATA, DatasetLocator

TABLE = pd.DataFrame(
    {"f0": [1.0, 2.5, 3.0, 4.0], "f1": [0.0, 1.0, 0.5, 2.0], "class": list("abab")}
)
ARFF = """@relation r
@attribute f0 numeric
@attribute f1 numeric
@attribute class {a,b}
@data
""" + "\n".join(f"{a},{b},{c}" for a, b, c in TABLE.itertuples(index=False))


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("HOLDFAST_DATA", raising=False)


def parquet(path):
    pytest.importorskip("pyarrow")
    TABLE.to_parquet(path, index=False)


WRITERS = {
    "colon.csv": lambda path: TABLE.to_csv(path, index=False),
    "colon.csv.gz": lambda path: TABLE.to_csv(path, index=False),
    "colon.tsv": lambda path: TABLE.to_csv(path, index=False, sep="\t"),
    "colon.arff": lambda path: path.write_text(ARFF, encoding="utf-8"),
    "colon.parquet": parquet,
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_found_by_the_name_of_the_data_set(tmp_path, name):
    WRITERS[name](tmp_path / name)
    locator = DatasetLocator(tmp_path)
    assert locator.source("colon") == tmp_path / name
    data = locator.read("colon")
    assert data.X.tolist() == TABLE[["f0", "f1"]].to_numpy().tolist()
    assert data.y.tolist() == list("abab")
    assert locator.source("leukemia") is None


def test_the_variable_names_a_folder_and_the_argument_wins(tmp_path, monkeypatch):
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
    WRITERS["colon.csv"](first / "colon.csv")
    monkeypatch.setenv("HOLDFAST_DATA", str(first))
    assert DatasetLocator().source("colon") == first / "colon.csv"
    assert DatasetLocator(second).source("colon") is None
    monkeypatch.setenv("HOLDFAST_DATA", "")
    assert DatasetLocator().folder is None


def test_a_folder_that_is_not_there_is_reported(tmp_path, monkeypatch):
    with pytest.raises(StoreError, match="no such folder of data sets"):
        DatasetLocator(tmp_path / "nowhere")
    monkeypatch.setenv("HOLDFAST_DATA", str(tmp_path / "gone"))
    with pytest.raises(StoreError, match=r"gone \(HOLDFAST_DATA\)"):
        DatasetLocator()


def test_scikit_learns_sets_need_nothing():
    assert DatasetLocator().read("wine").n_features == 13
    assert DatasetLocator().source("breast_cancer") == "@breast_cancer"


def test_what_is_not_at_hand_is_reported_with_its_reason(tmp_path):
    assert "HOLDFAST_DATA" in DatasetLocator().explain_missing("colon")
    assert "no colon.parquet" in DatasetLocator(tmp_path).explain_missing("colon")
    assert "not published" in DatasetLocator(tmp_path).explain_missing("stroke")
    (tmp_path / "stroke.csv").write_text("f0,class\n1,a\n", encoding="utf-8")
    assert DatasetLocator(tmp_path).source("stroke") is None
    with pytest.raises(FileFormatError, match="colon: there is no"):
        DatasetLocator(tmp_path).read("colon")
    with pytest.raises(UnknownNameError, match="Did you mean 'colon'"):
        DatasetLocator().source("coln")


def test_a_broken_file_is_reported(tmp_path):
    (tmp_path / "colon.csv").write_text("f0,class\n1,a\nx,b\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match="line 3"):
        DatasetLocator(tmp_path).read("colon")


def test_papers_use_data_sets_that_are_known_and_each_is_used():
    used = {name for paper in PAPERS.values() for one in paper.experiments for name in one.data}
    assert used == set(DATA)
    sized = {name for paper in PAPERS.values() for name in paper.sizes}
    assert sized <= used
