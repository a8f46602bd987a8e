"""Lists on the command line: where one selector ends and the next begins."""

from __future__ import annotations

import click
import pytest

from holdfast.cli._options import split_or_none, split_sizes, split_spellings


def split(text, function=split_spellings):
    return function(None, None, text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (None, None),
        ("relieff", ["relieff"]),
        ("f_score, relieff", ["f_score", "relieff"]),
        ("relieff:n_neighbors=5,f_score", ["relieff:n_neighbors=5", "f_score"]),
        ("svm_rfe:step=0.5,C=1,relieff", ["svm_rfe:step=0.5,C=1", "relieff"]),
        ("a:x=1,y=2,b:z=3,w=4,c", ["a:x=1,y=2", "b:z=3,w=4", "c"]),
        ("a:x=1,y=u:v", ["a:x=1,y=u:v"]),
        ("a:x=f(1,2),y=3,b", ["a:x=f(1,2),y=3", "b"]),
    ],
)
def test_a_part_with_an_equals_sign_but_no_colon_belongs_to_the_name_before(text, parts):
    assert split(text) == parts


@pytest.mark.parametrize("text", ["", "a,,b", "a,", "x=1", "a,x=1", "a:x=1,b,y=2"])
def test_parts_that_belong_nowhere_are_refused(text):
    with pytest.raises(click.BadParameter):
        split(text)


def test_the_right_spelling_is_named():
    with pytest.raises(click.BadParameter, match="relieff:n_neighbors=3"):
        split("f_score,relieff,n_neighbors=3")


def test_none_is_an_empty_list():
    assert split("none", split_or_none) == []
    assert split("knn3", split_or_none) == ["knn3"]


def test_sizes_are_counts_and_fractions():
    assert split("10,20,0.05,1.0", split_sizes) == [10, 20, 0.05, 1.0]
    assert [type(size) for size in split("1,1.0", split_sizes)] == [int, float]
    assert split(None, split_sizes) is None


@pytest.mark.parametrize("text", ["", "a", "0", "-1", "1.5", "nan", "5;10", "5,"])
def test_other_sizes_are_refused(text):
    with pytest.raises(click.BadParameter, match="counts or fractions"):
        split(text, split_sizes)
