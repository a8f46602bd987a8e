"""Figures 1 and 2: which features the folds select, and stability by number of features."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import holdfast as hf
from holdfast._typing import FloatArray
from holdfast.papers._claims import Cause, Claim, ClaimInput, UncheckableClaim, make_unchecked_claim
from holdfast.papers._record import Experiment
from holdfast.papers._runner import ExperimentResult
from holdfast.papers.kalousis2005._study import (
    CHOICES,
    DATA,
    LEFT_OUT,
    METHODS,
    OVARIAN,
    PEAKS,
    RANDOM,
    SETTINGS,
    get_weights,
    outer_groups,
    run_nested_study,
)

if TYPE_CHECKING:
    from holdfast.papers._runner import ExperimentRunner
    from holdfast.plot import Picture


BEST = 10
SAME_SHARED_COUNT = 0.1
"""Methods whose numbers of shared features differ by less are equal; chosen by hand."""
WITHIN, BETWEEN = "shared within outer folds", "shared between outer folds"
EVER, ALWAYS = "ever selected", "always selected"


def figure1(runner: ExperimentRunner) -> ExperimentResult:
    """Draw stripes, and count what they show."""
    results = {setting.name: run_nested_study(runner, setting.name) for setting in SETTINGS}
    rows = [
        {"setting": setting, "data": OVARIAN, "method": method, "what": what, "value": value}
        for setting, result in results.items()
        for method in METHODS
        if method in result.selectors
        for what, value in count_shared_features(result, method).items()
    ]
    pictures = {name: results[PEAKS].plot_stripes(name, BEST) for name in METHODS}
    return ExperimentResult(values=pd.DataFrame(rows), pictures=pictures)


def count_shared_features(result: hf.Result, method: str) -> dict[str, float]:
    """Count the features that inner folds share, and those selected at all and always."""
    subsets = result.preferences[method, BEST]
    similarities = hf.pairwise("jaccard", subsets)
    groups = outer_groups(result)
    within = np.mean(
        [
            similarities[np.ix_(group, group)][np.triu_indices(len(group), 1)].mean()
            for group in groups
        ]
    )
    is_between = np.ones_like(similarities, dtype=bool)
    for group in groups:
        is_between[np.ix_(group, group)] = False
    counts = np.bincount(subsets.indices)
    return {
        WITHIN: shared_feature_count(float(within)),
        BETWEEN: shared_feature_count(float(similarities[is_between].mean())),
        EVER: float((counts > 0).sum()),
        ALWAYS: float((counts == len(subsets)).sum()),
    }


def shared_feature_count(similarity: float) -> float:
    """Return how many of the features two sets have in common, from S_S, as the paper does."""
    return 2 * BEST * similarity / (1 + similarity)


def tabulate_counts(inputs: ClaimInput) -> pd.DataFrame:
    """Return the counts: one row per method."""
    table = inputs.pivot("method", "what").reindex(columns=[WITHIN, BETWEEN, EVER]).dropna()
    if missing := [name for name in METHODS if name not in table.index]:
        raise UncheckableClaim(f"nothing was counted of {', '.join(missing)}")
    return table.loc[list(METHODS)]


def pictures_agree(inputs: ClaimInput) -> tuple[bool, str]:
    """The more features are shared, the fewer are selected at all."""
    table = tabulate_counts(inputs).sort_values(WITHIN, ascending=False)
    texts = [f"{name}: {row[WITHIN]:.2f} shared, {row[EVER]:.0f} selected"
             for name, row in table.iterrows()]  # fmt: skip
    agreed = [
        more[EVER] <= fewer[EVER] or more[WITHIN] - fewer[WITHIN] < SAME_SHARED_COUNT
        for (_, more), (_, fewer) in combinations(table.iterrows(), 2)
    ]
    return all(agreed), "; ".join(texts)


def nearer_within(inputs: ClaimInput) -> tuple[bool, str]:
    """Inner folds of one outer fold share more features."""
    table = tabulate_counts(inputs)
    texts = [f"{name}: {row[WITHIN]:.2f} and {row[BETWEEN]:.2f}" for name, row in table.iterrows()]
    return bool((table[WITHIN] > table[BETWEEN]).all()), "; ".join(texts)


FIGURE1 = Experiment(
    name="figure1",
    place="Section 4",
    label="Figure 1",
    title="Which ten features each fold selects",
    make=figure1,
    size=("5 x 5 nested cross-validation", "10 x 10 nested cross-validation, as in the paper"),
    data=DATA,
    reduced=(OVARIAN,),
    work=("study", "heavy", "wider"),
    keys=("data", "method", "what"),
    part="what",
    settings=SETTINGS,
    choices=(
        "The paper shows prostate, whose spectra are not available; here ovarian is shown.",
        (
            "The number of features that two folds share, of ten, is computed from S_S, as in the "
            "paper's text, which prints that number."
        ),
        *CHOICES,
    ),
    claims=(
        Claim(
            "The picture agrees with S_S: the more features folds share, the fewer distinct "
            "features are selected overall (threshold: numbers that differ by less than 0.1 "
            "shared features are equal).",
            pictures_agree,
        ),
        Claim(
            "Inner folds of one outer fold, which have more samples in common, share more features "
            "than those of different outer folds, for each method (implied: the paper speaks of "
            "the samples).",
            nearer_within,
        ),
        make_unchecked_claim(
            "On prostate information gain is the least stable, even within one outer fold.",
            LEFT_OUT,
        ),
        make_unchecked_claim(
            "On prostate the other three methods often select the same features.", LEFT_OUT
        ),
    ),
)


# Claims about Figure 2.

# Thresholds of the claims, chosen by hand where the paper gives none.
INTERESTING = 200
TIE = 0.001
MAX_FEW_FEATURES = 50
KNOT_TOLERANCE_SHARE = 0.1
SHARP = 300


def get_profiles(inputs: ClaimInput, *names: str) -> pd.DataFrame:
    """Return the profiles of methods: one row per size."""
    table = inputs.fact_table("profile")
    if missing := [name for name in names if name not in table.columns]:
        raise UncheckableClaim(f"{', '.join(missing)} has no profile in this setting")
    return table[list(names)].dropna()


def relief_dominates(inputs: ClaimInput) -> tuple[bool, str]:
    """ReliefF is the most stable at all interesting sizes."""
    table = get_profiles(inputs, *METHODS)
    table = table[table.index <= INTERESTING]
    lead = table["RF"] - table.drop(columns="RF").max(axis=1)
    ahead = lead > -TIE
    least = f"least at {lead.idxmin()} ({lead.min():+.1e})"
    return bool(ahead.all()), f"ahead at {ahead.sum()} of {len(ahead)} sizes, {least}"


def knot_where_gain_ends(inputs: ClaimInput) -> tuple[bool, str]:
    """The knot of IG is where features without gain begin."""
    gaining, count = inputs.fact("gaining"), inputs.fact("n_features")
    size = inputs.fact("knots").loc["IG", "size"]
    if pd.isna(size):
        return False, f"no knot; {gaining:.0f} features have a gain"
    near = abs(size - gaining) <= KNOT_TOLERANCE_SHARE * count
    return bool(near), f"knot at {size} features; {gaining:.0f} have a gain"


def bend_where_gain_ends(inputs: ClaimInput) -> tuple[bool, str]:
    """The profile of IG bends where features without gain begin."""
    gaining, count = inputs.fact("gaining"), inputs.fact("n_features")
    table = get_profiles(inputs, "IG")
    place = find_bend(table.index.to_numpy(dtype=float), table["IG"].to_numpy(dtype=float))
    text = f"bend at {place:.0f} of {count} features; {gaining:.0f} have a gain, "
    near = abs(place - gaining) <= KNOT_TOLERANCE_SHARE * count
    return near, text + f"{count - gaining:.0f} have none"


def find_bend(sizes: FloatArray, values: FloatArray) -> float:
    """Return where two straight lines that meet there fit a profile best (least squares)."""
    misfits = []
    for place in sizes[2:-2]:
        parts = np.stack([np.ones_like(sizes), sizes, np.maximum(sizes - place, 0)], axis=1)
        fitted = parts @ np.linalg.lstsq(parts, values, rcond=None)[0]
        misfits.append(float(((values - fitted) ** 2).sum()))
    if not misfits:
        raise UncheckableClaim("there are too few sizes to see a bend")
    return float(sizes[2 + int(np.argmin(misfits))])


def sharp_then_slow(inputs: ClaimInput) -> tuple[bool, str]:
    """IG rises sharply up to some 300 features, then slowly."""
    values = get_profiles(inputs, "IG")["IG"]
    if SHARP not in values.index or values.index.max() <= SHARP:
        raise UncheckableClaim(f"there is no profile around {SHARP} features")
    first, middle, last = values.iloc[0], values[SHARP], values.iloc[-1]
    before = (middle - first) / (SHARP - values.index[0])
    after = (last - middle) / (values.index[-1] - SHARP)
    text = f"{first:.2f} at {values.index[0]}, {middle:.2f} at {SHARP}, {last:.2f} at the end"
    return bool(before > 0 and before >= 3 * after), text


def relief_has_a_knot(inputs: ClaimInput) -> tuple[bool, str]:
    """ReliefF also has a knot."""
    knots = inputs.fact("knots")
    if "RF" not in knots.index:
        raise UncheckableClaim("ReliefF has no profile in this setting")
    return bool(pd.notna(knots.loc["RF", "size"])), str(knots.loc["RF", "sentence"])


def svmone_lead(inputs: ClaimInput, low: float, high: float) -> pd.Series[float]:
    """Return the lead of SVMONE over SVMRFE at sizes from `low` to `high`."""
    table = get_profiles(inputs, "SVMONE", "SVMRFE")
    lead = (table["SVMONE"] - table["SVMRFE"])[(table.index >= low) & (table.index <= high)]
    if lead.empty:
        raise UncheckableClaim(f"there is no profile between {low:.0f} and {high:.0f} features")
    return lead


def one_leads_for_few(inputs: ClaimInput) -> tuple[bool, str]:
    """SVMONE leads SVMRFE for few features."""
    lead = svmone_lead(inputs, 1, MAX_FEW_FEATURES).mean()
    return bool(lead > 0), f"SVMONE minus SVMRFE {lead:+.3f} on average"


def svms_meet(inputs: ClaimInput) -> tuple[bool, str]:
    """SVMONE and SVMRFE are the same for many features."""
    count = inputs.fact("n_features")
    most = svmone_lead(inputs, count / 2, count).abs().max()
    return bool(most <= 0.02), f"they differ by at most {most:.3f}"


def lead_shrinks(inputs: ClaimInput) -> tuple[bool, str]:
    """The lead of SVMONE is largest for few features."""
    count = inputs.fact("n_features")
    spans = ((1, MAX_FEW_FEATURES), (100, INTERESTING), (count / 2, count))
    few, hundreds, many = (float(svmone_lead(inputs, low, high).mean()) for low, high in spans)
    return few > hundreds > many, f"{few:+.3f}, {hundreds:+.3f} and {many:+.3f} on average"


INCONSISTENT_KNOT = Cause(
    "paper", "535 features have a gain by its numbers, and the knot is seen near 300"
)
CLAIMS = (
    Claim(
        "ReliefF has the highest S_S at all interesting numbers of features (threshold: from 10 "
        f"to {INTERESTING}; less than {TIE} is a tie).",
        relief_dominates,
    ),
    Claim(
        "Information gain has a knot on ovarian at the number of features with a gain (threshold: "
        "the knot that find_knot detects, within a tenth of all features).",
        knot_where_gain_ends,
        cause=INCONSISTENT_KNOT,
    ),
    Claim(
        "The profile of information gain bends on ovarian at the number of features with a gain, "
        "where two lines fit best (threshold: within a tenth of all features).",
        bend_where_gain_ends,
        cause=INCONSISTENT_KNOT,
    ),
    Claim(
        f"On ovarian S_S of information gain rises sharply up to about {SHARP} features, then "
        "slowly (threshold: three times as fast before as after).",
        sharp_then_slow,
        cause=Cause(
            "paper",
            "it goes with the published S_S of information gain, which no order by gain gives",
        ),
    ),
    Claim("ReliefF also has a knot on ovarian (threshold: by find_knot).", relief_has_a_knot),
    Claim(
        "SVMONE has a small advantage over SVMRFE for few features (threshold: on average up "
        f"to {MAX_FEW_FEATURES}).",
        one_leads_for_few,
    ),
    Claim(
        "SVMONE and SVMRFE are practically equal for many features (threshold: 0.02, from half of "
        "the features on).",
        svms_meet,
    ),
    Claim(
        "The lead of SVMONE over SVMRFE grows towards fewer features (threshold: on average, "
        f"up to {MAX_FEW_FEATURES} features, from 100 to {INTERESTING}, from half of them on).",
        lead_shrinks,
    ),
    make_unchecked_claim(
        "On prostate and stroke S_S of information gain is near that of random sets.", LEFT_OUT
    ),
    make_unchecked_claim("ReliefF has strong knots on stroke and prostate.", LEFT_OUT),
    make_unchecked_claim("SVMONE and SVMRFE have knots on stroke.", LEFT_OUT),
)


# Figure 2: stability profiles, from ten features up to all.

FIRST, STEP = 10, 5
SHOWN = (10, 20, 30, 40, 50, 100, 200, 300, 400, 500, 600, 700, 800)


def figure2(runner: ExperimentRunner) -> ExperimentResult:
    """Measure S_S at all sizes, draw it, and find knots."""
    rows, pictures = [], {}
    facts: dict[tuple[str, str], Any] = {}
    for setting in (setting.name for setting in SETTINGS):
        result = run_nested_study(runner, setting)
        count = count_features(result)
        options: dict[str, Any] = {"measures": "jaccard", "max_knot_share": 1.0}
        options["sizes"] = [*range(FIRST, count, STEP), count]
        profile = result.profile(**options)
        rows.append(tabulate_shown_sizes(profile).assign(setting=setting, data=OVARIAN))
        pictures[setting] = draw_profile(profile)
        facts |= {
            (setting, name): fact for name, fact in collect_claim_facts(result, profile).items()
        }
    values = pd.concat(rows, ignore_index=True)
    return ExperimentResult(values=values, pictures=pictures, facts=facts, notes=make_notes(facts))


def draw_profile(profile: hf.judge.StabilityProfile) -> Picture:
    """Draw profiles on linear axes, as in the paper; the dashed line is random selection."""
    table = profile.table[profile.table["selector"] != RANDOM]
    knots = profile.knots[profile.knots["size"] >= FIRST]
    return hf.plot.profiles(table, knots, measure="S_S", scale="linear")


def count_features(result: hf.Result) -> int:
    """Return the number of features."""
    return int(next(iter(get_weights(result).values())).n_features)


def tabulate_shown_sizes(profile: hf.judge.StabilityProfile) -> pd.DataFrame:
    """Return the part of a profile that is shown as a table."""
    table = profile.table[profile.table["size"].isin(SHOWN)]
    return table.rename(columns={"selector": "method"})[["method", "size", "value"]]


def collect_claim_facts(result: hf.Result, profile: hf.judge.StabilityProfile) -> dict[str, Any]:
    """Return what claims need: whole profiles, knots, and how many features have a gain."""
    gains = get_weights(result)["IG"].values
    return {
        "profile": profile.table.pivot(index="size", columns="selector", values="value"),
        "knots": profile.knots.set_index("selector"),
        "gaining": float(np.mean((gains != 0).sum(axis=1))),
        "n_features": count_features(result),
    }


def make_notes(facts: Mapping[tuple[str, str], Any]) -> tuple[str, ...]:
    """Note where the profile of IG falls."""
    high, low = deepest_fall(facts[PEAKS, "profile"]["IG"])
    note = (
        "Seen afterwards, so no bar was set for it: S_S of information gain falls most from "
        f"{high[0]} features ({high[1]:.2f}) to {low[0]} ({low[1]:.2f}); "
        f"{facts[PEAKS, 'gaining']:.0f} have a gain. Beyond, features are added at random."
    )
    return (note,)


def deepest_fall(values: pd.Series[float]) -> tuple[tuple[int, float], tuple[int, float]]:
    """Return size and value before and after the deepest fall of a profile."""
    sizes, heights = values.index.to_list(), values.to_numpy(dtype=float)
    end = int(np.argmax(np.maximum.accumulate(heights) - heights))
    start = int(np.argmax(heights[: end + 1]))
    return (sizes[start], float(heights[start])), (sizes[end], float(heights[end]))


FIGURE2 = Experiment(
    name="figure2",
    place="Section 4.1",
    label="Figure 2",
    title="S_S by number of features",
    make=figure2,
    size=("5 x 5 nested cross-validation", "10 x 10 nested cross-validation, as in the paper"),
    data=DATA,
    reduced=(OVARIAN,),
    work=("study", "heavy", "wider"),
    keys=("data", "method", "size"),
    settings=SETTINGS,
    choices=(
        (
            "Profiles are measured from 10 features up to all, in steps of 5; the table shows some "
            "of the numbers."
        ),
        (
            "The paper identifies knots by eye. Here holdfast.judge.find_knot searches for them "
            "among all features, as far as random lists can be told from stable ones. In addition, "
            "the bend is where two straight lines that meet there fit a profile best."
        ),
        (
            "The paper's numbers on ovarian are inconsistent: with 35.07% of 824 features without "
            "gain, 535 have a gain and 289 have none, yet the knot is reported near 300 features. "
            "This would fit an order that puts features without gain first."
        ),
        *CHOICES,
    ),
    claims=CLAIMS,
)
