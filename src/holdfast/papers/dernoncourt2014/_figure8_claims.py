"""What the paper says about Figure 8, and its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers._record import Experiment, Setting
from holdfast.papers.dernoncourt2014._figure8 import CAPTION, ERRORS, STABILITY, TEXT, figure8
from holdfast.papers.dernoncourt2014._simulated import STEADY, at, ends, fact, line, trend

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from holdfast.papers._claims import Seen

    Check = Callable[[Seen], tuple[bool, str]]

LDA, OBSERVED, OPTIMAL = "lda_error", "bayes_observed", "bayes_optimal"


def curve(seen: Seen, panel: str, error: str, name: str = ERRORS) -> pd.Series:
    """Return an error along a panel."""
    return line(fact(seen, name), "x", error, panel=panel)


def falls(panel: str, *errors: str) -> Check:
    """Return a check that errors fall along a panel."""

    def check(seen: Seen) -> tuple[bool, str]:
        found = {error: curve(seen, panel, error) for error in errors}
        texts = [
            f"{NAMES[error]} {ends(one)} (rank correlation {trend(one):+.2f})"
            for error, one in found.items()
        ]
        return all(trend(one) <= -STEADY for one in found.values()), "; ".join(texts)

    return check


NAMES = {LDA: "LDA", OBSERVED: "best on selected", OPTIMAL: "best possible"}


def gap_is_wide_in_small_samples(seen: Seen) -> tuple[bool, str]:
    """In small samples, the selected features are far worse than the best ones."""
    gap = curve(seen, "N", OBSERVED) - curve(seen, "N", OPTIMAL)
    first, last = gap.index[0], gap.index[-1]
    return bool(gap.iloc[0] >= 0.1), (
        f"best error on the selected features exceeds the best possible by {gap.iloc[0]:.2f} at "
        f"N = {first:g}, by {gap.iloc[-1]:.2f} at {last:,g}"
    )


def few_features(seen: Seen) -> tuple[bool, str]:
    """With 50 features the error is below 20%, where 16% is the best possible."""
    error, best = (at(curve(seen, "D", one), 50) for one in (LDA, OPTIMAL))
    return error < 0.20 and best > 0.16, f"LDA {error:.3f}, best possible {best:.3f}"


def many_features(seen: Seen) -> tuple[bool, str]:
    """From 2,500 features on the error is above 40%."""
    error, observed = (
        one[one.index >= 2500] for one in (curve(seen, "D", LDA), curve(seen, "D", OBSERVED))
    )
    if error.empty:
        raise Unchecked("no more than 2,500 features were simulated")
    return bool(error.min() > 0.4 and observed.min() > 0.3), (
        f"from D = {error.index[0]:,g} on LDA {error.min():.2f} or more, best on selected "
        f"{observed.min():.2f} or more"
    )


def meets_at_the_end(seen: Seen) -> tuple[bool, str]:
    """The selected features are as good as the best only when all are selected."""
    gap = curve(seen, "d", OBSERVED) - curve(seen, "d", OPTIMAL)
    inner = gap.iloc[:-1]
    widest = inner.idxmax()
    held = gap.iloc[-1] < 0.005 <= inner[inner.index <= 500].min()
    return bool(held), (
        f"gap {gap.iloc[0]:.2f} at d = {gap.index[0]:g}, widest {gap.max():.2f} at d = "
        f"{widest:g}, {abs(gap.iloc[-1]):.3f} at d = {gap.index[-1]:,g}"
    )


def hardly_falls_beyond_200(seen: Seen) -> tuple[bool, str]:
    """More than 200 features hardly lower the error."""
    found = curve(seen, "d", LDA)
    start = min(found.index, key=lambda size: abs(size - 200))
    beyond = found[found.index > start]
    if beyond.empty:
        raise Unchecked("no more than 200 selected features were simulated")
    gain = float(found[start] - beyond.min())
    return gain <= 0.05, (
        f"{found[start]:.2f} at d = {start:g}, lowest beyond it {beyond.min():.2f} at d = "
        f"{beyond.idxmin():,g}; highest of all {found.max():.2f} at d = {found.idxmax():g}"
    )


def gamma_closes_the_gap(seen: Seen) -> tuple[bool, str]:
    """With γ the selected features come closer to the best ones, and LDA follows slower."""
    observed, optimal, lda = (curve(seen, "γ", one) for one in (OBSERVED, OPTIMAL, LDA))
    gap = observed - optimal
    gains = [float(one.iloc[0] - one.iloc[-1]) for one in (observed, lda)]
    held = trend(gap) <= -STEADY and gains[1] < gains[0]
    return held, (
        f"gap {ends(gap)}; from γ = {gap.index[0]:g} to {gap.index[-1]:g} the best error on the "
        f"selected features falls by {gains[0]:.2f}, that of LDA by {gains[1]:.2f}"
    )


def gamma_matters_more_for_errors(seen: Seen) -> tuple[bool, str]:
    """γ changes the error more than the stability."""
    error, stable = curve(seen, "γ", LDA), curve(seen, "γ", "value", STABILITY)
    spans = [float(one.max() - one.min()) for one in (error, stable)]
    return spans[0] > spans[1], f"range of the error {spans[0]:.3f}, of CW_rel {spans[1]:.3f}"


def thousand_samples_are_better(seen: Seen) -> tuple[bool, str]:
    """With 1,000 samples errors along d are lower, and stability is higher."""
    few, many = (curve(seen, "d", LDA, one) for one in (ERRORS, f"{ERRORS} {CAPTION}"))
    low, high = (curve(seen, "d", "value", one) for one in (STABILITY, f"{STABILITY} {CAPTION}"))
    lower, higher = (many < few.reindex(many.index)), (high > low.reindex(high.index))
    but = ", ".join(f"{size:,.0f}" for size in lower.index[~lower])
    return bool(lower.all() and higher.all()), (
        f"error lower at {lower.sum()} of {len(lower)} sizes{but and f' (not at {but})'}, CW_rel "
        f"higher at {higher.sum()} of {len(higher)}"
    )


CLAIMS = (
    Claim(
        "The errors of LDA and of the best rule on the selected features fall with N (rank "
        "correlation -0.9 or lower).",
        falls("N", LDA, OBSERVED),
        main_only=True,
    ),
    Claim(
        "In small samples the selected features are much worse than the best ones (bar 0.1 at "
        "the smallest N).",
        gap_is_wide_in_small_samples,
        main_only=True,
    ),
    Claim(
        "With 50 features the error is below 20%, with a best possible error above 16%.",
        few_features,
    ),
    Claim(
        "From 2,500 features on the error is above 40%, and at best above 30% on the selected "
        "features.",
        many_features,
    ),
    Claim(
        "The selected features are as good as the best ones only when all are selected (bar: gap "
        "0.005 or more up to d = 500).",
        meets_at_the_end,
    ),
    Claim(
        "The error hardly falls when more than 200 features are selected (bar 0.05).",
        hardly_falls_beyond_200,
    ),
    Claim(
        "The higher γ, the lower the error of LDA (rank correlation -0.9 or lower).",
        falls("γ", LDA),
    ),
    Claim(
        "With γ the selected features come closer to the best ones, and the error of LDA falls "
        "less than the best error on them.",
        gamma_closes_the_gap,
    ),
    Claim(
        "γ has more influence on the error than on stability (range of the error of LDA wider "
        "than that of CW_rel).",
        gamma_matters_more_for_errors,
    ),
    Claim(
        "With 1,000 samples instead of 100, errors along d are lower and CW_rel is higher.",
        thousand_samples_are_better,
        main_only=True,
    ),
)
FIGURE8 = Experiment(
    name="figure8",
    label="Figure 8",
    title="Errors by samples, features, selected features, and distribution of effects",
    make=figure8,
    size=("100 training sets, half of the grid", "100 training sets, the whole grid"),
    work=("figure8", "figure6"),
    keys=("panel", "x", "rule"),
    part="rule",
    settings=(
        Setting(name=TEXT, title="N = 100 where N does not vary, as the paper's text has it."),
        Setting(name=CAPTION, title="N = 1000 where N does not vary, as the caption has it."),
    ),
    choices=(
        "Text and caption differ in N: both are run. The numbers in the text fit N = 100.",
        (
            "Errors are computed from the model, without test samples. LDA takes a pseudo-inverse "
            "from N - 2 features on, and errs most there."
        ),
        (
            "The points of the grids are not said: those of Figure 6. A few of them are in the "
            "table, all are in the pictures."
        ),
    ),
    claims=CLAIMS,
)
