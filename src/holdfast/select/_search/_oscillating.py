"""Oscillating search: swings down and up around the best subset, ever deeper."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.select._search._walk import Place, Walk

    Neighbour = Callable[[Place], "tuple[int, Place] | None"]


def oscillate(walk: Walk, place: Place, depth: int) -> Place:
    """Swing until no swing of any depth up to `depth` finds a better subset.

    A swing of depth d removes d units and adds d, or adds d and removes d, always the best one.
    A better subset on the way, of any size that may be chosen, ends the swing: the next one
    starts there, at depth 1.
    """
    swing, deepest = 1, min(depth, len(walk.space.free))
    while swing <= deepest:
        better = _swung(walk, place, swing, walk.smaller, walk.larger)
        if better is None:
            better = _swung(walk, place, swing, walk.larger, walk.smaller)
        place, swing = (place, swing + 1) if better is None else (better, 1)
    return place


def _swung(walk: Walk, start: Place, depth: int, out: Neighbour, back: Neighbour) -> Place | None:
    """Swing out and back; return the first subset that is better than the start.

    Where no features are left, or none are to be had, the swing is less deep.
    """
    place, left = start, 0
    for turn in (out, back):
        for _ in range(depth if turn is out else left):
            move = turn(place)
            if move is None:
                break
            place = walk.go(move)
            left += turn is out
            if walk.sizes.allow(place.size) and place.beats(start):
                return place
    return None
