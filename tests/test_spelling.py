"""Objects spelled as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast._object_spec import parse_call, parse_object_spec
from holdfast.errors import InvalidInputError

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
VALUES = st.one_of(
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)


@given(name=NAMES, options=st.dictionaries(NAMES, VALUES))
def test_what_is_spelled_is_parsed(name, options):
    inside = ",".join(f"{key}={value!r}" for key, value in options.items())
    parsed = parse_object_spec(f"{name}:{inside}" if options else name)
    assert parsed == (name, options)
    assert [type(value) for value in parsed[1].values()] == list(map(type, options.values()))
    assert parse_call(f"{name}({inside})") == (name, [], options)


@given(text=st.text(max_size=20))
def test_nonsense_is_parsed_or_refused(text):
    for parse in (parse_object_spec, parse_call):
        try:
            assert parse(text)[0].isidentifier()
        except InvalidInputError as error:
            assert repr(text) in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("value", "parsed"),
    [
        ("5", 5),
        ("-5", -5),
        ("0.5", 0.5),
        ("5.", 5.0),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("True", True),
        ("false", False),
        ("None", None),
        ("mdl", "mdl"),
        ("nan", "nan"),
        ("1_000", "1_000"),
        ("٣", "٣"),
        ("a=b", "a=b"),
        ("f(1,(2,3))", "f(1,(2,3))"),
        (" spaced ", "spaced"),
    ],
)
def test_values_become_what_they_look_like(value, parsed):
    result = parse_object_spec(f"name:key={value},other=1")[1]
    assert result == {"key": parsed, "other": 1}
    assert type(result["key"]) is type(parsed)


def test_calls_take_values_by_place():
    assert parse_call("nested(subsampling(10,a=2), inner=5)") == (
        "nested",
        ["subsampling(10,a=2)"],
        {"inner": 5},
    )
    assert parse_call("bootstrap( )") == ("bootstrap", [], {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a name"),
        (":a=1", "expected a name"),
        ("two words", "expected a name"),
        ("name:", "a value is missing"),
        ("name:5", "options must have the form key=value; got 5 in 'name:5'"),
        ("name:a=", "a value is missing"),
        ("name:a=1,", "a value is missing"),
        ("name:a=1,a=2", "'a' is given twice"),
        ("name:=1", "expected a name"),
        ("name:a=f(1", "brackets do not match"),
        ("name:a=f)1(", "brackets do not match"),
    ],
)
def test_wrong_spellings_are_refused(text, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        parse_object_spec(text)
    assert str(caught.value).endswith(".")


def test_numbers_with_too_many_digits_are_refused_in_short():
    with pytest.raises(InvalidInputError, match="got one of 5,000 characters, 9999") as caught:
        parse_object_spec("name:a=" + "9" * 5000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["name", "name(1", "name 1)", "name(1))", "name(,)", "(1)"])
def test_wrong_calls_are_refused(text):
    with pytest.raises(InvalidInputError, match=r"\.$"):
        parse_call(text)
