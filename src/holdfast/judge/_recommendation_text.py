"""The reasoning behind a recommendation, in plain sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast._formatting import format_interval, format_list, percent_words, plural, plus_minus
from holdfast.judge._candidates import NEARLY_ALL, PAIR_COLUMNS, pairs_of
from holdfast.judge._decision_rule import DECIMALS

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.judge._candidates import ComparablePairs
    from holdfast.judge._choice_error import ChoiceError
    from holdfast.judge._decision_rule import Decision, DecisionRule
    from holdfast.judge._recommendation_support import Support
    from holdfast.measures import Measure


NEAR_CHANCE_SHARE = 0.1
"""Share of the way from chance to perfect stability that still is near chance."""
PAIRS = "pairs of a selector with a classifier at a number of features"


class RecommendedReplication(NamedTuple):
    """The replication stability of the recommended pair, less what choosing adds to it."""

    value: float
    low: float
    high: float
    samples: int
    """For how large studies it holds; 0 where that is not known."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RecommendationContext:
    """All that the reasons speak about."""

    table: pd.DataFrame
    decision: Decision
    rule: DecisionRule
    measure: Measure
    test: str | None
    """What the tests are called; None if there were none."""
    known: ComparablePairs
    noun: str
    """What a prediction is called."""
    choice: ChoiceError | None
    support: Support
    second: RecommendedReplication | None
    """What a second study would find of the recommended pair; None where that is not known."""
    by_replication: bool
    """Whether pairs are ordered by what a second study would find."""
    independent: bool
    """Whether each resample is a data set of its own."""
    why_no_replication: str

    @property
    def supported(self) -> bool:
        """Whether the chosen pair passes all gates."""
        return bool(self.support.passes[self.decision.chosen])

    @property
    def why_not(self) -> str:
        """Say why nothing can be recommended; nothing where a pair can."""
        if self.supported:
            return ""
        return self.support.why_not(self.decision.chosen, self.name(self.decision.chosen))

    @property
    def best(self) -> pd.Series[float]:
        """The row of the lowest error."""
        return self.table.iloc[self.decision.best]

    @property
    def chosen(self) -> pd.Series[float]:
        """The recommended row."""
        return self.table.iloc[self.decision.chosen]

    @cached_property
    def fit(self) -> NDArray[np.bool_]:
        """The pairs that were considered."""
        both = self.table[["error", "score"]].notna().all(axis=1).to_numpy()
        return both & self.known.enough

    @property
    def some_left_out(self) -> bool:
        """Whether pairs that have an error were not considered."""
        return bool((self.table["error"].notna().to_numpy() & ~self.fit).any())

    def name(self, row: int) -> str:
        """Name the pair of a row."""
        return str(pairs_of(self.table.iloc[[row]])[0])


def reasons_of(case: RecommendationContext) -> tuple[str, ...]:
    """Say why, what it costs, and what to beware of."""
    refused = "" if case.supported else f"Nothing can be recommended: {case.why_not}"
    if math.isnan(case.chosen["error"]):
        why = [_explain_stability_only(case)]
    else:
        why = [
            _lowest(case),
            *excluded_candidates(case),
            *_close(case),
            _explain_choice(case),
            _cost(case),
        ]
        why += [case.choice.sentence] if case.choice is not None else []
    return tuple(
        filter(
            None, (refused, *why, _passed_over(case), _explain_second_study(case), _by_chance(case))
        )
    )


def _stability(case: RecommendationContext) -> str:
    """Give the figure that pairs are ordered by, with its interval."""
    row = case.chosen
    if case.by_replication:
        interval = format_interval(row["replication_low"], row["replication_high"], case.measure)
        lower = ", a distance, of which lower is better" if case.measure.distance else ""
        whole = "" if case.measure.by_size else ", measured on whole rankings"
        return f"{row['replication']:.2f}{interval} by {case.measure.name}{lower}{whole}"
    lower = ", a distance, of which lower is more stable" if case.measure.distance else ""
    whole = "" if case.measure.by_size else ", measured on whole rankings"
    interval = format_interval(row["low"], row["high"], case.measure)
    return f"{row['stability']:.2f}{interval} by {case.measure.name}{lower}{whole}"


def _explain_stability_only(case: RecommendationContext) -> str:
    count, name = int(case.table["score"].notna().sum()), case.name(case.decision.chosen)
    if case.by_replication:
        text = (
            f"No errors were estimated, so replication stability alone decides: {name} comes first "
            f"of {count:,}, with {_stability(case)}."
        )
    else:
        text = (
            f"No errors were estimated, so stability alone decides: {name} is the most stable of "
            f"{count:,}, with {_stability(case)}."
        )
    if not case.measure.by_size:
        text += " It says nothing about how many features to take."
    return text


def _lowest(case: RecommendationContext) -> str:
    best, count = case.best, int(case.fit.sum())
    error, name = plus_minus(best["error"], best["standard_error"]), case.name(case.decision.best)
    if count == 1:
        one = "One pair only can be considered" if case.some_left_out else "There is one pair only"
        return f"{one}: {name}, with an error of {error}."
    considered = "considered " if case.some_left_out else ""
    return f"Of {count:,} {considered}{PAIRS}, {name} has the lowest error: {error}."


def _close(case: RecommendationContext) -> list[str]:
    """Say how many pairs are as good as the best, and in what sense."""
    others, rest = int(case.decision.rivals.sum()) - 1, int(case.fit.sum()) - 1
    if not rest:
        return []
    if case.rule.name == "one_standard_error":
        return [f"{_count(others, rest)} within one standard error of it."]
    if case.test is None:
        return []
    tests = int(np.isfinite(case.decision.p_values).sum())
    told = [_explain_tests(case, others, tests, rest)] if tests else []
    if tests < rest:
        missing = plural(rest - tests, "pair")
        told.append(f"{missing} could not be compared with it, for want of shared predictions.")
    return told


def _explain_tests(case: RecommendationContext, others: int, tests: int, rest: int) -> str:
    how = f"{case.test}{_correction(case, tests)}"
    if others:
        return f"{_count(others, rest)} not worse beyond chance (p > {case.rule.alpha:g} by {how})."
    return f"{_worse(case, tests, rest)} worse beyond chance (p ≤ {case.rule.alpha:g} by {how})."


def _correction(case: RecommendationContext, tests: int) -> str:
    """Say how p-values are corrected; nothing where they are not, or need not be."""
    if case.rule.correction is None or tests == 1:
        return ""
    if case.rule.correction == "holm":
        return f", Holm's correction for {plural(tests, 'comparison')}"
    return f", corrected for {plural((tests + 1) * tests // 2, 'possible comparison')}"


def _worse(case: RecommendationContext, tests: int, rest: int) -> str:
    """Name those that were tested, all of which are worse."""
    if tests < rest:
        return f"The {'pair' if tests == 1 else 'pairs'} that could be compared with it " + (
            "is" if tests == 1 else "are"
        )
    considered = " considered" if case.some_left_out else ""
    return f"The other pair{considered} is" if rest == 1 else f"All other pairs{considered} are"


def _count(others: int, rest: int) -> str:
    """Name those that are close to the best, of the rest of the pairs."""
    if others == 0:
        return "No other pair is"
    if others == 1:
        return "The other pair is" if rest == 1 else "One other pair is"
    return f"{others:,} other pairs are"


def _explain_choice(case: RecommendationContext) -> str:
    name, same = case.name(case.decision.chosen), case.decision.chosen == case.decision.best
    figure = "replication stability" if case.by_replication else "stability"
    if case.rule.name == "rpt":
        weight = f"RPT with beta = {case.rule.beta:g}"
        value = f"{case.chosen['rpt']:.2f}"
        return (
            f"{name} has the best balance of accuracy and stability ({weight}: {value}); its "
            f"{figure} is {_stability(case)}."
        )
    if int(case.decision.rivals.sum()) == 1:
        so = "So it is recommended" if case.supported else "So it comes first"
        return f"{so}; its {figure} is {_stability(case)}."
    who = "the same pair" if same else name
    if case.by_replication:
        return (
            f"Among these, a second study would find most again of what {who} selects: "
            f"{figure} {_stability(case)}."
        )
    return f"Among these, {who} selects the most stable features: {_stability(case)}."


def _cost(case: RecommendationContext) -> str:
    if case.decision.chosen == case.decision.best:
        return ""
    row = case.chosen
    points = 100 * (row["error"] - case.best["error"])
    more = "as much as" if round(points, 1) == 0 else f"{points:.1f} percentage points more than"
    text = f"Its error is {plus_minus(row['error'], row['standard_error'])}, {more} the lowest"
    if case.rule.name == "rpt" and case.decision.p_values[case.decision.chosen] <= case.rule.alpha:
        return f"{text}, which is more than chance explains."
    return f"{text}."


def _passed_over(case: RecommendationContext) -> str:
    """Name the pair that would come first, had it passed the gates."""
    if not case.supported or case.rule.name == "rpt":
        return ""
    among = case.decision.rivals & ~case.support.passes
    scores = case.table["score"].to_numpy(dtype=np.float64)
    among &= scores > scores[case.decision.chosen]
    if not among.any():
        return ""
    row = int(np.argmax(np.where(among, scores, -np.inf)))
    why = case.support.why_not(row, case.name(row)).removesuffix(".")
    return f"{case.name(row)} would come first, but it is passed over: {why}."


def _explain_second_study(case: RecommendationContext) -> str:
    """Say what a second study would find of the recommended pair, or that this is not known."""
    found = case.second
    if found is None:
        return (
            "It is not known whether a second study would find these features "
            f"({case.why_no_replication}): pairs are ordered by their stability over resamples of "
            "these data."
        )
    if case.independent:
        return "Each resample is a data set of its own, so this stability is that of new studies."
    value = (
        f"{found.value:.2f}{format_interval(found.low, found.high, case.measure)} by "
        f"{case.measure.name}"
    )
    return (
        "With the choosing taken into account, the replication stability to expect of two "
        f"studies of {found.samples:,} each is {value}."
    )


def _by_chance(case: RecommendationContext) -> str:
    """Warn of a stability over resamples that chance gives, where that is all that is known."""
    if case.second is not None:
        return ""
    row = case.chosen
    worst = row["high"] if case.measure.distance else row["low"]
    worst = row["stability"] if math.isnan(worst) else worst
    sign = -1 if case.measure.distance else 1
    if math.isnan(row["chance"]) or sign * (worst - row["chance"]) > 0:
        return ""
    so = (
        "these features would hardly be found again"
        if _near_chance(sign * (row["stability"] - row["chance"]), case.measure, row["chance"])
        else "there are too few resamples, or groups of them, to tell"
    )
    return (
        f"Caution: this stability is not clearly better than what random selections give "
        f"({row['chance']:.2f}); {so}."
    )


def _near_chance(beyond: float, measure: Measure, chance: float) -> bool:
    """Tell whether a value has gone a tenth of the way from chance to the best, at most."""
    way = abs(measure.best - chance)
    return bool(beyond <= (NEAR_CHANCE_SHARE * way if math.isfinite(way) else 0.0))


# Which pairs a recommendation does not consider, in plain sentences.


def excluded_candidates(case: RecommendationContext) -> list[str]:
    """Name the pairs that are known too seldom, and those of a low error but no stability."""
    return [*_seldom_known(case), *_list_undefined_pairs(case)]


def _seldom_known(case: RecommendationContext) -> list[str]:
    """Name pairs that are known on few of the predictions, by their selectors where possible."""
    known = case.table["error"].notna().to_numpy()
    seldom = known & ~case.known.enough
    if not seldom.any():
        return []
    names = _names(case, seldom, known)
    of = f"of the {plural(case.known.total, case.noun)} compared"
    if len(names) > 1:
        less = f"less than {percent_words(NEARLY_ALL, 0)} {of}"
        return [f"{format_list(names)} are known on {less}, so they are left out."]
    count = int(case.known.known[seldom].max())
    return [f"{names[0]} is known on only {count:,} {of}, so it is left out."]


def _names(
    case: RecommendationContext, some: NDArray[np.bool_], known: NDArray[np.bool_]
) -> list[str]:
    """Name selectors all of whose pairs are among some, else the pairs."""
    selectors = case.table[PAIR_COLUMNS[0]].to_numpy()
    others = set(selectors[known & ~some])
    pairs = zip(pairs_of(case.table), some, strict=True)
    names = [str(pair) if pair.selector in others else pair.selector for pair, is_ in pairs if is_]
    return list(dict.fromkeys(names))


def _list_undefined_pairs(case: RecommendationContext) -> list[str]:
    """Name the pair of the lowest error, where its stability is not known."""
    errors = case.table["error"].to_numpy(dtype=np.float64)
    lower = np.round(errors - case.best["error"], DECIMALS) < 0
    lower &= case.known.enough & case.table["score"].isna().to_numpy()
    if not lower.any():
        return []
    row = int(np.argmin(np.where(lower, errors, np.inf)))
    error = plus_minus(errors[row], case.table["standard_error"].iloc[row])
    figure = "replication stability" if case.by_replication else "stability"
    why = f"no {figure} by {case.measure.name}"
    if lower.sum() == 1:
        return [f"{case.name(row)} errs less, {error}, but has {why}, so it is left out."]
    many = plural(int(lower.sum()), "pair")
    least = f"least {case.name(row)}: {error}"
    return [f"{many} err less but have {why}, so they are left out; {least}."]
