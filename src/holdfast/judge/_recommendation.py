"""What is recommended, why, and what else came close."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from holdfast.judge._pair import Pair
from holdfast.judge._words import plus_minus, within
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from holdfast.judge._choice_error import ChoiceError

SHOWN = 10
"""Most rivals that a notebook shows."""
HEADS = ("selector", "classifier", "features", "error", "stability", "p")


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
        error = plus_minus(self.error, self.standard_error)
        known = "" if math.isnan(self.error) else f"error {error}, "
        if self.stability_source == "replication":
            span = within(self.replication_low, self.replication_high, get_measure(self.measure))
            return f"{self.pair}: {known}replication {self.replication:.2f}{span} by {self.measure}"
        interval = within(self.low, self.high, get_measure(self.measure))
        return f"{self.pair}: {known}{self.measure} {self.stability:.2f}{interval}"

    def _repr_html_(self) -> str:
        title = self._headline() if self.supported else "Nothing can be recommended"
        reasons = "".join(f"<li>{escape(reason)}</li>" for reason in self.reasons)
        shown = self.rivals.head(SHOWN)
        lines = "".join(_line("td", self._cells(row)) for _, row in shown.iterrows())
        more = len(self.rivals) - len(shown)
        rest = f"<p>and {more:,} more in <code>.rivals</code></p>" if more else ""
        return (
            f"<div><h4>{escape(title)}</h4><ul>{reasons}</ul>"
            f"<table><thead>{_line('th', HEADS)}</thead><tbody>{lines}</tbody></table>{rest}</div>"
        )

    def _cells(self, row: pd.Series[float]) -> list[str]:
        interval = within(row["low"], row["high"], get_measure(self.measure))
        return [
            str(row["selector"]),
            str(row["classifier"] or ""),
            str(row["size"]),
            "" if math.isnan(row["error"]) else plus_minus(row["error"], row["standard_error"]),
            f"{row['stability']:.2f}{interval}",
            "" if math.isnan(row["p_value"]) else f"{row['p_value']:.3f}",
        ]


def _line(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
