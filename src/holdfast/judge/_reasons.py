"""The reasoning behind a recommendation, in plain sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.judge._candidates import pairs_of
from holdfast.judge._jackknife import Z
from holdfast.judge._left_out import left_out
from holdfast.judge._words import percent, plus_minus, within

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.judge._candidates import Compared
    from holdfast.judge._choice_error import ChoiceError
    from holdfast.judge._rule import Decision, Rule
    from holdfast.measures import Measure

NEAR = 0.1
"""Share of the way from chance to perfect stability that still is near chance."""
PAIRS = "pairs of a selector with a classifier at a number of features"


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """All that is told about."""

    table: pd.DataFrame
    decision: Decision
    rule: Rule
    measure: Measure
    test: str | None
    """What the tests are called; None if there were none."""
    known: Compared
    noun: str
    """What a prediction is called."""
    baseline: float | None
    choice: ChoiceError | None

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
        both = self.table[["error", "stability"]].notna().all(axis=1).to_numpy()
        return both & self.known.enough

    @property
    def some_left_out(self) -> bool:
        """Whether pairs that have an error were not considered."""
        return bool((self.table["error"].notna().to_numpy() & ~self.fit).any())

    def name(self, row: int) -> str:
        """Name the pair of a row."""
        return str(pairs_of(self.table.iloc[[row]])[0])


def reasons_of(case: Case) -> tuple[str, ...]:
    """Say why, what it costs, and what to beware of."""
    if math.isnan(case.chosen["error"]):
        told = [_alone(case)]
    else:
        told = [_lowest(case), *left_out(case), *_close(case), _chosen(case), _cost(case)]
        told += [case.choice.sentence] if case.choice is not None else []
    return tuple(filter(None, (*told, _guessing(case), _by_chance(case))))


def _stability(case: Case) -> str:
    row = case.chosen
    lower = ", a distance, of which lower is more stable" if case.measure.distance else ""
    whole = "" if case.measure.by_size else ", measured on whole rankings"
    interval = within(row["low"], row["high"], case.measure)
    return f"{row['stability']:.2f}{interval} by {case.measure.name}{lower}{whole}"


def _alone(case: Case) -> str:
    count = int(case.table["stability"].notna().sum())
    text = (
        "No errors were estimated, so stability alone decides: "
        f"{case.name(case.decision.chosen)} is the most stable of {count:,}, with "
        f"{_stability(case)}."
    )
    if not case.measure.by_size:
        text += " It says nothing about how many features to take."
    return text


def _lowest(case: Case) -> str:
    best, count = case.best, int(case.fit.sum())
    error, name = plus_minus(best["error"], best["standard_error"]), case.name(case.decision.best)
    if count == 1:
        one = "One pair only can be considered" if case.some_left_out else "There is one pair only"
        return f"{one}: {name}, with an error of {error}."
    considered = "considered " if case.some_left_out else ""
    return f"Of {count:,} {considered}{PAIRS}, {name} has the lowest error: {error}."


def _close(case: Case) -> list[str]:
    """Say how many pairs are as good as the best, and in what sense."""
    others, rest = int(case.decision.rivals.sum()) - 1, int(case.fit.sum()) - 1
    if not rest:
        return []
    if case.rule.name == "one_standard_error":
        return [f"{_count(others, rest)} within one standard error of it."]
    if case.test is None:
        return []
    tests = int(np.isfinite(case.decision.p_values).sum())
    told = [_tested(case, others, tests, rest)] if tests else []
    if tests < rest:
        missing = plural(rest - tests, "pair")
        told.append(f"{missing} could not be compared with it, for want of shared predictions.")
    return told


def _tested(case: Case, others: int, tests: int, rest: int) -> str:
    holm = f", Holm's correction for {plural(tests, 'comparison')}"
    how = f"{case.test}{holm if case.rule.correction and tests > 1 else ''}"
    if others:
        return f"{_count(others, rest)} not worse beyond chance (p > {case.rule.alpha:g} by {how})."
    return f"{_worse(case, tests, rest)} worse beyond chance (p ≤ {case.rule.alpha:g} by {how})."


def _worse(case: Case, tests: int, rest: int) -> str:
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


def _chosen(case: Case) -> str:
    name, same = case.name(case.decision.chosen), case.decision.chosen == case.decision.best
    if case.rule.name == "rpt":
        weight = f"RPT with beta = {case.rule.beta:g}"
        value = f"{case.chosen['rpt']:.2f}"
        return (
            f"{name} has the best balance of accuracy and stability ({weight}: {value}); its "
            f"stability is {_stability(case)}."
        )
    if int(case.decision.rivals.sum()) == 1:
        return f"So it is recommended; its stability is {_stability(case)}."
    who = "the same pair" if same else name
    return f"Among these, {who} selects the most stable features: {_stability(case)}."


def _cost(case: Case) -> str:
    if case.decision.chosen == case.decision.best:
        return ""
    row = case.chosen
    points = 100 * (row["error"] - case.best["error"])
    more = "as much as" if round(points, 1) == 0 else f"{points:.1f} percentage points more than"
    text = f"Its error is {plus_minus(row['error'], row['standard_error'])}, {more} the lowest"
    if case.rule.name == "rpt" and case.decision.p_values[case.decision.chosen] <= case.rule.alpha:
        return f"{text}, which is more than chance explains."
    return f"{text}."


def _guessing(case: Case) -> str:
    if case.baseline is None or math.isnan(case.best["error"]):
        return ""
    error, spread = case.best["error"], case.best["standard_error"]
    if case.choice is not None:
        error, spread = case.choice.error, case.choice.standard_error
    if case.baseline - error > Z * (0.0 if math.isnan(spread) else spread):
        return ""
    return (
        "Caution: nothing here clearly beats always naming the largest class, which errs by "
        f"{percent(case.baseline)}."
    )


def _by_chance(case: Case) -> str:
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
    return bool(beyond <= (NEAR * way if math.isfinite(way) else 0.0))
