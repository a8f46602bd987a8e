"""Integrated path stability selection: expected false positives and q-values of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from holdfast._random import RandomState
from holdfast._typing import AnyArray, FloatArray, LabelsLike, MatrixLike, SelectorLike
from holdfast._validation import check_finite_number, check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.select._ensemble._half_sampler import HalfSampler
from holdfast.select._ensemble._stability_parameters import SAMPLINGS, SubsampleDesign
from holdfast.select._ensemble._stability_path import as_base, draw_halves
from holdfast.select._ensemble._type_bias import warn_if_rows_are_copies
from holdfast.select._false_discoveries._integrated_paths import (
    IntegratedPaths,
    PathFunction,
    Scaling,
    integrate_stability_paths,
)
from holdfast.select._false_discoveries._selection_paths import (
    SelectionPaths,
    compute_selection_paths,
)
from holdfast.select._l1_path import L1Path
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from holdfast.select._ranker import Ranker

DEFAULT_TARGET_FDR = 0.1
"""Used if no target is given; standard in the field."""
N_PENALTIES, PATH_TOLERANCE = 25, 1e-3
"""Of the default path; standard: those of the package ipss."""


@selector(
    name="integrated_path_selection",
    title="integrated path stability selection (IPSS)",
    references=("melikechi2025", "melikechi2025forests", "shah2013"),
    aliases=("ipss",),
)
class IntegratedPathSelection(HalfSampler):
    r"""Select features by q-values from their whole stability paths.

    A base selector runs on pairs of disjoint halves of the samples.
    :math:`\pi_j(\lambda)` is the share of halves that select feature j at the penalty (or
    threshold) :math:`\lambda`. The score of a feature is an integral along its path,

    .. math:: S_j = \int h_m(\pi_j(\lambda)) \, \mu(d\lambda), \quad
              h_m(\pi) = (2\pi - 1)^m \, [\pi > \tfrac12], \quad
              \mu(d\lambda) \propto \lambda^{-\delta} d\lambda

    and the number of features without effect whose score reaches :math:`S_j` is bounded on
    average by

    .. math:: \mathrm{efp}_j = \frac{p}{S_j} \int b_m(\lambda) \, \mu(d\lambda), \quad
              b_1 = r^2, \quad b_2 = \frac{r^2 + (B-1) r^4}{B}, \quad
              b_3 = \frac{r^2 + 3 (B-1) r^4 + (B-1)(B-2) r^6}{B^2}

    with :math:`r = q(\lambda) / p`, q the mean number of features selected on a half, and B
    pairs. The q-value of a feature is the smallest ratio of efp to the number of selected
    features, over all cuts that select it. efp lies in 0..p, q-values in 0..1.

    Parameters
    ----------
    base : selector, estimator, function or str, default None
        What runs on the halves. None is :class:`holdfast.L1Path` with 25 penalties: the lasso
        (numbers as target), logistic regression (two classes) or multinomial regression (more
        classes); a feature is selected at a penalty if its coefficient is not 0. Of other
        selectors, such as
        :class:`holdfast.ForestImportance`, the scores are compared with 100 thresholds, from the
        largest score down to 1e-8 of it; scores of 0 or less are never selected.
    target_fdr : float or None, default None
        Features with a q-value of at most this are selected. Without any target: 0.1.
    target_efp : float or None, default None
        Instead: features whose expected number of false positives is at most this.
    function : {"h1", "h2", "h3"} or None, default None
        The power m. None: h2 for L1 paths and h3 for scores, as in the package ipss. h1 needs
        the weakest assumption (see Notes).
    delta : float or None, default None
        How much small penalties weigh; 1 is uniform on the logarithmic scale. None: 1 for L1
        paths, 1.25 for scores.
    cutoff : float, default 0.05
        The path ends before the integral of the bound exceeds this.
    scaling : {"theorem", "ipss"}, default "theorem"
        Whether the measure has mass 1 on the part of the path before the cutoff, as the theorem
        demands; or, as in the package ipss, on the whole path for the bound and on that part for
        the scores, which makes efp and q-values smaller where the cutoff ends the path.
    n_pairs : int, default 50
        B, the number of pairs of halves; halves are stratified by class.
    n_features_to_select : int, float or None, default None
        None: the features that keep the target. A count or a fraction selects the largest scores
        instead, without control of false positives.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the halves, of the base (it replaces the base's seed), and of the order of
        features with equal scores.

    Attributes
    ----------
    scores_ : array of shape (p,)
        The integrals, from 0 to 1; 0 for features selected on no more than half of the halves.
    efp_scores_ : array of shape (p,)
        The expected number of false positives if the features with at least this score are
        selected; p for scores of 0.
    q_values_ : array of shape (p,)
        The q-values; 1 if nothing supports a feature.
    ranking_ : array of shape (p,)
        Ranks by score, 1 the best.
    support_ : array of shape (p,)
        Which features are selected; possibly none.
    stability_paths_ : array of shape (s, p)
        The share of halves that select each feature, at each step.
    path_steps_ : array of shape (s,)
        The steps: penalties relative to the largest of each half, or thresholds relative to the
        largest score.
    n_steps_ : int
        How many steps were integrated before the cutoff.

    Notes
    -----
    The bound of efp holds on average over data sets, if samples are independent and the base
    selects a feature without effect on all of 2m halves (m pairs) with probability at most
    :math:`r^{2m}`. For m = 1 this follows if such features are selected no more often than at
    random. For h2 and h3 it is an assumption about several pairs, which share samples: it fails
    if few samples make one feature look informative on most halves. In the measurements of the
    guide, h1 keeps its level on noise, h2 and h3 do not always.

    q-values divide this bound by the number of selected features; they estimate the false
    discovery rate, and no theorem bounds it by them. Features that stand in for each other share
    their selections, so that none of them may reach a share of one half. With few features (less
    than about 30) the bounds are wide, as r is large.

    Differences from the package ipss: halves are stratified; penalties are relative to the
    largest of each half; all features enter the path, without a preselection on the same data;
    delta does not depend on the correlations; thresholds start at the largest score.

    A target of numbers is regressed on, under the same rules as in
    :class:`holdfast.StabilitySelection`.

    References
    ----------
    O. Melikechi, J. W. Miller (2025). Integrated path stability selection. Journal of the
    American Statistical Association. doi:10.1080/01621459.2025.2525589.

    O. Melikechi, D. B. Dunson, J. W. Miller (2025). Nonparametric IPSS: fast, flexible feature
    selection with false discovery control. Bioinformatics 41(5), btaf299.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> paths = hf.IntegratedPathSelection(n_pairs=20, target_fdr=0.2).fit(X, y)
    >>> paths.get_feature_names_out().tolist()
    ['mean concave points', 'worst radius', 'worst texture', 'worst concave points']
    """

    def __init__(
        self,
        base: SelectorLike = None,
        *,
        target_fdr: float | None = None,
        target_efp: float | None = None,
        function: PathFunction | None = None,
        delta: float | None = None,
        cutoff: float = 0.05,
        scaling: Scaling = "theorem",
        n_pairs: int = 50,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.base = base
        self.target_fdr = target_fdr
        self.target_efp = target_efp
        self.function = function
        self.delta = delta
        self.cutoff = cutoff
        self.scaling = scaling
        self.n_pairs = n_pairs
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _base(self) -> Ranker:
        return as_base(self.base, _default_base)

    def fit(self, X: MatrixLike, y: LabelsLike, groups: LabelsLike = None) -> Self:
        """Run the base on halves of the data, and select the features that keep the target.

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
        # left behind by `_score`; not kept, as they are no fitted attributes
        paths, outcome = self.__dict__.pop("_outcome")
        self.efp_scores_, self.q_values_ = outcome.efp_scores, outcome.q_values
        self.path_steps_, self.stability_paths_ = paths.steps, paths.probabilities
        self.n_steps_ = outcome.n_steps
        if self.n_features_to_select is None:
            values, limit = self._target(outcome)
            self.support_ = values <= limit
        return self

    def _score(self, X: MatrixLike, y: AnyArray, generator: np.random.Generator) -> FloatArray:
        warn_if_rows_are_copies(X, self._subjects)
        paths, outcome = self._integrate(X, y, np.arange(X.shape[0]), generator)
        self._outcome = paths, outcome
        return outcome.scores

    def _score_rows(
        self, X: MatrixLike, y: AnyArray, rows: NDArray[np.integer], generator: np.random.Generator
    ) -> FloatArray:
        return self._integrate(X, y, rows, generator)[1].scores

    def _integrate(
        self, X: MatrixLike, y: AnyArray, rows: NDArray[np.integer], generator: np.random.Generator
    ) -> tuple[SelectionPaths, IntegratedPaths]:
        """Draw halves of the given rows, run the base on each, and integrate the paths."""
        base = self._base()
        has_path = isinstance(base, L1Path)
        default_function, default_delta = ("h2", 1.0) if has_path else ("h3", 1.25)
        delta = default_delta if self.delta is None else check_finite_number(self.delta, "delta")
        cutoff = check_positive_number(self.cutoff, "cutoff", np.inf)
        self._check_targets()
        seed, base_seed = generator.integers(2**31, size=2).tolist()
        design = SubsampleDesign.from_parameters(SAMPLINGS[0], "none", self.n_pairs)
        data = self._label_samples(X, y)
        paths = compute_selection_paths(
            base, data, draw_halves(data, rows, design, seed), base_seed
        )
        outcome = integrate_stability_paths(
            paths.probabilities,
            paths.steps,
            self.n_pairs,
            function=self.function or default_function,
            delta=delta,
            cutoff=cutoff,
            scaling=self.scaling,
        )
        return paths, outcome

    def _check_targets(self) -> None:
        if self.target_fdr is not None and self.target_efp is not None:
            raise InvalidInputError(
                "one target is needed, target_fdr or target_efp; both are given. Set one to None."
            )
        if self.target_fdr is not None:
            check_positive_number(self.target_fdr, "target_fdr", 1.0)
        if self.target_efp is not None:
            check_positive_number(self.target_efp, "target_efp", np.inf)

    def _target(self, outcome: IntegratedPaths) -> tuple[FloatArray, float]:
        """Return what is compared with the target, and the target."""
        if self.target_efp is not None:
            return outcome.efp_scores, float(self.target_efp)
        return outcome.q_values, float(self.target_fdr or DEFAULT_TARGET_FDR)


def _default_base() -> L1Path:
    return L1Path(n_penalties=N_PENALTIES, tolerance=PATH_TOLERANCE)
