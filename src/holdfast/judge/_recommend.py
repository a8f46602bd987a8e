"""Recommend one candidate: accuracy first, then replication stability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from holdfast._formatting import format_interval, format_plus_minus
from holdfast._typing import FloatArray
from holdfast.errors import InvalidInputError
from holdfast.judge._candidates import (
    CANDIDATE_COLUMNS,
    Pair,
    Replicability,
    Tested,
    candidate_table,
    check_fit,
    numeric_sizes,
    orient_stability,
    pairs_of,
)
from holdfast.judge._decision_rule import (
    CandidateStability,
    Decision,
    DecisionRule,
    assess_support,
    first_row,
    nondominated_rows,
    rpt,
)
from holdfast.judge._error_comparison import CandidateErrors
from holdfast.judge._recommendation_text import (
    RecommendationContext,
    RecommendedReplication,
    explain_recommendation,
)
from holdfast.judge._significance import BestCorrection, Z
from holdfast.measures import Measure, get_measure

if TYPE_CHECKING:
    from holdfast.judge._choice_error import ChoiceError
    from holdfast.judge._decision_rule import RuleName
    from holdfast.judge._replication._estimate import PairValues


NO_REPLICATION_TABLE = "no table of replication stability was given"


def recommend(
    errors: pd.DataFrame | None,
    stability: pd.DataFrame,
    tested: Tested | None = None,
    *,
    measure: str,
    rule: RuleName = "not_worse",
    alpha: float = 0.05,
    correction: BestCorrection = "chosen_best",
    beta: float = 1.0,
    baseline: float | None = None,
    own_sizes: Mapping[str, float] | None = None,
    choice: ChoiceError | None = None,
    replication: pd.DataFrame | None = None,
    pair_values: Mapping[tuple[str, Any], PairValues] | None = None,
    order_by: Literal["replication", "resamples"] = "replication",
    independent: bool = False,
    why_no_replication: str = NO_REPLICATION_TABLE,
) -> Recommendation:
    """Recommend a selector with a classifier at a size, by accuracy and stability.

    With a table of replication stability, pairs are ordered by what a second study would find
    again; without one, by their stability over the resamples, which says nothing of a second study.
    A pair that replicates no better than chance, or errs no less than guessing, is passed over;
    where all are, nothing can be recommended: ``supported`` is False, and the pair that came
    closest is named.

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
        first by `order_by` (of equals that of the lower error, then the smaller). By resamples,
        this is the advice of Kalousis et al. (2005). ``"one_standard_error"``: the same of the
        pairs whose error is at most one standard error above the lowest. ``"rpt"``: the highest
        RPT, see `rpt`, whatever the tests say.
    alpha : float, default 0.05
        Level of significance.
    correction : {"chosen_best", "holm", None}, default "chosen_best"
        ``"chosen_best"``: the tests are corrected for being against the best of these very data,
        see `correct_for_best`: if all pairs are equally good, none is called worse with a
        probability of 1 - `alpha`. ``"holm"``: for being many only, as if the best had been known
        before. None: as published by Kalousis et al., not for being many, nor for training
        samples that are shared; fewer pairs count as equally good.
    beta : float, default 1.0
        Weight of the accuracy in RPT.
    baseline : float, optional
        Error of naming the largest class always. With it, a pair must err clearly less (one-sided
        test at 5%) to be recommended.
    own_sizes : mapping, optional
        Mean number of features of selectors that choose it themselves.
    choice : ChoiceError, optional
        The error of the choice itself, see `choice_error`.
    replication : pandas.DataFrame, optional
        ``selector``, ``size``, ``measure``, ``n_samples``, ``value``, ``low``, ``high``,
        ``chance``, ``standard_error``; ``at``, ``predicted``, ``predicted_low`` and
        ``predicted_high`` where there are predictions, as in ``Result.replication``. The score that
        pairs are ordered by is the mean of this and of the stability over resamples, in log
        odds between chance and perfect agreement: it orders pairs better than either of them.
        Where one pair has no prediction, all are compared by ``value``.
    pair_values : mapping, optional
        From (selector, size) to the similarities behind `replication`; with them the replication of
        the recommended pair is corrected for having been chosen.
    order_by : {"replication", "resamples"}, default "replication"
        ``"resamples"`` orders by the stability over resamples although replication is known.
    independent : bool, default False
        Whether each resample is a data set of its own. Then `stability` is replication stability.
    why_no_replication : str, optional
        Why no replication stability is known, for the reasons.

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

    A second study would find more of what ``a`` selects:

    >>> replication = stability.assign(value=[0.6, 0.1], low=[0.4, 0.0], high=[0.8, 0.3],
    ...                                standard_error=0.05, n_samples=40)
    >>> found = hf.judge.recommend(errors, stability, measure="nogueira",
    ...                            rule="one_standard_error", replication=replication)
    >>> found.selector, found.stability_source, found.supported
    ('a', 'replication', True)
    """
    record = get_measure(measure)
    settings = DecisionRule(name=rule, alpha=alpha, correction=correction, beta=beta)
    table = candidate_table(errors, stability, record)
    check_fit(table, record.name)
    sizes = numeric_sizes(table, own_sizes)
    replicability = _get_replicability(
        table, replication, record, pair_values, independent=independent
    )
    by_replication = replicability is not None and not independent and order_by == "replication"
    scores = orient_stability(table, record)
    if replicability is not None and by_replication:
        scores = replicability.scores
    candidate_errors = CandidateErrors.from_table(table, tested)
    _check_rule(settings, candidate_errors, record)
    with_error = np.isfinite(candidate_errors.errors)
    comparable = candidate_errors.comparable_pairs(with_error & np.isfinite(scores))
    usable = np.isfinite(scores) & comparable.enough & (with_error | ~with_error.any())
    support = assess_support(
        candidate_errors,
        usable,
        replicability,
        baseline=baseline,
        choice=choice,
        independent=independent,
    )
    candidate_stability = CandidateStability(
        np.where(comparable.enough, scores, np.nan),
        np.where(np.isnan(sizes), np.inf, sizes),
        support.passes,
    )
    decision = _make_decision(settings, candidate_errors, candidate_stability)
    trade_off = rpt(scores, 1 - candidate_errors.errors, beta)
    corrected = None
    if replicability is not None:
        corrected = _correct_for_choice(
            replicability, decision, candidate_stability, candidate_errors
        )
    context = RecommendationContext(
        table=_complete_table(
            table, decision, candidate_stability, record, trade_off, replicability
        ),
        decision=decision,
        rule=settings,
        measure=record,
        test=candidate_errors.test_name(as_published=correction is None),
        comparable=comparable,
        noun="sample" if candidate_errors.predicted_once else "prediction",
        choice=choice,
        support=support,
        replication=corrected,
        by_replication=by_replication,
        independent=independent,
        why_no_replication=why_no_replication,
    )
    return _make_recommendation(context)


def _get_replicability(
    table: pd.DataFrame,
    replication: pd.DataFrame | None,
    measure: Measure,
    pair_values: Mapping[tuple[str, Any], PairValues] | None,
    *,
    independent: bool,
) -> Replicability | None:
    """Return the replication stability; for independent data sets, their stability."""
    if not independent:
        return Replicability.from_tables(table, replication, measure, pair_values)
    standard_error = (table["high"] - table["low"]) / (2 * Z)
    estimates = table.rename(columns={"stability": "value"}).assign(
        standard_error=standard_error, n_samples=0, measure=measure.name
    )
    return Replicability.from_tables(table, estimates, measure)


def _correct_for_choice(
    replicability: Replicability,
    decision: Decision,
    stability: CandidateStability,
    candidates: CandidateErrors,
) -> RecommendedReplication:
    """Return the replication stability of the chosen pair, corrected for the choice."""
    errors = np.nan_to_num(candidates.errors)

    def choose(scores: FloatArray) -> int | None:
        known = decision.rivals & np.isfinite(scores)
        return first_row(known, -scores, errors, stability.sizes) if known.any() else None

    value, low, high = replicability.correct_for_choice(decision.chosen, choose)
    return RecommendedReplication(value, low, high, replicability.samples)


def _check_rule(rule: DecisionRule, candidates: CandidateErrors, measure: Measure) -> None:
    """Raise if the rule needs predictions or a scale that are missing."""
    if not np.isfinite(candidates.errors).any():
        return
    if rule.name == "not_worse" and candidates.test is None:
        raise InvalidInputError(
            "the rule 'not_worse' tests differences of errors, for which it needs the "
            "predictions; give tested, or choose the rule 'one_standard_error'."
        )
    if rule.name == "rpt" and not _has_rpt(measure):
        raise InvalidInputError(
            f"the rule 'rpt' needs a measure of stability with a maximum of 1, which "
            f"{measure.name} does not have. Name another measure."
        )


def _has_rpt(measure: Measure) -> bool:
    return measure.maximum == 1.0


def _make_decision(
    rule: DecisionRule, candidates: CandidateErrors, stability: CandidateStability
) -> Decision:
    """Decide; without errors, by stability alone."""
    decision = rule.decide(candidates, stability)
    if decision is None:
        equal = np.zeros(len(candidates.errors))
        decision = DecisionRule(name="one_standard_error").decide(
            CandidateErrors.without_test(equal, equal), stability
        )
    if decision is None:
        raise RuntimeError("no pair has a stability")  # `check_fit` has refused such tables
    return decision


def _complete_table(
    table: pd.DataFrame,
    decision: Decision,
    stability: CandidateStability,
    measure: Measure,
    trade_off: FloatArray,
    replicability: Replicability | None,
) -> pd.DataFrame:
    error = table["error"].to_numpy(dtype=np.float64)
    if np.isnan(error).all():  # then the front is that of stability and size
        error = np.zeros_like(error)
    sizes = np.where(np.isinf(stability.sizes), np.nan, stability.sizes)
    unknown = np.full(len(table), np.nan)
    full = table.assign(
        replication=unknown if replicability is None else replicability.value,
        replication_low=unknown if replicability is None else replicability.low,
        replication_high=unknown if replicability is None else replicability.high,
        score=stability.stability,
        p_value=decision.p_values,
        rpt=trade_off if _has_rpt(measure) else np.nan,
        front=nondominated_rows(error, -stability.stability, sizes),
        rival=decision.rivals,
        recommended=np.arange(len(table)) == decision.chosen,
    )
    return full[CANDIDATE_COLUMNS]


def _make_recommendation(context: RecommendationContext) -> Recommendation:
    pair = pairs_of(context.table)[context.decision.chosen]
    row, replication = context.chosen, context.replication
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
        measure=context.measure.name,
        rule=context.rule.name,
        reasons=explain_recommendation(context),
        rivals=_list_rivals(context),
        table=context.table,
        choice=context.choice,
        supported=context.supported,
        why_not=context.why_not,
        stability_source="replication" if context.by_replication else "resamples",
        replication=math.nan if replication is None else replication.value,
        replication_low=math.nan if replication is None else replication.low,
        replication_high=math.nan if replication is None else replication.high,
        replication_samples=None if replication is None else replication.samples or None,
    )


def _list_rivals(context: RecommendationContext) -> pd.DataFrame:
    """Return the pairs that the rule chose from, the recommended one first, then by score."""
    table = context.table
    close = table[table["rival"] | table["recommended"]]
    return close.sort_values(
        ["recommended", "score", "error"],
        ascending=[False, False, True], kind="stable", ignore_index=True,
    )  # fmt: skip


MAX_RIVALS_SHOWN = 10
"""Most rivals that a notebook shows."""
RIVAL_COLUMN_HEADS = ("selector", "classifier", "features", "error", "stability", "p")


@dataclass(frozen=True, eq=False, kw_only=True)
class Recommendation:
    """A selector with a classifier at a size, and the reasons for it; made by `recommend`.

    Attributes
    ----------
    selector : str
        The selector.
    classifier : str or None
        The classifier; None where no errors were estimated.
    size : int or str
        The number of features; ``"own"`` where the selector chooses it.
    error, standard_error : float
        Its error. It was chosen from many, which flatters this number; see `choice`.
    stability, low, high, chance : float
        The stability over the resamples with its 95% interval, and what random preferences give.
    measure : str
        The measure of stability.
    rule : str
        The rule by which it was chosen.
    reasons : tuple of str
        The reasoning in plain sentences; ``print(recommendation)`` shows them.
    rivals : pandas.DataFrame
        The pairs that it was chosen from, the recommended one first, then by score: rows of
        `table`.
    table : pandas.DataFrame
        All pairs, those that were left out too: ``selector``, ``classifier``, ``size``, ``error``,
        ``standard_error``, ``stability``, ``low``, ``high``, ``chance``; ``replication``,
        ``replication_low``, ``replication_high``, as estimated; ``score``, which pairs are ordered
        by (higher is better, missing where a pair was left out); ``p_value`` of the test
        against the pair of the lowest error, corrected for being many if so asked (missing for
        that pair itself, and where there was no test); ``rpt``, see :func:`holdfast.judge.rpt`;
        ``front``, whether no other pair beats it in error, score and size; ``rival``;
        ``recommended``.
    choice : ChoiceError or None
        The error to expect of the choice itself.
    supported : bool
        Whether the data support the recommendation: selections from disjoint halves agree better
        than chance, and the error is clearly below that of guessing the largest class. What was
        not measured does not count: see the reasons. False: nothing can be recommended, and
        ``selector``, ``classifier`` and ``size`` name the pair that came closest.
    why_not : str
        Why not, in words; empty where supported.
    stability_source : {"replication", "resamples"}
        What pairs were ordered by: what a second study would find, or the stability over resamples
        of these data.
    replication, replication_low, replication_high : float
        The replication stability of the pair with its interval, predicted for studies of
        `replication_samples`; NaN where it is not known. Choosing the best flatters it; what that
        adds is taken off, as far as it can be seen (`table` has the value as it was estimated).
    replication_samples : int or None
        For how large studies it holds; None where that is not known.
    """

    selector: str
    classifier: str | None
    size: int | str
    error: float
    standard_error: float
    stability: float
    low: float
    high: float
    chance: float
    measure: str
    rule: str
    reasons: tuple[str, ...]
    rivals: pd.DataFrame
    table: pd.DataFrame
    choice: ChoiceError | None
    supported: bool = True
    why_not: str = ""
    stability_source: str = "resamples"
    replication: float = math.nan
    replication_low: float = math.nan
    replication_high: float = math.nan
    replication_samples: int | None = None

    @property
    def pair(self) -> Pair:
        """The selector, the classifier and the size together."""
        return Pair(self.selector, self.classifier, self.size)

    def to_frame(self) -> pd.DataFrame:
        """Return all pairs as a table.

        Returns
        -------
        pandas.DataFrame
            A copy of `table`.
        """
        return self.table.copy()

    def __repr__(self) -> str:
        if not self.supported:
            return f"<Nothing can be recommended: {self.why_not} Next: print(recommendation)>"
        return f"<Recommendation: {self._headline()}. Next: print(recommendation)>"

    def __str__(self) -> str:
        return "\n".join(self.reasons)

    def _headline(self) -> str:
        error = format_plus_minus(self.error, self.standard_error)
        known = "" if math.isnan(self.error) else f"error {error}, "
        if self.stability_source == "replication":
            span = format_interval(
                self.replication_low, self.replication_high, get_measure(self.measure)
            )
            return f"{self.pair}: {known}replication {self.replication:.2f}{span} by {self.measure}"
        interval = format_interval(self.low, self.high, get_measure(self.measure))
        return f"{self.pair}: {known}{self.measure} {self.stability:.2f}{interval}"

    def _repr_html_(self) -> str:
        title = self._headline() if self.supported else "Nothing can be recommended"
        reasons = "".join(f"<li>{escape(reason)}</li>" for reason in self.reasons)
        shown = self.rivals.head(MAX_RIVALS_SHOWN)
        lines = "".join(_html_row("td", self._cells(row)) for _, row in shown.iterrows())
        more = len(self.rivals) - len(shown)
        rest = f"<p>and {more:,} more in <code>.rivals</code></p>" if more else ""
        return (
            f"<div><h4>{escape(title)}</h4><ul>{reasons}</ul>"
            f"<table><thead>{_html_row('th', RIVAL_COLUMN_HEADS)}</thead>"
            f"<tbody>{lines}</tbody></table>{rest}</div>"
        )

    def _cells(self, row: pd.Series[float]) -> list[str]:
        interval = format_interval(row["low"], row["high"], get_measure(self.measure))
        return [
            str(row["selector"]),
            str(row["classifier"] or ""),
            str(row["size"]),
            ""
            if math.isnan(row["error"])
            else format_plus_minus(row["error"], row["standard_error"]),
            f"{row['stability']:.2f}{interval}",
            "" if math.isnan(row["p_value"]) else f"{row['p_value']:.3f}",
        ]


def _html_row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
