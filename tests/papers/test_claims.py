"""Claims: held, not held, cannot be checked; a missing number decides nothing."""

import numpy as np
import pandas as pd
import pytest

from holdfast.papers._claims import (
    Cause,
    Claim,
    ClaimInput,
    Finding,
    UncheckableClaim,
    explain_outcomes,
    make_unchecked_claim,
)

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


@pytest.mark.parametrize(
    ("text", "statement", "bar"),
    [
        ("It is high.", "It is high.", "as stated"),
        ("It is high (threshold: 0.5).", "It is high.", "0.5"),
        ("It is (mean) high (threshold 0.5), or so.", "It is (mean) high, or so.", "0.5"),
        (
            "High (thresholds: 0.5 of x), low (published 2; threshold 0.1).",
            "High, low.",
            "0.5 of x; published 2; threshold 0.1",
        ),
    ],
)  # fmt: skip
def test_the_bar_is_what_was_chosen_by_hand(text, statement, bar):
    claim = make_unchecked_claim(text, "no")
    assert (claim.statement, claim.bar) == (statement, bar)


def test_what_does_not_hold_has_a_cause():
    held, failed, side = (
        Finding("main", "held", ""), Finding("main", "not held", ""), Finding("b", "not held", "")
    )  # fmt: skip
    known = Claim("One.", lambda _: (True, ""), cause=Cause("data", "few samples"))
    unknown = Claim("One.", lambda _: (True, ""))
    causes = [one.cause for one in explain_outcomes(known, held, [side])]
    assert causes == ["", "setting: it holds in the main one"]
    assert [one.cause for one in explain_outcomes(known, failed, [side])] == [
        "data: few samples"
    ] * 2
    assert explain_outcomes(unknown, failed, [])[0].cause == "not known"
