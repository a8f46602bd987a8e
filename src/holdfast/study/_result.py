"""The result of a study: its tables, read from its store when somebody asks."""

from __future__ import annotations

import json
import shlex
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import pandas as pd

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.study._planning._plan import AUXILIARY_ROLES
from holdfast.study._planning._stopping_rule import running_table
from holdfast.study._result_plots import Pictures
from holdfast.study._storage._reader import StudyPreferences, View
from holdfast.study._tables._errors import errors_table
from holdfast.study._tables._feature_chances import features_table
from holdfast.study._tables._frequencies import frequencies_table
from holdfast.study._tables._predictions import no_predictions, prediction_frames
from holdfast.study._tables._replication import cohorts_table, replication_table
from holdfast.study._tables._stability import LazyDataset, stability_table
from holdfast.study._tables._summary import chief_measure, rich_table, summary_cells, summary_table

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rich.table import Table
    from sklearn.pipeline import Pipeline

    from holdfast.io import Dataset
    from holdfast.judge import (
        CohortComparison,
        Pair,
        Recommendation,
        Replication,
        SelectorSimilarity,
        StabilityProfile,
        StandIns,
    )
    from holdfast.study._storage._store import Store

    Made = TypeVar("Made")


# What follows from a result: which pair to take, and why selections agree or do not.


class Judged:
    """The judgements of a result, a method each; each is made once and kept."""

    if TYPE_CHECKING:  # what the result has, that judgements are made from
        _view: View
        _data: LazyDataset

        @property
        def plan(self) -> dict[str, Any]: ...
        @property
        def errors(self) -> pd.DataFrame: ...
        @property
        def stability(self) -> pd.DataFrame: ...
        @property
        def replication(self) -> pd.DataFrame: ...

    def __init__(self) -> None:
        self._judgements: dict[tuple[object, ...], Any] = {}

    def recommend(
        self,
        *,
        stability: Literal["replication", "resamples"] = "replication",
        rule: Literal["not_worse", "one_standard_error", "rpt"] = "not_worse",
        measure: str | None = None,
        alpha: float = 0.05,
        correction: Literal["chosen_best", "holm"] | None = "chosen_best",
        beta: float = 1.0,
    ) -> Recommendation:
        """Recommend a selector with a classifier at a size, and say why.

        Pairs are tested against the one of the lowest error: by McNemar's test where each sample
        is predicted once, else by a t-test on samples, or on subjects where these have several;
        both are enlarged because all classifiers share training samples, and corrected because the
        best is that of these data. Among those that are not significantly worse, the one of
        whose features a second study would find most again is recommended. Pairs of which much
        failed, or is still to do, are left out. Pairs that replicate no better than chance, or err
        no less than guessing the largest class, are passed over; if all do, nothing can be
        recommended: ``supported`` is False and ``why_not`` says why.
        Choosing the best of many flatters its error; what to expect of the choice itself is
        estimated by choosing inside each outer resample of a nested study, else without a quarter
        of the samples, again and again. Without replication it is a bootstrap over samples.

        Parameters
        ----------
        stability : {"replication", "resamples"}, default "replication"
            What pairs that are good enough are ordered by: what a second study would find again
            (from disjoint parts of the data, pooled with the stability over the resamples), or the
            stability over the resamples alone, as Kalousis et al. (2005) advise. Where replication
            was not measured, it is the latter; ``stability_source`` and the reasons say so.
        rule : {"not_worse", "one_standard_error", "rpt"}, default "not_worse"
            Which pairs are good enough: those not significantly worse than the best, or those
            within one standard error of it. ``"rpt"`` takes the highest RPT instead.
        measure : str, optional
            The measure of stability, one of the study; by default the one of the summary.
        alpha : float, default 0.05
            Level of significance.
        correction : {"chosen_best", "holm", None}, default "chosen_best"
            How p-values are corrected: because the best is chosen by the same data, or for the
            number of tests only; None leaves the tests as published.
        beta : float, default 1.0
            Weight of the accuracy in RPT.

        Returns
        -------
        Recommendation
            The choice, its reasons in sentences, and its rivals. Without classifiers, stability
            alone decides.

        Raises
        ------
        InvalidInputError
            No pair has both an error and a stability.

        See Also
        --------
        holdfast.judge.recommend : The same from tables of any origin.
        """
        from holdfast.study._recommendation import recommend_candidate as recommended  # noqa: PLC0415  (seldom needed)

        if stability not in ("replication", "resamples"):
            raise UnknownNameError(
                f"stability must be 'replication' or 'resamples', got {stability!r}."
            )
        settings = {"rule": rule, "alpha": alpha, "correction": correction, "beta": beta}
        return self._judged(
            ("recommend", stability, measure, *settings.values()),
            lambda: recommended(
                self._view,
                self._data,
                self.errors,
                self.stability,
                self.replication,
                measure=measure,
                order_by=stability,
                **settings,
            ),
        )

    def compare(self, *, correction: Literal["holm"] | None = "holm") -> pd.DataFrame:
        """Test each pair of a selector with a classifier against each other one.

        Parameters
        ----------
        correction : {"holm", None}, default "holm"
            How p-values are corrected for the number of tests; None leaves the tests as
            published, neither corrected nor enlarged for shared training samples.

        Returns
        -------
        pandas.DataFrame
            A row for each two pairs; as :func:`holdfast.judge.compare_pairs` gives it.

        Raises
        ------
        InvalidInputError
            The study has no predictions.
        """
        from holdfast.judge import compare_pairs  # noqa: PLC0415  (seldom needed)
        from holdfast.study._tables._predictions import tested_of  # noqa: PLC0415

        tested = tested_of(self._view)
        if tested is None:
            raise InvalidInputError(
                "the study has no predictions to compare: it has no classifier, its protocol "
                "tests nothing, or nothing is done yet."
            )
        return compare_pairs(tested, correction=correction)

    def compare_replication(
        self,
        size: int | None = None,
        *,
        measure: str | None = None,
        correction: Literal["holm"] | None = "holm",
    ) -> pd.DataFrame:
        """Test for each two selectors whether one replicates better in new studies.

        The question is about the population, not about these resamples: see
        :func:`holdfast.compare_replication`.

        Parameters
        ----------
        size : int, optional
            How many features are selected; by default the largest size. Selectors that choose the
            size themselves are compared with their own.
        measure : str, optional
            A measure of the study; by default its first one.
        correction : {"holm", None}, default "holm"
            How p-values are corrected for the number of tests; None leaves them as they are.

        Returns
        -------
        pandas.DataFrame
            One row for each two selectors: ``selector_a``, ``selector_b``, ``size``, ``measure``;
            ``n_samples`` of each of two studies that agree so; ``replication_a`` and
            ``replication_b``; their ``difference`` (positive where a is better) with ``low`` and
            ``high``, its 95% interval for other data; ``standard_error``; ``p_value`` as it is
            and ``p_corrected``. Selectors without a value are left out.

        Raises
        ------
        InvalidInputError
            The study has no disjoint halves.
        """
        from holdfast.study._tables._replication import compared_replication  # noqa: PLC0415  (seldom needed)

        return compared_replication(
            self._view, self._data, size=size, measure=measure, correction=correction
        )

    def pipeline(
        self,
        X: Any,  # noqa: ANN401  (a matrix, a frame, or a Dataset)
        y: Any = None,  # noqa: ANN401
        *,
        chosen: Recommendation | Pair | None = None,
    ) -> Pipeline:
        """Fit the recommended selector and classifier on all data, as a scikit-learn Pipeline.

        Parameters
        ----------
        X : array-like of shape (n, p), frame or Dataset
            The data, with the features of the study in their order. Those that were nominal in
            the study, if its data are still at hand, are so here.
        y : array-like of shape (n,)
            The class of each sample; none beside a Dataset, which has its labels.
        chosen : Recommendation or Pair, optional
            Another choice than ``recommend()`` makes.

        Returns
        -------
        sklearn.pipeline.Pipeline
            Selects, scales and classifies as the study did; fitted. Without a classifier it ends
            with the selection.

        Raises
        ------
        InvalidInputError
            The data have other features than the study: another number, or other names. Or no
            pair is named and nothing can be recommended.
        StudyError
            The selector or the classifier cannot be imported.

        Examples
        --------
        >>> import holdfast as hf
        >>> data = hf.io.read_data("@wine")
        >>> study = hf.Study("f_score", protocol=hf.CrossValidation(5), sizes=[2, 5])
        >>> model = study.run(data, n_jobs=1).pipeline(data)
        >>> model[:-1].get_feature_names_out().tolist()[:2]
        ['alcohol', 'flavanoids']
        """
        from holdfast.study._recommendation import fitted_pipeline  # noqa: PLC0415  (seldom needed)

        data = self._data.dataset
        return fitted_pipeline(
            self.plan,
            chosen or self._supported(),
            X,
            y,
            names=self._view.feature_names.tolist(),
            nominal=None if data is None else data.nominal,
        )

    def _supported(self) -> Recommendation:
        """Return the recommendation; refuse where nothing can be recommended."""
        found = self.recommend()
        if not found.supported:
            raise InvalidInputError(
                f"nothing can be recommended: {found.why_not} To fit a pair all the same, name it: "
                f"result.pipeline(X, y, chosen=hf.judge.{found.pair!r})."
            )
        return found

    def profile(
        self,
        *,
        sizes: Sequence[int] | None = None,
        measures: str | Sequence[str] = ("nogueira", "jaccard"),
    ) -> StabilityProfile:
        """Measure stability against the number of features, from one up to all that are kept.

        Parameters
        ----------
        sizes : sequence of int, optional
            The numbers of features; by default about forty, closer together where they are small,
            with those of the study among them.
        measures : str or sequence of str, default ("nogueira", "jaccard")
            Measures of subsets.

        Returns
        -------
        StabilityProfile
            Values with intervals and chance levels, and for each selector the knot: the number of
            features after which others are added as if at random, if there is one. Selectors
            that choose the size themselves have no profile.

        See Also
        --------
        holdfast.judge.stability_profile : The same from rankings of any origin.
        """
        from holdfast.study._tables._stability import profile  # noqa: PLC0415  (seldom needed)

        asked = None if sizes is None else tuple(sizes)
        names = measures if isinstance(measures, str) else tuple(measures)
        return self._judged(
            ("profile", asked, names),
            lambda: profile(self._view, sizes=asked, measures=names),
        )

    def similarity(self, *, size: int | None = None, measure: str = "phi") -> SelectorSimilarity:
        """Compare what different selectors choose with how alike each is to itself.

        Parameters
        ----------
        size : int, optional
            The number of features; by default the largest of the study. Selectors that choose
            the size themselves are taken at their own.
        measure : str, default "phi"
            A measure that compares two subsets.

        Returns
        -------
        SelectorSimilarity
            Over the resamples that all selectors have done.

        See Also
        --------
        holdfast.judge.selector_similarity : The same from selections of any origin.
        """
        from holdfast.study._tables._stability import similarity  # noqa: PLC0415  (seldom needed)

        return self._judged(
            ("similarity", size, measure),
            lambda: similarity(self._view, size=size, measure=measure),
        )

    def replicated(
        self,
        selector: str | None = None,
        size: int | str | None = None,
        measure: str | None = None,
    ) -> Replication:
        """Return the replication stability of a selector at a size, with its curve.

        Parameters
        ----------
        selector : str, optional
            A selector of the study; by default the recommended one.
        size : int or "own", optional
            The number of features; by default the recommended one, or the largest of the
            selector that is named.
        measure : str, optional
            Any measure; by default the one of the summary.

        Returns
        -------
        Replication
            The same numbers as a row of `replication`, the estimates for smaller studies and the
            predictions for larger ones, and a picture of them.

        Raises
        ------
        InvalidInputError
            The study has no disjoint parts, or the selector failed on them.
        """
        from holdfast.study._tables._replication import replicated_of  # noqa: PLC0415  (seldom needed)

        name, count = self._meant(selector, size)
        return self._judged(
            ("replicated", name, count, measure),
            lambda: replicated_of(self._view, self._data, name, count, measure),
        )

    def longest_lists(self, found_again: float = 0.8) -> pd.DataFrame:
        """Find, for each selector, the longest list that a second study would mostly find again.

        Features are taken by decreasing chance, as many as keep the expected share found again at
        or above `found_again`, by a careful rule: picking the longest of many lists favours those
        that are overestimated.

        Parameters
        ----------
        found_again : float, default 0.8
            The share, above 0 and below 1.

        Returns
        -------
        pandas.DataFrame
            For each selector: ``size``, the number of selected features that gave the longest
            list; ``n_features`` of it, 0 where no list of these data reaches the share;
            ``expected_share``; ``features``. Selectors whose chances are not known are left out.
        """
        from holdfast.study._tables._feature_chances import longest_lists  # noqa: PLC0415  (seldom needed)

        return self._judged(
            ("longest_lists", found_again), lambda: longest_lists(self._view, found_again)
        )

    def compare_cohorts(
        self,
        selector: str | None = None,
        size: int | str | None = None,
        measure: str | None = None,
    ) -> CohortComparison:
        """Compare what a selector finds in each cohort of the data.

        Parameters
        ----------
        selector, size, measure
            As for `replicated`.

        Returns
        -------
        CohortComparison
            How well each two cohorts agree, beside what to expect of samples of their sizes; in
            how many cohorts each feature was selected.

        Raises
        ------
        InvalidInputError
            The study has no cohorts.
        """
        from holdfast.study._tables._replication import cohorts_of  # noqa: PLC0415  (seldom needed)

        name, count = self._meant(selector, size)
        return self._judged(
            ("compare_cohorts", name, count, measure),
            lambda: cohorts_of(self._view, self._data, name, count, measure),
        )

    def memberships(
        self, selector: str, size: int | str | None = None, *, most: int = 50
    ) -> pd.DataFrame:
        """List the features that lay in the selected groups most often, with their companions.

        Parameters
        ----------
        selector : str
            A selector that finds groups of features.
        size : int or "own", optional
            How many groups were selected; by default the largest number of the study.
        most : int, default 50
            How many features to list.

        Returns
        -------
        pandas.DataFrame
            For each feature: the share of resamples in which it was a ``member`` of a selected
            group, and the ``representative`` of one, the number of resamples ``n``, and its
            ``companions``: the features that were in its group at least half of the times it was
            in one.

        Raises
        ------
        InvalidInputError
            The selector finds no groups.

        Examples
        --------
        >>> import holdfast as hf
        >>> study = hf.Study("kmeans_groups:n_clusters=5", protocol=hf.Subsampling(5, 0.9),
        ...                  sizes=[2], classifiers=())
        >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
        >>> result.memberships("kmeans_groups", 2)["feature"].tolist()[:2]
        ['alcohol', 'flavanoids']
        """
        from holdfast.study._tables._frequencies import memberships  # noqa: PLC0415  (seldom needed)

        return memberships(self._view, selector, size, most)

    def stand_ins(
        self, selector: str | None = None, size: int | str | None = None, **options: Any
    ) -> StandIns:
        """Find the features that take the place of often-selected ones in other resamples.

        Parameters
        ----------
        selector : str, optional
            A selector of the study; by default the recommended one.
        size : int or "own", optional
            The number of features; by default the recommended one, or the largest of the
            selector that is named.
        **options
            As for :func:`holdfast.judge.stand_ins`: from which correlation on features can stand
            for each other, and how often a feature must be selected.

        Returns
        -------
        StandIns
            The stand-ins with their shares, and the stability with and without counting them as
            agreement.

        Raises
        ------
        InvalidInputError
            The data are not at hand, or too little is done.
        """
        from holdfast.study._tables._stability import stand_ins  # noqa: PLC0415  (seldom needed)

        name, count = self._meant(selector, size)
        return self._judged(
            ("stand_ins", name, count, *sorted(options.items())),
            lambda: stand_ins(self._view, self._data, name, count, **options),
        )

    def effects(self) -> pd.DataFrame:
        """Estimate the effect size of each feature, corrected for the selection.

        Returns
        -------
        pandas.DataFrame
            For each feature: ``observed``, the effect in these data, which is too high for features
            that were chosen for being high; ``effect`` with ``low`` and ``high``, corrected for
            that; ``direction``. See :func:`holdfast.judge.shrunken_effects`.

        Raises
        ------
        InvalidInputError
            The data are not there, or each resample is a data set of its own.

        Examples
        --------
        >>> import holdfast as hf
        >>> study = hf.Study("f_score", protocol=hf.Subsampling(5, 0.9), sizes=[2], classifiers=())
        >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
        >>> result.effects().columns.tolist()
        ['feature', 'observed', 'effect', 'low', 'high', 'direction']
        """
        from holdfast.study._tables._stability import effects  # noqa: PLC0415  (seldom needed)

        return self._judged(("effects",), lambda: effects(self._view, self._data)).copy()

    def _meant(self, selector: str | None, size: int | str | None) -> tuple[str, int | str | None]:
        """Return selector and size, the recommended ones where no selector is named."""
        if selector is not None:
            return selector, size
        chosen = self.recommend()
        return chosen.selector, chosen.size if size is None else size

    def _judged(self, key: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """Return a judgement that was made before, or make it."""
        if key not in self._judgements:
            self._judgements[key] = make()
        made: Made = self._judgements[key]
        return made


# The result of a study: its tables, read from its store when somebody asks.

RESULT_TITLE = "Stability of feature selection"
FAILED = "FROM units JOIN resamples USING (resample) WHERE status = 'failed'"


class Result(Judged, Pictures):
    """What came out of a study, complete or not.

    Tables are made when they are first asked for, and kept; a study that is still running is
    shown as far as it is: load it again to see more.

    Parameters
    ----------
    store : Store
        The store of the study; :func:`holdfast.load` opens the one of a folder.
    data : callable, optional
        Returns the data, or None where they are not at hand; asked only by what needs them, such
        as measures of similar features.

    Examples
    --------
    >>> import holdfast as hf
    >>> study = hf.Study("f_score", protocol=hf.Subsampling(10, 0.9), sizes=[2], classifiers=())
    >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    >>> result
    <Result: 1 selector on 10 resamples. Next: result.recommend()>
    >>> result.frequencies[["feature", "count", "n"]].head(1)
         feature  count   n
    0  flavanoids     10  10
    """

    store: Store

    def __init__(self, store: Store, data: Callable[[], Dataset | None] | None = None) -> None:
        super().__init__()
        self.store = store
        self._view = View(store)
        self._data = LazyDataset(data)

    @property
    def plan(self) -> dict[str, Any]:
        """The plan of the study, as in its ``plan.json``."""
        return self._view.plan

    @property
    def selectors(self) -> tuple[str, ...]:
        """Names of the selectors."""
        return self._view.selectors

    @property
    def dataset(self) -> Dataset | None:
        """The data of the study; None where they are not at hand, or have changed."""
        return self._data.dataset

    @property
    def truth(self) -> tuple[str, ...] | None:
        """Names of the features that truly matter, for simulated data; None for others."""
        return self._view.truth

    @property
    def depth(self) -> int:
        """How many features of each ranking are kept, the best first.

        All of them, unless the study would then hold more than 50 million; at least as many as
        the largest size.
        """
        return self._view.depth

    @property
    def command(self) -> str | None:
        """The command line that began the study; None if it was none."""
        rows = self.store.query("SELECT versions FROM runs ORDER BY run LIMIT 1")
        command: str | None = json.loads(rows[0][0]).get("command") if rows else None
        return command

    @property
    def protocol_sentence(self) -> str:
        """What the stability over these resamples estimates, in one sentence."""
        return str(self.plan["protocol"]["estimates"])

    @property
    def n_units(self) -> int:
        """Number of units of work: selectors times resamples, disjoint parts and cohorts too."""
        beside = self.plan.get("beside", {"resamples": 0})
        return len(self.selectors) * (self.n_resamples + int(beside["resamples"]))

    @property
    def n_resamples(self) -> int:
        """Number of resamples of the protocol, whose selections are compared."""
        return int(self.plan["protocol"]["resamples"])

    @cached_property
    def n_done(self) -> int:
        """Number of units that are done.

        Selectors may fail on disjoint parts of the data that are too small for them; these count
        as done, and the notes of `replication` tell.
        """
        done, failed = (
            self.store.query(f"SELECT COUNT(*) {what}")[0][0]
            for what in (
                "FROM units WHERE status = 'done'",
                f"{FAILED} AND role IN {AUXILIARY_ROLES}",
            )
        )
        return int(done + failed)

    @property
    def complete(self) -> bool:
        """Whether all units of work are done, none failed."""
        return self.n_done == self.n_units

    @cached_property
    def stability(self) -> pd.DataFrame:
        """Stability by selector, size and measure.

        Columns: ``selector``; ``size`` (the number of features for measures of whole rankings
        and weights; ``"own"`` where the selector chooses it); ``measure``; ``value`` with
        ``low`` and ``high``, a 95% interval, and how it was made (``interval``); ``chance``,
        what random preferences give; ``against``: each preference is compared with ``"each
        other"`` or with the ``"reference"``, the result on all data; ``note``; ``n``, the
        number of preferences used: failed and missing ones are left out.

        Where resamples come in groups (the inner resamples of each outer one, pairs of halves),
        a measure is taken within each group and averaged; the interval is then that of the mean
        of the groups' values by Student's t. Intervals speak about repeating the protocol on
        the same data, see :func:`holdfast.measure`.
        """
        return stability_table(self._view, self._data)

    @cached_property
    def running(self) -> pd.DataFrame:
        """How the intervals narrowed: stability after 24, 48, 96, ... resamples, up to all.

        Columns: ``resamples``, ``selector``, ``size``, ``measure`` (the one of the summary),
        ``value``, ``low`` and ``high`` as in `stability`, and the ``width`` of the interval,
        ``high`` minus ``low``. The steps are those after which a study with ``until_width``
        decides whether to go on. Protocols that are planned as a whole, such as
        cross-validation, have one step. More resamples make these intervals narrower, not those
        of `replication`, which speak about new samples.
        """
        return running_table(self._view, self._data)

    @cached_property
    def replication(self) -> pd.DataFrame:
        r"""Replication stability: what two independent studies would have in common.

        For each selector, size and measure, the mean similarity of the selections from disjoint
        halves of the data: an unbiased estimate of :math:`\rho(n/2)`, where :math:`\rho(n')` is
        the expected similarity of the selections from two independent samples of n' each. It is
        estimated beside the protocol, see :func:`holdfast.judge.replication`.

        Columns: ``selector``, ``size``, ``measure``; ``n_samples`` in each half (subjects, where
        samples belong to some); ``value`` with ``low`` and ``high``, a 95% interval that speaks
        about other data, not about other splits of these; ``chance``, what two random selections
        give; ``standard_error``; ``n_pairs``;
        ``predicted`` with ``predicted_low`` and ``predicted_high``, what to expect of two studies
        of ``at`` samples, as many as the data have; ``note``.

        Empty where there is none; ``replication.attrs["why_none"]`` says why.
        """
        return replication_table(self._view, self._data)

    @cached_property
    def features(self) -> pd.DataFrame:
        """Each feature's chance to be found again by an independent study of the same size.

        Columns: ``selector``, ``size``; ``feature``; ``selected``, whether the selector selects it
        on all of these data; ``found_again``, the probability that an independent study of as many
        samples selects it, with ``low``, its one-sided 90% lower bound; ``grade``: *very likely*
        (at least 0.9), *likely* (0.7), *uncertain* (0.3) or *unlikely*. The highest chances come
        first; features that are not selected are listed from a chance of 0.01 on. For selectors of
        groups there is one row per selected group, named by its representative, with its
        ``members``.

        Estimated from disjoint halves and quarters of the data, see
        :func:`holdfast.judge.replication`; ``replicated(selector, size).features`` lists all
        features. Empty where chances are not known; ``features.attrs["why_none"]`` says why.
        """
        return features_table(self._view)

    @cached_property
    def cohorts(self) -> pd.DataFrame:
        """How well the selections of cohorts agree, for each selector, size and measure.

        Columns: ``selector``, ``size``, ``measure``; the two cohorts ``cohort_a`` and
        ``cohort_b`` with ``n_a`` and ``n_b`` samples; ``value``, how well their selections agree;
        ``expected`` with ``low`` and ``high``, mean and 95% range of what samples of the same
        sizes from one population would do, as ``n_shuffles`` deals of all samples show;
        ``p_value`` of agreeing less than these. Empty for a study without cohorts.
        """
        return cohorts_table(self._view, self._data)

    @cached_property
    def errors(self) -> pd.DataFrame:
        r"""Errors by selector, classifier and size, each with its standard error.

        Columns: ``selector``, ``classifier``, ``size``, ``error`` and ``standard_error``,
        ``balanced_accuracy`` and ``balanced_accuracy_error``, ``auc`` and ``auc_error``, ``n``
        (number of test predictions), ``resamples``.

        Where each sample is tested once, the error is the share of all samples that are
        misclassified, e; the balanced accuracy is pooled in the same way. Elsewhere both are means
        over the resamples. Standard errors speak of other data sets. They have two parts. First,
        other samples would be tested: the variance is :math:`\sum_g u_g^2 / (1 - a_g)` over
        samples, or over subjects where these have several, with :math:`u_g` the sum of
        :math:`a_i (w_i - e)` over the predictions of a sample or subject (:math:`w_i` is 1 where
        misclassified, else 0; :math:`a_i` is the share of a prediction, :math:`a_g` their sum).
        For samples that are tested once this is :math:`e(1-e)/n`. Second, something else would be
        learned. Where each sample is tested once, the variance is enlarged by the factor
        :math:`1 + \min(1, 40/G)` for G samples or subjects, a middle value on simulated data.
        Where samples are tested repeatedly, D/(2 arccos f)/G is added, with D the share of two
        predictions of the same sample that differ and f the share of the samples that train, but
        at most e(1-e)/G. Where each resample is a new data set, the standard error is that of a
        mean over independent values.

        The area under the ROC curve (more than two classes: the mean over classes of one
        against the rest) is taken within each test part and averaged over resamples, with the
        same kind of standard error. Where less than half of the test parts hold all classes,
        as when leaving one out, predictions are pooled; DeLong's standard error is then given
        if each sample is tested once, enlarged as above; it takes samples of one subject for
        independent, so is too low there. Test parts that lack a class are left out of means of
        balanced accuracies and areas. Inner resamples and the reference never count.
        """
        return errors_table(self._view)

    @cached_property
    def frequencies(self) -> pd.DataFrame:
        """How often features were selected; those never selected are not listed.

        Columns: ``feature``, ``selector``, ``size``, ``frequency`` = ``count`` / ``n`` (the
        resamples that offered the feature); ``low`` and ``high``, a 95% Wilson interval of the
        frequency in resamples of these data, not of the chance in a new study (where data sets
        were drawn independently, it is: ``frequencies.attrs["interval"]``); ``rank_low``,
        ``rank_median``, ``rank_high``, the 5%, 50% and 95% quantiles of its rank over the
        resamples, missing where they lie beyond the last rank that is kept (`depth`);
        ``direction``, the class in which the feature is highest on average.
        """
        return frequencies_table(self._view)

    @property
    def preferences(self) -> StudyPreferences:
        """The preferences themselves: ``preferences["relieff", 10]`` are `Subsets`."""
        return StudyPreferences(self._view)

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """The predictions that errors come from, a row each.

        Columns: ``selector``, ``classifier``, ``size``, ``resample``, ``sample`` (its row in the
        data, or in the drawn test set), ``actual``, ``predicted`` and the scores:
        ``score`` speaks for the second class; with more classes there is ``score_<label>`` for
        each. Words are stored as categories: there may be millions of rows.
        """
        frames = list(prediction_frames(self._view))
        return pd.concat(frames, ignore_index=True) if frames else no_predictions(self._view)

    @cached_property
    def values(self) -> pd.DataFrame:
        """What subset searches say their subsets are worth, by selector and resample.

        Columns: ``selector``, ``resample``, ``role`` of the resample, ``value``: the search's own
        criterion, over splits of the training part. It is the best of many, so it flatters;
        `errors` tells the truth. Selectors that give no such value are not listed.
        """
        table = self._table("resample, value FROM subset_values")
        table.insert(2, "role", [self._view.parts[number].role for number in table["resample"]])
        return table

    @cached_property
    def resamples(self) -> pd.DataFrame:
        """The resamples: role, outer resample, how many rows train and test, other changes."""
        columns = ["resample", "role", "outer", "n_train", "n_test", "n_features", "noise", "draw"]
        rows = [
            (i, p.role, p.outer, p.n_train, p.n_test, p.n_offered, p.noise, p.draw)
            for i, p in self._view.parts.items()
        ]
        table = pd.DataFrame(rows, columns=columns)
        return table.astype(dict.fromkeys(("outer", "n_features", "draw"), "Int64"))

    @cached_property
    def timings(self) -> pd.DataFrame:
        """Seconds that selection and classification took, by selector and resample."""
        return self._table("resample, selection, classification FROM timings")

    @cached_property
    def failures(self) -> pd.DataFrame:
        """What failed: selector, resample, message."""
        return self._table(f"resample, message {FAILED} AND role NOT IN {AUXILIARY_ROLES}")

    def _table(self, what: str) -> pd.DataFrame:
        """Read a table with the selectors' names in its first column."""
        names = [name.strip() for name in what.partition(" FROM ")[0].split(",")]
        rows = self.store.query(f"SELECT selector, {what} ORDER BY selector, resample")
        named = [(self.selectors[selector], *rest) for selector, *rest in rows]
        return pd.DataFrame(named, columns=["selector", *names])

    @cached_property
    def versions(self) -> pd.DataFrame:
        """The runs that made the result: when, where, the versions of what they ran on.

        ``command`` is the command line of those that were started by one.
        """
        rows = self.store.query("SELECT run, started, where_run, versions FROM runs ORDER BY run")
        runs = [
            {"run": run, "started": started, "where": where, **json.loads(versions)}
            for run, started, where, versions in rows
        ]
        return pd.DataFrame(runs) if runs else pd.DataFrame(columns=["run", "started", "where"])

    def summary(self) -> pd.DataFrame:
        """One row for each selector and size: stability, and the error of the best classifier.

        The measure is the study's first one of subsets. First comes what a second study would
        find: ``replication`` with ``replication_low`` and ``replication_high``, for two
        independent samples of ``replication_n`` each (``replication_chance`` is what two random
        selections give), and ``predicted`` with ``predicted_low``
        and ``predicted_high`` for two of the size of the data, see `replication`. ``stability``
        with ``low``, ``high`` and ``chance`` is that over the resamples of the protocol.
        ``selected`` and ``selected_sd`` are the mean and the standard deviation, over the
        resamples, of how many features were selected: of interest where the selector chooses
        their number (the size ``"own"``).
        """
        return summary_table(
            summary_cells(self._view),
            chief_measure(self.plan["measures"]),
            self.replication,
            self.stability,
            self.errors,
        )

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        found_again: float | None = None,
    ) -> list[Path]:
        """Write the report: one page to read and keep, and the same as JSON and as Markdown.

        Parameters
        ----------
        path : path
            A folder for ``report.html``, ``report.json`` and ``report.md``; or the name of the
            page, ending in ``.html``, beside which the others get the same name.
        force : bool, default False
            Replace files that are no reports, too.
        found_again : float, optional
            For each selector, name the longest list of which this share is expected to be found
            again (see `longest_lists`), as 0.8.

        Returns
        -------
        list of Path
            The three files.

        See Also
        --------
        holdfast.report.write_report : The same as a function.
        """
        from holdfast.report import write_report  # noqa: PLC0415  (matplotlib takes its time)

        return write_report(self, path, force=force, found_again=found_again)

    def __repr__(self) -> str:
        return f"<Result: {self._state()}. Next: {self._next()}>"

    def _repr_html_(self) -> str:
        return self._fragment

    @cached_property
    def _fragment(self) -> str:
        """The report for a notebook."""
        from holdfast.report import make_report, to_html  # noqa: PLC0415  (it takes its time)

        return to_html(make_report(self), fragment=True)

    def __rich__(self) -> Table:
        return rich_table(RESULT_TITLE, self.protocol_sentence, self.summary())

    def _next(self) -> str:
        """Say what to look at, or how to go on where nothing is done."""
        if self.n_done:
            return "result.recommend()"
        if self.store.path is not None:
            return f"holdfast resume {shlex.quote(str(self.store.path.parent))}"
        return "result.failures" if len(self.failures) else "run the study again"

    def _state(self) -> str:
        """Say how far the study is."""
        resamples = plural(self.n_resamples, "resample")
        text = f"{plural(len(self.selectors), 'selector')} on {resamples}"
        if not self.complete:
            text += f", {self.n_done:,} of {plural(self.n_units, 'unit')} done"
        if len(self.failures):
            text += f", {len(self.failures):,} failed (result.failures)"
        return text
