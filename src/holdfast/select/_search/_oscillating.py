"""Dynamic oscillating search: swings of growing depth around the best subset."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from holdfast._random import RandomState
from holdfast._typing import EstimatorLike, FeaturesLike, ProtocolLike
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select._registry import selector
from holdfast.select._search._sequential import grow_subset, search_forward
from holdfast.select._search._wrapper import Wrapper
from holdfast.select._selector import OfferedFeatures

if TYPE_CHECKING:
    from holdfast.select._search._search_state import Callback, Candidate, SearchState, Subset

    Neighbour = Callable[[Candidate], "tuple[int, Candidate] | None"]


START_NOTHING, START_FORWARD = "nothing", "forward"


@selector(
    name="oscillating_search",
    title="Dynamic oscillating search (DOS)",
    references=("somol2000", "somol2008dos", "somol2008"),
    aliases=("dynamic_oscillating_search",),
)
class OscillatingSearch(Wrapper):
    r"""Dynamic oscillating search: swings down and up around the best subset.

    A swing of depth :math:`\delta` removes :math:`\delta` features and then adds :math:`\delta`,
    or adds first and then removes, always the best one at a time. Any better subset on the way,
    of any allowed size, becomes the current one, and swings restart from it at depth 1; otherwise
    the depth grows, up to :math:`\Delta`. So the search ends at a subset that no swing of depth up
    to :math:`\Delta` improves, and that is never worse than its start. Better means a higher
    value, or an equal value with fewer features. Splits, ties and compiled code are as for
    :class:`ForwardSelection`.

    Parameters
    ----------
    classifier : estimator or str, default None
        The classifier that evaluates subsets, as for :class:`ForwardSelection`.
    depth : int, default 5
        The largest depth :math:`\Delta` of a swing.
    start : {"nothing", "forward"} or features, default "nothing"
        Where to start: without features, at the best subset of a forward selection, or at given
        features, by name or index. Below the smallest allowed size, the best features are added
        first.
    n_features_to_select, cv, scoring, forced_in, forced_out, feature_groups
        As for :class:`ForwardSelection`. Swings may pass through sizes outside the range.
    warm_start, callback, n_jobs, random_state
        As for :class:`ForwardSelection`.

    Attributes
    ----------
    support_, value_, path_, best_of_size_, n_judged_, finished_
        As for :class:`ForwardSelection`; in the path, a swing without improvement is followed by
        one from the same starting subset.

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

    def __init__(
        self,
        classifier: EstimatorLike = None,
        *,
        depth: int = 5,
        start: FeaturesLike = START_NOTHING,
        n_features_to_select: float | tuple[int, int] | None = None,
        cv: ProtocolLike = None,
        scoring: EstimatorLike = "accuracy",
        forced_in: FeaturesLike = None,
        forced_out: FeaturesLike = None,
        feature_groups: FeaturesLike = None,
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

    def _search(self, state: SearchState) -> None:
        candidate = self._move_to_start(state)
        if candidate is not None:
            oscillate(state, candidate, self.depth)

    @property
    def sweeps(self) -> str:
        """The direction in which the search passes all sizes; only a forward start does so."""
        return START_FORWARD if isinstance(self.start, str) and self.start == START_FORWARD else ""

    def _check_search(self, state: SearchState) -> None:
        check_integer(self.depth, "depth", 1)
        if not self._has_named_start():
            self._read_start(state)

    def _has_named_start(self) -> bool:
        return isinstance(self.start, str) and self.start in (START_NOTHING, START_FORWARD)

    def _indexed_parameters(self, columns: OfferedFeatures) -> dict[str, Any]:
        numbered = super()._indexed_parameters(columns)
        if not self._has_named_start():
            numbered["start"] = columns.offered_positions(columns.read(self.start, "start"))
        return numbered

    def _move_to_start(self, state: SearchState) -> Candidate | None:
        """Move to the subset where the swings start."""
        if self.sweeps:
            search_forward(state)
            return state.best
        nothing = isinstance(self.start, str) and self.start == START_NOTHING
        subset = state.space.forced if nothing else self._read_start(state)
        return grow_subset(state, state.start(subset), state.sizes.low)

    def _read_start(self, state: SearchState) -> Subset:
        """Return the subset of the given features."""
        try:
            subset = state.space.read_subset(self.start, self._feature_names(), "start")
        except UnknownNameError as error:
            raise UnknownNameError(
                f"{error} Or start at {START_NOTHING!r} or {START_FORWARD!r}."
            ) from None
        if len(subset) > state.sizes.high:
            raise InvalidInputError(
                f"start must hold at most {state.sizes.high:,} features, the largest size allowed; "
                f"got {len(subset):,}."
            )
        return subset


def oscillate(state: SearchState, candidate: Candidate, depth: int) -> Candidate:
    """Swing until no swing of depth up to `depth` finds a better subset.

    A better subset of an allowed size ends a swing; the next one starts there, at depth 1.
    """
    swing, deepest = 1, min(depth, len(state.space.free))
    while swing <= deepest:
        # down before up, as in [Somol2000]_
        better = _swing(state, candidate, swing, state.best_removal, state.best_addition)
        if better is None:
            better = _swing(state, candidate, swing, state.best_addition, state.best_removal)
        # a success starts again with the cheapest swings [Somol2008dos]_
        candidate, swing = (candidate, swing + 1) if better is None else (better, 1)
    return candidate


def _swing(
    state: SearchState, start: Candidate, depth: int, out: Neighbour, back: Neighbour
) -> Candidate | None:
    """Swing out and back; return the first subset that is better than the start, or None.

    The swing is less deep if no more features can be removed, or added.
    """
    candidate, steps_out = start, 0
    for best_neighbour in (out, back):
        for _ in range(depth if best_neighbour is out else steps_out):
            move = best_neighbour(candidate)
            if move is None:
                break
            candidate = state.make_move(move)
            steps_out += best_neighbour is out
            if state.sizes.allow(candidate.size) and candidate.beats(start):
                return candidate
    return None
