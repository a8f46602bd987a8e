"""The column that says which cohort a sample belongs to, in every format."""

import json

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import FileFormatError, HoldfastError, InvalidInputError, UnknownNameError
from holdfast.io import from_arrays, read_data

ROWS = [("A", 1.5, 2.0, "ill", "p"), ("B", 3.0, 4.0, "well", "q"), ("A", 0.5, 1.0, "ill", "r")]
NAMES = ["site", "x", "z", "class", "who"]
ARFF = """@relation r
@attribute site {A,B}
@attribute x numeric
@attribute z numeric
@attribute class {ill,well}
@attribute who string
@data
"""


def csv(folder, rows=ROWS, sep=","):
    path = folder / "data.csv"
    path.write_text("\n".join(sep.join(map(str, row)) for row in [NAMES, *rows]) + "\n")
    return path


def arff(folder):
    path = folder / "data.arff"
    path.write_text(ARFF + "\n".join(",".join(map(str, row)) for row in ROWS) + "\n")
    return path


def parquet(folder):
    pytest.importorskip("pyarrow")
    path = folder / "data.parquet"
    pd.DataFrame(ROWS, columns=NAMES).set_index("site").to_parquet(path)
    return path


def gct(folder):
    path = folder / "data.gct"
    lines = ["#1.3", "2\t3\t0\t3", "id\ts1\ts2\ts3"]
    for name in ("site", "class", "who", "x", "z"):
        column = [str(row[NAMES.index(name)]) for row in ROWS]
        lines += ["\t".join([name, *column])]
    path.write_text("\n".join(lines) + "\n")
    return path


def npz(folder):
    path = folder / "data.npz"
    site, x, z, label, who = map(list, zip(*ROWS, strict=True))
    np.savez(path, X=np.column_stack([x, z]), y=label, site=site, who=who, feature_names=["x", "z"])
    return path


def frame(folder):
    return pd.DataFrame(ROWS, columns=NAMES)


@pytest.mark.parametrize("make", [csv, arff, parquet, gct, npz, frame])
def test_every_format_knows_cohorts(tmp_path, make):
    data = read_data(make(tmp_path), cohort="site", groups="who")
    assert data.cohorts.tolist() == ["A", "B", "A"]
    assert data.groups.tolist() == ["p", "q", "r"]
    assert data.y.tolist() == ["ill", "well", "ill"]
    assert data.feature_names == ("x", "z")
    if data.source is not None:
        source = json.loads(json.dumps(data.source))
        assert source["cohort"] == "site"
        assert read_data(source.pop("file"), **source).fingerprint == data.fingerprint


def test_numpy_files_may_call_them_cohorts(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=[[1.0], [2.0]], y=["a", "b"], cohorts=[1, 2])
    assert read_data(path).cohorts.tolist() == ["1", "2"]


def test_arrays_have_cohorts_too():
    data = from_arrays(np.eye(3), [0, 1, 0], cohorts=[2.0, 1.0, 2.0])
    assert data.cohorts.tolist() == ["2", "1", "2"]
    assert from_arrays(np.eye(3), [0, 1, 0]).cohorts is None


def test_cohorts_change_the_fingerprint_and_only_theirs():
    plain = from_arrays(np.eye(3), [0, 1, 0])
    first, second = (from_arrays(np.eye(3), [0, 1, 0], cohorts=list(c)) for c in ("aab", "abb"))
    groups = from_arrays(np.eye(3), [0, 1, 0], groups=list("aab"))
    assert len({one.fingerprint for one in (plain, first, second, groups)}) == 4
    # what data without cohorts had before there were any
    assert plain.fingerprint.startswith("a30b3283473f")


def test_one_against_the_rest_keeps_cohorts():
    data = from_arrays(np.eye(4), list("abca"), cohorts=list("xyxy"))
    assert data.one_against_rest("a").cohorts.tolist() == list("xyxy")


def test_the_summary_counts_them(tmp_path):
    data = read_data(csv(tmp_path), cohort="site", drop="who")
    assert data.summary().cohorts == {"A": 2, "B": 1}
    assert "The samples come from 2 cohorts: A 2, B 1." in data.summary().lines()
    json.dumps(data.summary().to_dict())
    plain = read_data(csv(tmp_path), drop=["site", "who"]).summary()
    assert plain.cohorts is None
    assert not any("cohort" in line for line in plain.lines())


@pytest.mark.parametrize(
    ("wishes", "error", "match"),
    [
        ({"cohort": "sit"}, UnknownNameError, "Did you mean 'site'"),
        ({"cohort": "class"}, InvalidInputError, "given as target and as cohort"),
        ({"cohort": "who", "groups": "who"}, InvalidInputError, "as groups and as cohort"),
        ({"cohort": 1.5}, InvalidInputError, "cohort: give a column by its name"),
    ],
)
def test_columns_that_cannot_be_cohorts_are_refused(tmp_path, wishes, error, match):
    with pytest.raises(error, match=match):
        read_data(
            csv(tmp_path), **{"drop": "who" if "who" not in wishes.values() else (), **wishes}
        )


def test_missing_cohorts_are_refused_by_line(tmp_path):
    rows = [*ROWS[:2], ("", *ROWS[2][1:])]
    with pytest.raises(FileFormatError, match=r"a value in 'site', got none in row 3 \(line 4\)"):
        read_data(csv(tmp_path, rows), cohort="site", drop="who")
    table = pd.DataFrame(rows, columns=NAMES).replace("", None)
    with pytest.raises(HoldfastError, match="a value in 'site'"):
        read_data(table, cohort="site", drop="who")
    with pytest.raises(InvalidInputError, match="a value in 'cohorts'"):
        from_arrays(np.eye(2), [0, 1], cohorts=["a", None])


def test_a_data_set_takes_no_other_cohorts():
    data = from_arrays(np.eye(2), [0, 1])
    with pytest.raises(InvalidInputError, match="groups and cohort are for files"):
        read_data(data, cohort="site")


def test_arff_values_of_cohorts_are_checked(tmp_path):
    path = arff(tmp_path)
    path.write_text(path.read_text().replace("B,3.0", "C,3.0"))
    with pytest.raises(FileFormatError, match="'site' has no value 'C'"):
        read_data(path, cohort="site", drop="who")
