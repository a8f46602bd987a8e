"""Numeric targets: possible quantities are refused, declared classes are accepted."""

import numpy as np
import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import FileFormatError, InvalidInputError
from holdfast.io import check_for_study, from_arrays, read_data
from holdfast.io._binary import Matrix, _label_values, dataset_from_matrix
from holdfast.io._columns import ColumnOptions
from holdfast.study._storage._folder import load_data

STAGES = [0, 1, 2, 3, 4] * 4
X = np.arange(20.0)[:, None]


def table(labels, folder, name="data.csv", separator=","):
    rows = [f"{i}{separator}{label}" for i, label in enumerate(labels)]
    path = folder / name
    path.write_text("\n".join([f"x{separator}stage", *rows, ""]))
    return path


def arff(kind, folder):
    path = folder / "data.arff"
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(STAGES))
    path.write_text(f"@relation r\n@attribute x numeric\n@attribute stage {kind}\n@data\n{rows}")
    return path


@pytest.mark.slow
def test_a_column_of_few_numbers_is_ambiguous(tmp_path):
    path = table(STAGES, tmp_path)
    with pytest.raises(InvalidInputError) as error:
        read_data(path, target="stage")
    assert str(error.value) == (
        f"{path}: column 'stage' holds 5 distinct numbers (0, 1, 2 and 2 more): classes or "
        "quantities? Quantities are not supported as a target yet. If they are class labels, say "
        "so: --classes, or classes=True in Python."
    )
    declared = read_data(path, target="stage", classes=True)
    assert declared.classes == ("0", "1", "2", "3", "4")
    assert declared.source["classes"] is True
    assert read_data(path, target="stage", positive="2").classes == ("2", "rest")


@pytest.mark.parametrize("count", [3, 20, 21, 40])
def test_the_number_of_values_decides_what_is_asked(count, tmp_path):
    path = table([i % count for i in range(80)], tmp_path)
    told = "classes or quantities?" if count <= 20 else "looks like a continuous outcome"
    with pytest.raises(InvalidInputError, match=f"{count} distinct numbers .*{told}"):
        read_data(path, target="stage")


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1] * 10,
        [0.5, 1.5] * 10,
        ["a", "b", 1, 2] * 5,
        ["1_0", "1_1", "1_2", "1_3"] * 5,
        ["I", "II", "III", "IV"] * 5,
        ["inf", "1", "2", "3"] * 5,
        ["True", "False"] * 10,
    ],
    ids=str,
)
def test_two_numbers_and_text_are_classes(labels, tmp_path):
    data = read_data(table(labels, tmp_path), target="stage")
    assert data.y.tolist() == [str(label) for label in labels]


def test_missing_words_make_no_text_of_numbers(tmp_path):
    with pytest.raises(InvalidInputError, match="3 distinct numbers"):
        read_data(table([0, 1, 2, "NA"] * 5, tmp_path), target="stage")
    assert read_data(table([0, 1, "NA"] * 5, tmp_path), target="stage").classes == ("0", "1", "NA")


def test_decimal_commas_are_numbers(tmp_path):
    path = table(["0,5", "1,5", "2,5", "3"] * 5, tmp_path, separator=";")
    with pytest.raises(InvalidInputError, match="4 distinct numbers"):
        read_data(path, target="stage")


@pytest.mark.parametrize("kind", ["{0,1,2,3,4}", "string"])
def test_arff_declares_classes(kind, tmp_path):
    assert len(read_data(arff(kind, tmp_path)).classes) == 5


def test_a_numeric_attribute_is_ambiguous(tmp_path):
    with pytest.raises(InvalidInputError, match="column 'stage' holds 5 distinct numbers"):
        read_data(arff("numeric", tmp_path))


def frame(kind):
    return pd.DataFrame({"x": X[:, 0], "stage": pd.Series(STAGES).astype(kind)})


@pytest.mark.parametrize("kind", ["int64", "float64", "Int64", "Float64", "float32", "uint8"])
def test_numbers_of_frames_are_ambiguous(kind):
    with pytest.raises(InvalidInputError, match="column 'stage' holds 5 distinct numbers"):
        read_data(frame(kind), target="stage")
    assert len(read_data(frame(kind), target="stage", classes=True).classes) == 5


@pytest.mark.parametrize("kind", ["category", "str", "object"])
def test_categories_and_text_of_frames_are_classes(kind):
    given = frame("int64")
    given["stage"] = given["stage"].astype(str) if kind == "object" else given["stage"].astype(kind)
    assert read_data(given, target="stage").classes == ("0", "1", "2", "3", "4")


def test_parquet_keeps_categories(tmp_path, require):
    require("parquet")
    path = tmp_path / "data.parquet"
    frame("category").to_parquet(path)
    assert len(read_data(path, target="stage").classes) == 5
    frame("int64").to_parquet(path)
    with pytest.raises(InvalidInputError, match="5 distinct numbers"):
        read_data(path, target="stage")


def test_columns_of_anndata_keep_categories():
    """As read_h5ad does; the package itself is tested in an environment of its own."""
    for kind, refused in (("category", False), ("int64", True)):
        side = {"stage": _label_values(frame(kind)["stage"])}
        matrix = Matrix(where="data.h5ad", X=X, feature_names=["x"], sample_columns=side)
        if refused:
            with pytest.raises(InvalidInputError, match="5 distinct numbers"):
                dataset_from_matrix(matrix, ColumnOptions(target="stage"), None)
        else:
            assert (
                len(dataset_from_matrix(matrix, ColumnOptions(target="stage"), None).classes) == 5
            )


def test_arrays_in_files_follow_the_rule_of_arrays(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=X, y=np.array(STAGES))
    assert len(read_data(path).classes) == 5
    np.savez(path, X=X, y=np.array(STAGES, dtype=float))
    with pytest.raises(InvalidInputError, match="column 'y' holds 5 distinct numbers"):
        read_data(path)
    np.savez(path, X=X, y=survival())
    with pytest.raises(FileFormatError, match="structured array with the fields event, time"):
        read_data(path)


def gct(path, labels):
    rows = ["stage\tna", "g1\tna", "g2\tna"]
    values = [labels, range(len(labels)), range(len(labels))]
    cells = ["\t".join([row, *map(str, own)]) for row, own in zip(rows, values, strict=True)]
    names = "\t".join(f"s{i}" for i in range(len(labels)))
    head = f"#1.3\n2\t{len(labels)}\t1\t1\nid\tDescription\t{names}\n"
    path.write_text(head + "\n".join(cells) + "\n")


def test_rows_of_gct_are_ambiguous_and_cls_files_are_not(tmp_path):
    path, labels = tmp_path / "data.gct", tmp_path / "data.cls"
    gct(path, STAGES)
    with pytest.raises(InvalidInputError, match="column 'stage' holds 5 distinct numbers"):
        read_data(path, target="stage")
    labels.write_text(f"20 5 1\n# 0 1 2 3 4\n{' '.join(map(str, STAGES))}\n")
    assert read_data(path, target=labels).classes == ("0", "1", "2", "3", "4")


@pytest.mark.parametrize(
    "y",
    [
        STAGES,
        np.array(STAGES, dtype=np.int8),
        pd.Series(STAGES, dtype="Int64"),
        pd.Series(STAGES, dtype=float).astype("category"),
        pd.DataFrame({"y": pd.Series(STAGES, dtype=float).astype("category")}),
        np.array(STAGES, dtype=object),
        np.array(STAGES, dtype=float).astype(str),
        np.array(STAGES, dtype=float) > 2,
        np.where(np.array(STAGES) > 2, 1.0, 0.0),
    ],
    ids=lambda y: f"{type(y).__name__}-{getattr(y, 'dtype', '')}",
)
def test_arrays_of_integers_categories_and_text_are_classes(y):
    assert from_arrays(X, y).n_samples == 20


@pytest.mark.parametrize(
    "y",
    [
        np.array(STAGES, dtype=float),
        np.array(STAGES, dtype=np.float32),
        [float(stage) for stage in STAGES],
        pd.Series(STAGES, dtype="Float64"),
        np.array([float(stage) for stage in STAGES], dtype=object),
    ],
    ids=lambda y: f"{type(y).__name__}-{getattr(y, 'dtype', '')}",
)
def test_arrays_of_fractions_are_ambiguous(y):
    message = r"y holds 5 distinct numbers .* pass np.asarray\(y\).astype\(int\)"
    with pytest.raises(InvalidInputError, match=message):
        from_arrays(X, y)
    assert from_arrays(X, np.asarray(y).astype(int)).classes == ("0", "1", "2", "3", "4")
    assert from_arrays(X, y, positive="2").classes == ("2", "rest")


def test_values_between_whole_numbers_become_text():
    y = np.array(STAGES) / 2
    with pytest.raises(InvalidInputError, match=r"pass np.asarray\(y\).astype\(str\)"):
        from_arrays(X, y)
    assert len(from_arrays(X, y.astype(str)).classes) == 5
    with pytest.raises(InvalidInputError, match="continuous outcome, which is not supported yet"):
        from_arrays(np.zeros((30, 1)), np.linspace(0, 1, 30))


def survival():
    pairs = [(stage > 2, float(stage)) for stage in STAGES]
    return np.array(pairs, dtype=[("event", bool), ("time", float)])


@pytest.mark.parametrize(
    "refused", [survival(), np.array(STAGES, dtype=float)], ids=["records", "fractions"]
)
def test_studies_and_replication_refuse_them_too(refused):
    wide = np.random.default_rng(0).standard_normal((20, 5))
    study = hf.Study("f_score", protocol=hf.Subsampling(4, 0.9), sizes=[2], classifiers=())
    for call in (
        lambda: study.run(wide, refused, n_jobs=1),
        lambda: hf.replication("f_score", wide, refused, size=2, n_pairs=4),
    ):
        with pytest.raises(InvalidInputError, match=r"structured array|classes or quantities"):
            call()


def test_selectors_take_what_scikit_learn_takes():
    wide = np.random.default_rng(0).standard_normal((20, 5))
    for kind in (int, float):
        fitted = hf.FScore(n_features_to_select=2).fit(wide, np.array(STAGES, dtype=kind))
        assert fitted.get_support().sum() == 2


def test_many_integers_of_one_sample_each_look_continuous():
    data = from_arrays(np.zeros((30, 1)), np.arange(30))
    with pytest.raises(InvalidInputError, match="30 distinct numbers look like a continuous outc"):
        check_for_study(data)
    few = from_arrays(np.zeros((30, 1)), [*np.arange(10).repeat(2), *[10] * 9, 11])
    with pytest.raises(InvalidInputError, match="leave out such classes or join them"):
        check_for_study(few)


@pytest.mark.parametrize("name", ["@wine", "@digits", "@breast_cancer", "@simulated"])
def test_bundled_data_are_classes(name):
    assert len(read_data(name).classes) >= 2


def test_a_study_that_began_before_goes_on(tmp_path):
    path = table(STAGES, tmp_path)
    begun = read_data(path, target="stage", classes=True)
    source = {"file": str(path), "target": "stage"}  # as a version without the rule wrote it
    plan = {"data": {"source": source, "sha256": begun.fingerprint}}
    assert load_data(tmp_path, plan).fingerprint == begun.fingerprint


def test_the_first_column_can_still_be_the_target(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("kind,x\na,1\nb,2\n")
    assert read_data(path, target=0).source["target"] == 0
    with pytest.raises(InvalidInputError, match="classes must be True or False; got 'yes'"):
        read_data(path, target=0, classes="yes")
