"""Features whose effects agree on disjoint halves of the data, at a false discovery rate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np
from numpy.typing import NDArray

from holdfast._random import RandomState
from holdfast._typing import AnyArray, FloatArray, IndexArray, LabelsLike, MatrixLike
from holdfast._validation import check_choice, check_integer, check_positive_number
from holdfast.preferences import Subsets
from holdfast.select._ensemble._ensemble import Resampler
from holdfast.select._ensemble._stability_parameters import SAMPLINGS, SubsampleDesign
from holdfast.select._ensemble._stability_path import LabelledSamples, draw_halves
from holdfast.select._false_discoveries._lasso_effects import (
    SHARE_OF_HALF,
    check_max_features,
    lasso_effects,
)
from holdfast.select._false_discoveries._mirror_statistics import (
    MIRRORS,
    STATISTICS,
    HalfEffects,
    check_offset,
    discover,
    t_effects,
)
from holdfast.select._registry import selector
from holdfast.select._selector import renumber_classes, resample_subjects

MAX_EFFECTS_PER_BLOCK = 2**22
"""Most effects (halves times features) computed at a time; limits memory, chosen by hand."""


@selector(
    name="data_splitting",
    title="multiple data splitting with mirror statistics",
    references=("dai2023",),
    aliases=("multiple_data_splitting",),
)
class DataSplitting(Resampler):
    r"""Select the features whose effects agree on disjoint halves, at a false discovery rate.

    The samples are split into two halves, many times. On each half the effect
    :math:`T_j` of each feature is estimated, with a sign. If a feature has no effect, the sign on
    one half says nothing about the other, so that its *mirror statistic*

    .. math:: M_j = \operatorname{sign}(T_j^{(1)} T_j^{(2)}) \,
              f(|T_j^{(1)}|, |T_j^{(2)}|), \qquad f(u, v) = u + v,\ u v \text{ or } \min(u, v)

    is symmetric about 0; with an effect it is positive. So the features with :math:`M_j < -t`
    are as many as the false ones among those with :math:`M_j > t`. A split selects the features
    above the smallest cut at which the estimated false discovery proportion is at most q,

    .. math:: \tau = \min \Bigl\{t: \frac{a + \#\{j: M_j < -t\}}{\#\{j: M_j > t\} \vee 1}
              \le q \Bigr\},

    and over all splits a feature has the *inclusion rate*
    :math:`I_j = \operatorname{mean}_k 1[j \in S_k] / (|S_k| \vee 1)`. The features of the smallest
    rates are dropped while their rates add up to at most q; all others are selected.

    Parameters
    ----------
    fdr : float, default 0.1
        The nominal false discovery rate q: the mean share of false features among those selected.
        It holds in the limit of many features with effects, not in each data set.
    statistic : {"t_score", "l1_path"}, default "t_score"
        What estimates effects. ``"t_score"``: the t statistic of each feature. It asks whether a
        feature differs between the classes; features that are correlated with one that does,
        differ, too. ``"l1_path"``: the lasso on the first half, least squares with the features
        of the lasso on the second. It asks whether a feature has an effect given all others.
    mirror : {"sum", "product", "minimum"}, default "sum"
        The function f.
    n_splits : int, default 50
        Number of splits, each stratified by class.
    max_features : int or None, default None
        With ``"l1_path"``, the largest number of features of the lasso: its penalty is the
        smallest on the path with no more. None: a quarter of the samples of a half.
    offset : {1, 0}, default 1
        The number a. With 1, a split selects no less than 1/q features or none; 0 is the rule of
        the paper, which selects too many features if few have effects (see Notes).
    n_features_to_select : int, float or None, default None
        None: the features that are not dropped. A count or a fraction selects those of the
        highest inclusion rates instead, to which no rate applies.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the splits, and of the order of features with equal rates.

    Attributes
    ----------
    scores_, inclusion_rates_ : array of shape (p,)
        Inclusion rates; their sum is the share of splits that select anything.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected; possibly none.
    mirror_statistics_ : array of shape (n_splits, p)
        The mirror statistics; positive where the halves agree.
    selections_ : Subsets
        The features that each split selects, for :func:`holdfast.measure`.

    Notes
    -----
    With more than two classes an effect has an entry per class: with ``"t_score"`` the distance of
    the class mean from the mean of all, standardised, whose length is the root of (c - 1) F; with
    ``"l1_path"`` the coefficients of the class against the rest. :math:`|T|` is its length, and
    the sign that of the inner product of the two effects, which is symmetric in the same way. For
    two classes this is the published statistic.

    The paper has a = 0 in its equation of the cut; the code of its authors has a = 1, as knockoffs
    have, and so does this class. Without it, a split of pure noise often selects a feature. The
    lasso of the authors has a penalty chosen by cross-validation; any rule that sees the first half
    only is valid, and `max_features` takes a single path. Least squares predicts the indicators
    of the classes. Features of equal inclusion rate are dropped together or not at all; the
    authors' code drops them in the order of the columns.

    The rate is not kept where estimates on the two halves are not independent, as with several
    samples of one subject, unless `groups` names the subjects; nor with a few large blocks of
    correlated features, whose statistics are positive or negative together. The guide has measured
    rates.

    References
    ----------
    C. Dai, B. Lin, X. Xing, J. S. Liu (2023). False discovery rate control via data splitting.
    Journal of the American Statistical Association 118(544), 2503-2520.

    Examples
    --------
    >>> import holdfast as hf
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(100) % 2
    >>> X = rng.normal(size=(100, 500))
    >>> X[:, :20] += 1.5 * y[:, None]
    >>> chosen = hf.DataSplitting(fdr=0.1).fit(X, y).get_support(indices=True)
    >>> int((chosen < 20).sum()), int((chosen >= 20).sum())
    (20, 1)
    """

    def __init__(
        self,
        fdr: float = 0.1,
        *,
        statistic: str = "t_score",
        mirror: str = "sum",
        n_splits: int = 50,
        max_features: int | None = None,
        offset: int = 1,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.fdr = fdr
        self.statistic = statistic
        self.mirror = mirror
        self.n_splits = n_splits
        self.max_features = max_features
        self.offset = offset
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def selects_own_size(self) -> bool:
        """Whether the false discovery rate determines the number of selected features."""
        return self.n_features_to_select is None

    def fit(self, X: MatrixLike, y: LabelsLike, groups: LabelsLike = None) -> Self:
        """Estimate effects on halves of the data, and select the features that agree.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows; at least 4 samples of each class.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample; if given, whole subjects are drawn, with all their samples.

        Returns
        -------
        self
        """
        super().fit(X, y, groups)
        # left behind by `_score`; not kept, as it is no fitted attribute
        self.mirror_statistics_: FloatArray = self.__dict__.pop("_statistics")
        found = discover(self.mirror_statistics_, self.fdr, self.offset)
        self.inclusion_rates_ = found.inclusion_rates
        self.selections_ = Subsets(found.selections, feature_names=self._feature_names())
        if self.n_features_to_select is None:
            self.support_ = found.support
        return self

    def _score(self, X: MatrixLike, y: AnyArray, generator: np.random.Generator) -> FloatArray:
        self._statistics = self._mirror_statistics(X, y, self._subjects, generator)
        return discover(self._statistics, self.fdr, self.offset).inclusion_rates

    def _score_rows(
        self, X: MatrixLike, y: AnyArray, rows: NDArray[np.integer], generator: np.random.Generator
    ) -> FloatArray:
        subjects = resample_subjects(self._subjects, rows)
        statistics = self._mirror_statistics(X[rows], y[rows], subjects, generator)
        return discover(statistics, self.fdr, self.offset).inclusion_rates

    def _mirror_statistics(
        self,
        X: MatrixLike,
        y: IndexArray,
        subjects: AnyArray | None,
        generator: np.random.Generator,
    ) -> FloatArray:
        """Return the mirror statistics of all splits, one row for each."""
        self._check_parameters(len(y))
        data = LabelledSamples(X, y, self.classes_, subjects)
        design = SubsampleDesign.from_parameters(SAMPLINGS[0], "none", self.n_splits)
        halves = draw_halves(data, np.arange(len(y)), design, int(generator.integers(2**31)))
        X, y = np.asarray(X), renumber_classes(y)
        return np.concatenate(
            [effects.mirror_statistics(self.mirror) for effects in self._effects(X, y, halves)]
        )

    def _effects(
        self, X: AnyArray, y: IndexArray, halves: list[IndexArray]
    ) -> Iterator[HalfEffects]:
        """Yield the effects of the splits, block by block."""
        length = 2 * max(1, MAX_EFFECTS_PER_BLOCK // (2 * X.shape[1]))
        for start in range(0, len(halves), length):
            block = halves[start : start + length]
            if self.statistic == "t_score":
                yield t_effects(X, y, block)
            else:
                yield lasso_effects(X, y, block, self.max_features)

    def _check_parameters(self, n_samples: int) -> None:
        check_positive_number(self.fdr, "fdr", 1.0)
        check_choice(self.statistic, "statistic", STATISTICS)
        check_choice(self.mirror, "mirror", MIRRORS)
        check_integer(self.n_splits, "n_splits", 1)
        check_offset(self.offset)
        check_max_features(self.max_features, n_samples // 2, SHARE_OF_HALF)
