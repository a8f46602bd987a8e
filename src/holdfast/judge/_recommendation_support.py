r"""Whether the data support the recommendation of a candidate at all: two gates.

Method
------
*Replication*: the selections from disjoint halves must agree better than chance. With
:math:`z = (\hat\rho - \rho_{chance}) / SE` (`Replicability.z`), a candidate passes if
:math:`z > 0.7\, \Phi^{-1}(1 - 0.05/c)`: one-sided, with Bonferroni's correction for the c
combinations of selector and size, because the best of them is chosen. The factor 0.7 is calibrated
(`NOISE_SPREAD`).

*Classification*: the error must be below that of always predicting the largest class, by a
one-sided z-test at 5%. The error is at least the error of the choice, as the error of a chosen
candidate is too low.

A gate is open where its estimate, or the baseline, is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from holdfast._formatting import format_interval, format_number, format_percent, format_plus_minus
from holdfast._typing import BoolArray, FloatArray

if TYPE_CHECKING:
    from holdfast.judge._choice_error import ChoiceError
    from holdfast.judge._error_comparison import CandidateErrors
    from holdfast.judge._replicability import Replicability


GATE_LEVEL = 0.05
"""One-sided level of both gates."""
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
        known = self.replicability
        if known is None:
            raise RuntimeError("without an estimate the replication gate is open")
        value, chance = known.value[row], known.chance[row]
        span = format_interval(known.low[row], known.high[row], known.measure)
        large = f" of {known.samples:,}" if known.samples else ""
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
    """Test each candidate against chance and against the largest class.

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
    n_cells = 0 if replicability is None else replicability.n_cells(usable)
    return Support(
        replicates=_passes_replication(
            replicability, n_cells, len(usable), independent=independent
        ),
        classifies=_passes_classification(errors, standard_errors, baseline),
        errors=errors,
        standard_errors=standard_errors,
        baseline=baseline,
        replicability=replicability,
        n_cells=n_cells,
    )


def _passes_replication(
    replicability: Replicability | None, n_cells: int, count: int, *, independent: bool
) -> BoolArray:
    """Test the agreement against chance; Bonferroni over selectors and sizes."""
    if replicability is None or not n_cells:
        return np.ones(count, dtype=bool)
    limit = NormalDist().inv_cdf(1 - GATE_LEVEL / n_cells) * (1.0 if independent else NOISE_SPREAD)
    return np.asarray(np.isnan(replicability.z) | (replicability.z > limit))


def _passes_classification(
    errors: FloatArray, standard_errors: FloatArray, baseline: float | None
) -> BoolArray:
    if baseline is None:
        return np.ones(len(errors), dtype=bool)
    limit = NormalDist().inv_cdf(1 - GATE_LEVEL)
    below = baseline - errors > limit * np.nan_to_num(standard_errors)
    return np.asarray(np.isnan(errors) | below)
