"""Decision rules: one candidate chosen by error and stability, and whether the data support it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from holdfast._formatting import (
    did_you_mean,
    format_interval,
    format_list,
    format_number,
    format_percent,
    format_plus_minus,
)
from holdfast._typing import BoolArray, FloatArray
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge._error_comparison import CandidateErrors
from holdfast.judge._significance import BestCorrection, check_correction, correct_p_values

if TYPE_CHECKING:
    from holdfast.judge._candidates import Replicability
    from holdfast.judge._choice_error import ChoiceError


RuleName: TypeAlias = Literal["not_worse", "one_standard_error", "rpt"]
RULE_NAMES = ("not_worse", "one_standard_error", "rpt")
TIE_DECIMALS = 12
"""Numbers that agree to this many decimals differ by rounding only and are ties; chosen by hand."""


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
        # of equal errors the more stable one, then the smaller one
        best = first_row(usable, candidates.errors, -stability.stability, stability.sizes)
        p_values = np.full(len(usable), np.nan)
        if always_test or self.name == "not_worse":
            raw = candidates.p_values(best, as_published=self.correction is None)
            raw[~usable], raw[best] = np.nan, np.nan
            p_values = correct_p_values(raw, self.correction)
        if self.name == "one_standard_error":
            limit = candidates.errors[best] + np.nan_to_num(candidates.standard_errors[best])
            is_close = np.round(candidates.errors - limit, TIE_DECIMALS) <= 0
        else:
            is_close = p_values > self.alpha  # False without a test
        rivals = usable & is_close
        rivals[best] = True
        chosen = self._choose(candidates, stability, rivals, usable)
        return Decision(best, p_values, rivals, chosen)

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
    """Return the row that sorts first by the keys; ties go to the next key, then to the order."""
    numbers = np.flatnonzero(rows)
    # rounded, so that the last bits of a sum do not decide; lexsort sorts by its last key first
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
        # an unknown size neither helps nor harms
        as_good &= ~sized | (size <= size[row])
        better = (error < error[row]) | (instability < instability[row])
        front[row] = not np.any(as_good & (better | (sized & (size < size[row]))))
    return front


# Whether the data support the recommendation of a candidate at all: two gates.

GATE_LEVEL = 0.05
"""One-sided level of both gates; standard."""
NOISE_SPREAD = 0.7
"""Factor of the limit of the replication gate.

Calibrated by ``benchmarks/decision.py``. The standard error is calibrated for intervals where there
is signal, and too large on noise: there z had a standard deviation of 0.1 to 0.9 by selector, size
and number of samples (median 0.3). With this factor the best of eight combinations of selector and
size passed the gate in 1 of 60 studies of noise.
"""


@dataclass(frozen=True, eq=False)
class Support:
    """Which candidates pass the gates; without an estimate, or a baseline, a gate is open."""

    replicates: BoolArray
    """Whether halves agree better than chance, corrected for the number of cells."""
    classifies: BoolArray
    """Whether the error is clearly below that of predicting the largest class."""
    errors: FloatArray
    """The errors compared with the baseline: at least the error of the choice."""
    standard_errors: FloatArray
    """Their standard errors."""
    baseline: float | None
    replicability: Replicability | None
    n_cells: int
    """Number of combinations of selector and size with an estimate."""

    @property
    def passes(self) -> BoolArray:
        """Which candidates pass both gates."""
        return self.replicates & self.classifies

    def why_not(self, row: int, name: str) -> str:
        """Return why a candidate fails, as a sentence; empty where it passes."""
        reasons = []
        if not self.replicates[row]:
            reasons.append(self._explain_replication(row, name))
        if not self.classifies[row]:
            reasons.append(self._explain_classification(row, name, again=bool(reasons)))
        return " ".join(reasons)

    def _explain_replication(self, row: int, name: str) -> str:
        estimates = self.replicability
        if estimates is None:
            raise RuntimeError("without an estimate the replication gate is open")
        value, chance = estimates.value[row], estimates.chance[row]
        span = format_interval(estimates.low[row], estimates.high[row], estimates.measure)
        large = f" of {estimates.samples:,}" if estimates.samples else ""
        return (
            f"a second study{large} could not be expected to select the same features. For {name}, "
            f"replication stability is {value:.2f}{span}, not clearly better than chance "
            f"({format_number(chance)})."
        )

    def _explain_classification(self, row: int, name: str, *, again: bool) -> str:
        guess = format_percent(self.baseline or 0.0)
        error = format_plus_minus(self.errors[row], self.standard_errors[row])
        if again:
            return (
                f"Nor is its error of {error} clearly below guessing the largest class ({guess})."
            )
        return (
            f"the error to expect of {name}, {error}, is not clearly below that of guessing the "
            f"largest class ({guess})."
        )


def assess_support(
    candidates: CandidateErrors,
    usable: BoolArray,
    replicability: Replicability | None,
    *,
    baseline: float | None,
    choice: ChoiceError | None,
    independent: bool = False,
) -> Support:
    r"""Test each candidate against chance and against the largest class.

    *Replication*: the selections from disjoint halves must agree better than chance. With
    :math:`z = (\hat\rho - \rho_{chance}) / SE` (`Replicability.z`), a candidate passes if
    :math:`z > 0.7\, \Phi^{-1}(1 - 0.05/c)`: one-sided, with Bonferroni's correction for the c
    combinations of selector and size, because the best of them is chosen. The factor 0.7 is
    calibrated (`NOISE_SPREAD`).

    *Classification*: the error must be below that of always predicting the largest class, by a
    one-sided z-test at 5%. The error is at least the error of the choice, as the error of a chosen
    candidate is too low.

    A gate is open where its estimate, or the baseline, is missing.

    Parameters
    ----------
    candidates : CandidateErrors
        Errors and standard errors.
    usable : ndarray of bool, shape (candidates,)
        The candidates that are considered.
    replicability : Replicability or None
        Their replication stability.
    baseline : float or None
        Error of always predicting the largest class.
    choice : ChoiceError or None
        The error of the choice.
    independent : bool, default False
        Whether the estimates come from independent data sets, whose standard errors are valid on
        noise, too.
    """
    errors, standard_errors = candidates.errors.copy(), candidates.standard_errors.copy()
    if choice is not None:  # the error of a chosen candidate is too low
        errors = np.fmax(errors, choice.error)
        standard_errors = np.fmax(standard_errors, choice.standard_error)
    n_cells, replicates = 0, np.ones(len(usable), dtype=bool)
    if replicability is not None:
        n_cells = replicability.n_cells(usable)
    if replicability is not None and n_cells:
        # Bonferroni's correction: the chosen cell is the best of n_cells
        limit = NormalDist().inv_cdf(1 - GATE_LEVEL / n_cells)
        limit *= 1.0 if independent else NOISE_SPREAD
        # a gate without an estimate is open
        replicates = np.isnan(replicability.z) | (replicability.z > limit)
    classifies = np.ones(len(usable), dtype=bool)
    if baseline is not None:
        limit = NormalDist().inv_cdf(1 - GATE_LEVEL)
        is_below = baseline - errors > limit * np.nan_to_num(standard_errors)
        classifies = np.isnan(errors) | is_below
    return Support(
        replicates=replicates,
        classifies=classifies,
        errors=errors,
        standard_errors=standard_errors,
        baseline=baseline,
        replicability=replicability,
        n_cells=n_cells,
    )
