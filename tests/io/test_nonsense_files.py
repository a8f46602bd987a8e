"""Whatever a file holds, it is read or refused; nothing else is raised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import FileFormatError
from holdfast.io import read_preferences, read_similarity

PIECES = st.sampled_from(
    [*'[]{}",;:#-\t\n\r 01', "\r\n", '"subsets"', '"n_features"', "[0, 1]", "1.5", "1,5", "a", "é"]
)
NONSENSE = st.binary(max_size=60) | st.lists(PIECES, max_size=40).map(
    lambda pieces: "".join(pieces).encode()
)
FORMS = st.sampled_from(["subset", "weights", "rankings"])
COUNTS = st.sampled_from([None, 1, 2, 10])


def outcome(read, path, **options):
    """Return what was read, or the message of the refusal."""
    try:
        return read(path, **options)
    except FileFormatError as error:
        return str(error)


def is_sentence_about(path, found):
    return found.startswith(str(path)) and "\n" not in found


@pytest.mark.parametrize("name", ["a.json", "a.csv", "a.tsv", "a.txt", "a"])
@given(content=NONSENSE, form=FORMS, n_features=COUNTS)
def test_nonsense_is_read_or_refused(tmp_path_factory, name, content, form, n_features):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(content)
    found = outcome(read_preferences, path, form=form, n_features=n_features)
    assert is_sentence_about(path, found) if isinstance(found, str) else len(found) >= 1


@given(NONSENSE, st.sampled_from([b"", b"\x93NUMPY", b"\x93NUMPY\x01\x00v\x00", b"PK\x03\x04"]))
def test_nonsense_as_similarity(tmp_path_factory, content, start):
    path = tmp_path_factory.getbasetemp() / "s"
    path.write_bytes(start + content)
    found = outcome(read_similarity, path)
    if isinstance(found, str):
        assert is_sentence_about(path, found)
    else:
        assert found[0].shape[0] == found[0].shape[1]
