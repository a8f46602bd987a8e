"""Floating selection: sequential, with steps back wherever they pay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast._checks import one_of
from holdfast.select._record import selector
from holdfast.select._search._sequential import floating_backward, floating_forward
from holdfast.select._wrapper import Wrapper

if TYPE_CHECKING:
    from holdfast.preferences._ties import RandomState
    from holdfast.select._search._walk import Callback, Walk

DIRECTIONS = {"forward": floating_forward, "backward": floating_backward}


@selector(
    name="floating_selection",
    title="Sequential floating selection (SFFS, SBFS)",
    references=("pudil1994", "somol2008"),
)
class FloatingSelection(Wrapper):
    r"""Sequential floating selection: steps in one direction, and back while that pays.

    Forward (SFFS): the best feature is added; then the feature that is missed least leaves, and
    the next, as long as each subset is better than the best one of its size before. The search
    ends at the largest size. Backward (SBFS): the same, the other way round. The best of all
    subsets is chosen. As back-steps must improve on the best subset of a size, the search ends
    always, and the kept subset of a size never gets worse. What is said of
    :class:`ForwardSelection` about splits, ties and compiled code holds here too.

    Parameters
    ----------
    classifier : estimator or str, default None
        What judges subsets, as for :class:`ForwardSelection`.
    direction : {"forward", "backward"}, default "forward"
        Whether to start from nothing, or from all features.
    n_features_to_select, cv, scoring, forced_in, forced_out, feature_groups
        As for :class:`ForwardSelection`.
    warm_start, callback, n_jobs, random_state
        As for :class:`ForwardSelection`.

    Attributes
    ----------
    support_, value_, path_, best_of_size_, n_judged_, finished_
        As for :class:`ForwardSelection`.

    References
    ----------
    P. Pudil, J. Novovičová, J. Kittler (1994). Floating search methods in feature selection.
    Pattern Recognition Letters 15(11), 1119-1125.

    P. Somol, J. Novovičová (2008). Evaluating the stability of feature selectors that optimize
    feature subset cardinality. SSPR/SPR 2008, LNCS 5342, 956-966.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> search = hf.FloatingSelection("knn3").fit(X, y)
    >>> search.best_of_size_.value.round(3).head(3).tolist()
    [0.812, 0.92, 0.954]
    """

    def __init__(  # noqa: PLR0913  (each has its users)
        self,
        classifier: Any = None,  # noqa: ANN401  (an estimator or a name)
        *,
        direction: str = "forward",
        n_features_to_select: float | tuple[int, int] | None = None,
        cv: Any = None,  # noqa: ANN401  (a splitter of many kinds)
        scoring: Any = "accuracy",  # noqa: ANN401  (a name or a function)
        forced_in: Any = None,  # noqa: ANN401  (names or numbers)
        forced_out: Any = None,  # noqa: ANN401
        feature_groups: Any = None,  # noqa: ANN401
        warm_start: bool = False,
        callback: Callback | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(
            classifier,
            n_features_to_select=n_features_to_select,
            cv=cv,
            scoring=scoring,
            forced_in=forced_in,
            forced_out=forced_out,
            feature_groups=feature_groups,
            warm_start=warm_start,
            callback=callback,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.direction = direction

    def _search(self, walk: Walk) -> None:
        DIRECTIONS[self.direction](walk)

    @property
    def sweeps(self) -> str:
        """In which direction the search goes through all sizes."""
        return self.direction

    def _check_search(self, walk: Walk) -> None:  # noqa: ARG002
        one_of(self.direction, "direction", DIRECTIONS)
