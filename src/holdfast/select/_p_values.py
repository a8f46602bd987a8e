"""P-values of filters: the base class of filters that have them, and corrections."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal, get_args

import numpy as np

from holdfast._typing import AnyArray, FloatArray, IndexArray, MatrixLike
from holdfast._validation import check_choice, check_positive_number
from holdfast.select._ranker import ThresholdScorer

Correction = Literal["fdr_bh", "bonferroni", "none"]


class PValueScorer(ThresholdScorer):
    """Base class of filters whose scores have p-values.

    Children have the parameters ``alpha`` and ``correction``, too, and implement ``_p_values``.
    """

    _cut_parameters = ("threshold", "alpha")
    alpha: float | None
    correction: Correction

    @abstractmethod
    def _p_values(self, X: MatrixLike, y: IndexArray, scores: FloatArray) -> FloatArray:
        """Return the p-value of each score; raise if the scores have none.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data that were scored.
        y : ndarray of shape (n,)
            The classes, numbered from 0 without gaps.
        scores : ndarray of shape (p,)
            The scores.
        """

    def _check_cut(self) -> None:
        super()._check_cut()
        check_choice(self.correction, "correction", get_args(Correction))
        if self.alpha is not None:
            check_positive_number(self.alpha, "alpha", 1.0)

    def _rank(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> AnyArray:
        ranks = super()._rank(X, y, generator)
        for name in ("pvalues_", "qvalues_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        if self.alpha is not None:
            self.pvalues_ = self._p_values(X, y, self.scores_)
            self.qvalues_ = adjust_p_values(self.pvalues_, self.correction)
        return ranks

    def _apply_cut(self) -> None:
        super()._apply_cut()
        if self.alpha is not None:
            self.support_ = self.qvalues_ <= self.alpha


def adjust_p_values(p_values: FloatArray, correction: str) -> FloatArray:
    """Return p-values corrected for their number, so that a cut at a level keeps the level.

    Parameters
    ----------
    p_values : ndarray of shape (p,)
        The p-values.
    correction : {"fdr_bh", "bonferroni", "none"}
        Benjamini and Hochberg's step-up rule, which controls the false discovery rate; the number
        of features times the p-value, which controls the probability of any false selection; or
        the p-values as they are.
    """
    if correction == "fdr_bh":
        order = np.argsort(p_values)
        # the smallest of p m / rank over all ranks from a feature's own on
        scaled = p_values[order] * (len(p_values) / np.arange(1, len(p_values) + 1))
        adjusted = np.empty_like(scaled)
        adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
        return np.minimum(1.0, adjusted)
    if correction == "bonferroni":
        return np.minimum(1.0, len(p_values) * p_values)
    return p_values.copy()


def take_smallest_p_value(p_values: FloatArray) -> FloatArray:
    """Return the smallest p-value of several contrasts (rows), times their number, at most 1."""
    smallest: FloatArray = np.minimum(1.0, len(p_values) * p_values.min(axis=0))
    return smallest
