"""Bounds of stability selection, against golden values, closed forms and a naive search."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select import error_bound, largest_q, least_threshold
from holdfast.select._ensemble._error_bounds import largest_tails

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "stabs.json").read_text())
ROWS = [dict(zip(GOLDEN["columns"], row, strict=True)) for row in GOLDEN["rows"]]
KINDS = ["none", "unimodal", "r-concave"]


def rows(solve, assumption):
    return [r for r in ROWS if r["solve"] == solve and r["assumption"] == assumption]


def how(row):
    # the peer takes 100 single subsamples whatever B says
    pairs = row["B"] if row["sampling"] == "SS" else 50
    return {"n_pairs": pairs, "assumption": row["assumption"]}


def bound(row):
    return error_bound(row["p"], row["q"], row["cutoff"], **how(row))


def test_all_golden_rows_are_looked_at():
    assert len(ROWS) == 1510
    assert sum(len(rows(s, a)) for s in ("PFER", "q", "cutoff") for a in KINDS) == 1510


def test_bounds_without_assumption_but_for_those_above_the_number_of_features():
    for row in rows("PFER", "none"):
        if row["error"] == "not_finite_Inf":
            assert row["cutoff"] == 0.5
            assert bound(row) == row["p"]
        else:
            assert bound(row) == pytest.approx(min(row["value"], row["p"]), rel=1e-12)


def test_unimodal_bounds_where_the_assumption_helps():
    """Outside its range, and where the bound without assumption is smaller, that one is taken."""
    seen = {"same": 0, "weaker": 0}
    for row in rows("PFER", "unimodal"):
        none = error_bound(row["p"], row["q"], row["cutoff"], **how(row) | {"assumption": None})
        if row["error"] or row["value"] > none:
            assert row["error"] == "cutoff_out_of_range" or row["cutoff"] == 0.51
            assert bound(row) == none
            seen["weaker"] += 1
        else:
            assert bound(row) == pytest.approx(row["value"], rel=1e-12)
            seen["same"] += 1
    assert seen == {"same": 452, "weaker": 88}


def test_r_concave_bounds_are_those_of_a_tight_search():
    """The peer's tails are differences from 1, hence the absolute tolerance."""
    for row in rows("PFER", "r-concave"):
        if row["error"] is None:
            tight = row["value_tight_optimiser"] or row["value"]
            assert bound(row) == pytest.approx(tight, rel=1e-9, abs=1e-9)
            assert bound(row) >= row["value"] * (1 - 1e-6)
        else:  # half of the features a subsample: one of the two tails still holds
            assert row["error"] == "q_too_large"
            assert bound(row) <= error_bound(row["p"], row["q"], row["cutoff"], n_pairs=row["B"])


def test_largest_q_is_golden_where_the_peer_takes_equality_for_enough():
    """49/98 = 1/2, 100/20 = 5 and the like: bounds that equal the rate meet it."""
    for row in (r for a in KINDS for r in rows("q", a)):
        found = largest_q(row["p"], row["cutoff"], row["PFER"], **how(row))
        if found != row["value"]:
            assert found == row["value"] + 1
            assert error_bound(row["p"], found, row["cutoff"], **how(row)) == pytest.approx(
                row["PFER"], rel=1e-12
            )
        assert error_bound(row["p"], found + 1, row["cutoff"], **how(row)) > row["PFER"]


def test_least_threshold_is_the_golden_one_rounded_up_to_a_share():
    odd = []
    for row in (r for a in KINDS for r in rows("cutoff", a)):
        found = least_threshold(row["p"], row["q"], row["PFER"], **how(row))
        if found != pytest.approx(math.ceil(row["value"] * 100 - 1e-9) / 100, abs=1e-12):
            odd.append((row["assumption"], row["q"], row["PFER"], found, row["value"]))
    assert sorted(odd) == [
        *[("none", 20, 0.5, math.inf, 1)] * 2,  # the peer says 1 where no threshold will do
        *[("none", 20, 1, math.inf, 1)] * 2,
        ("unimodal", 5, 0.5, 0.63, 0.64),  # equal to the rate
        ("unimodal", 5, 5, 0.51, 0.52),  # below the peer's range no assumption is needed
    ]


@pytest.mark.parametrize("assumption", KINDS)
def test_the_three_questions_fit_together(assumption):
    how = {"assumption": assumption, "n_pairs": 20}
    for p in (1, 2, 7, 500):
        for pfer in (0.01, 0.3, 1.0, 4.0):
            q = largest_q(p, 0.7, pfer, **how)
            assert q == 0 or error_bound(p, q, 0.7, **how) <= pfer * (1 + 1e-9)
            assert q == p or error_bound(p, q + 1, 0.7, **how) > pfer
            threshold = least_threshold(p, max(q, 1), pfer, **how)
            if math.isfinite(threshold):
                assert error_bound(p, max(q, 1), threshold, **how) <= pfer * (1 + 1e-9)
            if threshold > 0.5:
                below = min(threshold, 1.025) - 0.025
                assert error_bound(p, max(q, 1), below, **how) > pfer


@pytest.mark.parametrize("assumption", KINDS)
def test_bounds_rise_with_q_fall_with_the_threshold_and_never_exceed_p(assumption):
    thresholds = np.arange(20, 41) / 40
    table = np.array(
        [
            [error_bound(30, q, t, n_pairs=20, assumption=assumption) for t in thresholds]
            for q in range(1, 31)
        ]
    )
    assert (np.diff(table, axis=0) >= -1e-12).all()
    assert (np.diff(table, axis=1) <= 1e-12).all()
    assert (table > 0).all()
    assert table.max() == 30
    stronger = {"none": None, "unimodal": "none", "r-concave": "unimodal"}[assumption]
    if stronger:
        for q in (1, 5, 30):
            weak = [error_bound(30, q, t, n_pairs=20, assumption=stronger) for t in thresholds]
            assert (table[q - 1] <= np.array(weak) + 1e-12).all()


def unimodal_tail(mean, top, t):
    """Return the largest P(X >= t) of unimodal X on 0..top, E X <= mean: a program for each mode.

    Laws with a mode are mixtures of uniform ones that reach up to it, or on from it.
    """
    places, best = np.arange(top + 1), 0.0
    for mode in places:
        spans = [
            *((i, mode) for i in range(mode + 1)),
            *((mode, i) for i in range(mode + 1, top + 1)),
        ]
        laws = np.array([(places >= a) & (places <= b) for a, b in spans], dtype=float)
        laws /= laws.sum(axis=1, keepdims=True)
        found = linprog(
            -laws[:, t:].sum(axis=1), (laws @ places)[None], [mean], np.ones((1, len(laws))), [1.0]
        )
        best = max(best, -found.fun if found.success else 0.0)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("theta", [0.05, 0.3, 0.57, 0.58, 0.7, 0.8])
def test_no_unimodal_shares_exceed_the_bound(theta):
    pairs = 10
    for count in range(pairs + 1, 2 * pairs + 1):
        bound = error_bound(100, round(100 * theta), count / 20, n_pairs=pairs) / 100
        assert unimodal_tail(theta**2 * pairs, pairs, count - pairs) <= bound + 1e-9


def test_beyond_its_range_the_unimodal_bound_is_that_without_assumption():
    """The range ends at q/p = 1/sqrt(3)."""
    within, beyond = (error_bound(1000, q, 0.9) for q in (577, 578))
    assert within == pytest.approx(4 * 577**2 / 1000 * (0.1 + 0.01) / 1.02)
    assert beyond == error_bound(1000, 578, 0.9, assumption="none") == 578**2 / 800


def naive_tail(mean, top, power, t):
    """Search power laws on 0..k with any lesser mass at k + 1: the mean fixes that mass."""
    best = 0.0
    for k in range(max(1, math.ceil(2 * mean)), top):
        ends = []
        for last in (k, k + 1):

            def excess(b, last=last):
                law = (1 + b * np.arange(last + 1)) ** -float(power)
                return law @ np.arange(last + 1) / law.sum() - mean

            ends.append(0.0 if excess(0.0) <= 0 else brentq(excess, 0.0, 1e8, xtol=1e-14))
        for b in np.linspace(*ends, 21):
            law = (1 + b * np.arange(k + 1)) ** -float(power)
            scale = (k + 1 - mean) / ((k + 1 - np.arange(k + 1)) @ law)
            if t <= k + 1:
                best = max(best, 1 - scale * law[:t].sum())
    return best


@pytest.mark.parametrize(("mean", "top", "power"), [(0.3, 8, 2), (1.0, 12, 4), (2.2, 11, 2)])
def test_tails_are_the_largest_of_a_finer_family(mean, top, power):
    tails = largest_tails(mean, top, power)
    first = math.ceil(2 * mean)
    assert tails[: first + 1] == (1.0,) * (first + 1)
    for t in range(first + 1, top + 1):
        assert tails[t] == pytest.approx(naive_tail(mean, top, power, t), rel=1e-7)


def test_tails_beat_random_r_concave_distributions():
    rng = np.random.default_rng(0)
    top, places = 10, np.arange(11)
    for _ in range(100):
        slopes = np.cumsum(rng.exponential(size=top) ** 3) - rng.exponential()
        convex = 1 + np.concatenate([[0], np.cumsum(slopes)])
        masses = np.maximum(convex - min(convex.min() - 0.01, 0), 1e-9) ** -2.0
        masses /= masses.sum()
        mean = float(masses @ places)
        if 2 * mean < top:
            tails = largest_tails(mean, top, 2)
            assert (np.cumsum(masses[::-1])[::-1] <= np.array(tails) + 1e-9).all()


def test_a_mean_too_large_gives_the_trivial_bound():
    assert largest_tails(6.0, 10, 2) == (1.0,) * 11
    assert error_bound(10, 10, 0.9, assumption="r-concave") == 10.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 1, 0.7), "n_features must be"),
        ((10, 0, 0.7), "q must be"),
        ((10, 11, 0.7), "between 1 and the number of features, 10"),
        ((10, 2, 0.4), r"from 0\.5 to 1"),
        ((10, 2, 1.1), r"from 0\.5 to 1"),
        ((10, 2, "high"), r"from 0\.5 to 1"),
        ((10, 2, True), r"from 0\.5 to 1"),
    ],
)
def test_invalid_arguments_of_the_error_bound_are_refused(arguments, words):
    with pytest.raises(InvalidInputError, match=words):
        error_bound(*arguments)


def test_invalid_assumptions_pairs_and_rates_are_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'unimodal'"):
        error_bound(10, 2, 0.7, assumption="unimodel")
    with pytest.raises(InvalidInputError, match="n_pairs"):
        error_bound(10, 2, 0.7, n_pairs=0)
    for wrong in (0, -1, "few", True, math.nan):
        with pytest.raises(InvalidInputError, match="pfer"):
            largest_q(10, 0.7, wrong)
        with pytest.raises(InvalidInputError, match="pfer"):
            least_threshold(10, 2, wrong)
