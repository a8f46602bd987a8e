"""Sequential selection: forward from nothing, or backward from all features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.select._record import selector
from holdfast.select._search._sequential import backward, forward
from holdfast.select._wrapper import Wrapper

if TYPE_CHECKING:
    from holdfast.select._search._walk import Walk


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

    def _search(self, walk: Walk) -> None:
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

    def _search(self, walk: Walk) -> None:
        backward(walk)
