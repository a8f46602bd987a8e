"""Oscillating search: the size of the subset moves freely, in swings that grow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select._registry import selector
from holdfast.select._search._sequential import forward, grow
from holdfast.select._search._wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._search._search_state import Callback, Candidate, SearchState, Subset
    from holdfast.select._selector import OfferedFeatures

    Neighbour = Callable[[Candidate], "tuple[int, Candidate] | None"]


NOTHING, FORWARD = "nothing", "forward"


@selector(
    name="oscillating_search",
    title="Dynamic oscillating search (DOS)",
    references=("somol2000", "somol2008dos", "somol2008"),
)
class OscillatingSearch(Wrapper):
    r"""Dynamic oscillating search: swings down and up around the best subset.

    A swing of depth :math:`\delta` removes :math:`\delta` features and adds :math:`\delta`, or
    adds first and removes then, always the best one at a time. Any better subset on the way,
    of whatever size, becomes the current one, and swings start again there at depth 1; where
    none is found they grow, up to the depth :math:`\Delta`. So the search ends at a subset that no
    swing of depth up to :math:`\Delta` improves, and which is never worse than its start.
    Better means a higher value, or an equal one with fewer features. What is said of
    :class:`ForwardSelection` about splits, ties and compiled code holds here too.

    Parameters
    ----------
    classifier : estimator or str, default None
        What judges subsets, as for :class:`ForwardSelection`.
    depth : int, default 5
        The largest depth :math:`\Delta` of a swing.
    start : {"nothing", "forward"} or features, default "nothing"
        Where to begin: at nothing, at the best subset of a forward selection, or at given
        features, by name or number. Where that is less than the smallest size asked for, the best
        features are added first.
    n_features_to_select, cv, scoring, forced_in, forced_out, feature_groups
        As for :class:`ForwardSelection`. Swings may pass through sizes outside of the range.
    warm_start, callback, n_jobs, random_state
        As for :class:`ForwardSelection`.

    Attributes
    ----------
    support_, value_, path_, best_of_size_, n_judged_, finished_
        As for :class:`ForwardSelection`; in the path a swing that found nothing better is
        followed by one from the subset where it began.

    References
    ----------
    P. Somol, P. Pudil (2000). Oscillating search algorithms for feature selection. ICPR 2000,
    volume 2, 406-409.

    P. Somol, J. Novovičová, J. Grim, P. Pudil (2008). Dynamic oscillating search algorithm for
    feature selection. ICPR 2008.

    P. Somol, J. Novovičová (2008). Evaluating the stability of feature selectors that optimize
    feature subset cardinality. SSPR/SPR 2008, LNCS 5342, 956-966.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> search = hf.OscillatingSearch("knn3", depth=3).fit(X, y)
    >>> int(search.support_.sum()), round(search.value_, 3)
    (6, 0.992)
    """

    def __init__(  # noqa: PLR0913  (each has its users)
        self,
        classifier: Any = None,  # noqa: ANN401  (an estimator or a name)
        *,
        depth: int = 5,
        start: Any = NOTHING,  # noqa: ANN401  (a word or features)
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
        self.depth = depth
        self.start = start

    def _search(self, walk: SearchState) -> None:
        place = self._started(walk)
        if place is not None:
            oscillate(walk, place, self.depth)

    @property
    def sweeps(self) -> str:
        """In which direction the search goes through all sizes: none, but for a forward start."""
        return FORWARD if isinstance(self.start, str) and self.start == FORWARD else ""

    def _check_search(self, walk: SearchState) -> None:
        check_integer(self.depth, "depth", 1)
        if not self._starts_by_word():
            self._given_start(walk)

    def _starts_by_word(self) -> bool:
        return isinstance(self.start, str) and self.start in (NOTHING, FORWARD)

    def _numbered(self, columns: OfferedFeatures) -> dict[str, Any]:
        numbered = super()._numbered(columns)
        if not self._starts_by_word():
            numbered["start"] = columns.among(columns.read(self.start, "start"))
        return numbered

    def _started(self, walk: SearchState) -> Candidate | None:
        """Go to where the swings begin."""
        if self.sweeps:
            forward(walk)
            return walk.best
        nothing = isinstance(self.start, str) and self.start == NOTHING
        subset = walk.space.forced if nothing else self._given_start(walk)
        return grow(walk, walk.start(subset), walk.sizes.low)

    def _given_start(self, walk: SearchState) -> Subset:
        """Return the subset of the given features."""
        try:
            subset = walk.space.subset_of(self.start, self._names(), "start")
        except UnknownNameError as error:
            raise UnknownNameError(f"{error} Or start at {NOTHING!r} or {FORWARD!r}.") from None
        if len(subset) > walk.sizes.high:
            raise InvalidInputError(
                f"start must hold {walk.sizes.high:,} features at most, as many as may be "
                f"selected; received {len(subset):,}."
            )
        return subset


# Oscillating search: swings down and up around the best subset, ever deeper.


def oscillate(walk: SearchState, place: Candidate, depth: int) -> Candidate:
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


def _swung(
    walk: SearchState, start: Candidate, depth: int, out: Neighbour, back: Neighbour
) -> Candidate | None:
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
