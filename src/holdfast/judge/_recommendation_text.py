"""The reasons for a recommendation, in plain sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import (
    format_interval,
    format_list,
    format_percent,
    format_plus_minus,
    plural,
)
from holdfast._typing import BoolArray
from holdfast.judge._candidates import (
    MIN_SHARED_PREDICTIONS,
    PAIR_COLUMNS,
    ComparablePairs,
    pairs_of,
)
from holdfast.judge._decision_rule import TIE_DECIMALS, Support
from holdfast.measures import Measure

if TYPE_CHECKING:
    from holdfast.judge._choice_error import ChoiceError
    from holdfast.judge._decision_rule import Decision, DecisionRule


NEAR_CHANCE_SHARE = 0.1
"""Share of the way from chance to perfect stability that counts as near chance; chosen by hand."""
PAIRS_TEXT = "pairs of a selector with a classifier at a number of features"


class RecommendedReplication(NamedTuple):
    """Replication stability of the recommended pair, corrected for the choice."""

    value: float
    low: float
    high: float
    samples: int
    """Size of the studies that it holds for; 0 where unknown."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RecommendationContext:
    """The facts that the reasons are written from."""

    table: pd.DataFrame
    decision: Decision
    rule: DecisionRule
    measure: Measure
    test: str | None
    """Name of the tests; None if there were none."""
    comparable: ComparablePairs
    noun: str
    """Noun for a prediction."""
    choice: ChoiceError | None
    support: Support
    replication: RecommendedReplication | None
    """None where it is not known."""
    by_replication: bool
    """Whether pairs are ordered by replication stability."""
    independent: bool
    """Whether each resample is a separate data set."""
    why_no_replication: str

    @property
    def supported(self) -> bool:
        """Whether the chosen pair passes both gates."""
        return bool(self.support.passes[self.decision.chosen])

    @property
    def why_not(self) -> str:
        """Why nothing can be recommended; empty where a pair can."""
        if self.supported:
            return ""
        return self.support.why_not(self.decision.chosen, self.pair_name(self.decision.chosen))

    @property
    def best(self) -> pd.Series[float]:
        """The row of the lowest error."""
        return self.table.iloc[self.decision.best]

    @property
    def chosen_row(self) -> pd.Series[float]:
        """The recommended row."""
        return self.table.iloc[self.decision.chosen]

    @cached_property
    def considered(self) -> BoolArray:
        """Which pairs were considered."""
        both = self.table[["error", "score"]].notna().all(axis=1).to_numpy()
        return both & self.comparable.enough

    @property
    def has_excluded(self) -> bool:
        """Whether pairs that have an error were not considered."""
        return bool((self.table["error"].notna().to_numpy() & ~self.considered).any())

    def pair_name(self, row: int) -> str:
        """Return the name of the pair of a row."""
        return str(pairs_of(self.table.iloc[[row]])[0])


def explain_recommendation(context: RecommendationContext) -> tuple[str, ...]:
    """Return the reasons: why this pair, what it costs, and what to be careful about."""
    refused = "" if context.supported else f"Nothing can be recommended: {context.why_not}"
    if math.isnan(context.chosen_row["error"]):
        why = [_explain_stability_only(context)]
    else:
        why = [
            _describe_lowest_error(context),
            *describe_excluded(context),
            *_describe_rivals(context),
            _explain_choice(context),
            _describe_cost(context),
        ]
        why += [context.choice.sentence] if context.choice is not None else []
    return tuple(
        filter(
            None,
            (
                refused,
                *why,
                _describe_passed_over(context),
                _explain_replication(context),
                _warn_near_chance(context),
            ),
        )
    )


def _format_stability(context: RecommendationContext) -> str:
    """Return the value that pairs are ordered by, with its interval."""
    row = context.chosen_row
    if context.by_replication:
        interval = format_interval(row["replication_low"], row["replication_high"], context.measure)
        lower = ", a distance, of which lower is better" if context.measure.distance else ""
        whole = "" if context.measure.by_size else ", measured on whole rankings"
        return f"{row['replication']:.2f}{interval} by {context.measure.name}{lower}{whole}"
    lower = ", a distance, of which lower is more stable" if context.measure.distance else ""
    whole = "" if context.measure.by_size else ", measured on whole rankings"
    interval = format_interval(row["low"], row["high"], context.measure)
    return f"{row['stability']:.2f}{interval} by {context.measure.name}{lower}{whole}"


def _explain_stability_only(context: RecommendationContext) -> str:
    count, name = (
        int(context.table["score"].notna().sum()),
        context.pair_name(context.decision.chosen),
    )
    if context.by_replication:
        text = (
            f"No errors were estimated, so replication stability alone decides: {name} comes first "
            f"of {count:,}, with {_format_stability(context)}."
        )
    else:
        text = (
            f"No errors were estimated, so stability alone decides: {name} is the most stable of "
            f"{count:,}, with {_format_stability(context)}."
        )
    if not context.measure.by_size:
        text += " It says nothing about how many features to take."
    return text


def _describe_lowest_error(context: RecommendationContext) -> str:
    best, count = context.best, int(context.considered.sum())
    error, name = (
        format_plus_minus(best["error"], best["standard_error"]),
        context.pair_name(context.decision.best),
    )
    if count == 1:
        one = (
            "One pair only can be considered" if context.has_excluded else "There is one pair only"
        )
        return f"{one}: {name}, with an error of {error}."
    considered = "considered " if context.has_excluded else ""
    return f"Of {count:,} {considered}{PAIRS_TEXT}, {name} has the lowest error: {error}."


def _describe_rivals(context: RecommendationContext) -> list[str]:
    """Count the pairs that are as good as the best, and say by which criterion."""
    others, rest = int(context.decision.rivals.sum()) - 1, int(context.considered.sum()) - 1
    if not rest:
        return []
    if context.rule.name == "one_standard_error":
        return [f"{_count_rivals(others, rest)} within one standard error of it."]
    if context.test is None:
        return []
    tests = int(np.isfinite(context.decision.p_values).sum())
    sentences = [_explain_tests(context, others, tests, rest)] if tests else []
    if tests < rest:
        missing = plural(rest - tests, "pair")
        sentences.append(
            f"{missing} could not be compared with it, for want of shared predictions."
        )
    return sentences


def _explain_tests(context: RecommendationContext, others: int, tests: int, rest: int) -> str:
    how = f"{context.test}{_describe_correction(context, tests)}"
    if others:
        subject = _count_rivals(others, rest)
        return f"{subject} not worse beyond chance (p > {context.rule.alpha:g} by {how})."
    subject = _count_worse(context, tests, rest)
    return f"{subject} worse beyond chance (p ≤ {context.rule.alpha:g} by {how})."


def _describe_correction(context: RecommendationContext, tests: int) -> str:
    """Name the correction of the p-values; empty where there is none."""
    if context.rule.correction is None or tests == 1:
        return ""
    if context.rule.correction == "holm":
        return f", Holm's correction for {plural(tests, 'comparison')}"
    return f", corrected for {plural((tests + 1) * tests // 2, 'possible comparison')}"


def _count_worse(context: RecommendationContext, tests: int, rest: int) -> str:
    """Return the subject of a sentence about the tested pairs, all of which are worse."""
    if tests < rest:
        return f"The {'pair' if tests == 1 else 'pairs'} that could be compared with it " + (
            "is" if tests == 1 else "are"
        )
    considered = " considered" if context.has_excluded else ""
    return f"The other pair{considered} is" if rest == 1 else f"All other pairs{considered} are"


def _count_rivals(others: int, rest: int) -> str:
    """Return the subject of a sentence about the pairs that are close to the best."""
    if others == 0:
        return "No other pair is"
    if others == 1:
        return "The other pair is" if rest == 1 else "One other pair is"
    return f"{others:,} other pairs are"


def _explain_choice(context: RecommendationContext) -> str:
    name, same = (
        context.pair_name(context.decision.chosen),
        context.decision.chosen == context.decision.best,
    )
    figure = "replication stability" if context.by_replication else "stability"
    if context.rule.name == "rpt":
        weight = f"RPT with beta = {context.rule.beta:g}"
        value = f"{context.chosen_row['rpt']:.2f}"
        return (
            f"{name} has the best balance of accuracy and stability ({weight}: {value}); its "
            f"{figure} is {_format_stability(context)}."
        )
    if int(context.decision.rivals.sum()) == 1:
        so = "So it is recommended" if context.supported else "So it comes first"
        return f"{so}; its {figure} is {_format_stability(context)}."
    who = "the same pair" if same else name
    if context.by_replication:
        return (
            f"Among these, a second study would find most again of what {who} selects: "
            f"{figure} {_format_stability(context)}."
        )
    return f"Among these, {who} selects the most stable features: {_format_stability(context)}."


def _describe_cost(context: RecommendationContext) -> str:
    if context.decision.chosen == context.decision.best:
        return ""
    row = context.chosen_row
    points = 100 * (row["error"] - context.best["error"])
    more = "as much as" if round(points, 1) == 0 else f"{points:.1f} percentage points more than"
    text = (
        f"Its error is {format_plus_minus(row['error'], row['standard_error'])}, {more} the lowest"
    )
    if (
        context.rule.name == "rpt"
        and context.decision.p_values[context.decision.chosen] <= context.rule.alpha
    ):
        return f"{text}, which is more than chance explains."
    return f"{text}."


def _describe_passed_over(context: RecommendationContext) -> str:
    """Name the pair that would come first if it had passed the gates."""
    if not context.supported or context.rule.name == "rpt":
        return ""
    among = context.decision.rivals & ~context.support.passes
    scores = context.table["score"].to_numpy(dtype=np.float64)
    among &= scores > scores[context.decision.chosen]
    if not among.any():
        return ""
    row = int(np.argmax(np.where(among, scores, -np.inf)))
    why = context.support.why_not(row, context.pair_name(row)).removesuffix(".")
    return f"{context.pair_name(row)} would come first, but it is passed over: {why}."


def _explain_replication(context: RecommendationContext) -> str:
    """Report the replication stability of the recommended pair, or that it is not known."""
    replication = context.replication
    if replication is None:
        return (
            "It is not known whether a second study would find these features "
            f"({context.why_no_replication}): pairs are ordered by their stability over resamples "
            "of these data."
        )
    if context.independent:
        return "Each resample is a data set of its own, so this stability is that of new studies."
    value = (
        f"{replication.value:.2f}"
        f"{format_interval(replication.low, replication.high, context.measure)} by "
        f"{context.measure.name}"
    )
    return (
        "With the choosing taken into account, the replication stability to expect of two "
        f"studies of {replication.samples:,} each is {value}."
    )


def _warn_near_chance(context: RecommendationContext) -> str:
    """Warn if the stability over resamples is near chance and replication is not known."""
    # replication stability answers the same question better
    if context.replication is not None:
        return ""
    row = context.chosen_row
    worst = row["high"] if context.measure.distance else row["low"]
    worst = row["stability"] if math.isnan(worst) else worst
    sign = -1 if context.measure.distance else 1
    if math.isnan(row["chance"]) or sign * (worst - row["chance"]) > 0:
        return ""
    # less than a tenth of the way from chance to the best value
    distance = abs(context.measure.best - row["chance"])
    near = NEAR_CHANCE_SHARE * distance if math.isfinite(distance) else 0.0
    so = (
        "these features would hardly be found again"
        if sign * (row["stability"] - row["chance"]) <= near
        else "there are too few resamples, or groups of them, to tell"
    )
    return (
        f"Caution: this stability is not clearly better than what random selections give "
        f"({row['chance']:.2f}); {so}."
    )


def describe_excluded(context: RecommendationContext) -> list[str]:
    """Name the pairs with too few predictions, and those with a low error but no stability."""
    return [*_describe_rarely_predicted(context), *_describe_undefined_stability(context)]


def _describe_rarely_predicted(context: RecommendationContext) -> list[str]:
    """Name the pairs with too few predictions, by their selectors where possible."""
    known = context.table["error"].notna().to_numpy()
    rare = known & ~context.comparable.enough
    if not rare.any():
        return []
    names = _name_pairs(context, rare, known)
    of = f"of the {plural(context.comparable.total, context.noun)} compared"
    if len(names) > 1:
        less = f"less than {format_percent(MIN_SHARED_PREDICTIONS, 0)} {of}"
        return [f"{format_list(names)} are known on {less}, so they are left out."]
    count = int(context.comparable.known[rare].max())
    return [f"{names[0]} is known on only {count:,} {of}, so it is left out."]


def _name_pairs(context: RecommendationContext, rows: BoolArray, known: BoolArray) -> list[str]:
    """Name the selectors all of whose pairs are in the rows, else the pairs."""
    selectors = context.table[PAIR_COLUMNS[0]].to_numpy()
    others = set(selectors[known & ~rows])
    pairs = zip(pairs_of(context.table), rows, strict=True)
    names = [
        str(pair) if pair.selector in others else pair.selector for pair, listed in pairs if listed
    ]
    return list(dict.fromkeys(names))


def _describe_undefined_stability(context: RecommendationContext) -> list[str]:
    """Name the pair with the lowest error if its stability is not known."""
    errors = context.table["error"].to_numpy(dtype=np.float64)
    lower = np.round(errors - context.best["error"], TIE_DECIMALS) < 0
    lower &= context.comparable.enough & context.table["score"].isna().to_numpy()
    if not lower.any():
        return []
    row = int(np.argmin(np.where(lower, errors, np.inf)))
    error = format_plus_minus(errors[row], context.table["standard_error"].iloc[row])
    figure = "replication stability" if context.by_replication else "stability"
    why = f"no {figure} by {context.measure.name}"
    if lower.sum() == 1:
        return [f"{context.pair_name(row)} errs less, {error}, but has {why}, so it is left out."]
    many = plural(int(lower.sum()), "pair")
    least = f"least {context.pair_name(row)}: {error}"
    return [f"{many} err less but have {why}, so they are left out; {least}."]
