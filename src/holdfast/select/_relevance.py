"""How relevant features, and with them groups of features, are to the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.select._base import Scorer
from holdfast.select._given import as_selector
from holdfast.select._grouper import Grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.select._selector import Array


def relevances(
    relevance: Any,  # noqa: ANN401
    X: Any,  # noqa: ANN401
    y: NDArray[np.intp],
    generator: np.random.Generator,
) -> Array:
    """Return the score of each feature.

    Parameters
    ----------
    relevance : Scorer, estimator, callable or str
        What scores the features, as `as_selector` takes it.
    X, y
        Checked data, and the codes of the classes.
    generator : numpy.random.Generator
        For scores that are drawn.

    Returns
    -------
    array of shape (p,)

    Raises
    ------
    InvalidInputError
        The selector gives no scores.
    """
    scorer = as_selector(relevance)
    if not isinstance(scorer, Scorer):
        raise InvalidInputError(
            "relevance must be a selector that scores features, such as 'f_score' or 'relieff'; "
            f"{type(scorer).__name__} gives no scores."
        )
    return scorer._score(X, y, generator)


def best_first(
    members: Sequence[NDArray[np.intp]], representatives: NDArray[np.intp], scores: Array
) -> Grouped:
    """Put groups into the order of falling scores; equal ones by their representatives."""
    order = np.lexsort((representatives, -scores))
    return Grouped(tuple(members[i] for i in order), representatives[order], scores[order])
