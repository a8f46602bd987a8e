"""Recommend one candidate: accuracy first, then replication stability."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from holdfast._formatting import (
    format_interval,
    format_plus_minus,
    join_lines,
    spell_out_invisible,
)
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

    Pairs are ordered by replication stability, the expected agreement with a second study, if a
    table of it is given; otherwise by their stability over the resamples, which does not predict a
    second study. A pair is passed over if it replicates no better than chance, or if its error is
    not below that of guessing. If all pairs are, nothing can be recommended: ``supported`` is
    False, and the result names the pair that came closest.

    A pair is considered only if it has an error, a stability, and at least 90% of the predictions
    that the other pairs have: an error on the few samples that were tested may be low by luck. The
    best pair has the lowest error; ties go to the more stable pair, then to the smaller one.

    Parameters
    ----------
    errors : pandas.DataFrame or None
        ``selector``, ``classifier``, ``size``, ``error``, ``standard_error``, as in
        ``Result.errors``. If None, or if all errors are missing, stability alone decides.
    stability : pandas.DataFrame
        ``selector``, ``size``, ``measure``, ``value``, ``low``, ``high``, ``chance``, as in
        ``Result.stability``. The value of a measure of whole rankings or weights is used for all
        sizes.
    tested : Tested, optional
        The predictions behind the errors, for the tests.
    measure : str
        The measure of stability. Lower values of a distance are more stable.
    rule : {"not_worse", "one_standard_error", "rpt"}, default "not_worse"
        ``"not_worse"``: among the pairs whose error is not significantly above the lowest, the
        first by `order_by` (ties go to the lower error, then to the smaller size). With
        ``order_by="resamples"`` this is the advice of Kalousis et al. (2005).
        ``"one_standard_error"``: the first among the pairs whose error is at most one standard
        error above the lowest. ``"rpt"``: the pair with the highest `rpt`, without a test.
    alpha : float, default 0.05
        Level of significance.
    correction : {"chosen_best", "holm", None}, default "chosen_best"
        ``"chosen_best"``: p-values are corrected for testing against the best pair, which was
        chosen on the same data, see `correct_for_best`: if all pairs are equally good, the
        probability that any is called worse is at most `alpha`. ``"holm"``: corrected for multiple
        testing only, as if the best pair had been known before. None: tests as published by
        Kalousis et al., corrected neither for multiple testing nor for shared training samples;
        fewer pairs count as equally good.
    beta : float, default 1.0
        Weight of the accuracy in RPT.
    baseline : float, optional
        Error of always predicting the largest class. If given, the error of a recommended pair
        must be clearly below it (one-sided test at 5%).
    own_sizes : mapping, optional
        Mean number of selected features, for selectors that choose it themselves.
    choice : ChoiceError, optional
        The error of the choice itself, see `choice_error`.
    replication : pandas.DataFrame, optional
        ``selector``, ``size``, ``measure``, ``n_samples``, ``value``, ``low``, ``high``,
        ``chance``, ``standard_error``; ``at``, ``predicted``, ``predicted_low`` and
        ``predicted_high`` where there are predictions, as in ``Result.replication``. Pairs are
        ordered by a score, the mean of the replication stability and the stability over resamples
        in log odds between chance and perfect agreement, which orders pairs better than either of
        them. If any pair lacks a prediction, all are compared by ``value``.
    pair_values : mapping, optional
        From (selector, size) to the similarities behind `replication`. If given, the replication
        stability of the recommended pair is corrected for the choice.
    order_by : {"replication", "resamples"}, default "replication"
        ``"resamples"``: order by the stability over resamples even if replication is known.
    independent : bool, default False
        Whether each resample is a separate data set. Then `stability` is replication stability.
    why_no_replication : str, optional
        Why replication stability is not known; quoted in the reasons.

    Returns
    -------
    Recommendation

    Raises
    ------
    InvalidInputError
        No pair has both an error and a stability, or the rule needs tests without predictions.
    UnknownNameError
        The rule or the measure does not exist.

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

    A second study would select more features of ``a`` again:

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
    # without any error, stability alone decides
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
    """Look up the replication stability; of independent data sets it is their stability."""
    if not independent:
        return Replicability.from_tables(table, replication, measure, pair_values)
    # half the width of a normal 95% interval is Z standard errors
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

    # who is a rival depends on the errors, so only the order among the rivals changes
    def choose(scores: FloatArray) -> int | None:
        scored = decision.rivals & np.isfinite(scores)
        return first_row(scored, -scores, errors, stability.sizes) if scored.any() else None

    value, low, high = replicability.correct_for_choice(decision.chosen, choose)
    return RecommendedReplication(value, low, high, replicability.samples)


def _check_rule(rule: DecisionRule, candidates: CandidateErrors, measure: Measure) -> None:
    """Raise if the rule needs predictions, or a measure with a maximum of 1, but has none."""
    if not np.isfinite(candidates.errors).any():
        return
    if rule.name == "not_worse" and candidates.test is None:
        raise InvalidInputError(
            "the rule 'not_worse' tests differences of errors, for which it needs the "
            "predictions; give tested, or choose the rule 'one_standard_error'."
        )
    if rule.name == "rpt" and measure.maximum != 1.0:
        raise InvalidInputError(
            f"the rule 'rpt' needs a measure of stability with a maximum of 1, which "
            f"{measure.name} does not have. Name another measure."
        )


def _make_decision(
    rule: DecisionRule, candidates: CandidateErrors, stability: CandidateStability
) -> Decision:
    """Apply the rule; without errors all pairs tie and stability alone decides."""
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
    if np.isnan(error).all():  # equal errors: the front is that of stability and size
        error = np.zeros_like(error)
    sizes = np.where(np.isinf(stability.sizes), np.nan, stability.sizes)
    unknown = np.full(len(table), np.nan)
    full = table.assign(
        replication=unknown if replicability is None else replicability.value,
        replication_low=unknown if replicability is None else replicability.low,
        replication_high=unknown if replicability is None else replicability.high,
        score=stability.stability,
        p_value=decision.p_values,
        rpt=trade_off if measure.maximum == 1.0 else np.nan,
        front=nondominated_rows(error, -stability.stability, sizes),
        rival=decision.rivals,
        recommended=np.arange(len(table)) == decision.chosen,
    )
    return full[CANDIDATE_COLUMNS]


def _make_recommendation(context: RecommendationContext) -> Recommendation:
    table, row, replication = context.table, context.chosen_row, context.replication
    pair = pairs_of(table)[context.decision.chosen]
    rivals = table[table["rival"] | table["recommended"]].sort_values(
        ["recommended", "score", "error"],
        ascending=[False, False, True], kind="stable", ignore_index=True,
    )  # fmt: skip
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
        rivals=rivals,
        table=table,
        choice=context.choice,
        supported=context.supported,
        why_not=context.why_not,
        stability_source="replication" if context.by_replication else "resamples",
        replication=math.nan if replication is None else replication.value,
        replication_low=math.nan if replication is None else replication.low,
        replication_high=math.nan if replication is None else replication.high,
        replication_samples=None if replication is None else replication.samples or None,
    )


MAX_RIVALS_SHOWN = 10
"""Most rivals shown in a notebook; chosen by hand."""
RIVAL_COLUMN_HEADS = ("selector", "classifier", "features", "error", "stability", "p")


@dataclass(frozen=True, eq=False, kw_only=True)
class Recommendation:
    """A recommended selector, classifier and size with the reasons; returned by `recommend`.

    Attributes
    ----------
    selector : str
        The selector.
    classifier : str or None
        The classifier; None where no errors were estimated.
    size : int or str
        The number of features; ``"own"`` where the selector chooses it.
    error, standard_error : float
        Its error. The error of a pair chosen from many is too low; see `choice`.
    stability, low, high, chance : float
        The stability over the resamples with its 95% interval, and its value for random
        preferences.
    measure : str
        The measure of stability.
    rule : str
        The rule by which it was chosen.
    reasons : tuple of str
        The reasons in plain sentences; ``print(recommendation)`` shows them.
    rivals : pandas.DataFrame
        The rows of `table` that it was chosen from: the recommended pair first, then by score.
    table : pandas.DataFrame
        All pairs, including those left out: ``selector``, ``classifier``, ``size``, ``error``,
        ``standard_error``, ``stability``, ``low``, ``high``, ``chance``; ``replication``,
        ``replication_low``, ``replication_high``, not corrected for the choice; ``score``, by which
        pairs are ordered (higher is better; missing if a pair was left out); ``p_value`` of the
        test against the pair with the lowest error, with the requested correction (missing for that
        pair, and without a test); ``rpt``, see :func:`holdfast.judge.rpt`; ``front``, whether no
        other pair dominates it in error, score and size; ``rival``; ``recommended``.
    choice : ChoiceError or None
        The expected error of the choice itself.
    supported : bool
        Whether the data support the recommendation: selections from disjoint halves agree better
        than chance, and the error is clearly below that of guessing the largest class. A criterion
        that was not measured counts as met; the reasons say so. If False, nothing can be
        recommended, and ``selector``, ``classifier`` and ``size`` name the pair that came closest.
    why_not : str
        Why nothing can be recommended, in words; empty if `supported`.
    stability_source : {"replication", "resamples"}
        Whether pairs were ordered by replication stability or by the stability over resamples of
        these data.
    replication, replication_low, replication_high : float
        The replication stability of the pair with its interval, predicted for studies of
        `replication_samples`; NaN if unknown. It is corrected for the optimism of choosing the
        best, as far as splits of the same data show it (`table` has the uncorrected value).
    replication_samples : int or None
        Size of the studies that it holds for; None if unknown.
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
        """The selector, the classifier and the size."""
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
            text = f"<Nothing can be recommended: {self.why_not} Next: print(recommendation)>"
        else:
            text = f"<Recommendation: {self._headline()}. Next: print(recommendation)>"
        return join_lines([text])

    def __str__(self) -> str:
        return join_lines(self.reasons)

    def _headline(self) -> str:
        error = format_plus_minus(self.error, self.standard_error)
        error_text = "" if math.isnan(self.error) else f"error {error}, "
        if self.stability_source == "replication":
            span = format_interval(
                self.replication_low, self.replication_high, get_measure(self.measure)
            )
            value = f"replication {self.replication:.2f}{span} by {self.measure}"
            return f"{self.pair}: {error_text}{value}"
        interval = format_interval(self.low, self.high, get_measure(self.measure))
        return f"{self.pair}: {error_text}{self.measure} {self.stability:.2f}{interval}"

    def _repr_html_(self) -> str:
        title = self._headline() if self.supported else "Nothing can be recommended"
        reasons = "".join(f"<li>{_escape(reason)}</li>" for reason in self.reasons)
        shown = self.rivals.head(MAX_RIVALS_SHOWN)
        lines = "".join(_html_row("td", self._cells(row)) for _, row in shown.iterrows())
        more = len(self.rivals) - len(shown)
        rest = f"<p>and {more:,} more in <code>.rivals</code></p>" if more else ""
        return (
            f"<div><h4>{_escape(title)}</h4><ul>{reasons}</ul>"
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


def _escape(text: str) -> str:
    return escape(spell_out_invisible(text))


def _html_row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{_escape(cell)}</{tag}>" for cell in cells) + "</tr>"
