"""The error of the choice itself: choosing the best of many flatters its error."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import percent_words, plural, plus_minus
from holdfast.errors import InvalidInputError
from holdfast.judge._candidates import Tested, find_comparable_pairs
from holdfast.judge._decision_rule import DECIMALS, CandidateStability, DecisionRule
from holdfast.judge._error_comparison import PredictionErrors
from holdfast.judge._significance import clustered_shares

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from holdfast.judge._candidates import Pair
    from holdfast.judge._decision_rule import Name
    from holdfast.judge._significance import BestCorrection

    Array = NDArray[np.float64]


class Fold(NamedTuple):
    """What is known inside one outer training part.

    Attributes
    ----------
    tested : Tested
        Predictions on the inner test parts, of the same pairs as outside.
    stability : array of shape (pairs,)
        Stability over the inner resamples, higher being more stable.
    group : int
        The outer test part, as in ``Tested.group``.
    """

    tested: Tested
    stability: Array
    group: int


class Deletion(NamedTuple):
    """What is known without some of the samples, such as a quarter of them.

    Attributes
    ----------
    samples : int array
        The samples that are left out, as in ``Tested.samples``.
    stability : array of shape (pairs,)
        Stability of what is selected from the others alone, higher being more stable. For
        replication, the agreement of disjoint halves of the samples that are kept.
    """

    samples: NDArray[np.int64]
    stability: Array


JITTER = 1e-9
"""Differences of stability that break ties and change nothing else."""
TIE_BREAKS = 10
"""How often ties of the stability without some samples are broken, each time at random."""


def choice_error(  # noqa: PLR0913  (the settings of a rule, and how to draw)
    tested: Tested,
    stability: ArrayLike,
    *,
    folds: Sequence[Fold] = (),
    deletions: Sequence[Deletion] = (),
    sizes: ArrayLike | None = None,
    rule: Name = "not_worse",
    alpha: float = 0.05,
    correction: BestCorrection = "chosen_best",
    beta: float = 1.0,
    n_bootstraps: int = 500,
    random_state: int = 0,
) -> ChoiceError | None:
    """Estimate the error of choosing a pair by a rule, and then using it.

    The error of the best of many pairs is too low: the pair was chosen because its errors were
    few on these very samples, or its selections stable on them, which goes with few errors. Three
    remedies take the choosing into account.

    With `folds`, those of a nested study: within each outer training part a pair is chosen by its
    inner predictions and inner stability; its outer test predictions, which had no part in that,
    count. ``method`` is ``"nested"``.

    With `deletions`: without some of the samples, a pair is chosen by the predictions of the others
    and by what is selected from the others alone, and is judged by the predictions of the samples
    left out. This repeats the whole choice except for the gates. ``method`` is ``"deletion"``.

    With neither, samples are drawn with replacement (subjects or data sets where ``tested.units``
    are these), a pair is chosen by the predictions of those drawn, and judged by the predictions
    of those not drawn. The stability stays as it is, so if it decides, part of the bias remains:
    on simulated data about half of it. ``method`` is ``"bootstrap"``.

    Predictions count as much as they do in the error of a pair: a sample that is tested often
    counts more. The standard error is that of the share of wrong predictions of samples not drawn
    or left out, as if there were as many of them as of all, but not below the standard error that
    the pairs chosen have themselves. The error is that of training on as many samples as the
    training parts have; a model fitted to all data errs a little less.

    Pairs that are known on less than 90% of the predictions of others are never chosen.

    Parameters
    ----------
    tested : Tested
        The predictions that count.
    stability : array-like of shape (pairs,)
        The stability of each pair, higher being more stable.
    folds : sequence of Fold, default ()
        What is known inside each outer training part.
    deletions : sequence of Deletion, default ()
        What is known without some of the samples; of no use with `folds`.
    sizes : array-like of shape (pairs,), optional
        The number of features of each pair; they decide between equals.
    rule, alpha, correction, beta
        How to choose, as for `recommend`.
    n_bootstraps : int, default 500
        Number of draws.
    random_state : int, default 0
        Their seed.

    Returns
    -------
    ChoiceError or None
        None where nothing can be chosen, or what is chosen cannot be tested.

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
    merits = _merits(tested, stability, sizes)
    if folds:
        _check_folds(tested, folds)
        return _nested_choice_error(tested, folds, merits, settings)
    if deletions:
        _check_deletions(tested, deletions)
        return _deletion_choice_error(tested, deletions, merits, settings, random_state)
    if n_bootstraps < 1:
        raise InvalidInputError(f"n_bootstraps must be at least 1, got {n_bootstraps!r}.")
    return _bootstrap_choice_error(tested, merits, settings, (n_bootstraps, random_state))


def _merits(tested: Tested, stability: ArrayLike, sizes: ArrayLike | None) -> CandidateStability:
    count = len(tested.pairs)
    given = np.asarray(stability, dtype=np.float64)
    if given.shape != (count,):
        raise InvalidInputError(
            f"stability must be one number for each of {plural(count, 'pair')}; received the "
            f"shape {given.shape}."
        )
    known = np.full(count, np.nan) if sizes is None else np.asarray(sizes, dtype=np.float64)
    return CandidateStability(
        _mask_incomparable(tested, given), np.where(np.isnan(known), np.inf, known)
    )


def _mask_incomparable(tested: Tested, stability: Array) -> Array:
    """Return the stability of pairs that can be compared; missing for the others."""
    enough = find_comparable_pairs(tested.known, np.isfinite(stability)).enough
    return np.where(enough, stability, np.nan)


def _check_folds(tested: Tested, folds: Sequence[Fold]) -> None:
    for fold in folds:
        if fold.tested.pairs != tested.pairs or np.shape(fold.stability) != (len(tested.pairs),):
            raise InvalidInputError(
                f"the fold of outer test part {fold.group} must hold the same "
                f"{plural(len(tested.pairs), 'pair')} in the same order, and a stability of each."
            )


def _check_deletions(tested: Tested, deletions: Sequence[Deletion]) -> None:
    for deletion in deletions:
        if np.shape(deletion.stability) != (len(tested.pairs),):
            raise InvalidInputError(
                "each deletion must hold a stability for each of "
                f"{plural(len(tested.pairs), 'pair')}; received the shape "
                f"{np.shape(deletion.stability)}."
            )


def _deletion_choice_error(
    tested: Tested,
    deletions: Sequence[Deletion],
    merits: CandidateStability,
    rule: DecisionRule,
    seed: int,
) -> ChoiceError | None:
    """Choose without some of the samples, and judge by these."""
    sheet = PredictionErrors(tested)
    rng = np.random.default_rng(seed)
    owner = np.unique(sheet.unit, return_index=True)[1]
    samples = np.asarray(tested.samples)[owner]
    # what ties in the whole study is decided by the errors here, too; what ties by chance is not
    ties = np.unique(np.round(merits.stability, DECIMALS), return_inverse=True)[1]
    chosen, left = [], []
    for deletion in deletions:
        out = np.isin(samples, deletion.samples)
        scored = sheet.weighed((~out).astype(np.intp))
        given = np.where(np.isfinite(merits.stability), deletion.stability, np.nan)
        n_kinds = int(ties.max()) + 1
        # without ties, all breaks of ties give the same choice
        repeats = TIE_BREAKS if len(np.unique(given)) < n_kinds else 1
        for _ in range(repeats):
            jitter = rng.permutation(n_kinds)[ties] * JITTER
            decision = rule.decide(scored, merits._replace(stability=given + jitter), tested=False)
            if decision is None:
                continue
            share, spread = _error_on_units(sheet, decision.chosen, out)
            if np.isfinite(share):
                chosen += [decision.chosen] * (TIE_BREAKS // repeats)
                left += [(share, spread)] * (TIE_BREAKS // repeats)
    return _average_choice_error(tested, sheet, chosen, left, "deletion")


def _nested_choice_error(
    tested: Tested, folds: Sequence[Fold], merits: CandidateStability, rule: DecisionRule
) -> ChoiceError | None:
    """Choose inside each outer training part, and count what the choice says outside."""
    chosen: dict[int, int] = {}
    for fold in folds:
        decision = rule.decide(
            PredictionErrors(fold.tested).weighed(), _inner(fold, merits), tested=False
        )
        if decision is not None:
            chosen[fold.group] = decision.chosen
    outside = _join_chosen_predictions(tested, chosen)
    scored = PredictionErrors(outside).weighed()
    if not np.isfinite(scored.errors[0]):
        return None
    used = [
        pair for group, pair in chosen.items() if outside.known[0, outside.group == group].any()
    ]
    return make_choice_error(
        tested, used, float(scored.errors[0]), float(scored.spreads[0]), "nested"
    )


def _inner(fold: Fold, merits: CandidateStability) -> CandidateStability:
    """Return what is known inside a fold of the pairs that can be chosen outside."""
    given = np.asarray(fold.stability, dtype=np.float64)
    given = np.where(np.isfinite(merits.stability), given, np.nan)
    return CandidateStability(_mask_incomparable(fold.tested, given), merits.sizes)


def _join_chosen_predictions(tested: Tested, chosen: dict[int, int]) -> Tested:
    """Return the predictions of one pair that is another one in each test part."""
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
    tested: Tested, merits: CandidateStability, rule: DecisionRule, draws: tuple[int, int]
) -> ChoiceError | None:
    """Choose on samples drawn with replacement, and judge by those not drawn."""
    sheet = PredictionErrors(tested)
    chosen, left = [], []
    for times in _draws(sheet.n_units, *draws):
        decision = rule.decide(sheet.weighed(times), merits, tested=False)
        if decision is None:
            continue
        share, spread = _error_on_units(sheet, decision.chosen, times == 0)
        if np.isfinite(share):
            chosen.append(decision.chosen)
            left.append((share, spread))
    return _average_choice_error(tested, sheet, chosen, left, "bootstrap")


def _average_choice_error(
    tested: Tested,
    sheet: PredictionErrors,
    chosen: list[int],
    left: list[tuple[float, float]],
    method: str,
) -> ChoiceError | None:
    """Average the errors of what was chosen; None where nothing was."""
    if not left:
        return None
    errors, spreads = np.array(left).T
    own = np.sqrt(_mean(sheet.weighed().spreads[chosen] ** 2))
    spread = np.fmax(np.sqrt(_mean(spreads**2)), own)
    return make_choice_error(tested, chosen, float(errors.mean()), float(spread), method)


def _draws(n_units: int, count: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Draw with replacement; yield how many times each unit is drawn."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)


def _error_on_units(
    sheet: PredictionErrors, pair: int, left: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return the error on the units left, and its standard error as if they were all units."""
    wrong, every = (part[pair, left][None] for part in (sheet.sums.values, sheet.sums.weights))
    (share,), (spread,) = clustered_shares(wrong, every)
    return float(share), float(spread * np.sqrt(np.count_nonzero(every) / sheet.n_units))


def _mean(values: Array) -> float:
    """Return the mean of what is known; NaN where nothing is."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else np.nan


# The error of a choice, in numbers and in words.

NAMED = 3
"""Most pairs that a sentence names."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ChoiceError:
    """The error to expect of whatever a rule chooses, the choosing included.

    Attributes
    ----------
    error, standard_error : float
        The error, and its standard error.
    method : {"nested", "deletion", "bootstrap"}
        How it was found, see `choice_error`.
    n : int
        In how many outer resamples, or draws, a pair was chosen.
    chosen : pandas.DataFrame
        ``selector``, ``classifier``, ``size``, ``count`` and ``share``: how often each pair was
        chosen, the most frequent first.
    sentence : str
        All this in words.
    """

    error: float
    standard_error: float
    method: str
    n: int
    chosen: pd.DataFrame
    sentence: str

    def __repr__(self) -> str:
        error = plus_minus(self.error, self.standard_error)
        return f"<ChoiceError: {error} by {self.method}. Next: .sentence, .chosen>"


def make_choice_error(
    tested: Tested, chosen: list[int], error: float, spread: float, method: str
) -> ChoiceError:
    """Sum up what was chosen how often, and its error."""
    counts = Counter(chosen).most_common()
    table = pd.DataFrame(
        [(*tested.pairs[pair], count, count / len(chosen)) for pair, count in counts],
        columns=["selector", "classifier", "size", "count", "share"],
    )
    how = _format_method(tested, method, len(chosen))
    often = _favourites([(tested.pairs[pair], count) for pair, count in counts], len(chosen))
    return ChoiceError(
        error=error,
        standard_error=spread,
        method=method,
        n=len(chosen),
        chosen=table,
        sentence=(
            "With the choosing taken into account, the error to expect is "
            f"{plus_minus(error, spread)}: estimated by choosing {how}, where {often}."
        ),
    )


def _format_method(tested: Tested, method: str, n: int) -> str:
    if method == "nested":
        return f"within each of {plural(n, 'outer training part')} and testing outside"
    if method == "deletion":
        return f"again and again without a part of the {tested.drawn} and testing on that part"
    times = "once" if n == 1 else f"{n:,} times"
    return f"on {tested.drawn} drawn again {times} and testing on those not drawn"


def _favourites(counts: list[tuple[Pair, int]], n: int) -> str:
    """Say what came out most often; equals are named, or counted where they are many."""
    times = counts[0][1]
    first = [str(pair) for pair, count in counts if count == times]
    if times == 1 and len(first) > 1:
        return "each time another pair came out"
    share = percent_words(times / n, 0)
    if len(first) == 1:
        return f"{first[0]} came out most often ({share} of the time)"
    few = f"{', '.join(first[:-1])} and {first[-1]}"
    who = few if len(first) <= NAMED else f"{len(first):,} pairs"
    return f"{who} came out most often ({share} of the time each)"
