"""GCT files with rows about their samples, and as spreadsheets write them."""

import numpy as np
import pytest

from holdfast.errors import FileFormatError
from holdfast.io import read_data

GCT = (
    "#1.3\n2\t3\t1\t2\nid\tsymbol\tS1\tS2\tS3\nkind\tna\ttumor\tnormal\ttumor\nsubj\tna\t1\t2\t1\n"
    "g1\tTP53\t1\t2\t3\ng2\tKRAS\t0.5\t\t-7\n"
)


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.gct"):
        path = tmp_path / name
        path.write_text(content)
        return path

    return write


def test_rows_about_samples_stay_next_to_a_file_of_labels(write):
    labels = write("3 2 1\n# t n\n0 1 1\n", "data.cls")
    data = read_data(write(GCT), target=labels, groups="subj")
    assert data.y.tolist() == ["t", "n", "n"]
    assert data.groups.tolist() == ["1", "2", "1"]


def test_rows_about_samples_of_one_name_are_refused(write):
    with pytest.raises(FileFormatError, match=r"line 5: .* unique names, got 'kind' twice"):
        read_data(write(GCT.replace("subj", "kind")), target="kind")


def test_tabs_at_the_end_of_rows_are_no_cells(write):
    data = read_data(write(GCT.replace("\n", "\t\t\n")), target="kind")
    np.testing.assert_array_equal(data.X, [[1, 0.5], [2, np.nan], [3, -7]])
    with pytest.raises(FileFormatError, match=r"line 6: each row must have 5 cells.* got 6"):
        read_data(write(GCT.replace("\t3\n", "\t3\t4\n")), target="kind")


def test_blank_lines_are_reported(write):
    with pytest.raises(FileFormatError, match=r"line 6: .* but this line is blank"):
        read_data(write(GCT.replace("g1\t", "\ng1\t")), target="kind")
