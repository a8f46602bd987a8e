"""The error of a choice, in numbers and in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from holdfast._text import plural
from holdfast.judge._words import percent, plus_minus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.judge._pair import Pair


@dataclass(frozen=True, eq=False, kw_only=True)
class ChoiceError:
    """The error to expect of whatever a rule chooses, the choosing included.

    Attributes
    ----------
    error, standard_error : float
        The error, and its standard error.
    method : {"nested", "bootstrap"}
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
    pairs: Sequence[Pair], chosen: list[int], error: float, spread: float, method: str
) -> ChoiceError:
    """Sum up what was chosen how often, and its error."""
    counts = Counter(chosen).most_common()
    table = pd.DataFrame(
        [(*pairs[pair], count, count / len(chosen)) for pair, count in counts],
        columns=["selector", "classifier", "size", "count", "share"],
    )
    return ChoiceError(
        error=error,
        standard_error=spread,
        method=method,
        n=len(chosen),
        chosen=table,
        sentence=_sentence(error, spread, method, len(chosen), pairs[counts[0][0]], counts[0][1]),
    )


def _sentence(error: float, spread: float, method: str, n: int, favourite: Pair, times: int) -> str:
    where = (
        f"within each of {plural(n, 'outer training part')} and testing outside"
        if method == "nested"
        else f"on samples drawn anew {n:,} times and testing on those not drawn"
    )
    return (
        f"With the choosing taken into account, the error to expect is "
        f"{plus_minus(error, spread)}: estimated by choosing {where}, where {favourite} came out "
        f"most often ({percent(times / n, 0)} of the time)."
    )
