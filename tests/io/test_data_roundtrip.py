"""Whatever is written as a table, in any dialect, is read as the same numbers and labels."""

import csv
import gzip
import io
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.io import read_data

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1
)
MISSING = st.sampled_from(["", "NA", "NaN", "nan", "?", "null"])


@dataclass
class Dialect:
    separator: str
    decimal_comma: bool
    end: str
    mark: bool
    packed: bool
    quoting: int

    def cell(self, value):
        text = value if isinstance(value, str) else repr(value)
        return text.replace(".", ",") if self.decimal_comma and not isinstance(value, str) else text

    def write(self, folder, header, rows):
        text = io.StringIO(newline="")
        out = csv.writer(
            text, delimiter=self.separator, lineterminator=self.end, quoting=self.quoting
        )
        out.writerow(header)
        out.writerows([list(map(self.cell, row)) for row in rows])
        data = text.getvalue().encode("utf-8-sig" if self.mark else "utf-8")
        path = folder / f"data.{'tsv' if self.separator == chr(9) else 'csv'}"
        if self.packed:
            data, path = gzip.compress(data), path.with_suffix(path.suffix + ".gz")
        path.write_bytes(data)
        return path


dialects = st.builds(
    Dialect,
    separator=st.sampled_from(";\t"),
    decimal_comma=st.booleans(),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.booleans(),
    packed=st.booleans(),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
) | st.builds(
    Dialect,
    separator=st.just(","),
    decimal_comma=st.just(False),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.booleans(),
    packed=st.booleans(),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9999, 9999) | MISSING


@st.composite
def tables(draw):
    p = draw(st.integers(1, 5))
    rows = draw(st.lists(st.tuples(*[numbers] * p, WORDS), min_size=1, max_size=6))
    return [f"f {j}" for j in range(p)], rows


@pytest.mark.slow
@given(dialect=dialects, table=tables())
def test_numbers_and_labels_survive_every_dialect(tmp_path_factory, dialect, table):
    names, rows = table
    folder = tmp_path_factory.mktemp("data")
    path = dialect.write(folder, [*names, "the target"], rows)
    data = read_data(path, target="the target")
    wanted = [[np.nan if isinstance(cell, str) else cell for cell in row[:-1]] for row in rows]
    np.testing.assert_array_equal(data.X, np.array(wanted, dtype=np.float64))
    assert data.y.tolist() == [row[-1] for row in rows]
    assert data.feature_names == tuple(names)
