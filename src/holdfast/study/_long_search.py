"""Searches that go through very many sizes of subsets are told of before work starts."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastWarning
from holdfast.select._floating import FloatingSelection
from holdfast.select._forward import BackwardSelection, ForwardSelection
from holdfast.select._oscillating import FORWARD, OscillatingSearch
from holdfast.select._search._space import Space
from holdfast.select._sizes import Sizes
from holdfast.study._training import offered

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from holdfast.select import Selector
    from holdfast.select._wrapper import Wrapper

MOST = 200
"""Most sizes that a search goes through without a word."""
BOUNDED: dict[type[Wrapper], str] = {
    ForwardSelection: "forward_selection",
    BackwardSelection: "forward_selection",  # a largest size does not end it
    FloatingSelection: "floating_selection",
    OscillatingSearch: "oscillating_search",
}
"""For each search one that a largest size ends early."""


def warn_of_long_searches(
    selectors: Mapping[str, Selector], n_features: int, features: NDArray[np.intp] | None
) -> None:
    """Warn of searches that take very many steps; `features` are those offered, None for all."""
    n_offered = n_features if features is None else len(features)
    for name, one in selectors.items():
        kind = next((kind for kind in BOUNDED if isinstance(one, kind)), None)
        if kind is None or not (way := _way(one)):
            continue
        search = offered(one, features, n_features)
        n_sizes, n_subsets = _extent(search, n_offered, backward=way == "backward")
        if n_sizes > MOST:
            _warn(f"{name} goes through all {n_sizes:,} sizes", n_subsets, kind, way)


def _warn(what: str, n_subsets: int, kind: type[Wrapper], way: str) -> None:
    about = "about" if kind in (ForwardSelection, BackwardSelection) else "at least"
    give = "give" if way == FORWARD else "search forward and give"
    warnings.warn(
        f"{what} of subsets on each resample, {about} {n_subsets:,} subsets; to stop earlier "
        f"{give} n_features_to_select, as in {BOUNDED[kind]}:n_features_to_select=(1,30).",
        HoldfastWarning,
        stacklevel=4,
    )


def _way(search: Any) -> str:  # noqa: ANN401  (a search of any kind)
    """Return in which direction a search goes through the sizes; nothing where it does not."""
    if isinstance(search, OscillatingSearch):
        return FORWARD if isinstance(search.start, str) and search.start == FORWARD else ""
    if isinstance(search, FloatingSelection):
        return str(search.direction)
    return "backward" if isinstance(search, BackwardSelection) else FORWARD


def _extent(search: Any, n_features: int, *, backward: bool) -> tuple[int, int]:  # noqa: ANN401
    """Return how many sizes a search goes through, and how many subsets it judges on the way."""
    space = Space.of(
        n_features, None, search.feature_groups, search.forced_in, search.forced_out
    )  # fmt: skip
    sizes = Sizes.of(search.n_features_to_select, space.least, space.most)
    forced = len(space.forced)
    if backward:  # any of those not forced may leave
        left = range(sizes.low + 1, space.most + 1)
        return len(left) + 1, 1 + sum(left) - forced * len(left)
    absent = range(space.most - sizes.high + 1, space.most - forced + 1)
    return len(absent), sum(absent)
