"""Decision rules that choose one candidate by its error and its stability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from holdfast._formatting import did_you_mean, format_list
from holdfast._typing import BoolArray, FloatArray
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge._error_comparison import CandidateErrors
from holdfast.judge._significance import BestCorrection, check_correction, correct_p_values

RuleName: TypeAlias = Literal["not_worse", "one_standard_error", "rpt"]
RULE_NAMES = ("not_worse", "one_standard_error", "rpt")
TIE_DECIMALS = 12
"""Numbers that agree to this many decimals are ties; they differ by rounding only."""


class CandidateStability(NamedTuple):
    """Stability and size of all candidates."""

    stability: FloatArray
    """Higher is more stable, whatever the measure."""
    sizes: FloatArray
    """Infinite where unknown."""
    passes: BoolArray | None = None
    """Candidates that can be recommended; they come first. None: no candidate is preferred."""


class Decision(NamedTuple):
    """Outcome of a decision rule; candidates are named by their rows."""

    best: int
    """The candidate with the lowest error."""
    p_values: FloatArray
    """Corrected p-values of the tests against the best; NaN for the best and without a test."""
    rivals: BoolArray
    """The candidates that the rule chooses from."""
    chosen: int


@dataclass(frozen=True, kw_only=True)
class DecisionRule:
    """A rule and its settings, as for `recommend`."""

    name: RuleName = "not_worse"
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
        self,
        candidates: CandidateErrors,
        stability: CandidateStability,
        *,
        always_test: bool = True,
    ) -> Decision | None:
        """Choose among the candidates with an error and a stability; None if none has both.

        The tests are made if the rule needs them, or with `always_test`.
        """
        usable = np.isfinite(candidates.errors) & np.isfinite(stability.stability)
        if not usable.any():
            return None
        best = first_row(usable, candidates.errors, -stability.stability, stability.sizes)
        p_values = np.full(len(usable), np.nan)
        if always_test or self.name == "not_worse":
            p_values = self._test_against(best, candidates, usable)
        rivals = usable & self._is_close(candidates, best, p_values)
        rivals[best] = True
        chosen = self._choose(candidates, stability, rivals, usable)
        return Decision(best, p_values, rivals, chosen)

    def _test_against(
        self, best: int, candidates: CandidateErrors, usable: BoolArray
    ) -> FloatArray:
        p_values = candidates.p_values(best, as_published=self.correction is None)
        p_values = np.where(usable, p_values, np.nan)
        p_values[best] = np.nan
        return correct_p_values(p_values, self.correction)

    def _is_close(self, candidates: CandidateErrors, best: int, p_values: FloatArray) -> BoolArray:
        """Return which candidates are close to the best; without a test they do not count."""
        if self.name != "one_standard_error":
            return p_values > self.alpha
        limit = candidates.errors[best] + np.nan_to_num(candidates.standard_errors[best])
        close: BoolArray = np.round(candidates.errors - limit, TIE_DECIMALS) <= 0
        return close

    def _choose(
        self,
        candidates: CandidateErrors,
        stability: CandidateStability,
        rivals: BoolArray,
        usable: BoolArray,
    ) -> int:
        passes = np.ones_like(usable) if stability.passes is None else stability.passes
        fails = (~passes).astype(np.float64)
        errors, instability = candidates.errors, -stability.stability
        if self.name != "rpt":
            return first_row(rivals, fails, instability, errors, stability.sizes)
        trade_off = rpt(stability.stability, 1 - errors, self.beta)
        return first_row(usable, fails, -trade_off, errors, instability, stability.sizes)


def first_row(rows: BoolArray, *keys: FloatArray) -> int:
    """Return the row that sorts first by the keys, ties by the next key, then by order."""
    numbers = np.flatnonzero(rows)
    order = np.lexsort([np.round(key[numbers], TIE_DECIMALS) for key in reversed(keys)])
    return int(numbers[order[0]])


def rpt(stability: ArrayLike, accuracy: ArrayLike, beta: float = 1.0) -> FloatArray:
    r"""Return the trade-off between robustness and performance, RPT.

    A weighted harmonic mean of the stability R and the accuracy P:

    .. math:: RPT_\beta = \frac{(\beta^2 + 1) R P}{\beta^2 R + P}

    With :math:`\beta = 1` both have equal weight; above 1 the accuracy weighs more (RPT tends to
    P), below 1 the stability (RPT tends to R). It lies between R and P, so between 0 and 1.

    Parameters
    ----------
    stability : array-like
        Higher is more stable and 1 is best. Values below 0 (worse than chance) count as 0.
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
    length = math.hypot(1.0, beta)  # weights that sum to 1, so that a huge beta stays finite
    denominator = (beta / length) ** 2 * robust + (1 / length) ** 2 * good
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = robust * good / denominator
    value: FloatArray = np.where(denominator == 0, 0.0, ratio)[()]
    return value


def check_beta(beta: float) -> None:
    """Raise if beta is not a positive finite number."""
    if not (isinstance(beta, Real) and 0 < beta < math.inf):
        raise InvalidInputError(
            f"beta must be a number above 0 (above 1 accuracy weighs more, below 1 stability), "
            f"got {beta!r}."
        )


FRONT_COLUMNS = ("error", "stability", "size")


def pareto_front(table: pd.DataFrame) -> BoolArray:
    """Find the Pareto front: rows that no other row dominates in error, stability and size.

    A row is dominated by another that is at least as good in all three respects and better in one:
    lower error, higher stability, fewer features. Where the size of one of two rows is not a number
    (``"own"``, missing), the two are compared by error and stability alone. Equal rows do not
    dominate each other. Rows without an error or a stability are not on the front.

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
    missing = [name for name in FRONT_COLUMNS if name not in table]
    if missing:
        raise InvalidInputError(
            f"the table needs the columns {', '.join(FRONT_COLUMNS)}; missing: "
            f"{format_list(missing)}."
        )
    error, stability, size = (
        pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=np.float64)
        for name in FRONT_COLUMNS
    )
    return nondominated_rows(error, -stability, size)


def nondominated_rows(error: FloatArray, instability: FloatArray, size: FloatArray) -> BoolArray:
    """Find the rows that no other row dominates; lower is better, up to rounding, in each array."""
    error, instability = np.round(error, TIE_DECIMALS), np.round(instability, TIE_DECIMALS)
    usable = np.isfinite(error) & np.isfinite(instability)
    front = usable.copy()
    for row in np.flatnonzero(usable):
        sized = np.isfinite(size) & np.isfinite(size[row])
        as_good = usable & (error <= error[row]) & (instability <= instability[row])
        as_good &= ~sized | (size <= size[row])
        better = (error < error[row]) | (instability < instability[row])
        front[row] = not np.any(as_good & (better | (sized & (size < size[row]))))
    return front
