"""Every reference value, but for the documented exceptions."""

import itertools
import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import UndefinedMeasureWarning
from tests import naive

GOLDEN = Path(__file__).parents[1] / "golden"
STABM = json.loads((GOLDEN / "stabm.json").read_text())
OPTIONS = json.loads((GOLDEN / "stabm_options.json").read_text())
NOGUEIRA = json.loads((GOLDEN / "nogueira.json").read_text())

NAMES = {
    "stabilitySomol": "relative_weighted_consistency",
    "stabilityIntersectionMBM": "intersection_mbm",
    "stabilityIntersectionGreedy": "intersection_greedy",
    "stabilityIntersectionCount": "intersection_count",
    "stabilityIntersectionMean": "intersection_mean",
}


def ours(case):
    record = hf.measures.get_measure(
        NAMES.get(case["measure"], case["measure"].removeprefix("stability").lower())
    )
    options = {}
    if case["similarity"] is not None:
        options |= {"similarity": np.array(case["similarity"]), "threshold": case["threshold"]}
    if "corrected" in record.options:
        options["corrected"] = case["correction"] in ("exact", "estimate")
    if "correction" in record.options and case["correction"] == "exact":
        options["correction"] = "exact"
    if "penalty" in record.options and case.get("penalty") is not None:
        options["penalty"] = case["penalty"]
    if case.get("impute_na") is not None:
        options["undefined"] = case["impute_na"]
    subsets = hf.Subsets(case["subsets"], n_features=case["p"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        return hf.measure(record.name, subsets, **options)


def agrees(case):
    value = ours(case)
    if case["value"] is None:
        return bool(np.isnan(value))
    return abs(value - case["value"]) <= 1e-9


def davis_corrected(case):
    """(value - E) / (best - E) for the whole system, E from the exact law of the union."""
    sizes, p, m = [len(s) for s in case["subsets"]], case["p"], len(case["subsets"])
    penalty = case.get("penalty") or 0

    def score(union):
        return max(0.0, sum(sizes) / (m * union) - penalty / p * float(np.median(sizes)))

    chances = naive.union_probabilities(p, sizes)
    expected = sum(float(c) * score(u) for u, c in enumerate(chances) if u)
    best = max(1 - penalty / p, ((m - 1) // 2) / m)
    union = len({f for s in case["subsets"] for f in s})
    return (score(union) - expected) / (best - expected)


def novovicova_corrected(case):
    """(value - E) / (1 - E), E over all 2^m ways in which one feature can be selected."""
    sets, p, m = [set(s) for s in case["subsets"]], case["p"], len(case["subsets"])
    expected = 0.0
    for pattern in itertools.product((0, 1), repeat=m):
        chance = math.prod(
            len(s) / p if z else 1 - len(s) / p for s, z in zip(sets, pattern, strict=True)
        )
        h = sum(pattern)
        expected += p * chance * (h * math.log2(h) if h else 0.0)
    expected /= sum(map(len, sets)) * math.log2(m)
    return (naive.novovicova(sets, p) - expected) / (1 - expected)


def yu_is_kappa(case):
    sets = [set(s) for s in case["subsets"]]
    return naive.mean_over_pairs(lambda x, y: naive.kappa(x, y, case["p"]), sets)


def plain_weighted_consistency(case):
    return naive.weighted_consistency([set(s) for s in case["subsets"]], case["p"])


SYSTEM = "stabm corrects the system's value by the expectation for two subsets (R.md 4.1, 4.2)"
NORMALISER = "stabm divides Yu's measure by another size when nothing is similar (R.md 4.3)"
BOUNDS = "stabm has no value where the bounds of CW_rel are equal; CW_rel is CW there"
SYSTEMS = [
    "s023", "s025", "s031", "s035", "s037", "s038", "s039", "s040", "s041", "s042", "s043",
]  # fmt: skip
EXCEPTIONS = {
    **dict.fromkeys(
        [
            f"{system}/Davis/exact/-"
            for system in SYSTEMS
        ],
        (SYSTEM, davis_corrected),
    ),
    **dict.fromkeys(
        [f"o002/Davis/exact/-/{k}" for k in (45, 47, 49)]
        + [f"o006/Davis/exact/-/{k}" for k in (225, 227, 229)],
        (SYSTEM, davis_corrected),
    ),
    **dict.fromkeys(
        [
            f"{system}/Novovicova/exact/-"
            for system in SYSTEMS
        ],
        (SYSTEM, novovicova_corrected),
    ),
    **dict.fromkeys(
        [
            f"{system}/Yu/{how}/{threshold}"
            for system, thresholds in (
                ("s046", (0.9,)), ("s049", (0.9,)), ("s052", (0.9, 0.5)),
                ("s053", (0.9, 0.5)), ("s057", (0.9,)),
            )
            for threshold in thresholds
            for how in ("exact", "estimate")
        ],
        (NORMALISER, yu_is_kappa),
    ),
    **dict.fromkeys(
        ["s023/Somol/none/-", "s026/Somol/none/-"], (BOUNDS, plain_weighted_consistency)
    ),
}  # fmt: skip


def test_the_exceptions_are_these_and_no_more():
    assert len(EXCEPTIONS) == 44
    assert EXCEPTIONS.keys() <= {case["id"] for case in STABM + OPTIONS}


def test_every_stabm_value_but_the_exceptions():
    cases = STABM + OPTIONS
    assert len(cases) == 1372
    different = {case["id"] for case in cases if not agrees(case)}
    assert different == EXCEPTIONS.keys()


@pytest.mark.parametrize("case", [c for c in STABM + OPTIONS if c["id"] in EXCEPTIONS], ids=str)
def test_exceptions_have_a_value_derived_another_way(case):
    _, derive = EXCEPTIONS[case["id"]]
    assert ours(case) == pytest.approx(derive(case), abs=1e-9)


@pytest.mark.parametrize("case", NOGUEIRA, ids=lambda case: case["id"])
def test_nogueira_value_and_published_variance(case):
    subsets = hf.Subsets(case["subsets"], n_features=case["p"])
    value = hf.measure("nogueira", subsets)
    variance = hf.measures.nogueira_variance(subsets)
    assert value == pytest.approx(case["stability"], abs=1e-9)
    assert variance == pytest.approx(case["variance"], abs=1e-9)
    for level, quantile in (("ci_95", 1.959963984540054), ("ci_90", 1.6448536269514722)):
        half = quantile * np.sqrt(variance)
        assert value - half == pytest.approx(case[level]["lower"], abs=1e-9)
        assert value + half == pytest.approx(case[level]["upper"], abs=1e-9)


@pytest.mark.parametrize("case", NOGUEIRA, ids=lambda case: case["id"])
def test_published_nogueira_tests(case):
    subsets = hf.Subsets(case["subsets"], n_features=case["p"])
    for test in case["test_greater_than"]:
        got = hf.measures.nogueira_test(subsets, test["stab0"], published=True)
        if test["V"] is None:
            assert got.statistic == float(test["V_text"].replace("Infinity", "inf"))
        else:
            assert got.statistic == pytest.approx(test["V"], abs=1e-9)
        assert got.p_value == pytest.approx(test["p_value"], abs=1e-9)
    other = case["test_equal"]
    second = hf.Subsets(other["other_subsets"], n_features=case["p"])
    variance = sum(hf.measures.nogueira_variance(one) for one in (subsets, second))
    difference = hf.compare(second, subsets, "nogueira").difference  # as the reference has it
    assert difference / np.sqrt(variance) == pytest.approx(other["T"], abs=1e-9)
