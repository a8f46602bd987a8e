"""Stability selection: features that are selected on most halves of the data."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from holdfast._random import RandomState
from holdfast._typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    LabelsLike,
    MatrixLike,
    SelectorLike,
)
from holdfast.preferences import Subsets
from holdfast.select._ensemble._error_bounds import check_pfer, least_count
from holdfast.select._ensemble._half_sampler import HalfSampler
from holdfast.select._ensemble._stability_parameters import (
    SelectionTarget,
    SubsampleDesign,
    calibrate_q_and_threshold,
)
from holdfast.select._ensemble._stability_path import (
    Picks,
    build_stability_path,
    draw_halves,
    pick_features,
)
from holdfast.select._ensemble._type_bias import warn_if_rows_are_copies, warn_if_types_are_favoured
from holdfast.select._l1_path import NEVER
from holdfast.select._registry import selector

SHUFFLE_SEED = 1
"""Seed of the label shuffles that reveal type bias; it is independent of the selection."""


class SubsampleSelections(NamedTuple):
    """The features picked on the subsamples of one data set, and the rule that selects them."""

    picks: Picks
    q: int
    threshold: float

    @property
    def probabilities(self) -> FloatArray:
        """The share of subsamples that picks each feature."""
        shares: FloatArray = self.picks.counts() / len(self.picks.positions)
        return shares

    def reaches_threshold(self) -> BoolArray:
        """Return which features are picked in at least the threshold share of subsamples."""
        # counts are compared, not shares: 0.6 of 100 subsamples is 60 in spite of rounding
        return self.picks.counts() >= least_count(self.threshold, len(self.picks.positions))


@selector(
    name="stability_selection",
    title="stability selection",
    references=("meinshausen2010", "shah2013", "bodinier2023"),
    aliases=("stabsel",),
)
class StabilitySelection(HalfSampler):
    r"""Select the features that a base selector picks on most halves of the data.

    The base selector picks at most q features on each of many halves of the samples. The score of
    a feature is its selection probability, the share of halves on which it is picked; features
    that reach the threshold are selected. The expected number of false selections is bounded by
    :func:`holdfast.select.error_bound`: two of threshold, bound and q are given, the third
    follows. The bound holds if samples are independent, and if the base picks features without
    information no more often than at random; it does not hold for a base that favours features by
    type or scale.

    Parameters
    ----------
    base : selector, estimator, function or str, default None
        What picks features. None is :class:`holdfast.L1Path`: the first q features that enter
        the path of the lasso (numbers as target), of logistic regression (two classes) or of
        multinomial regression. Selectors of this package, names as on the command line, estimators
        and functions as for :class:`holdfast.AnySelector`: their top q.
    threshold : float, "calibrated" or None, default 0.75
        The smallest share of halves that must pick a feature, from 0.5 to 1; None: the smallest
        that keeps `pfer` at this `q`. "calibrated": threshold and q are chosen together, such that
        the selection is least like a random one (see Notes) and `pfer` is kept, if given.
    pfer : float or None, default 1.0
        How many features may be falsely selected on average (per-family error rate). None: it
        follows from threshold and q.
    q : int or None, default None
        The largest number of features picked on each half, capped at the number of features.
        None: the largest that keeps `pfer` at this threshold. With a calibrated threshold: the
        largest that is tried.
    sampling : {"complementary pairs", "half"}, default "complementary pairs"
        Pairs of disjoint halves (Shah and Samworth), or unpaired halves (Meinshausen and
        Bühlmann), whose bound needs many halves: fewer than 20 raise a warning. Both are
        stratified by class.
    assumption : {"none", "unimodal", "r-concave"}, default "unimodal"
        What is assumed for the bound; see :func:`holdfast.select.error_bound`. "half" goes with
        "none" only.
    n_pairs : int, default 50
        Number of pairs; twice as many halves are drawn with either sampling.
    n_features_to_select : int, float or None, default None
        None: the features that reach the threshold. A count or a fraction selects the most
        probable ones instead, to which no bound applies.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the halves, of the base (it replaces the base's seed), and of the order of
        features with equal probabilities.

    Attributes
    ----------
    scores_ : array of shape (p,)
        Selection probabilities, 0 to 1.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected; possibly none.
    q_, threshold_ : int, float
        The values that were used.
    error_bound_ : float
        The bound of the expected number of false selections, from q and threshold.
    mean_selected_ : float
        The mean number of features picked on a half.
    stability_path_ : StabilityPath
        The probabilities along the path; :func:`holdfast.plot.stability_path` draws it.
    selections_ : Subsets
        The features picked on each half, for :func:`holdfast.measure`; halves 2i and 2i + 1 are
        a pair, if paired.

    Notes
    -----
    A target of numbers with fractions (or so large that floating-point numbers have none) is
    regressed on, by :class:`holdfast.L1Path`, an estimator or a function; so are integers if the
    base is a regressor of scikit-learn or ``L1Path(family="gaussian")``. All other targets are
    classes, each of which needs at least 4 samples.

    Copies of a row in a resample, as in a bootstrap, stay together, so that a pair shares
    nothing. ``fit`` cannot recognise copies: pass `groups`, with the same label for all copies of
    a sample.

    If even q = 1, or a threshold of 1, cannot keep `pfer`, that value is used, a warning is
    raised, and ``error_bound_`` is the bound that holds.

    The bounds hold on average over data sets, for features that are picked no more often than by
    a random choice of q features. They make no statement about a single data set. A base violates
    the condition if its score favours features without information, as mutual information does:
    it prefers continuous features to binary ones, and of 10 continuous features among 190 binary
    ones all 10 are selected from noise. Repeated samples of subjects violate it, too, if `groups`
    does not name the subjects: of 200 features without information in 60 samples of 12 subjects
    4.7 are selected on average, although the bound is 1.

    A calibrated threshold is chosen by the score of Bodinier et al.: at each q and threshold
    :math:`\pi` (0.60 to 0.90) features are stably selected (share of at least :math:`\pi`),
    stably excluded (at most :math:`1 - \pi`), or neither; the score is minus the log-likelihood
    of these three groups if all features had equal probabilities. Without `pfer` and `q`, q is
    tried up to the number of samples of a half.

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

    def __init__(
        self,
        base: SelectorLike = None,
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

    def fit(self, X: MatrixLike, y: LabelsLike, groups: LabelsLike = None) -> Self:
        """Pick features on halves of the data, and select those that reach the threshold.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample, or a number to regress on.
        groups : array-like of shape (n,), optional
            The subject of each sample; if given, whole subjects are drawn, with all their samples.
            If samples belong to subjects that are not given, they are treated as independent, and
            the bound does not hold.

        Returns
        -------
        self

        Warns
        -----
        HoldfastWarning
            The base favours features of one type (binary, few values, continuous): with shuffled
            labels it picks them at least 1.5 times as often as expected from their number. Types
            of at least five features are compared. Or: at least 5% of the rows are copies of
            others, and no subjects are given.
        """
        super().fit(X, y, groups)
        # left behind by `_score`; not kept, as it is no fitted attribute
        outcome: SubsampleSelections = self.__dict__.pop("_outcome")
        if self.n_features_to_select is None:
            self.support_ = outcome.reaches_threshold()
        picks, names = outcome.picks, self._feature_names()
        self.q_, self.threshold_ = outcome.q, outcome.threshold
        self.error_bound_ = self._design().bound(len(self.scores_), outcome.q, outcome.threshold)
        self.selections_ = Subsets(picks.positions < NEVER, feature_names=names)
        self.mean_selected_ = float(self.selections_.sizes.mean())
        self.stability_path_ = build_stability_path(picks, outcome.threshold, self.support_, names)
        return self

    def _score(self, X: MatrixLike, y: AnyArray, generator: np.random.Generator) -> FloatArray:
        all_rows = np.arange(X.shape[0])
        warn_if_rows_are_copies(X, self._subjects)
        self._outcome = self._select_on_halves(X, y, all_rows, generator)
        # the check has a separate seed: it must not change the selection
        data = self._label_samples(X, y)
        halves = draw_halves(data, all_rows, self._design(), SHUFFLE_SEED)
        warn_if_types_are_favoured(self._base, data, halves, self._outcome.q, SHUFFLE_SEED)
        return self._outcome.probabilities

    def _score_rows(
        self, X: MatrixLike, y: AnyArray, rows: NDArray[np.integer], generator: np.random.Generator
    ) -> FloatArray:
        return self._select_on_halves(X, y, rows, generator).probabilities

    def _select_on_halves(
        self, X: MatrixLike, y: AnyArray, rows: NDArray[np.integer], generator: np.random.Generator
    ) -> SubsampleSelections:
        """Draw halves of the given rows, and let the base pick features on each."""
        design, p = self._design(), X.shape[1]
        target = SelectionTarget(self.threshold, self.pfer, self.q)
        design.warn_if_few()
        seed, base_seed = generator.integers(2**31, size=2).tolist()
        if target.is_calibrated:  # pick as many features as any q needs; q is chosen afterwards
            q, threshold = target.max_q(p, len(rows), design), 0.0
        else:
            q, threshold = target.solve_q_and_threshold(p, design)
            target.warn_if_missed(design.bound(p, q, threshold))
        data = self._label_samples(X, y)
        halves = draw_halves(data, rows, design, seed)
        picks = pick_features(self._base(), data, halves, q, base_seed)
        if target.is_calibrated:
            pfer = None if target.pfer is None else check_pfer(target.pfer)
            q, threshold = calibrate_q_and_threshold(
                picks.counts_by_size(q), design.total, pfer, design.assumption
            )
            target.warn_if_missed(design.bound(p, q, threshold))
        return SubsampleSelections(picks.keep_first(q), q, threshold)

    def _design(self) -> SubsampleDesign:
        return SubsampleDesign.from_parameters(self.sampling, self.assumption, self.n_pairs)
