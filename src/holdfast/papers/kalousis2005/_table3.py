"""Table 3: error of a linear SVM on the selected features, and their stability."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from holdfast.papers._claims import (
    Cause,
    Claim,
    ClaimInput,
    UncheckableClaim,
    format_values,
    make_unchecked_claim,
)
from holdfast.papers._record import Experiment, Setting
from holdfast.papers._runner import ExperimentResult
from holdfast.papers.kalousis2005._study import (
    CHOICES,
    DATA,
    LEFT_OUT,
    METHODS,
    OVARIAN,
    PEAKS,
    SETTINGS,
    STANDARD,
    SUBSET_SIZES,
    ZERO_ONE,
    run_nested_study,
    stability,
)

if TYPE_CHECKING:
    import holdfast as hf
    from holdfast.papers._runner import ExperimentRunner


# Claims about Table 3.

ERROR, SETS = "error", "S_S"
SIGNIFICANCE_LEVEL = 0.05


def tabulate_by_size(inputs: ClaimInput, what: str) -> dict[int, dict[str, float]]:
    """Return errors or stability of all methods, by size."""
    table = inputs.pivot("size", "method", what=what)
    if missing := [name for name in METHODS if name not in table.columns]:
        raise UncheckableClaim(f"nothing was measured of {', '.join(missing)}")
    rows = table[list(METHODS)].to_numpy(dtype=float).tolist()
    sizes = [int(size) for size in table.index.to_list()]
    named = [dict(zip(METHODS, row, strict=True)) for row in rows]
    return dict(zip(sizes, named, strict=True))


def method_with_highest(values: dict[str, float], among: Iterable[str] = METHODS) -> str:
    """Return the method with the highest number."""
    return max(among, key=lambda name: values[name])


def has_significant_difference(tests: pd.DataFrame, size: int, one: str, other: str) -> bool:
    """Return whether the errors of two methods differ significantly."""
    if one == other:
        return False
    pair = tests[["one", "other"]].isin([one, other]).all(axis=1) & (tests["size"] == size)
    if not pair.any():
        raise UncheckableClaim(f"{one} and {other} were not tested with {size} features")
    return bool(tests[pair]["p_value"].iloc[0] <= SIGNIFICANCE_LEVEL)


def best_groups(inputs: ClaimInput) -> dict[int, list[str]]:
    """Return, for each size, the methods that do not differ from the one of the lowest error."""
    errors, tests = tabulate_by_size(inputs, ERROR), inputs.fact("tests")
    return {size: select_best_group(row, tests, size) for size, row in errors.items()}


def relief_most_stable_at_each_size(inputs: ClaimInput) -> tuple[bool, str]:
    """ReliefF leads in S_S at every size."""
    table = tabulate_by_size(inputs, SETS)
    texts = [f"{size}: {format_values(row)}" for size, row in table.items()]
    return all(method_with_highest(row) == "RF" for row in table.values()), "; ".join(texts)


def unstable_yet_better(inputs: ClaimInput) -> tuple[bool, str]:
    """SVMRFE is significantly better than another at some size, with an S_S below ReliefF's."""
    errors, sets = tabulate_by_size(inputs, ERROR), tabulate_by_size(inputs, SETS)
    texts = [
        f"{size} features: better than {', '.join(beaten)}"
        for size in errors
        if (beaten := format_beaten_methods(inputs.fact("tests"), size, errors[size]))
        and sets[size]["SVMRFE"] < sets[size]["RF"]
    ]
    return bool(texts), "; ".join(texts) or "never significantly better while less stable"


def format_beaten_methods(tests: pd.DataFrame, size: int, errors: dict[str, float]) -> list[str]:
    """Name the methods than which SVMRFE is significantly better at a size."""
    error = errors["SVMRFE"]
    return [
        f"{other} ({error:.2f}% against {errors[other]:.2f}%)"
        for other in METHODS
        if error < errors[other] and has_significant_difference(tests, size, "SVMRFE", other)
    ]


def many_are_as_good(inputs: ClaimInput) -> tuple[bool, str]:
    """At some sizes several methods share the lowest error."""
    groups = best_groups(inputs)
    return any(len(one) > 1 for one in groups.values()), format_best_groups(groups)


def relief_is_most_stable_of_the_best(inputs: ClaimInput) -> tuple[bool, str]:
    """Where ReliefF is among the best in error, it is the most stable of them."""
    groups, sets = best_groups(inputs), tabulate_by_size(inputs, SETS)
    shared = {size: group for size, group in groups.items() if "RF" in group and len(group) > 1}
    if not shared:
        raise UncheckableClaim(
            f"ReliefF never shares the lowest error with others; {format_best_groups(groups)}"
        )
    winners = {size: method_with_highest(sets[size], group) for size, group in shared.items()}
    texts = [f"{name} at {size}" for size, name in winners.items()]
    return set(winners.values()) == {"RF"}, f"the most stable: {', '.join(texts)}"


def format_best_groups(groups: dict[int, list[str]]) -> str:
    """Name the methods that share the lowest error at each size."""
    return "lowest error: " + "; ".join(f"{size}: {', '.join(g)}" for size, g in groups.items())


CLAIMS = (
    Claim(
        "ReliefF has the highest S_S at each number of features.", relief_most_stable_at_each_size
    ),
    Claim(
        "SVMRFE sometimes has a significantly lower error than another method although its S_S is "
        "below that of ReliefF.",
        unstable_yet_better,
        cause=Cause("data", "with errors below 1% on our peaks there is nothing to gain"),
    ),
    Claim(
        "For some numbers of features, several methods share the lowest error, as they do not "
        "differ significantly.",
        many_are_as_good,
    ),
    Claim(
        "Where ReliefF is among methods that share the lowest error, it is the most stable of "
        "them.",
        relief_is_most_stable_of_the_best,
    ),
    make_unchecked_claim(
        "On stroke with 10 features IG, ReliefF and SVMRFE do not differ in error, and S_S of "
        "ReliefF is twice that of SVMRFE and over ten times that of IG.",
        LEFT_OUT,
    ),
    make_unchecked_claim(
        "On stroke with 20 features SVMRFE has a significantly lower error than the three others, "
        "with an S_S of 0.16.",
        LEFT_OUT,
    ),
)


# Table 3: error of a linear SVM on the selected features, and their stability.

OTHER_SCALE = "standardised features"


def table3(runner: ExperimentRunner) -> ExperimentResult:
    """Read errors and stability at each size, and test errors against each other."""
    rows, facts, marked = [], {}, set()
    for setting in RUNS:
        result = run_nested_study(runner, PEAKS if setting == OTHER_SCALE else setting)
        scale = STANDARD if setting == OTHER_SCALE else ZERO_ONE
        table = tabulate_errors(result, scale)
        tests = mcnemar_tests(result, scale)
        rows.append(table.assign(setting=setting, data=OVARIAN))
        facts[setting, "tests"] = tests
        marked |= {
            (setting, OVARIAN, size, method, ERROR)
            for size, methods in group_lowest_errors(table, tests).items()
            for method in methods
        }
    values = pd.concat(rows, ignore_index=True)
    return ExperimentResult(
        values=values, facts=facts, notes=(LEGEND_OF_MARKS,), marked=frozenset(marked)
    )


LEGEND_OF_MARKS = (
    "An asterisk marks, for each number of features, the lowest error and those that do not differ "
    "from it significantly (in italics in the paper)."
)


def group_lowest_errors(table: pd.DataFrame, tests: pd.DataFrame) -> dict[int, list[str]]:
    """Return, for each size, the methods that do not differ from the one of the lowest error."""
    rows = table[table["what"] == ERROR]
    errors: dict[int, dict[str, float]] = {}
    for size, method, value in zip(rows["size"], rows["method"], rows["value"], strict=True):
        if method in METHODS:
            errors.setdefault(int(size), {})[str(method)] = float(value)
    return {size: select_best_group(row, tests, size) for size, row in errors.items()}


def select_best_group(errors: dict[str, float], tests: pd.DataFrame, size: int) -> list[str]:
    """Return the methods that do not differ from the one of the lowest error at a size."""
    winner = min(errors, key=lambda name: errors[name])
    return [name for name in errors if not has_significant_difference(tests, size, winner, name)]


def tabulate_errors(result: hf.Result, scale: str) -> pd.DataFrame:
    """Return errors in percent and S_S, in the order of the paper's table."""
    errors = result.errors[result.errors["classifier"] == scale]
    wide = pd.DataFrame(
        {
            ERROR: 100 * errors.set_index(["selector", "size"])["error"],
            SETS: stability(result, "jaccard"),
        }
    )
    order = [
        (method, size) for size in SUBSET_SIZES for method in METHODS if method in result.selectors
    ]
    table = wide.loc[order].rename_axis(["method", "size"]).reset_index()
    long = table.melt(["size", "method"], var_name="what")
    return long.astype({"size": int}).sort_values(["size", "method"], kind="stable")


def mcnemar_tests(result: hf.Result, scale: str) -> pd.DataFrame:
    """Return McNemar's p-value of each two methods at each size."""
    table = result.compare(correction=None)
    same = table[["classifier_a", "classifier_b"]].isin([scale]).all(axis=1)
    pairs = table[same & (table["size_a"] == table["size_b"])]
    names = {"size_a": "size", "selector_a": "one", "selector_b": "other"}
    tests = pairs.rename(columns=names)[["size", "one", "other", "p_value"]]
    return tests[tests[["one", "other"]].isin(METHODS).all(axis=1)].reset_index(drop=True)


ALL_SETTINGS = (
    *SETTINGS,
    Setting(name=OTHER_SCALE, title="All peaks; the classifier gets standardised features."),
)
RUNS = tuple(setting.name for setting in ALL_SETTINGS)

TABLE3 = Experiment(
    name="table3",
    place="Section 5",
    label="Table 3",
    title="Error of a linear SVM, and S_S, by number of features",
    make=table3,
    size=("5 x 5 nested cross-validation", "10 x 10 nested cross-validation, as in the paper"),
    data=DATA,
    reduced=(OVARIAN,),
    work=("study", "heavy", "wider"),
    keys=("data", "size", "method", "what"),
    n_heads=2,
    part="what",
    settings=ALL_SETTINGS,
    choices=(
        *CHOICES,
        (
            "The linear SVM classifier has C = 0.5. Its features are also scaled to the range 0 to "
            "1; standardised features are an alternative."
        ),
        (
            "Errors are compared by McNemar's test at the level 0.05, as in the paper; here the "
            "exact test, without correction for multiple testing."
        ),
        (
            "The published S_S of ten features differs from that in the paper's Table 2 for IG "
            "(0.01, there 2.93%) and for SVMONE (0.59, there 45.62%)."
        ),
    ),
    claims=CLAIMS,
)
