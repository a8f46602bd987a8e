"""Whether a pair can be recommended at all: is there anything that a second study would find?

A pair passes two gates. Its selections from disjoint halves agree better than chance, and its error
lies clearly below that of always naming the largest class.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from holdfast._formatting import format_interval, percent_words, plus_minus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._choice_error import ChoiceError
    from holdfast.judge._decision_rule import CandidateErrors
    from holdfast.judge._replicability import Replicability

    Array = NDArray[np.float64]

GATE_LEVEL = 0.05
"""One-sided level of both gates."""
NOISE_SPREAD = 0.7
"""By what the limit of the replication gate is multiplied.

The standard error is made for intervals where there is something to find. On noise it is too large:
the distance from chance, in standard errors, had a standard deviation of 0.1 to 0.9 by selector,
size and number of samples, 0.3 in the median. With this factor the best of eight selectors and
sizes passed the gate in 1 of 60 studies of noise. Calibrated by ``benchmarks/decision.py``.
"""


@dataclass(frozen=True, eq=False)
class Support:
    """Which pairs pass the gates; without an estimate, or a baseline, a gate is open."""

    replicates: NDArray[np.bool_]
    """Whether halves agree better than chance, the number of cells taken into account."""
    classifies: NDArray[np.bool_]
    """Whether the error is clearly below guessing."""
    errors: Array
    """The errors that were compared with guessing: not below that of the choice itself."""
    spreads: Array
    """Their standard errors."""
    baseline: float | None
    replicability: Replicability | None
    n_cells: int

    @property
    def passes(self) -> NDArray[np.bool_]:
        """Whether both gates are passed."""
        return self.replicates & self.classifies

    def why_not(self, row: int, name: str) -> str:
        """Say what speaks against a pair; nothing where it passes."""
        found = []
        if not self.replicates[row]:
            found.append(self._not_replicated(row, name))
        if not self.classifies[row]:
            found.append(self._not_classified(row, name, again=bool(found)))
        return " ".join(found)

    def _not_replicated(self, row: int, name: str) -> str:
        known = self.replicability
        if known is None:
            raise RuntimeError("the gate of replication is open without an estimate")
        value, chance = known.value[row], known.chance[row]
        span = format_interval(known.low[row], known.high[row], known.measure)
        large = f" of {known.samples:,}" if known.samples else ""
        return (
            f"a second study{large} could not be expected to select the same features. For {name}, "
            f"replication stability is {value:.2f}{span}, not clearly better than chance "
            f"({_format_chance(chance)})."
        )

    def _not_classified(self, row: int, name: str, *, again: bool) -> str:
        guess = percent_words(self.baseline or 0.0)
        error = plus_minus(self.errors[row], self.spreads[row])
        if again:
            return (
                f"Nor is its error of {error} clearly below guessing the largest class ({guess})."
            )
        return (
            f"the error to expect of {name}, {error}, is not clearly below that of guessing the "
            f"largest class ({guess})."
        )


def _format_chance(chance: float) -> str:
    return f"{chance + 0.0:.2f}".replace("-0.00", "0.00")


def support_of(
    scored: CandidateErrors,
    fit: NDArray[np.bool_],
    replicability: Replicability | None,
    *,
    baseline: float | None,
    choice: ChoiceError | None,
    independent: bool = False,
) -> Support:
    """Test each pair against chance and against guessing.

    Parameters
    ----------
    scored : Scored
        Errors and standard errors.
    fit : ndarray of bool, shape (pairs,)
        The pairs that are considered.
    replicability : Replicability or None
        What is known of a second study.
    baseline : float or None
        Error of naming the largest class always.
    choice : ChoiceError or None
        The error of the choice itself.
    independent : bool, default False
        Whether the estimates come from independent data sets, whose standard errors are right
        without signal, too.
    """
    errors, spreads = scored.errors.copy(), scored.spreads.copy()
    if choice is not None:  # the error of a chosen pair is flattered
        errors = np.fmax(errors, choice.error)
        spreads = np.fmax(spreads, choice.standard_error)
    n_cells = 0 if replicability is None else replicability.n_cells(fit)
    return Support(
        replicates=_replicate(replicability, n_cells, len(fit), independent=independent),
        classifies=_classify(errors, spreads, baseline),
        errors=errors,
        spreads=spreads,
        baseline=baseline,
        replicability=replicability,
        n_cells=n_cells,
    )


def _replicate(
    known: Replicability | None, n_cells: int, count: int, *, independent: bool
) -> NDArray[np.bool_]:
    """Test agreement against chance, by Bonferroni over selectors and sizes: the best is chosen."""
    if known is None or not n_cells:
        return np.ones(count, dtype=bool)
    limit = NormalDist().inv_cdf(1 - GATE_LEVEL / n_cells) * (1.0 if independent else NOISE_SPREAD)
    return np.asarray(np.isnan(known.z) | (known.z > limit))


def _classify(errors: Array, spreads: Array, baseline: float | None) -> NDArray[np.bool_]:
    if baseline is None:
        return np.ones(len(errors), dtype=bool)
    limit = NormalDist().inv_cdf(1 - GATE_LEVEL)
    below = baseline - errors > limit * np.nan_to_num(spreads)
    return np.asarray(np.isnan(errors) | below)
