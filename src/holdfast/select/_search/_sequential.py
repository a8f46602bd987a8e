"""One unit at a time in one direction, and floating: with steps back where these pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.select._search._walk import Place, Walk

    Neighbour = Callable[[Place], "tuple[int, Place] | None"]


def forward(walk: Walk) -> None:
    """Add the best unit until the largest size is reached."""
    grow(walk, walk.start(walk.space.forced), walk.sizes.high)


def backward(walk: Walk) -> None:
    """Remove the unit that is missed least until the smallest size is reached."""
    place = walk.start(walk.space.everything)
    while place.size > walk.sizes.low and (move := walk.smaller(place)):
        place = walk.go(move)


def floating_forward(walk: Walk) -> None:
    """Add the best unit, then remove units while that beats the best subset of that size."""
    place = walk.start(walk.space.forced)
    while place.size < walk.sizes.high and (move := walk.larger(place)):
        place = _while_better(walk, walk.go(move), walk.smaller)


def floating_backward(walk: Walk) -> None:
    """Remove the worst unit, then add units while that beats the best subset of that size."""
    place = walk.start(walk.space.everything)
    while place.size > walk.sizes.low and (move := walk.smaller(place)):
        place = _while_better(walk, walk.go(move), walk.larger)


def _while_better(walk: Walk, place: Place, neighbour: Neighbour) -> Place:
    """Step back as long as a step leads to more than any subset of its size before."""
    while move := neighbour(place):
        kept = walk.kept.get(move[1].size)
        if kept is None or not move[1].value > kept.value:
            break
        place = walk.go(move)
    return place


def grow(walk: Walk, place: Place, size: int) -> Place:
    """Add the best unit until a size is reached; return where that leads."""
    while place.size < size and (move := walk.larger(place)):
        place = walk.go(move)
    return place
