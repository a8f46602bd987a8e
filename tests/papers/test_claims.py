"""Claims: held, not held, cannot be checked; a missing number decides nothing."""

import numpy as np
import pandas as pd
import pytest

from holdfast.papers._comparison import Claim, ClaimInput, UncheckableClaim, make_unchecked_claim

VALUES = pd.DataFrame(
    {"a": ["x", "x", "y", "y"], "b": [1, 2, 1, 2], "value": [0.1, 0.2, np.nan, 0.4]}
)
SEEN = ClaimInput("main", VALUES, VALUES.iloc[:0], {"known": 3}, full=False)


def test_a_claim_is_held_or_not():
    high = Claim("High.", lambda seen: (seen.value(a="x", b=2) > 0.15, "0.2"))
    low = Claim("Low.", lambda seen: (seen.value(a="x", b=2) < 0.15, "0.2"))
    assert (high.found(SEEN).status, low.found(SEEN).status) == ("held", "not held")
    assert high.found(SEEN).evidence == "0.2"
    assert high.found(SEEN).setting == "main"


@pytest.mark.parametrize(
    "ask",
    [
        lambda seen: seen.value(a="y", b=1),
        lambda seen: seen.value(a="z", b=1),
        lambda seen: seen.value(a="x"),
        lambda seen: seen.fact("unknown"),
        lambda seen: seen.pivot("a", "b", a="y", b=1),
    ],
)
def test_without_the_number_nothing_is_decided(ask):
    found = Claim("Any.", lambda seen: (bool(ask(seen)), "")).found(SEEN)
    assert found.status == "cannot be checked"
    assert found.evidence


def test_tables_have_no_gaps():
    assert SEEN.table(a="y")["value"].tolist() == [0.4]
    assert SEEN.pivot("a", "b").index.tolist() == ["x"]
    assert SEEN.fact("known") == 3


def test_a_claim_that_nothing_can_decide_says_why():
    found = make_unchecked_claim("Said of stroke.", "the data cannot be had").found(SEEN)
    assert (found.status, found.evidence) == ("cannot be checked", "the data cannot be had")
    with pytest.raises(UncheckableClaim):
        make_unchecked_claim("Said.", "no").check(SEEN)
