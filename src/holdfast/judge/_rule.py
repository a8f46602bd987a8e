"""The rules by which one pair is chosen from many, on whatever samples they are scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from holdfast._text import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge._rpt import check_beta, rpt
from holdfast.judge._tests import check_correction, corrected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._tests import BestCorrection

    Array = NDArray[np.float64]

Name: TypeAlias = Literal["not_worse", "one_standard_error", "rpt"]
NAMES = ("not_worse", "one_standard_error", "rpt")
DECIMALS = 12
"""Numbers that agree to so many decimals are ties; the rest is rounding."""


class Scored(Protocol):
    """Errors of all pairs, their standard errors, and the tests of one pair against all."""

    @property
    def errors(self) -> Array: ...
    @property
    def spreads(self) -> Array: ...
    def p_values(self, best: int, *, as_published: bool = False) -> Array: ...


class Merits(NamedTuple):
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
class Rule:
    """A rule and its settings."""

    name: Name = "not_worse"
    alpha: float = 0.05
    correction: BestCorrection = "chosen_best"
    beta: float = 1.0

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            near = did_you_mean(str(self.name), NAMES)
            raise UnknownNameError(f"no rule is called {self.name!r}.{near}")
        if not 0 < self.alpha < 1:
            raise InvalidInputError(f"alpha must be between 0 and 1, got {self.alpha!r}.")
        check_correction(self.correction, ("chosen_best", "holm"))
        check_beta(self.beta)

    def decide(self, scored: Scored, merits: Merits, *, tested: bool = True) -> Decision | None:
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

    def _tested(self, scored: Scored, best: int, fit: NDArray[np.bool_]) -> Array:
        as_published = self.correction is None
        found = scored.p_values(best, as_published=as_published)
        p_values = np.where(fit, found, np.nan)
        p_values[best] = np.nan
        return corrected(p_values, self.correction)

    def _close(self, scored: Scored, best: int, p_values: Array) -> NDArray[np.bool_]:
        """Return which pairs are close to the best; without a test they are not known to be."""
        if self.name != "one_standard_error":
            return p_values > self.alpha
        limit = scored.errors[best] + np.nan_to_num(scored.spreads[best])
        close: NDArray[np.bool_] = np.round(scored.errors - limit, DECIMALS) <= 0
        return close

    def _chosen(
        self, scored: Scored, merits: Merits, rivals: NDArray[np.bool_], fit: NDArray[np.bool_]
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
