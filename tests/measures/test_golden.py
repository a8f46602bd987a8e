"""Every reference value, but for the documented exceptions."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import UndefinedMeasureWarning

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
