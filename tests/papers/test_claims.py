"""Claims: held, not held, cannot be checked; a missing number decides nothing."""

import numpy as np
import pandas as pd
import pytest

from holdfast.papers._claims import Claim, ClaimInput, UncheckableClaim, make_unchecked_claim

VALUES = pd.DataFrame(
    {"a": ["x", "x", "y", "y"], "b": [1, 2, 1, 2], "value": [0.1, 0.2, np.nan, 0.4]}
)
CLAIM_INPUT = ClaimInput("main", VALUES, VALUES.iloc[:0], {"known": 3}, full=False)


def test_a_claim_is_held_or_not():
    high = Claim("High.", lambda claim_input: (claim_input.value(a="x", b=2) > 0.15, "0.2"))
    low = Claim("Low.", lambda claim_input: (claim_input.value(a="x", b=2) < 0.15, "0.2"))
    assert (high.evaluate(CLAIM_INPUT).status, low.evaluate(CLAIM_INPUT).status) == (
        "held",
        "not held",
    )
    assert high.evaluate(CLAIM_INPUT).evidence == "0.2"
    assert high.evaluate(CLAIM_INPUT).setting == "main"


@pytest.mark.parametrize(
    "ask",
    [
        lambda claim_input: claim_input.value(a="y", b=1),
        lambda claim_input: claim_input.value(a="z", b=1),
        lambda claim_input: claim_input.value(a="x"),
        lambda claim_input: claim_input.fact("unknown"),
        lambda claim_input: claim_input.pivot("a", "b", a="y", b=1),
    ],
)
def test_without_the_number_nothing_is_decided(ask):
    found = Claim("Any.", lambda claim_input: (bool(ask(claim_input)), "")).evaluate(CLAIM_INPUT)
    assert found.status == "cannot be checked"
    assert found.evidence


def test_tables_have_no_gaps():
    assert CLAIM_INPUT.table(a="y")["value"].tolist() == [0.4]
    assert CLAIM_INPUT.pivot("a", "b").index.tolist() == ["x"]
    assert CLAIM_INPUT.fact("known") == 3


def test_a_claim_that_nothing_can_decide_says_why():
    found = make_unchecked_claim("Said of stroke.", "the data cannot be had").evaluate(CLAIM_INPUT)
    assert (found.status, found.evidence) == ("cannot be checked", "the data cannot be had")
    with pytest.raises(UncheckableClaim):
        make_unchecked_claim("Said.", "no").check(CLAIM_INPUT)
