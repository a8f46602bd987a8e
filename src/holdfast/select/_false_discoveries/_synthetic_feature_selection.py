"""Stability selection with a threshold from synthetic features: the method Stabl."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from holdfast._random import RandomState
from holdfast._typing import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    LabelsLike,
    MatrixLike,
    SelectorLike,
)
from holdfast._validation import check_integer, check_positive_number
from holdfast.preferences import Subsets
from holdfast.select._ensemble._half_sampler import HalfSampler
from holdfast.select._ensemble._stability_parameters import SAMPLINGS, SubsampleDesign
from holdfast.select._ensemble._stability_path import (
    LabelledSamples,
    Picks,
    build_stability_path,
    draw_halves,
    pick_features,
)
from holdfast.select._ensemble._type_bias import warn_if_rows_are_copies
from holdfast.select._l1_path import NEVER
from holdfast.select._registry import selector
from holdfast.select._selector import resample_subjects

N_THRESHOLDS = 100
"""Thresholds 0, 0.01, ..., 0.99 are compared; standard: those of Stabl."""


class SyntheticThreshold(NamedTuple):
    """The estimated false discovery proportion at each threshold, and the threshold chosen.

    Attributes
    ----------
    proportions : array of shape (100,)
        FDP+ at the thresholds 0, 0.01, ..., 0.99.
    threshold : float
        Features with larger shares are selected; 1 if none is.
    fdp : float
        The smallest FDP+.
    selected : array of shape (p,)
        Which real features exceed the threshold.
    """

    proportions: FloatArray
    threshold: float
    fdp: float
    selected: BoolArray


class SyntheticPicks(NamedTuple):
    """What the base picks on each half, of real and of synthetic features, and the threshold."""

    real: Picks
    synthetic: Picks
    threshold: SyntheticThreshold

    def shares(self) -> FloatArray:
        """Return the share of halves that picks each real feature."""
        shares: FloatArray = self.real.counts() / len(self.real.positions)
        return shares


def choose_threshold(
    real: IntArray, synthetic: IntArray, total: int, max_fdp: float | None
) -> SyntheticThreshold:
    """Choose the smallest threshold of selection shares at which FDP+ is least.

    Parameters
    ----------
    real : array of shape (p,)
        How many subsamples pick each real feature.
    synthetic : array of shape (a,)
        How many pick each synthetic feature.
    total : int
        The number of subsamples.
    max_fdp : float or None
        Nothing is selected if FDP+ is larger than this everywhere; None: larger than 1.
    """
    limits = np.arange(N_THRESHOLDS)
    # counts are compared as integers: count / total > limit / 100
    above = (N_THRESHOLDS * real > limits[:, None] * total).sum(axis=1)
    false = (N_THRESHOLDS * synthetic > limits[:, None] * total).sum(axis=1)
    # [Hedou2024]_: one is added to what the synthetic features estimate
    proportions = (1.0 + false * (len(real) / len(synthetic))) / np.maximum(above, 1)
    least = int(np.argmin(proportions))
    fdp = float(proportions[least])
    if fdp > (1.0 if max_fdp is None else max_fdp):
        return SyntheticThreshold(proportions, 1.0, fdp, np.zeros(len(real), dtype=np.bool_))
    selected = N_THRESHOLDS * real > least * total
    return SyntheticThreshold(proportions, least / N_THRESHOLDS, fdp, selected)


@selector(
    name="synthetic_feature_selection",
    title="stability selection against synthetic features (Stabl)",
    references=("hedou2024", "meinshausen2010", "shah2013"),
    aliases=("stabl",),
)
class SyntheticFeatureSelection(HalfSampler):
    r"""Select features that are picked more often than permuted copies of features.

    Synthetic features, copies of features with the values permuted over the samples, are added
    to the data; they have no effect. A base selector picks at most q of all features on each of
    many halves of the samples. At a threshold t of the share of halves, the false discovery
    proportion is estimated from the synthetic features above it,

    .. math:: \mathrm{FDP}_+(t) = \frac{1 + \frac{p}{a} \#\{\text{synthetic}: \pi > t\}}
              {\max(1, \#\{\text{real}: \pi > t\})}

    with p real and a synthetic features. The threshold is the smallest of 0, 0.01, ..., 0.99 at
    which this is least; if it exceeds `max_fdp` there, nothing is selected. Shares lie in 0..1,
    FDP+ is positive.

    Parameters
    ----------
    base : selector, estimator, function or str, default None
        What picks features, as for :class:`holdfast.StabilitySelection`. None is
        :class:`holdfast.L1Path`.
    proportion : float, default 1.0
        Number of synthetic features as a share of that of the real ones, rounded down, at least
        one. Below 1 the features that are copied are drawn at random.
    max_fdp : float or None, default 0.2
        Nothing is selected if FDP+ exceeds this at its minimum; 0.2 needs at least five selected
        features. None is the published rule, which selects whenever FDP+ is at most 1.
    q : int or None, default None
        The largest number of features, real and synthetic, picked on each half. None: the square
        root of their number, rounded up.
    n_pairs : int, default 50
        Number of pairs of disjoint halves, which are stratified by class.
    n_features_to_select : int, float or None, default None
        None: the features above the threshold. A count or a fraction selects the largest shares
        instead.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the permutations, the halves, the base (it replaces the base's seed), and the
        order of features with equal shares.

    Attributes
    ----------
    scores_ : array of shape (p,)
        The share of halves that picks each feature.
    synthetic_scores_ : array of shape (a,)
        That of each synthetic feature.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected; possibly none.
    threshold_ : float
        The threshold; 1 if nothing is selected.
    fdp_ : float
        The smallest FDP+.
    fdp_curve_ : array of shape (100,)
        FDP+ at 0, 0.01, ..., 0.99.
    q_ : int
        The value that was used.
    stability_path_ : StabilityPath
        The shares of the real features along the path.
    selections_ : Subsets
        The real features picked on each half; halves 2i and 2i + 1 are a pair.

    Notes
    -----
    FDP+ at its minimum is a proportion that was searched for, not a rate that is controlled. The
    published rule has no limit other than 1: of noise it selects many features nearly always (the
    guide has a table), at an FDP+ of 0.5 or more. With k real features above all synthetic ones
    FDP+ is 1/k, so that small selections never have a small estimate.

    Permuted copies have no correlation with other features. Where real features without effect
    are correlated with those that have one, they are picked more often than the copies, and
    FDP+ is too small.

    Differences from the package Stabl: `max_fdp`; pairs of stratified halves instead of random
    subsamples;
    the first q features of the path instead of the largest share over a grid of penalties; p/a
    instead of the nominal proportion. Both select shares strictly above the threshold.

    References
    ----------
    J. Hédou, I. Marić, G. Bellan, et al. (2024). Discovery of sparse, reliable omic biomarkers
    with Stabl. Nature Biotechnology 42(10), 1581-1593.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> found = hf.SyntheticFeatureSelection(n_pairs=20).fit(X, y)
    >>> found.threshold_, round(found.fdp_, 2), int(found.support_.sum())
    (0.23, 0.11, 9)
    """

    def __init__(
        self,
        base: SelectorLike = None,
        *,
        proportion: float = 1.0,
        max_fdp: float | None = 0.2,
        q: int | None = None,
        n_pairs: int = 50,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.base = base
        self.proportion = proportion
        self.max_fdp = max_fdp
        self.q = q
        self.n_pairs = n_pairs
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: LabelsLike, groups: LabelsLike = None) -> Self:
        """Pick real and synthetic features on halves, and select those above the threshold.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample, or a number to regress on.
        groups : array-like of shape (n,), optional
            The subject of each sample; if given, whole subjects are drawn, with all their samples.

        Returns
        -------
        self
        """
        super().fit(X, y, groups)
        # left behind by `_score`; not kept, as it is no fitted attribute
        picked: SyntheticPicks = self.__dict__.pop("_picked")
        chosen, names = picked.threshold, self._feature_names()
        if self.n_features_to_select is None:
            self.support_ = chosen.selected
        self.synthetic_scores_ = picked.synthetic.counts() / len(picked.synthetic.positions)
        self.threshold_, self.fdp_ = chosen.threshold, chosen.fdp
        self.fdp_curve_ = chosen.proportions
        self.q_ = self._most_picks(len(self.scores_) + len(self.synthetic_scores_))
        self.selections_ = Subsets(picked.real.positions < NEVER, feature_names=names)
        self.stability_path_ = build_stability_path(
            picked.real, chosen.threshold, self.support_, names
        )
        return self

    def _score(self, X: MatrixLike, y: AnyArray, generator: np.random.Generator) -> FloatArray:
        warn_if_rows_are_copies(X, self._subjects)
        self._picked = self._pick(X, y, np.arange(X.shape[0]), generator)
        return self._picked.shares()

    def _score_rows(
        self, X: MatrixLike, y: AnyArray, rows: NDArray[np.integer], generator: np.random.Generator
    ) -> FloatArray:
        return self._pick(X, y, rows, generator).shares()

    def _pick(
        self, X: MatrixLike, y: AnyArray, rows: NDArray[np.integer], generator: np.random.Generator
    ) -> SyntheticPicks:
        """Add synthetic features to the given rows, and let the base pick on halves of them."""
        if self.max_fdp is not None:
            check_positive_number(self.max_fdp, "max_fdp", 1.0, inclusive=True)
        proportion = check_positive_number(self.proportion, "proportion", 1.0, inclusive=True)
        design = SubsampleDesign.from_parameters(SAMPLINGS[0], "none", self.n_pairs)
        seed, base_seed = generator.integers(2**31, size=2).tolist()
        real = np.asarray(X[rows])
        p = real.shape[1]
        classes = self.classes_ if self._needs_classes else None
        data = LabelledSamples(real, y[rows], classes, resample_subjects(self._subjects, rows))
        halves = draw_halves(data, np.arange(len(rows)), design, seed)
        both = np.hstack([real, permute_features(real, max(1, int(proportion * p)), generator)])
        most = self._most_picks(both.shape[1])
        positions, penalties = pick_features(
            self._base(), data._replace(X=both), halves, most, base_seed
        )
        parts = (
            Picks(positions[:, columns], None if penalties is None else penalties[:, columns])
            for columns in (slice(p), slice(p, None))
        )
        of_real, of_synthetic = parts
        chosen = choose_threshold(
            of_real.counts(), of_synthetic.counts(), design.total, self.max_fdp
        )
        return SyntheticPicks(of_real, of_synthetic, chosen)

    def _most_picks(self, n_features: int) -> int:
        if self.q is None:
            return int(np.ceil(np.sqrt(n_features)))
        return min(check_integer(self.q, "q", 1), n_features)


def permute_features(X: AnyArray, count: int, generator: np.random.Generator) -> AnyArray:
    """Return copies of features, drawn without replacement, each in its own order of samples."""
    p = X.shape[1]
    drawn = np.arange(p) if count == p else np.sort(generator.choice(p, count, replace=False))
    permuted: AnyArray = generator.permuted(X[:, drawn], axis=0)
    return permuted
