"""Error of the choice: the error of a candidate after it was chosen as the best of many.

Method
------
The lowest of many estimated errors is too low (selection bias). Each method repeats the choice on
part of the data and tests the chosen candidate on the rest: nested cross-validation, deletion of
groups of samples, or the bootstrap of the predictions (bootstrap bias corrected cross-validation,
[Tsamardinos2018]_). `choice_error` describes all three.
``python -m benchmarks.claims choice_error`` measures bias and coverage; the guide, page "How we
know", has the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from holdfast._formatting import format_percent, format_plus_minus, plural
from holdfast._typing import BoolArray, FloatArray, IntArray
from holdfast.errors import InvalidInputError
from holdfast.judge._candidates import Pair, Tested, find_comparable_pairs
from holdfast.judge._decision_rule import TIE_DECIMALS, CandidateStability, DecisionRule
from holdfast.judge._error_comparison import PredictionErrors
from holdfast.judge._significance import BestCorrection, clustered_error

if TYPE_CHECKING:
    from holdfast.judge._decision_rule import RuleName


class Fold(NamedTuple):
    """Predictions and stability inside one outer training part.

    Attributes
    ----------
    tested : Tested
        Predictions on the inner test parts, for the same pairs as outside.
    stability : array of shape (pairs,)
        Stability over the inner resamples; higher is more stable.
    group : int
        The outer test part, as in ``Tested.group``.
    """

    tested: Tested
    stability: FloatArray
    group: int


class Deletion(NamedTuple):
    """Stability without some of the samples, such as a quarter of them.

    Attributes
    ----------
    samples : int array
        The samples that are left out, as in ``Tested.samples``.
    stability : array of shape (pairs,)
        Stability of what is selected from the other samples; higher is more stable. For
        replication, the agreement of disjoint halves of the samples that are kept.
    """

    samples: IntArray
    stability: FloatArray


JITTER = 1e-9
"""Random differences of stability that break ties, too small to change anything else.

Chosen by hand: far above rounding errors, far below any difference that is shown.
"""
TIE_BREAKS = 10
"""Number of random tie breaks per deletion; chosen by hand."""


def choice_error(
    tested: Tested,
    stability: ArrayLike,
    *,
    folds: Sequence[Fold] = (),
    deletions: Sequence[Deletion] = (),
    sizes: ArrayLike | None = None,
    rule: RuleName = "not_worse",
    alpha: float = 0.05,
    correction: BestCorrection = "chosen_best",
    beta: float = 1.0,
    n_bootstraps: int = 500,
    random_state: int = 0,
) -> ChoiceError | None:
    """Estimate the error of choosing a pair by a rule, and then using it.

    The error of the best of many pairs is too low: the pair was chosen because it made few errors
    on these samples, or because its selections were stable on them, which goes with few errors.
    Three methods account for the choice.

    With `folds` of a nested study: within each outer training part a pair is chosen by its inner
    predictions and its inner stability, and tested on the outer test predictions, which had no
    part in the choice. ``method`` is ``"nested"``.

    With `deletions`: some of the samples are left out, a pair is chosen by the predictions and the
    selections of the other samples, and tested on the predictions of the samples left out. This
    repeats the whole choice except for the gates. ``method`` is ``"deletion"``.

    With neither, samples (or subjects or data sets, according to ``tested.units``) are drawn with
    replacement, a pair is chosen by the predictions of the samples drawn, and tested on the
    predictions of the samples not drawn. The stability is not computed again, so if it decides,
    part of the bias remains: on simulated data about half of it. ``method`` is ``"bootstrap"``.

    Predictions have the same weights as in the error of a pair: a sample that is tested often
    counts more. The standard error is that of the share of wrong predictions of the samples not
    drawn or left out, scaled to the number of all samples, but at least the standard error of the
    chosen pairs. The error is that of training on as many samples as the training parts have; a
    model fitted to all data errs a little less.

    Pairs with less than 90% of the predictions of others are never chosen.

    Parameters
    ----------
    tested : Tested
        The predictions that count.
    stability : array-like of shape (pairs,)
        The stability of each pair; higher is more stable.
    folds : sequence of Fold, default ()
        Predictions and stability inside each outer training part.
    deletions : sequence of Deletion, default ()
        Stability without some of the samples; not used with `folds`.
    sizes : array-like of shape (pairs,), optional
        The number of features of each pair, to break ties.
    rule, alpha, correction, beta
        The decision rule, as for `recommend`.
    n_bootstraps : int, default 500
        Number of bootstrap draws.
    random_state : int, default 0
        Their seed.

    Returns
    -------
    ChoiceError or None
        None where no pair can be chosen, or the chosen pair cannot be tested.

    References
    ----------
    I. Tsamardinos, E. Greasidou, G. Borboudakis (2018). Bootstrapping the out-of-sample
    predictions for efficient and accurate cross-validation. Machine Learning 107, 1895-1922.

    Examples
    --------
    Fifty classifiers that guess, on a hundred samples of two equal classes:

    >>> import numpy as np
    >>> import holdfast as hf
    >>> wrong = np.random.default_rng(0).random((50, 100)) < 0.5
    >>> tested = hf.judge.Tested(
    ...     pairs=tuple(hf.judge.Pair(f"s{i}", "knn3", 5) for i in range(50)), wrong=wrong,
    ...     known=np.ones_like(wrong), samples=range(100), group=[0] * 100, once=True, overlap=0.1,
    ... )
    >>> print(f"{wrong.mean(axis=1).min():.2f}")
    0.40
    >>> print(f"{hf.judge.choice_error(tested, [0.5] * 50).error:.2f}")
    0.52
    """
    settings = DecisionRule(name=rule, alpha=alpha, correction=correction, beta=beta)
    candidates = _candidate_stability(tested, stability, sizes)
    if folds:
        _check_folds(tested, folds)
        return _nested_choice_error(tested, folds, candidates, settings)
    if deletions:
        _check_deletions(tested, deletions)
        return _deletion_choice_error(tested, deletions, candidates, settings, random_state)
    if n_bootstraps < 1:
        raise InvalidInputError(f"n_bootstraps must be at least 1, got {n_bootstraps!r}.")
    return _bootstrap_choice_error(tested, candidates, settings, n_bootstraps, random_state)


def _candidate_stability(
    tested: Tested, stability: ArrayLike, sizes: ArrayLike | None
) -> CandidateStability:
    count = len(tested.pairs)
    values = np.asarray(stability, dtype=np.float64)
    if values.shape != (count,):
        raise InvalidInputError(
            f"stability must have one number for each of {plural(count, 'pair')}, got the shape "
            f"{values.shape}."
        )
    known = np.full(count, np.nan) if sizes is None else np.asarray(sizes, dtype=np.float64)
    return CandidateStability(
        _mask_incomparable(tested, values), np.where(np.isnan(known), np.inf, known)
    )


def _mask_incomparable(tested: Tested, stability: FloatArray) -> FloatArray:
    """Return the stability of pairs that can be compared; NaN for the others."""
    enough = find_comparable_pairs(tested.known, np.isfinite(stability)).enough
    return np.where(enough, stability, np.nan)


def _check_folds(tested: Tested, folds: Sequence[Fold]) -> None:
    for fold in folds:
        if fold.tested.pairs != tested.pairs or np.shape(fold.stability) != (len(tested.pairs),):
            raise InvalidInputError(
                f"the fold of outer test part {fold.group} must hold the same "
                f"{plural(len(tested.pairs), 'pair')} in the same order, and a stability for each."
            )


def _check_deletions(tested: Tested, deletions: Sequence[Deletion]) -> None:
    for deletion in deletions:
        if np.shape(deletion.stability) != (len(tested.pairs),):
            raise InvalidInputError(
                "each deletion must have a stability for each of "
                f"{plural(len(tested.pairs), 'pair')}, got the shape "
                f"{np.shape(deletion.stability)}."
            )


def _deletion_choice_error(
    tested: Tested,
    deletions: Sequence[Deletion],
    candidates: CandidateStability,
    rule: DecisionRule,
    seed: int,
) -> ChoiceError | None:
    """Choose without some of the samples, and test on these."""
    predictions = PredictionErrors(tested)
    rng = np.random.default_rng(seed)
    first = np.unique(predictions.unit, return_index=True)[1]
    samples = np.asarray(tested.samples)[first]
    # candidates that tie in the whole study are ordered by their errors here, too; candidates that
    # tie only without these samples are ordered at random
    tie = np.unique(np.round(candidates.stability, TIE_DECIMALS), return_inverse=True)[1]
    n_distinct = int(tie.max()) + 1
    chosen, errors = [], []
    for deletion in deletions:
        left_out = np.isin(samples, deletion.samples)
        kept = predictions.candidate_errors((~left_out).astype(np.intp))
        stability = np.where(np.isfinite(candidates.stability), deletion.stability, np.nan)
        # without new ties, all tie breaks give the same choice
        repeats = TIE_BREAKS if len(np.unique(stability)) < n_distinct else 1
        for _ in range(repeats):
            jitter = rng.permutation(n_distinct)[tie] * JITTER
            decision = rule.decide(
                kept, candidates._replace(stability=stability + jitter), always_test=False
            )
            if decision is None:
                continue
            error, standard_error = _error_on_units(predictions, decision.chosen, left_out)
            if np.isfinite(error):
                # every deletion has the same weight, however many tie breaks it needed
                chosen += [decision.chosen] * (TIE_BREAKS // repeats)
                errors += [(error, standard_error)] * (TIE_BREAKS // repeats)
    return _average_choice_error(predictions, chosen, errors, "deletion")


def _nested_choice_error(
    tested: Tested, folds: Sequence[Fold], candidates: CandidateStability, rule: DecisionRule
) -> ChoiceError | None:
    """Choose inside each outer training part, and test the choice outside."""
    chosen: dict[int, int] = {}
    for fold in folds:
        inner_errors = PredictionErrors(fold.tested).candidate_errors()
        # only candidates that can be chosen outside
        stability = np.asarray(fold.stability, dtype=np.float64)
        stability = np.where(np.isfinite(candidates.stability), stability, np.nan)
        inner_stability = CandidateStability(
            _mask_incomparable(fold.tested, stability), candidates.sizes
        )
        decision = rule.decide(inner_errors, inner_stability, always_test=False)
        if decision is not None:
            chosen[fold.group] = decision.chosen
    outer = _join_chosen_predictions(tested, chosen)
    result = PredictionErrors(outer).candidate_errors()
    if not np.isfinite(result.errors[0]):
        return None
    used = [pair for group, pair in chosen.items() if outer.known[0, outer.group == group].any()]
    return make_choice_error(
        tested, used, float(result.errors[0]), float(result.standard_errors[0]), "nested"
    )


def _join_chosen_predictions(tested: Tested, chosen: dict[int, int]) -> Tested:
    """Return the predictions of the chosen pair of each test part, as those of one pair."""
    parts = tested.at(np.isin(tested.group, list(chosen)))
    rows = np.array([chosen[group] for group in parts.group.tolist()], dtype=np.intp)
    columns = np.arange(len(rows))
    return Tested(
        pairs=(tested.pairs[0],),
        wrong=parts.wrong[rows, columns][None],
        known=parts.known[rows, columns][None],
        samples=parts.samples,
        group=parts.group,
        once=tested.once,
        overlap=tested.overlap,
        units=parts.units,
    )


def _bootstrap_choice_error(
    tested: Tested, candidates: CandidateStability, rule: DecisionRule, n_draws: int, seed: int
) -> ChoiceError | None:
    """Choose on units drawn with replacement, and test on those not drawn."""
    predictions = PredictionErrors(tested)
    n_units, rng = predictions.n_units, np.random.default_rng(seed)
    chosen, errors = [], []
    for _ in range(n_draws):
        # units, not predictions, are drawn: all predictions of a subject stay together
        counts = np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)
        drawn = predictions.candidate_errors(counts)
        decision = rule.decide(drawn, candidates, always_test=False)
        if decision is None:
            continue
        error, standard_error = _error_on_units(predictions, decision.chosen, counts == 0)
        if np.isfinite(error):
            chosen.append(decision.chosen)
            errors.append((error, standard_error))
    return _average_choice_error(predictions, chosen, errors, "bootstrap")


def _average_choice_error(
    predictions: PredictionErrors,
    chosen: list[int],
    errors: list[tuple[float, float]],
    method: str,
) -> ChoiceError | None:
    """Average the errors of the chosen candidates; None where none was chosen."""
    if not errors:
        return None
    means, standard_errors = np.array(errors).T
    # choosing adds uncertainty: at least the standard error of the chosen candidates
    chosen_errors = predictions.candidate_errors().standard_errors[chosen]
    least = np.sqrt(_mean_of_known(chosen_errors**2))
    standard_error = np.fmax(np.sqrt(_mean_of_known(standard_errors**2)), least)
    return make_choice_error(
        predictions.tested, chosen, float(means.mean()), float(standard_error), method
    )


def _error_on_units(
    predictions: PredictionErrors, pair: int, units: BoolArray
) -> tuple[float, float]:
    """Return the error on some units, and its standard error scaled to all units."""
    sums = predictions.sums
    wrong, known = sums.values[pair, units][None], sums.weights[pair, units][None]
    (error,), (standard_error,) = clustered_error(wrong, known)
    # a standard error falls with the root of the number of units
    scale = np.sqrt(np.count_nonzero(known) / predictions.n_units)
    return float(error), float(standard_error * scale)


def _mean_of_known(values: FloatArray) -> float:
    """Return the mean of the finite values; NaN where there is none."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else np.nan


MAX_PAIRS_NAMED = 3
"""Most pairs named in a sentence; chosen by hand."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ChoiceError:
    """Expected error of the pair that a rule chooses, with the choice accounted for.

    Attributes
    ----------
    error, standard_error : float
        The error, and its standard error.
    method : {"nested", "deletion", "bootstrap"}
        How it was estimated; see `choice_error`.
    n : int
        Number of outer resamples, or draws, in which a pair was chosen.
    chosen : pandas.DataFrame
        ``selector``, ``classifier``, ``size``, ``count`` and ``share``: how often each pair was
        chosen, the most frequent first.
    sentence : str
        The result in words.
    """

    error: float
    standard_error: float
    method: str
    n: int
    chosen: pd.DataFrame
    sentence: str

    def __repr__(self) -> str:
        error = format_plus_minus(self.error, self.standard_error)
        return f"<ChoiceError: {error} by {self.method}. Next: .sentence, .chosen>"


def make_choice_error(
    tested: Tested, chosen: list[int], error: float, standard_error: float, method: str
) -> ChoiceError:
    """Count how often each pair was chosen, and describe the result."""
    counts = Counter(chosen).most_common()
    table = pd.DataFrame(
        [(*tested.pairs[pair], count, count / len(chosen)) for pair, count in counts],
        columns=["selector", "classifier", "size", "count", "share"],
    )
    method_text = _format_method(tested, method, len(chosen))
    frequent = _format_most_frequent(
        [(tested.pairs[pair], count) for pair, count in counts], len(chosen)
    )
    return ChoiceError(
        error=error,
        standard_error=standard_error,
        method=method,
        n=len(chosen),
        chosen=table,
        sentence=(
            "With the choosing taken into account, the error to expect is "
            f"{format_plus_minus(error, standard_error)}: estimated by choosing {method_text}, "
            f"where {frequent}."
        ),
    )


def _format_method(tested: Tested, method: str, n: int) -> str:
    if method == "nested":
        return f"within each of {plural(n, 'outer training part')} and testing outside"
    if method == "deletion":
        return f"again and again without a part of the {tested.drawn} and testing on that part"
    times = "once" if n == 1 else f"{n:,} times"
    return f"on {tested.drawn} drawn again {times} and testing on those not drawn"


def _format_most_frequent(counts: list[tuple[Pair, int]], n: int) -> str:
    """Name the pairs that were chosen most often, or count them where they are many."""
    times = counts[0][1]
    first = [str(pair) for pair, count in counts if count == times]
    if times == 1 and len(first) > 1:
        return "each time another pair came out"
    share = format_percent(times / n, 0)
    if len(first) == 1:
        return f"{first[0]} came out most often ({share} of the time)"
    few = f"{', '.join(first[:-1])} and {first[-1]}"
    who = few if len(first) <= MAX_PAIRS_NAMED else f"{len(first):,} pairs"
    return f"{who} came out most often ({share} of the time each)"
