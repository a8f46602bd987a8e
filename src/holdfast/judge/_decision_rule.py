"""The rules by which one pair is chosen from many, on whatever samples they are scored."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import pandas as pd

from holdfast._formatting import did_you_mean, format_list
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge._candidates import ComparablePairs, find_comparable_pairs, pairs_of
from holdfast.judge._error_comparison import PredictionErrors
from holdfast.judge._significance import check_correction, correct_p_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from holdfast.judge._candidates import Tested
    from holdfast.judge._error_comparison import ClusteredTest, McNemarTest
    from holdfast.judge._significance import BestCorrection

    Array = NDArray[np.float64]


Name: TypeAlias = Literal["not_worse", "one_standard_error", "rpt"]
RULE_NAMES = ("not_worse", "one_standard_error", "rpt")
DECIMALS = 12
"""Numbers that agree to so many decimals are ties; the rest is rounding."""


class CandidateErrors(Protocol):
    """Errors of all pairs, their standard errors, and the tests of one pair against all."""

    @property
    def errors(self) -> Array: ...
    @property
    def spreads(self) -> Array: ...
    def p_values(self, best: int, *, as_published: bool = False) -> Array: ...


class CandidateStability(NamedTuple):
    """What is known of the pairs beside their errors."""

    stability: Array
    """Higher is more stable, whatever the measure."""
    sizes: Array
    """Infinite where unknown."""
    passes: NDArray[np.bool_] | None = None
    """Which pairs can be recommended; they come first. None: all alike."""


class Decision(NamedTuple):
    """What a rule makes of the errors."""

    best: int
    """The pair of the lowest error."""
    p_values: Array
    """Of the tests against the best, corrected; NaN for the best and where there was no test."""
    rivals: NDArray[np.bool_]
    """The pairs that the rule chooses from."""
    chosen: int


@dataclass(frozen=True, kw_only=True)
class DecisionRule:
    """A rule and its settings."""

    name: Name = "not_worse"
    alpha: float = 0.05
    correction: BestCorrection = "chosen_best"
    beta: float = 1.0

    def __post_init__(self) -> None:
        if self.name not in RULE_NAMES:
            near = did_you_mean(str(self.name), RULE_NAMES)
            raise UnknownNameError(f"no rule is called {self.name!r}.{near}")
        if not 0 < self.alpha < 1:
            raise InvalidInputError(f"alpha must be between 0 and 1, got {self.alpha!r}.")
        check_correction(self.correction, ("chosen_best", "holm"))
        check_beta(self.beta)

    def decide(
        self, scored: CandidateErrors, merits: CandidateStability, *, tested: bool = True
    ) -> Decision | None:
        """Choose among the pairs that have an error and a stability; None if none has both.

        The tests are made if the rule asks for them, or `tested` does.
        """
        fit = np.isfinite(scored.errors) & np.isfinite(merits.stability)
        if not fit.any():
            return None
        best = first_of(fit, scored.errors, -merits.stability, merits.sizes)
        p_values = np.full(len(fit), np.nan)
        if tested or self.name == "not_worse":
            p_values = self._tested(scored, best, fit)
        rivals = fit & self._close(scored, best, p_values)
        rivals[best] = True
        return Decision(best, p_values, rivals, self._chosen(scored, merits, rivals, fit))

    def _tested(self, scored: CandidateErrors, best: int, fit: NDArray[np.bool_]) -> Array:
        as_published = self.correction is None
        found = scored.p_values(best, as_published=as_published)
        p_values = np.where(fit, found, np.nan)
        p_values[best] = np.nan
        return correct_p_values(p_values, self.correction)

    def _close(self, scored: CandidateErrors, best: int, p_values: Array) -> NDArray[np.bool_]:
        """Return which pairs are close to the best; without a test they are not known to be."""
        if self.name != "one_standard_error":
            return p_values > self.alpha
        limit = scored.errors[best] + np.nan_to_num(scored.spreads[best])
        close: NDArray[np.bool_] = np.round(scored.errors - limit, DECIMALS) <= 0
        return close

    def _chosen(
        self,
        scored: CandidateErrors,
        merits: CandidateStability,
        rivals: NDArray[np.bool_],
        fit: NDArray[np.bool_],
    ) -> int:
        passes = np.ones_like(fit) if merits.passes is None else merits.passes
        fails = (~passes).astype(np.float64)
        if self.name != "rpt":
            return first_of(rivals, fails, -merits.stability, scored.errors, merits.sizes)
        trade = rpt(merits.stability, 1 - scored.errors, self.beta)
        return first_of(fit, fails, -trade, scored.errors, -merits.stability, merits.sizes)


def first_of(among: NDArray[np.bool_], *keys: Array) -> int:
    """Return the first of some pairs, by the first key, ties by the next; then by order."""
    places = np.flatnonzero(among)
    order = np.lexsort([np.round(key[places], DECIMALS) for key in reversed(keys)])
    return int(places[order[0]])


# Errors that come from a table, with the predictions behind them, or none at all.


class TableErrors:
    """Errors that are given by a table, and the predictions behind them, if there are any."""

    def __init__(self, table: pd.DataFrame, tested: Tested | None) -> None:
        self.errors: Array = table["error"].to_numpy(dtype=np.float64)
        self.spreads: Array = table["standard_error"].to_numpy(dtype=np.float64)
        self._behind: McNemarTest | ClusteredTest | None = None
        self._tested = tested if np.isfinite(self.errors).any() else None
        if self._tested is not None:
            self._behind = PredictionErrors(self._tested).weighed()
            rows = {pair: row for row, pair in enumerate(self._tested.pairs)}
            self._rows = np.array([rows.get(pair, -1) for pair in pairs_of(table)], dtype=np.intp)

    def test(self, *, as_published: bool) -> str | None:
        """Return what the tests are called; None if there are none."""
        if self._behind is None:
            return None
        return self._behind.published if as_published else self._behind.test

    @property
    def once(self) -> bool:
        """Whether each sample is predicted once."""
        return self._tested is not None and self._tested.once

    def compared(self, fit: NDArray[np.bool_]) -> ComparablePairs:
        """Find the pairs that are known on what the others are; all without predictions."""
        if self._tested is None:
            return ComparablePairs(np.ones_like(fit), np.zeros(len(fit), dtype=np.int64), 0)
        among = np.zeros(len(self._tested.pairs), dtype=bool)
        among[self._rows[fit & (self._rows >= 0)]] = True
        found = find_comparable_pairs(self._tested.known, among)
        lacking = self._rows < 0  # a pair without predictions is not known to have too few
        return ComparablePairs(
            lacking | found.enough[self._rows],
            np.where(lacking, 0, found.known[self._rows]),
            found.total,
        )

    def p_values(self, best: int, *, as_published: bool = False) -> Array:
        """Test a pair against each other; NaN where no predictions are known."""
        if self._behind is None or self._rows[best] < 0:
            return np.full(len(self.errors), np.nan)
        found = self._behind.p_values(int(self._rows[best]), as_published=as_published)
        return np.where(self._rows < 0, np.nan, found[self._rows])


@dataclass(frozen=True)
class EqualErrors:
    """No errors: all pairs are alike."""

    errors: Array
    spreads: Array

    def p_values(self, best: int, *, as_published: bool = False) -> Array:  # noqa: ARG002
        """Return no test."""
        return np.full(len(self.errors), np.nan)


# One number for robustness and performance together.


def rpt(stability: ArrayLike, accuracy: ArrayLike, beta: float = 1.0) -> NDArray[np.float64]:
    r"""Return the trade-off between robustness and performance, RPT.

    A weighted harmonic mean of the stability R and the accuracy P:

    .. math:: RPT_\beta = \frac{(\beta^2 + 1) R P}{\beta^2 R + P}

    With :math:`\beta = 1` both weigh the same; above 1 the accuracy weighs more (RPT tends to P),
    below 1 the stability does (RPT tends to R). It lies between R and P, so between 0 and 1.

    Parameters
    ----------
    stability : array-like
        Where higher is more stable and 1 is best. Values below 0, that is worse than chance, count
        as 0.
    accuracy : array-like
        1 minus the error.
    beta : float, default 1.0
        The weight, above 0.

    Returns
    -------
    ndarray or float
        0 where stability or accuracy is 0; NaN where one of them is missing.

    References
    ----------
    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.judge.rpt([0.5, 0.9], [0.9, 0.9]).round(3).tolist()
    [0.643, 0.9]
    >>> print(f"{hf.judge.rpt(0.5, 0.9, beta=2):.3f}")
    0.776
    """
    check_beta(beta)
    robust = np.maximum(np.asarray(stability, dtype=np.float64), 0.0)
    good = np.asarray(accuracy, dtype=np.float64)
    length = math.hypot(1.0, beta)  # shares of 1, so that a huge beta stays finite
    below = (beta / length) ** 2 * robust + (1 / length) ** 2 * good
    with np.errstate(invalid="ignore", divide="ignore"):
        value = robust * good / below
    found: NDArray[np.float64] = np.where(below == 0, 0.0, value)[()]
    return found


def check_beta(beta: float) -> None:
    """Refuse a weight that is none."""
    if not (isinstance(beta, Real) and 0 < beta < math.inf):
        raise InvalidInputError(
            f"beta must be a number above 0: above 1 accuracy weighs more, below 1 stability "
            f"does; received {beta!r}."
        )


# Pairs that no other beats in every respect.

FRONT_COLUMNS = ("error", "stability", "size")


def pareto_front(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Find the rows that no other row beats: lower error, higher stability, fewer features.

    A row is beaten by another that is at least as good in all three respects and better in one.
    Where the size of one of two rows is not a number (``"own"``, missing), the two are compared
    by error and stability alone. Equal rows do not beat each other. Rows without an error or a
    stability are not on the front.

    Parameters
    ----------
    table : pandas.DataFrame
        With the columns ``error``, ``stability`` (higher is better) and ``size``.

    Returns
    -------
    bool array of shape (rows,)
        Which rows are on the front.

    Examples
    --------
    >>> import pandas as pd
    >>> import holdfast as hf
    >>> table = pd.DataFrame(
    ...     {"error": [0.1, 0.2, 0.2], "stability": [0.5, 0.9, 0.4], "size": [10, 10, 20]}
    ... )
    >>> hf.judge.pareto_front(table).tolist()
    [True, True, False]
    """
    lacking = [name for name in FRONT_COLUMNS if name not in table]
    if lacking:
        raise InvalidInputError(
            f"the table needs the columns {', '.join(FRONT_COLUMNS)}; it lacks "
            f"{format_list(lacking)}."
        )
    error, stability, size = (
        pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=np.float64)
        for name in FRONT_COLUMNS
    )
    return front_of(error, -stability, size)


def front_of(
    error: NDArray[np.float64], instability: NDArray[np.float64], size: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Find the rows that no other beats; lower is better in all columns, rounding is no better."""
    error, instability = np.round(error, DECIMALS), np.round(instability, DECIMALS)
    fit = np.isfinite(error) & np.isfinite(instability)
    front = fit.copy()
    for row in np.flatnonzero(fit):
        sized = np.isfinite(size) & np.isfinite(size[row])
        as_good = fit & (error <= error[row]) & (instability <= instability[row])
        as_good &= ~sized | (size <= size[row])
        better = (error < error[row]) | (instability < instability[row])
        front[row] = not np.any(as_good & (better | (sized & (size < size[row]))))
    return front
