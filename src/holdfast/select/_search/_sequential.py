"""Sequential forward, backward and floating selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from holdfast._random import RandomState
from holdfast._typing import EstimatorLike, FeaturesLike, ProtocolLike
from holdfast._validation import check_choice
from holdfast.select._registry import selector
from holdfast.select._search._wrapper import Wrapper

if TYPE_CHECKING:
    from holdfast.select._search._search_state import Callback, Candidate, SearchState

    Neighbour = Callable[[Candidate], "tuple[int, Candidate] | None"]


@selector(
    name="forward_selection",
    title="Sequential forward selection (SFS)",
    references=("whitney1971", "somol2008"),
    aliases=("sfs", "sequential_forward_selection"),
)
class ForwardSelection(Wrapper):
    r"""Sequential forward selection: add the best feature, one at a time.

    Starting without features (or with those forced in), the feature that gives the classifier the
    highest accuracy is added until the largest size is reached; the best of all these subsets is
    chosen. Accuracy is estimated on splits of the data that are drawn once, so that all subsets
    are compared on the same splits. Values that agree to 12 digits are equal; ties go to the
    smaller subset, then to the lower index.

    k nearest neighbours, the Gaussian classifier and linear and RBF support vector machines, also
    behind a :class:`~sklearn.preprocessing.StandardScaler`, are evaluated by compiled code that
    adds and removes features without a new fit; any other classifier with scikit-learn's
    interface is refitted for each subset. A subset to which the classifier cannot be fitted, such
    as one with more features than a class has samples for the Gaussian, is never chosen.

    Parameters
    ----------
    classifier : estimator or str, default None
        The classifier that evaluates subsets. A name is one of
        :data:`holdfast.study.CLASSIFIERS`; features are then scaled by the training part. None is
        ``"knn3"``. An estimator is used as it is. Seeds that are None are set by `random_state`.
    n_features_to_select : None, int, float or (int, int), default None
        The number of features: the best size (None), a count, a fraction, or a range (low, high).
        None tries all sizes, which takes long with thousands of features. If features are
        grouped, groups are counted.
    cv : None, int, splitter, protocol, str or pairs, default None
        The splits: 10 random ones into 2/3 and 1/3 (None), a number of folds, a splitter of
        scikit-learn, a protocol of :mod:`holdfast.resample` or its name, or pairs (train, test)
        of rows.
    scoring : str or callable, default "accuracy"
        The score that is averaged over the splits: a scorer of scikit-learn, higher being better.
        Compiled code supports ``"accuracy"`` and ``"balanced_accuracy"``.
    forced_in, forced_out : features, default None
        Features, by name or index, that are in every subset, or in none. Constant features are in
        none unless they are forced in.
    feature_groups : sequence of features, default None
        Groups of features that are added and removed as a whole; other features are single.
    warm_start : bool, default False
        Whether a fit continues an earlier one that ended by an interrupt, by the callback or at a
        smaller size: subsets evaluated with the same data, classifier and splits are not
        evaluated again. A fitted or interrupted selector can be pickled in between.
    callback : callable, default None
        Called with each step, a :class:`holdfast.select.Step`; returns True to end the search.
        Steps are also logged by the logger ``holdfast``.
    n_jobs : int, default None
        How many subsets are evaluated in parallel if the classifier is refitted, as for joblib.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the splits, and of the classifier if its seeds are None.

    Attributes
    ----------
    support_ : ndarray of shape (p,)
        Which features are selected.
    value_ : float
        The value of the selected subset, to 12 digits. As the best of many it is optimistic: for
        an unbiased estimate of the accuracy, select within each training part, as a study does.
    path_ : DataFrame
        The steps of the search: the move, the features that moved, size, value, and whether the
        subset was the best so far among those of an allowed size.
    best_of_size_ : DataFrame
        Value and features of the best subset of each size.
    n_judged_ : int
        The number of subsets evaluated in this fit.
    finished_ : bool
        Whether the search was completed.

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

    def _search(self, state: SearchState) -> None:
        search_forward(state)


@selector(
    name="backward_selection",
    title="Sequential backward selection (SBS)",
    references=("marill1963", "somol2008"),
    aliases=("sbs", "sequential_backward_selection"),
)
class BackwardSelection(Wrapper):
    r"""Sequential backward selection: remove the least useful feature, one at a time.

    Starting with all features (except those forced out), the feature whose removal leaves the
    highest accuracy is removed until the smallest size is reached; the best of all these subsets
    is chosen. It must be possible to fit the classifier to all features. Splits, ties and compiled
    code are as for :class:`ForwardSelection`.

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
        """The direction in which the search passes all sizes."""
        return "backward"

    def _search(self, state: SearchState) -> None:
        search_backward(state)


# The search algorithms.


def search_forward(state: SearchState) -> None:
    """Add the best unit until the largest size is reached."""
    grow_subset(state, state.start(state.space.forced), state.sizes.high)


def search_backward(state: SearchState) -> None:
    """Remove the least useful unit until the smallest size is reached."""
    candidate = state.start(state.space.full_subset)
    while candidate.size > state.sizes.low and (move := state.best_removal(candidate)):
        candidate = state.make_move(move)


def float_forward(state: SearchState) -> None:
    """Add the best unit, then remove units while that beats the best subset of that size."""
    candidate = state.start(state.space.forced)
    while candidate.size < state.sizes.high and (move := state.best_addition(candidate)):
        # conditional steps back are what distinguishes floating from plain selection [Pudil1994]_
        candidate = _step_back_while_better(state, state.make_move(move), state.best_removal)


def float_backward(state: SearchState) -> None:
    """Remove the worst unit, then add units while that beats the best subset of that size."""
    candidate = state.start(state.space.full_subset)
    while candidate.size > state.sizes.low and (move := state.best_removal(candidate)):
        candidate = _step_back_while_better(state, state.make_move(move), state.best_addition)


def _step_back_while_better(
    state: SearchState, candidate: Candidate, neighbour: Neighbour
) -> Candidate:
    """Step back as long as each step beats the best subset of its size so far."""
    while move := neighbour(candidate):
        best = state.best_by_size.get(move[1].size)
        # strictly better: each step back raises the best value of a size, so the search ends
        if best is None or not move[1].value > best.value:
            break
        candidate = state.make_move(move)
    return candidate


def grow_subset(state: SearchState, candidate: Candidate, size: int) -> Candidate:
    """Add the best unit until a size is reached; return the last subset."""
    while candidate.size < size and (move := state.best_addition(candidate)):
        candidate = state.make_move(move)
    return candidate


FLOATING_SEARCHES = {"forward": float_forward, "backward": float_backward}


@selector(
    name="floating_selection",
    title="Sequential floating selection (SFFS, SBFS)",
    references=("pudil1994", "somol2008"),
    aliases=("sffs", "sequential_floating_selection"),
)
class FloatingSelection(Wrapper):
    r"""Sequential floating selection: steps in one direction, and back while that improves.

    Forward (SFFS): the best feature is added; then the least useful features are removed, one at a
    time, as long as each subset is better than the best one of its size so far. The search ends at
    the largest size. Backward (SBFS) reverses the directions. The best of all subsets is chosen.
    Since steps back must improve on the best subset of a size, the search always ends, and the
    best subset of a size never gets worse. Splits, ties and compiled code are as for
    :class:`ForwardSelection`.

    Parameters
    ----------
    classifier : estimator or str, default None
        The classifier that evaluates subsets, as for :class:`ForwardSelection`.
    direction : {"forward", "backward"}, default "forward"
        Whether to start without features, or with all features.
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

    def __init__(
        self,
        classifier: EstimatorLike = None,
        *,
        direction: str = "forward",
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
        self.direction = direction

    def _search(self, state: SearchState) -> None:
        FLOATING_SEARCHES[self.direction](state)

    @property
    def sweeps(self) -> str:
        """The direction in which the search passes all sizes."""
        return self.direction

    def _check_search(self, state: SearchState) -> None:
        check_choice(self.direction, "direction", FLOATING_SEARCHES)
