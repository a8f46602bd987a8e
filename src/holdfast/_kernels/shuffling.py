"""The beginning of a random permutation.

**Method.** Fisher and Yates' shuffle, stopped after the first entries: entry i is swapped with one
of the entries from i on, each with the same probability.

**Reference.** [Durstenfeld1964]_.

**Deviations.** Only the entries that are needed are drawn. The deck keeps the order that earlier
calls gave it; a shuffle of any order is uniform.

**Rounding.** An index is the integer part of a uniform double below 1 times the number of entries
left, which never rounds up to that number. Its probabilities differ from equal ones by less than
2^-52.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._kernels import subroutine
from holdfast._typing import IntArray

if TYPE_CHECKING:
    import numpy as np


@subroutine
def shuffle_front(deck: IntArray, count: int, generator: np.random.Generator) -> None:
    """Bring a random sequence of `count` different entries to the front of the deck.

    Parameters
    ----------
    deck : ndarray of shape (n,)
        Different entries, reordered in place.
    """
    for i in range(count):
        j = i + int(generator.random() * (len(deck) - i))
        deck[i], deck[j] = deck[j], deck[i]
