"""Stability selection: features that are selected again on most halves of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import validate_data

from holdfast.errors import InvalidInputError
from holdfast.preferences import Subsets
from holdfast.select._ensemble._ensemble import Resampler
from holdfast.select._ensemble._error_bounds import checked_rate, least_count
from holdfast.select._ensemble._stability_parameters import (
    Sampled,
    Target,
    calibrate_q_and_threshold,
)
from holdfast.select._ensemble._stability_path import (
    Picks,
    StabilitySelectionData,
    base_of,
    halves_of,
    path_of,
    pick_features,
    regresses,
)
from holdfast.select._ensemble._type_bias import warn_if_rows_are_copies, warn_if_types_are_favoured
from holdfast.select._l1_path import NEVER, L1Path
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._ranker import Ranker
    from holdfast.select._selector import Array


SHUFFLE_SEED = 1
"""Seed of the shuffles that show whether the base favours a type; the selection has its own."""
MAX_EXPECTED_CLASSES = 20
"""So many different whole numbers are perhaps no classes."""


class StabilitySelectionOutcome(NamedTuple):
    """What was picked on the subsamples of one data set, and by which rule it is judged."""

    picks: Picks
    q: int
    threshold: float

    @property
    def probabilities(self) -> Array:
        """The share of subsamples that pick each feature."""
        shares: Array = self.picks.counts() / len(self.picks.positions)
        return shares

    def enough(self) -> NDArray[np.bool_]:
        """Return which features are picked often enough."""
        return self.picks.counts() >= least_count(self.threshold, len(self.picks.positions))


@selector(
    name="stability_selection",
    title="stability selection",
    references=("meinshausen2010", "shah2013", "bodinier2023"),
)
class StabilitySelection(Resampler):
    r"""Select the features that a selector selects again on most halves of the data.

    The base selector picks at most q features on each of many halves of the samples. A
    feature's score is its selection probability, the share of halves on which it is picked; those
    of at least the threshold are selected. How many of them are false, on average, is bounded by
    :func:`holdfast.select.error_bound`: two of threshold, bound and q are chosen, the third
    follows. The bound holds if samples are independent, and if the base picks features without
    information no more often than at random; not for a base that favours features by type or
    scale.

    Parameters
    ----------
    base : selector, estimator, function or str, default None
        What picks features. None is :class:`holdfast.L1Path`: the first q features that enter
        the path of the lasso (numbers as target), of logistic regression (two classes) or of
        multinomial regression. Selectors of this package, names as on the command line, estimators
        and functions as for :class:`holdfast.AnySelector`: their top q.
    threshold : float, "calibrated" or None, default 0.75
        The least share of halves that must pick a feature, from 0.5 to 1; None: the least that
        keeps `pfer` at this `q`. "calibrated": this and q are chosen together, such that the
        selection is least like a random one (see Notes), and that `pfer` is kept, if given.
    pfer : float or None, default 1.0
        How many features may be falsely selected on average (per-family error rate). None: what
        follows from threshold and q.
    q : int or None, default None
        How many features are picked on each half, at most; all where there are no more. None:
        the most that keep `pfer` at this threshold. With a calibrated threshold: the most that
        are tried.
    sampling : {"complementary pairs", "half"}, default "complementary pairs"
        Pairs of disjoint halves (Shah and Samworth), or halves drawn one by one (Meinshausen and
        Bühlmann), whose bound is one for many halves: a warning tells where there are fewer
        than 20. Classes keep their shares.
    assumption : {"none", "unimodal", "r-concave"}, default "unimodal"
        What is assumed for the bound; see :func:`holdfast.select.error_bound`. "half" goes with
        "none" only.
    n_pairs : int, default 50
        Number of pairs; twice as many halves are drawn with either sampling.
    n_features_to_select : int, float or None, default None
        None: the features of at least the threshold. A count or a fraction keeps the most
        probable ones instead, to which no bound applies.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the halves, of the base, in place of its own seed, and of the order of features
        with equal probabilities.

    Attributes
    ----------
    scores_ : array of shape (p,)
        Selection probabilities, 0 to 1.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected; perhaps none.
    q_, threshold_ : int, float
        What was used.
    error_bound_ : float
        The bound of the expected number of false selections that q and threshold give.
    mean_selected_ : float
        How many features were picked on a half, on average.
    stability_path_ : StabilityPath
        How the probabilities grow; :func:`holdfast.plot.stability_path` draws it.
    selections_ : Subsets
        What was picked on each half, for :func:`holdfast.measure`; with pairs, halves 2i and
        2i + 1 are one.

    Notes
    -----
    A target of numbers with fractions (or so large that floating-point numbers have none) is
    regressed on, by :class:`holdfast.L1Path`, an estimator or a function; so are whole numbers if
    the base is a regressor of scikit-learn or ``L1Path(family="gaussian")``. All else are
    classes, each of which needs at least 4 samples.

    Copies of a row in a resample, as in a bootstrap, stay together, so that a pair shares
    nothing. ``fit`` cannot know of copies: give `groups`, the same for all copies of a sample.

    Where even q = 1, or a threshold of 1, cannot keep `pfer`, that is used, a warning says so,
    and ``error_bound_`` tells what is kept.

    The bounds hold on average over data sets, for features that are picked no more often than a
    random choice of q features would pick them. They say nothing of a single data set. A base
    breaks the condition where its score favours features without information, as mutual
    information does: it picks continuous features rather than binary ones, and of 10 continuous
    features among 190 binary ones all 10 are selected from noise. Samples of one subject break it,
    too, if `groups` does not name the subjects: of 200 features without information in 60 samples
    of 12 subjects 4.7 are selected on average, where the bound is 1.

    A calibrated threshold is chosen by the score of Bodinier et al.: at each q and threshold
    :math:`\pi` (0.60 to 0.90) features are stably selected (share of at least :math:`\pi`),
    stably left out (at most :math:`1 - \pi`), or neither; the score is minus the log-likelihood
    of these three groups if all features had equal chances. Without `pfer` and `q`, up to as
    many features are tried as a half has samples.

    References
    ----------
    N. Meinshausen, P. Bühlmann (2010). Stability selection. Journal of the Royal Statistical
    Society B 72(4), 417-473.

    R. D. Shah, R. J. Samworth (2013). Variable selection with error control: another look at
    stability selection. Journal of the Royal Statistical Society B 75(1), 55-80.

    B. Bodinier, S. Filippi, T. H. Nøst, J. Chiquet, M. Chadeau-Hyam (2023). Automated calibration
    for stability selection in penalised regression and graphical models. Journal of the Royal
    Statistical Society C 72(5), 1375-1393.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> stable = hf.StabilitySelection(n_pairs=20).fit(X, y)
    >>> stable.q_, round(stable.error_bound_, 2)
    (5, 0.88)
    >>> stable.get_feature_names_out().tolist()
    ['mean concave points', 'worst radius', 'worst texture', 'worst perimeter',
    'worst concave points']
    """

    def __init__(  # noqa: PLR0913  (each has its users)
        self,
        base: Any = None,  # noqa: ANN401  (a selector of many kinds)
        *,
        threshold: float | str | None = 0.75,
        pfer: float | None = 1.0,
        q: int | None = None,
        sampling: str = "complementary pairs",
        assumption: str | None = "unimodal",
        n_pairs: int = 50,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.base = base
        self.threshold = threshold
        self.pfer = pfer
        self.q = q
        self.sampling = sampling
        self.assumption = assumption
        self.n_pairs = n_pairs
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def takes_missing(self) -> bool:
        """Whether the data may hold missing values: where the base takes them."""
        return self._base().takes_missing

    @property
    def chooses_size(self) -> bool:
        """Whether the threshold decides how many features are selected."""
        return self.n_features_to_select is None

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:  # noqa: ANN401
        """Let the base pick features on halves of the data, and select the probable ones.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample, or a number to regress on.
        groups : array-like of shape (n,), optional
            The subject of each sample: halves are then drawn subject by subject, each with all
            its samples. Where samples belong to subjects and none are given, they count as
            independent, and the bound does not hold.

        Returns
        -------
        self

        Warns
        -----
        HoldfastWarning
            The base favours features of one type (binary, of few values, continuous): with
            shuffled labels it picks them at least 1.5 times as often as their number lets expect.
            Types of at least five features are compared. Or: at least 5% of the rows are copies
            of others, and no subjects are given.
        """
        super().fit(X, y, groups)
        outcome: StabilitySelectionOutcome = self.__dict__.pop("_outcome")
        if self.n_features_to_select is None:
            self.support_ = outcome.enough()
        self._tell(outcome)
        return self

    def _tell(self, outcome: StabilitySelectionOutcome) -> None:
        """Set what is known about the subsamples."""
        picks, names = outcome.picks, self._names()
        self.q_, self.threshold_ = outcome.q, outcome.threshold
        self.error_bound_ = self._how().bound(len(self.scores_), outcome.q, outcome.threshold)
        self.selections_ = Subsets(picks.positions < NEVER, feature_names=names)
        self.mean_selected_ = float(self.selections_.sizes.mean())
        self.stability_path_ = path_of(picks, outcome.threshold, self.support_, names)

    def _score(self, X: Any, y: NDArray[Any], generator: np.random.Generator) -> Array:  # noqa: ANN401
        everyone = np.arange(X.shape[0])
        warn_if_rows_are_copies(X, self._subjects)
        self._outcome = self._judged(X, y, everyone, generator)
        data = StabilitySelectionData(
            X, y, self.classes_ if self._needs_classes else None, self._subjects
        )
        halves = halves_of(data, everyone, self._how(), SHUFFLE_SEED)
        q = self._outcome.q
        warn_if_types_are_favoured(self._base, data, halves, q, SHUFFLE_SEED)
        return self._outcome.probabilities

    def _scores_on(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[Any],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Array:
        return self._judged(X, y, own, generator).probabilities

    def _judged(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[Any],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> StabilitySelectionOutcome:
        """Judge some rows of the data: draw halves, let the base pick, apply the rule."""
        how, target, p = self._how(), Target(self.threshold, self.pfer, self.q), X.shape[1]
        how.warn_if_few()
        seed, base_seed = generator.integers(2**31, size=2).tolist()
        if target.calibrates:
            q, threshold = target.most(p, len(own), how), 0.0
        else:
            q, threshold = target.settled(p, how)
            target.warn_if_missed(how.bound(p, q, threshold))
        data = StabilitySelectionData(
            X, y, self.classes_ if self._needs_classes else None, self._subjects
        )
        picks = pick_features(self._base(), data, halves_of(data, own, how, seed), q, base_seed)
        if target.calibrates:
            q, threshold = self._calibrated(picks, q, target, how)
        return StabilitySelectionOutcome(picks.first(q), q, threshold)

    def _calibrated(
        self, picks: Picks, most: int, target: Target, how: Sampled
    ) -> tuple[int, float]:
        pfer = None if target.pfer is None else checked_rate(target.pfer)
        q, threshold = calibrate_q_and_threshold(
            picks.counts_by_size(most), how.total, pfer, how.assumption
        )
        target.warn_if_missed(how.bound(picks.positions.shape[1], q, threshold))
        return q, threshold

    def _how(self) -> Sampled:
        return Sampled.of(self.sampling, self.assumption, self.n_pairs)

    def _base(self) -> Ranker:
        return base_of(self.base, L1Path)

    def _validated(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:  # noqa: ANN401
        self._needs_classes = not regresses(self._base(), y)
        if self._needs_classes:
            return self._classified(X, y)
        data, target = validate_data(
            self,
            X,
            y,
            y_numeric=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if self.takes_missing else True,
            ensure_min_samples=4,
        )
        return data, target.astype(np.float64)

    def _classified(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:  # noqa: ANN401
        try:
            return super()._validated(X, y)
        except InvalidInputError as error:
            if np.asarray(y).dtype.kind not in "iuf" or len(np.unique(y)) <= MAX_EXPECTED_CLASSES:
                raise
            raise InvalidInputError(
                f"{error} To regress on whole numbers, give base=L1Path(family='gaussian') or a "
                "regressor."
            ) from None

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
