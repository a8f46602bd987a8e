"""Tables as files."""

import csv
import io
import itertools
import sys

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import InvalidInputError, StoreError, UnknownNameError
from holdfast.study._result import Result
from holdfast.study._storage import _export
from holdfast.study._storage._export import TABLES, export
from tests.study.stores import Made, full, subsamples

ABSENT = {"features", "groups", "replication", "cohorts", "values"}  # nothing here has any
NAMES = [name for name in TABLES if name not in ABSENT]
NASTY = ('a,"b"', "line\nbreak", "carriage\rreturn", "é ±", " lead", "=1+1", "plain", "x'y")


@pytest.fixture
def made():
    return Made(resamples=subsamples(30, 6), own=("two",), measures=("nogueira", "kuncheva"))


@pytest.fixture
def result(made):
    return Result(full(made, failed=[(0, 1)]))


def test_csv_tables_read_back_as_they_were(result, tmp_path):
    paths = export(result, tmp_path / "new" / "tables")
    assert [path.name for path in paths] == [f"{name}.csv" for name in NAMES]
    for name in ("stability", "errors", "failures", "resamples", "timings", "predictions"):
        table = pd.read_csv(tmp_path / "new" / "tables" / f"{name}.csv", dtype=str)
        own = getattr(result, name)
        assert list(table) == list(own)
        assert len(table) == len(own)
        for column in own.select_dtypes("float"):
            # NumPy reads all digits; early versions of pandas do not
            assert np.array_equal(table[column].astype(float), own[column], equal_nan=True)
    table = pd.read_csv(tmp_path / "new" / "tables" / "frequencies.csv")
    assert table["size"].tolist() == [str(size) for size in result.frequencies["size"]]


def test_no_partial_files_are_left(result, tmp_path):
    export(result, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{n}.csv" for n in NAMES)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_same_study_gives_the_same_bytes(made, tmp_path, form, require):
    if form == "parquet":
        require("parquet")
    first = export(Result(full(made)), tmp_path / "a", form)
    store = made.store()
    units = list(itertools.product(range(2), range(6)))
    with store.transaction():  # written in another order, as workers come in
        for unit in reversed(units):
            store.add([made.outcome(*unit)])
    second = export(Result(store), tmp_path / "b", form)
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_csv_ends_lines_with_newlines_alone_and_is_utf8(result, tmp_path):
    for path in export(result, tmp_path):
        text = path.read_bytes()
        assert b"\r" not in text
        assert text.endswith(b"\n")
        text.decode("utf-8")


def test_nasty_names_survive(tmp_path):
    made = Made(
        p=8, names=NASTY, labels=("a,b", 'c"d'), selectors=NASTY[:4], resamples=subsamples(30, 9)
    )
    result = Result(full(made))
    export(result, tmp_path)
    for name in ("frequencies", "selections", "predictions"):
        text = (tmp_path / f"{name}.csv").read_bytes().decode("utf-8")
        head, *rows = csv.reader(io.StringIO(text, newline=""))
        assert {len(row) for row in rows} == {len(head)}
        assert {row[head.index("selector")] for row in rows} == set(NASTY[:4])
    with (tmp_path / "selections.csv").open(encoding="utf-8", newline="") as file:
        assert {row["feature"] for row in csv.DictReader(file)} == set(NASTY)
    table = pd.read_csv(tmp_path / "frequencies.csv")
    assert table["feature"].tolist() == result.frequencies["feature"].tolist()


def test_selections_list_features_by_rank(made, result, tmp_path):
    export(result, tmp_path)
    table = pd.read_csv(tmp_path / "selections.csv")
    assert list(table) == ["selector", "resample", "role", "rank", "feature"]
    one = table[table["selector"] == "one"]
    assert sorted(set(one["resample"])) == [0, 2, 3, 4, 5]
    chosen = one[(one["resample"] == 2) & (one["rank"] <= 2)]["feature"]
    subset = result.preferences["one", 2][1]
    assert set(chosen) == {made.names[feature] for feature in subset}
    assert table.loc[table["selector"] == "two", "rank"].isna().all()


def test_parquet_tables_read_back_as_they_were(result, tmp_path, require):
    require("parquet")
    export(result, tmp_path, "parquet")
    for name in NAMES:
        table = pd.read_parquet(tmp_path / f"{name}.parquet")
        if name == "selections":
            assert table["rank"].isna().any()
            continue
        own = getattr(result, name)
        assert list(table) == list(own)
        assert len(table) == len(own)
        for column in own.select_dtypes("float"):
            # NumPy reads all digits; early versions of pandas do not
            assert np.array_equal(table[column].astype(float), own[column], equal_nan=True)
    sizes = pd.read_parquet(tmp_path / "errors.parquet")["size"]
    assert sizes.dropna().tolist() == [2, 4]
    assert sizes.isna().sum() == 1


def test_studies_that_did_nothing_have_empty_tables(tmp_path, require):
    require("parquet")
    result = Result(Made(resamples=subsamples(30, 2), classifiers=()).store())
    for path in export(result, tmp_path):
        assert len(path.read_text().splitlines()) >= 1
    for path in export(result, tmp_path, "parquet"):
        assert list(pd.read_parquet(path)) == list(pd.read_csv(path.with_suffix(".csv")))


def test_parquet_without_pyarrow_says_what_to_install(result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InvalidInputError, match=r"holdfast\[parquet\]"):
        export(result, tmp_path / "new", "parquet")
    assert not (tmp_path / "new").exists()


def test_unknown_formats_are_refused(result, tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean 'parquet'"):
        export(result, tmp_path, "parqet")


def test_a_crash_leaves_the_old_table_alone(result, tmp_path, monkeypatch):
    (tmp_path / "stability.csv").write_text("old")

    def broken(_):
        yield result.stability.iloc[:1]
        raise RuntimeError

    monkeypatch.setitem(_export.TABLES, "stability", broken)
    with pytest.raises(RuntimeError):
        export(result, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["stability.csv"]
    assert (tmp_path / "stability.csv").read_text() == "old"


def test_a_folder_that_cannot_be_made_is_said_to_be_so(result, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file"):
        export(result, tmp_path / "file" / "tables")


def test_predictions_are_written_in_pieces(made, tmp_path, monkeypatch):
    result = Result(full(made))
    lengths = []
    original = _export.prediction_frames

    def watched(reader):
        for frame in original(reader):
            lengths.append(len(frame))
            yield frame

    monkeypatch.setattr(_export, "prediction_frames", watched)
    export(result, tmp_path)
    assert lengths == [36, 36, 36]
    assert len(pd.read_csv(tmp_path / "predictions.csv")) == 108
