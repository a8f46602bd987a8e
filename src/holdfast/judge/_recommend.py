"""Accuracy first, then stability: which pair to take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.judge._candidates import (
    COLUMNS,
    candidates,
    check_fit,
    merits_of,
    pairs_of,
    sizes_of,
)
from holdfast.judge._given import Alike, Given
from holdfast.judge._pareto import front_of
from holdfast.judge._reasons import Case, reasons_of
from holdfast.judge._recommendation import Recommendation
from holdfast.judge._rpt import rpt
from holdfast.judge._rule import Decision, Merits, Rule
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from holdfast.judge._choice_error import ChoiceError
    from holdfast.judge._pair import Tested
    from holdfast.judge._rule import Name
    from holdfast.judge._tests import Correction
    from holdfast.measures import Measure


def recommend(  # noqa: PLR0913  (each setting has a use of its own)
    errors: pd.DataFrame | None,
    stability: pd.DataFrame,
    tested: Tested | None = None,
    *,
    measure: str,
    rule: Name = "not_worse",
    alpha: float = 0.05,
    correction: Correction = "holm",
    beta: float = 1.0,
    baseline: float | None = None,
    own_sizes: Mapping[str, float] | None = None,
    choice: ChoiceError | None = None,
) -> Recommendation:
    """Recommend a selector with a classifier at a size, by accuracy and stability.

    Only pairs that have an error and a stability are considered, and whose predictions are known
    nearly where those of the others are: on at least 90% of them (an error on the few samples
    that did not fail, or are done, may be lucky). The best is that of the lowest error; of equals
    the more stable one, then the smaller.

    Parameters
    ----------
    errors : pandas.DataFrame or None
        ``selector``, ``classifier``, ``size``, ``error``, ``standard_error``, as in
        ``Result.errors``. None or without any error: stability alone decides.
    stability : pandas.DataFrame
        ``selector``, ``size``, ``measure``, ``value``, ``low``, ``high``, ``chance``, as in
        ``Result.stability``. A measure of whole rankings or weights holds for all sizes.
    tested : Tested, optional
        The predictions behind the errors, for the tests.
    measure : str
        The measure of stability. Of a distance, lower values are more stable.
    rule : {"not_worse", "one_standard_error", "rpt"}, default "not_worse"
        ``"not_worse"``: of the pairs whose error is not significantly higher than the lowest, the
        most stable (of equals that of the lower error, then the smaller), as Kalousis et al. (2005)
        advise. ``"one_standard_error"``: the same of the pairs whose error is at most one
        standard error above the lowest. ``"rpt"``: the highest RPT, see `rpt`, whatever the
        tests say.
    alpha : float, default 0.05
        Level of significance.
    correction : {"holm", None}, default "holm"
        Whether the tests against the best are corrected for being many. Without, fewer pairs
        count as equally good.
    beta : float, default 1.0
        Weight of the accuracy in RPT.
    baseline : float, optional
        Error of naming the largest class always; the reasons say so if nothing beats it.
    own_sizes : mapping, optional
        Mean number of features of selectors that choose it themselves.
    choice : ChoiceError, optional
        The error of the choice itself, see `choice_error`.

    Returns
    -------
    Recommendation

    Raises
    ------
    InvalidInputError
        No pair has an error and a stability, or the tests that the rule needs cannot be made.
    UnknownNameError
        A rule or measure that there is not.

    References
    ----------
    A. Kalousis, J. Prados, M. Hilario (2005). Stability of feature selection algorithms.
    ICDM 2005, 218-225.

    Examples
    --------
    >>> import pandas as pd
    >>> import holdfast as hf
    >>> keys = {"selector": ["a", "b"], "size": [5, 5]}
    >>> errors = pd.DataFrame(keys | {"classifier": "knn3", "error": [0.10, 0.11],
    ...                               "standard_error": 0.02})
    >>> stability = pd.DataFrame(keys | {"measure": "nogueira", "value": [0.4, 0.8],
    ...                                  "low": [0.3, 0.7], "high": [0.5, 0.9], "chance": 0.0})
    >>> hf.judge.recommend(errors, stability, measure="nogueira", rule="one_standard_error")
    <Recommendation: b with knn3 on 5 features: error 11.0% ± 2.0%, nogueira 0.80 [0.70, 0.90]. ...>
    """
    record = get_measure(measure)
    settings = Rule(name=rule, alpha=alpha, correction=correction, beta=beta)
    table = candidates(errors, stability, record)
    check_fit(table, record.name)
    sizes = sizes_of(table, own_sizes)
    merits = Merits(merits_of(table, record), np.where(np.isnan(sizes), np.inf, sizes))
    scored = Given(table, tested)
    _check_possible(settings, scored, record)
    known = scored.compared(np.isfinite(scored.errors) & np.isfinite(merits.stability))
    merits = merits._replace(stability=np.where(known.enough, merits.stability, np.nan))
    decision = _decided(settings, scored, merits)
    full = _completed(table, decision, merits, record, beta)
    case = Case(
        table=full,
        decision=decision,
        rule=settings,
        measure=record,
        test=scored.test,
        known=known,
        noun="sample" if scored.once else "prediction",
        baseline=baseline,
        choice=choice,
    )
    return _recommendation(case)


def _check_possible(rule: Rule, scored: Given, measure: Measure) -> None:
    if not np.isfinite(scored.errors).any():
        return
    if rule.name == "not_worse" and scored.test is None:
        raise InvalidInputError(
            "the rule 'not_worse' tests differences of errors, for which it needs the "
            "predictions; give tested, or choose the rule 'one_standard_error'."
        )
    if rule.name == "rpt" and not _has_rpt(measure):
        raise InvalidInputError(
            f"the rule 'rpt' needs a stability that 1 is the best of; {measure.name} has no such "
            "scale. Name another measure."
        )


def _has_rpt(measure: Measure) -> bool:
    return measure.maximum == 1.0


def _decided(rule: Rule, scored: Given, merits: Merits) -> Decision:
    """Decide; where no errors are known, by stability alone."""
    decision = rule.decide(scored, merits)
    if decision is None:
        nothing = np.zeros(len(scored.errors))
        decision = Rule(name="one_standard_error").decide(Alike(nothing, nothing), merits)
    if decision is None:  # refused before
        raise RuntimeError("no pair has a stability")
    return decision


def _completed(
    table: pd.DataFrame, decision: Decision, merits: Merits, measure: Measure, beta: float
) -> pd.DataFrame:
    error = table["error"].to_numpy(dtype=np.float64)
    if np.isnan(error).all():  # the front of stability and size
        error = np.zeros_like(error)
    sizes = np.where(np.isinf(merits.sizes), np.nan, merits.sizes)
    accuracy = 1 - table["error"].to_numpy(dtype=np.float64)
    trade = rpt(merits_of(table, measure), accuracy, beta)
    full = table.assign(
        p_value=decision.p_values,
        rpt=trade if _has_rpt(measure) else np.nan,
        front=front_of(error, -merits.stability, sizes),
        rival=decision.rivals,
        recommended=np.arange(len(table)) == decision.chosen,
    )
    return full[COLUMNS]


def _recommendation(case: Case) -> Recommendation:
    pair = pairs_of(case.table)[case.decision.chosen]
    row = case.chosen
    return Recommendation(
        selector=pair.selector,
        classifier=pair.classifier,
        size=pair.size,
        error=float(row["error"]),
        standard_error=float(row["standard_error"]),
        stability=float(row["stability"]),
        low=float(row["low"]),
        high=float(row["high"]),
        chance=float(row["chance"]),
        measure=case.measure.name,
        rule=case.rule.name,
        reasons=reasons_of(case),
        rivals=_rivals(case),
        table=case.table,
        choice=case.choice,
    )


def _rivals(case: Case) -> pd.DataFrame:
    """Return the pairs that came close, the recommended one first, then the most stable."""
    close = case.table[case.table["rival"] | case.table["recommended"]]
    ascending = [False, case.measure.distance, True]
    return close.sort_values(
        ["recommended", "stability", "error"], ascending=ascending, kind="stable", ignore_index=True
    )
