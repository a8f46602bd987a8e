"""Protocols by their names."""

from __future__ import annotations

import pytest

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.resample import (
    PROTOCOLS,
    Bootstrap,
    CrossValidation,
    Nested,
    Splits,
    Subsampling,
    as_protocol,
)


@pytest.mark.parametrize("name", sorted(set(PROTOCOLS) - {"splits"}))
def test_a_name_alone_has_the_default_parameters(name):
    assert as_protocol(name) == PROTOCOLS[name].kind()


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("subsampling:n_resamples=50,train_size=0.8", Subsampling(50, 0.8)),
        ("subsampling:train_size=20,stratify=false", Subsampling(train_size=20, stratify=False)),
        ("subsampling(50, 0.8)", Subsampling(50, 0.8)),
        ("cross_validation(3,reference=true)", CrossValidation(3, reference=True)),
        ("bootstrap()", Bootstrap()),
        ("nested:outer=5,inner=10", Nested(5, 10)),
        ("nested(5,10)", Nested(5, 10)),
        ("nested:inner=bootstrap", Nested(inner=Bootstrap())),
        (
            "nested:outer=subsampling(10,0.9),inner=bootstrap(40)",
            Nested(Subsampling(10, 0.9), Bootstrap(40)),
        ),
        (
            "nested(subsampling(10,train_size=0.9),bootstrap(40,stratify=false))",
            Nested(Subsampling(10, 0.9), Bootstrap(40, stratify=False)),
        ),
    ],
)
def test_protocols_are_spelled(text, plan):
    assert as_protocol(text) == plan


def test_protocols_come_from_mappings():
    plan = as_protocol({"name": "nested", "outer": 5, "inner": {"name": "bootstrap", "size": 0.5}})
    assert plan == Nested(5, Bootstrap(size=0.5))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("subsample", UnknownNameError, "no protocol is called 'subsample'. Did you mean"),
        ("subsampling:train=0.8", UnknownNameError, "no option 'train'. Did you mean 'train_size'"),
        ("subsampling:train_size=8x", InvalidInputError, "train_size .* got '8x'"),
        ("subsampling(1,0.5,true,4)", InvalidInputError, "takes at most 3 values"),
        (
            "subsampling(5,n_resamples=4)",
            InvalidInputError,
            "'n_resamples' of subsampling is given",
        ),
        ("subsampling(5", InvalidInputError, r"expected name\(value,...\)"),
        ({"n_resamples": 5}, InvalidInputError, "needs a name"),
        (7, InvalidInputError, "must be a Protocol, its name, a splitter or pairs .* got 7"),
        (None, InvalidInputError, "got None"),
        ("splits", InvalidInputError, "splitter"),
        ("splits(KFold)", InvalidInputError, "splits must be a splitter"),
        ("subsampling:n_resamples=" + "9" * 5000, InvalidInputError, "fewer digits"),
        ("nested:outer=true", InvalidInputError, "n_folds|must be a Protocol"),
    ],
)
def test_wrong_spellings_are_refused(given, error, message):
    with pytest.raises(error, match=message) as caught:
        as_protocol(given)
    assert str(caught.value).endswith((".", "?"))


def test_a_description_of_splits_is_not_taken_for_splits():
    with pytest.raises(InvalidInputError, match="splits must be a splitter"):
        as_protocol(Splits([([0, 1], [2])]).to_dict())
