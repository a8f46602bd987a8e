"""Sequential selection: forward from nothing, or backward from all features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast._validation import one_of
from holdfast.select._registry import selector
from holdfast.select._search._wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._search._search_state import Callback, Candidate, SearchState

    Neighbour = Callable[[Candidate], "tuple[int, Candidate] | None"]


@selector(
    name="forward_selection",
    title="Sequential forward selection (SFS)",
    references=("whitney1971", "somol2008"),
)
class ForwardSelection(Wrapper):
    r"""Sequential forward selection: the best feature is added, one after the other.

    From nothing (or from the features that are forced in) the feature joins with which the
    classifier does best, until the largest size is reached; the best of all these subsets is
    chosen. Accuracy is estimated on splits of the data that are drawn once, so that all subsets
    are compared on the same ones. Values that agree to 12 digits are equal; ties go to the smaller
    subset, then to the lower index.

    k nearest neighbours, the Gaussian classifier and linear and RBF support vector machines, also
    behind a :class:`~sklearn.preprocessing.StandardScaler`, are judged by compiled code that
    brings features in and out without a new fit; any other classifier of scikit-learn's manner is
    fitted anew to each subset. A subset to which the classifier cannot be fitted, such as one
    with more features than a class has samples for the Gaussian, is never chosen.

    Parameters
    ----------
    classifier : estimator or str, default None
        What judges subsets. A name is one of :data:`holdfast.study.CLASSIFIERS`, which sees each
        feature scaled by the training part; None is ``"knn3"``. An estimator is used as it is.
        Seeds that it leaves open are set by `random_state`.
    n_features_to_select : None, int, float or (int, int), default None
        The number of features: the best one found (None), a count, a fraction, or a range
        (low, high). None goes through all sizes, which takes long with thousands of features.
        Where features are grouped, groups are counted.
    cv : None, int, splitter, protocol, str or pairs, default None
        The splits: 10 random ones into 2/3 and 1/3 (None), so many folds, a splitter of
        scikit-learn's, a protocol of :mod:`holdfast.resample` or its name, or pairs (train,
        test) of rows.
    scoring : str or callable, default "accuracy"
        What is averaged over the splits: a scorer of scikit-learn's, higher being better.
        Compiled code knows ``"accuracy"`` and ``"balanced_accuracy"``.
    forced_in, forced_out : features, default None
        Features, by name or number, that are in every subset, or in none. Constant features
        are in none unless they are forced in.
    feature_groups : sequence of features, default None
        Groups of features that come and go as one; features that are in none are by themselves.
    warm_start : bool, default False
        Whether a fit goes on where one before it ended, by an interrupt, by the callback or at a
        smaller size: what was judged with the same data, classifier and splits is not
        judged again. A fitted or interrupted selector can be pickled in between.
    callback : callable, default None
        Told of each step as a :class:`holdfast.select.Step`; returns True to end the search. The
        logger ``holdfast`` tells of steps, too.
    n_jobs : int, default None
        How many subsets are judged at once where the classifier is fitted anew, as for joblib.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the splits, and of the classifier where it leaves its seeds open.

    Attributes
    ----------
    support_ : ndarray of shape (p,)
        Which features are selected.
    value_ : float
        The criterion of the selected subset, to 12 digits. It is the best of many: for an honest
        estimate of the accuracy, select within each training part, as a study does.
    path_ : DataFrame
        The steps of the search: the move, the features that moved, size, value, and whether the
        subset was the best so far of those whose size may be chosen.
    best_of_size_ : DataFrame
        Value and features of the best subset of each size.
    n_judged_ : int
        How many subsets were judged in this fit.
    finished_ : bool
        Whether the search came to its end.

    References
    ----------
    A. W. Whitney (1971). A direct method of nonparametric measurement selection. IEEE
    Transactions on Computers C-20(9), 1100-1103.

    P. Somol, J. Novovičová (2008). Evaluating the stability of feature selectors that optimize
    feature subset cardinality. SSPR/SPR 2008, LNCS 5342, 956-966.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> search = hf.ForwardSelection("knn3", n_features_to_select=(1, 4)).fit(X, y)
    >>> search.path_[["move", "moved", "value"]].round(3).head(2)
         move               moved  value
    step
    0     add       (flavanoids,)  0.812
    1     add  (color_intensity,)  0.920
    """

    def _search(self, walk: SearchState) -> None:
        forward(walk)


@selector(
    name="backward_selection",
    title="Sequential backward selection (SBS)",
    references=("marill1963", "somol2008"),
)
class BackwardSelection(Wrapper):
    r"""Sequential backward selection: the feature that is missed least leaves, one by one.

    From all features (but those forced out) the feature leaves without which the classifier does
    best, until the smallest size is reached; the best of all these subsets is chosen. The
    classifier must be one that can be fitted to all features. What is said of
    :class:`ForwardSelection` about splits, ties and compiled code holds here too.

    Parameters
    ----------
    classifier, n_features_to_select, cv, scoring, forced_in, forced_out, feature_groups
        As for :class:`ForwardSelection`.
    warm_start, callback, n_jobs, random_state
        As for :class:`ForwardSelection`.

    Attributes
    ----------
    support_, value_, path_, best_of_size_, n_judged_, finished_
        As for :class:`ForwardSelection`.

    References
    ----------
    T. Marill, D. M. Green (1963). On the effectiveness of receptors in recognition systems. IEEE
    Transactions on Information Theory 9(1), 11-17.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> search = hf.BackwardSelection("gaussian", n_features_to_select=4).fit(X, y)
    >>> search.get_feature_names_out().tolist()
    ['alcohol', 'flavanoids', 'hue', 'proline']
    """

    @property
    def sweeps(self) -> str:
        """In which direction the search goes through all sizes."""
        return "backward"

    def _search(self, walk: SearchState) -> None:
        backward(walk)


# One unit at a time in one direction, and floating: with steps back where these pay.


def forward(walk: SearchState) -> None:
    """Add the best unit until the largest size is reached."""
    grow(walk, walk.start(walk.space.forced), walk.sizes.high)


def backward(walk: SearchState) -> None:
    """Remove the unit that is missed least until the smallest size is reached."""
    place = walk.start(walk.space.everything)
    while place.size > walk.sizes.low and (move := walk.smaller(place)):
        place = walk.go(move)


def floating_forward(walk: SearchState) -> None:
    """Add the best unit, then remove units while that beats the best subset of that size."""
    place = walk.start(walk.space.forced)
    while place.size < walk.sizes.high and (move := walk.larger(place)):
        place = _while_better(walk, walk.go(move), walk.smaller)


def floating_backward(walk: SearchState) -> None:
    """Remove the worst unit, then add units while that beats the best subset of that size."""
    place = walk.start(walk.space.everything)
    while place.size > walk.sizes.low and (move := walk.smaller(place)):
        place = _while_better(walk, walk.go(move), walk.larger)


def _while_better(walk: SearchState, place: Candidate, neighbour: Neighbour) -> Candidate:
    """Step back as long as a step leads to more than any subset of its size before."""
    while move := neighbour(place):
        kept = walk.kept.get(move[1].size)
        if kept is None or not move[1].value > kept.value:
            break
        place = walk.go(move)
    return place


def grow(walk: SearchState, place: Candidate, size: int) -> Candidate:
    """Add the best unit until a size is reached; return where that leads."""
    while place.size < size and (move := walk.larger(place)):
        place = walk.go(move)
    return place


# Floating selection: sequential, with steps back wherever they pay.

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

    def _search(self, walk: SearchState) -> None:
        DIRECTIONS[self.direction](walk)

    @property
    def sweeps(self) -> str:
        """In which direction the search goes through all sizes."""
        return self.direction

    def _check_search(self, walk: SearchState) -> None:  # noqa: ARG002
        one_of(self.direction, "direction", DIRECTIONS)
