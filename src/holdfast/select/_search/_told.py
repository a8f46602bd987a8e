"""What a search tells afterwards: its path, and the best subset of each size, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from holdfast.select._search._walk import Walk

    Names = NDArray[np.object_] | None


def path_of(walk: Walk, names: Names) -> pd.DataFrame:
    """Return all steps in order: the move, what moved, size, value, and whether it was the best."""
    steps = [walk.told(position) for position in range(len(walk.steps))]
    return pd.DataFrame(
        {
            "move": [step.move for step in steps],
            "moved": [_called(step.moved, names) for step in steps],
            "size": [step.size for step in steps],
            "value": [step.value for step in steps],
            "best": [step.best for step in steps],
        }
    ).rename_axis("step")


def best_of_size(walk: Walk, names: Names) -> pd.DataFrame:
    """Return the value and the features of the best subset of each size that was met."""
    kept = [walk.kept[size] for size in sorted(walk.kept)]
    features = [_called(walk.space.features(place.subset).tolist(), names) for place in kept]
    return pd.DataFrame(
        {"value": [place.value for place in kept], "features": features},
        index=pd.Index([place.size for place in kept], name="size"),
    )


def _called(features: Iterable[int], names: Names) -> tuple[Any, ...]:
    return tuple(features) if names is None else tuple(names[i] for i in features)
