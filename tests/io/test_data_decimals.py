"""Decimal points and decimal commas in tables of text."""

import numpy as np
import pytest

from holdfast.errors import FileFormatError
from holdfast.io import read_data


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.tsv"):
        path = tmp_path / name
        path.write_text(content)
        return path

    return write


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ("1,234\t2\ta\n3.5\t4\tb\n", "line 3: .* got '1,234' in line 2 and '3.5' in line 3"),
        ("3.5\t2\ta\n\n1,234\t4\tb\n", "line 4: .* got '3.5' in line 2 and '1,234' in line 4"),
        ("1\t0.5\ta\n1\t2\tb\n1,5\t1\tb\n", "'0.5' in line 2 and '1,5' in line 4"),
        ("1,5\t0.5\ta\n", "line 2: .* '0.5' in line 2 and '1,5' in line 2"),
    ],
)
def test_a_file_has_one_decimal_sign(write, rows, match):
    with pytest.raises(FileFormatError, match=match):
        read_data(write("x\tz\tclass\n" + rows))
    with pytest.raises(FileFormatError, match=match):
        read_data(write(("x\tz\tclass\n" + rows).replace("\t", ";"), "data.csv"))


def test_decimal_commas_are_reported(write):
    data = read_data(write("x\tz\tclass\n7\t2\ta\n1,25\t4\tb\n"))
    np.testing.assert_array_equal(data.X, [[7, 2], [1.25, 4]])
    assert data.notes == ("Commas in numbers are read as decimal commas, as in '1,25' (line 3).",)
    assert read_data(write("x\tz\tclass\n7\t2\ta\n1.25\t4\tb\n")).notes == ()


def test_signs_in_text_do_not_count(write):
    data = read_data(write("id\tx\tclass\ns.1\t0,5\ta.1, old\ns.2\t1,5\tb\n"), drop="id")
    assert data.X.ravel().tolist() == [0.5, 1.5]
    with pytest.raises(FileFormatError, match=r"text in 1 column: 'id' \('s.1' in line 2\)"):
        read_data(write("id\tx\tclass\ns.1\t0,5\ta\ns.2\t1,5\tb\n"))


def test_thousands_are_never_decimals(write):
    with pytest.raises(FileFormatError, match="got text in 1 column: 'x'"):
        read_data(write("x\tclass\n1,234.5\ta\n"))
    with pytest.raises(FileFormatError, match="got text in 1 column: 'x'"):
        read_data(write("x\tclass\n1.234.567\ta\n"))
