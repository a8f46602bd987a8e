"""Searches that go through very many sizes of subsets are told of before work starts."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from holdfast._spelling import snake_case
from holdfast.errors import HoldfastWarning
from holdfast.select._wrapper import Wrapper
from holdfast.study._training import offered

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from holdfast.select import Selector

MOST = 200
"""Most sizes that a search goes through without a word."""


def warn_of_long_searches(
    selectors: Mapping[str, Selector], n_features: int, features: NDArray[np.intp] | None
) -> None:
    """Warn of searches that take very many steps; `features` are those offered, None for all."""
    n_offered = n_features if features is None else len(features)
    for name, one in selectors.items():
        if not isinstance(one, Wrapper):
            continue
        n_sizes, n_subsets = offered(one, features, n_features).extent(n_offered)
        if n_sizes > MOST:
            warnings.warn(
                f"{name} goes through all {n_sizes:,} sizes of subsets on each resample, at least "
                f"{n_subsets:,} subsets; to stop earlier {_shorter(one)}.",
                HoldfastWarning,
                stacklevel=3,
            )


def _shorter(search: Wrapper) -> str:
    """Say how a search comes to its end earlier; a largest size does not end one backward."""
    if search.sweeps == "backward":
        give, kind = "search forward and give", "forward_selection"
    else:
        give, kind = "give", snake_case(type(search).__name__)
    return f"{give} n_features_to_select, as in {kind}:n_features_to_select=(1,30)"
