"""The error of a choice, in numbers and in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from holdfast._text import plural
from holdfast.judge._words import percent, plus_minus

if TYPE_CHECKING:
    from holdfast.judge._pair import Pair, Tested


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


def told(
    tested: Tested, chosen: list[int], error: float, spread: float, method: str
) -> ChoiceError:
    """Sum up what was chosen how often, and its error."""
    counts = Counter(chosen).most_common()
    table = pd.DataFrame(
        [(*tested.pairs[pair], count, count / len(chosen)) for pair, count in counts],
        columns=["selector", "classifier", "size", "count", "share"],
    )
    how = _where(tested, method, len(chosen))
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


def _where(tested: Tested, method: str, n: int) -> str:
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
    share = percent(times / n, 0)
    if len(first) == 1:
        return f"{first[0]} came out most often ({share} of the time)"
    few = f"{', '.join(first[:-1])} and {first[-1]}"
    who = few if len(first) <= NAMED else f"{len(first):,} pairs"
    return f"{who} came out most often ({share} of the time each)"
