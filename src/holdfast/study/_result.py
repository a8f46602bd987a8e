"""The result of a study: tables, recommendation and plots, computed from its store on demand."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import pandas as pd
from sklearn.pipeline import Pipeline

from holdfast._formatting import plural, spell_out_invisible
from holdfast._typing import LabelsLike, MatrixLike
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io import Dataset
from holdfast.judge import (
    CohortComparison,
    Pair,
    Recommendation,
    Replication,
    SelectorSimilarity,
    StabilityProfile,
    StandIns,
    compare_pairs,
)
from holdfast.measures import get_measure
from holdfast.study._planning._plan import AUXILIARY_ROLES
from holdfast.study._planning._stopping_rule import running_table
from holdfast.study._recommendation import fitted_pipeline, recommend_candidate
from holdfast.study._result_plots import ResultPlots
from holdfast.study._storage._plan_objects import needs_trust
from holdfast.study._storage._reader import StudyPreferences, StudyReader
from holdfast.study._storage._store import Store
from holdfast.study._tables._discoveries import discoveries_table
from holdfast.study._tables._errors import (
    empty_predictions,
    errors_table,
    prediction_frames,
    read_predictions,
)
from holdfast.study._tables._frequencies import frequencies_table, memberships
from holdfast.study._tables._replication import (
    cohorts_of,
    cohorts_table,
    compared_replication,
    features_table,
    longest_lists,
    replication_of,
    replication_table,
)
from holdfast.study._tables._stability import (
    LazyDataset,
    effects,
    main_measure,
    profile,
    similarity,
    stability_table,
    stand_ins,
    summary_cells,
    summary_table,
)

if TYPE_CHECKING:
    from rich.table import Table


Value = TypeVar("Value")

FAILED = "FROM units JOIN resamples USING (resample) WHERE status = 'failed'"


class Result(ResultPlots):
    """The result of a study, complete or not.

    Tables are computed on first use and cached. Of a study that is still running, the result
    shows the units that are done; load it again to see more.

    Parameters
    ----------
    store : Store
        The store of the study; :func:`holdfast.load` opens the one of a folder.
    data : callable, optional
        Returns the data, or None if they are not available; called only when they are needed,
        for example by measures of similar features.
    trust : bool, default False
        Whether the store is trusted: its plan may then name any code for `pipeline`.

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

    def __init__(
        self,
        store: Store,
        data: Callable[[], Dataset | None] | None = None,
        *,
        trust: bool = False,
    ) -> None:
        self.store = store
        self._trust = trust
        self._reader = StudyReader(store)
        self._data = LazyDataset(data)
        self._cache: dict[tuple[object, ...], Any] = {}

    @property
    def plan(self) -> dict[str, Any]:
        """The plan of the study, as in its ``plan.json``."""
        return self._reader.plan

    @property
    def selectors(self) -> tuple[str, ...]:
        """Names of the selectors."""
        return self._reader.selectors

    @property
    def dataset(self) -> Dataset | None:
        """The data of the study; None if they are not available or have changed."""
        return self._data.dataset

    @property
    def truth(self) -> tuple[str, ...] | None:
        """Names of the truly informative features of simulated data; None for other data."""
        return self._reader.truth

    @property
    def depth(self) -> int:
        """How many features of each ranking are stored, best first.

        All of them, unless the study would then store more than 50 million; at least the largest
        size.
        """
        return self._reader.depth

    @property
    def command(self) -> str | None:
        """The command line that started the study; None if it was started from Python."""
        rows = self.store.query("SELECT versions FROM runs ORDER BY run LIMIT 1")
        command: str | None = json.loads(rows[0][0]).get("command") if rows else None
        return command

    @property
    def protocol_sentence(self) -> str:
        """One sentence on what the stability over these resamples estimates."""
        return str(self.plan["protocol"]["estimates"])

    @property
    def n_units(self) -> int:
        """Number of units: selectors times resamples, including disjoint parts and cohorts."""
        auxiliary = self.plan.get("beside", {"resamples": 0})
        return len(self.selectors) * (self.n_resamples + int(auxiliary["resamples"]))

    @property
    def n_resamples(self) -> int:
        """Number of resamples of the protocol, whose selections are compared."""
        return int(self.plan["protocol"]["resamples"])

    @cached_property
    def n_done(self) -> int:
        """Number of units that are done.

        Selectors may fail on disjoint parts of the data that are too small for them; these units
        count as done, and the notes of `replication` report them.
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
    def n_not_run(self) -> int:
        """Number of units that were not run, such as those of a selector that was stopped."""
        [(n_run,)] = self.store.query("SELECT COUNT(*) FROM units")
        return self.n_units - int(n_run)

    @property
    def complete(self) -> bool:
        """Whether all units are done and none failed."""
        return self.n_done == self.n_units

    @cached_property
    def stability(self) -> pd.DataFrame:
        """Stability by selector, size and measure.

        Columns: ``selector``; ``size`` (the number of features for measures of whole rankings
        and weights; ``"own"`` where the selector chooses it); ``measure``; ``value`` with
        ``low`` and ``high``, a 95% interval, and its method (``interval``); ``chance``, the
        expected value of random preferences; ``against``: preferences are compared with ``"each
        other"`` or with the ``"reference"``, the result on all data; ``note``; ``n``, the
        number of preferences used: failed and missing ones are left out.

        Where resamples come in groups (the inner resamples of each outer one, pairs of halves),
        a measure is taken within each group and averaged; the interval is then that of the mean
        of the groups' values by Student's t. Intervals cover repetitions of the protocol on the
        same data, see :func:`holdfast.measure`.
        """
        return stability_table(self._reader, self._data)

    @cached_property
    def running(self) -> pd.DataFrame:
        """The narrowing of the intervals: stability after 24, 48, 96, ... resamples, up to all.

        Columns: ``resamples``, ``selector``, ``size``, ``measure`` (the one of the summary),
        ``value``, ``low`` and ``high`` as in `stability`, and the ``width`` of the interval,
        ``high`` minus ``low``. The steps are those after which a study with ``until_width``
        decides whether to continue. Protocols that are planned as a whole, such as
        cross-validation, have one step. More resamples narrow these intervals, but not those of
        `replication`, which cover new samples.
        """
        return running_table(self._reader, self._data)

    @cached_property
    def replication(self) -> pd.DataFrame:
        r"""Replication stability: how well the selections of two independent studies would agree.

        For each selector, size and measure, the mean similarity of the selections from disjoint
        halves of the data: an unbiased estimate of :math:`\rho(n/2)`, where :math:`\rho(n')` is
        the expected similarity of the selections from two independent samples of n' each. It is
        estimated independently of the protocol, see :func:`holdfast.judge.replication`.

        Columns: ``selector``, ``size``, ``measure``; ``n_samples`` in each half (subjects, if
        samples have subjects); ``value`` with ``low`` and ``high``, a 95% interval for other
        data, not for other splits of these; ``chance``, the value of two random selections;
        ``standard_error``; ``n_pairs``; ``predicted`` with ``predicted_low`` and
        ``predicted_high``, the prediction for two studies of ``at`` samples, the number of the
        data; ``note``.

        Empty if it was not estimated; ``replication.attrs["why_none"]`` is the reason.
        """
        return replication_table(self._reader, self._data)

    def replication_by(self, measure: str | None) -> pd.DataFrame:
        """Return the rows of `replication` by one measure, without computing those of the others.

        Parameters
        ----------
        measure : str or None
            A measure of the study; None for all.

        Returns
        -------
        DataFrame

        Examples
        --------
        >>> import holdfast as hf
        >>> study = hf.Study("f_score", protocol=hf.Subsampling(5, 0.9), sizes=[2], classifiers=())
        >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
        >>> result.replication_by("nogueira")["measure"].unique().tolist()
        ['nogueira']
        """
        name = None if measure is None else get_measure(measure).name
        if "replication" in self.__dict__:
            return self.replication[self.replication["measure"] == name]
        return replication_table(self._reader, self._data, name)

    @cached_property
    def features(self) -> pd.DataFrame:
        """The chance of each feature to be found again by an independent study of the same size.

        Columns: ``selector``, ``size``; ``feature``; ``selected``, whether the selector selects it
        on all of these data; ``found_again``, the probability that an independent study of as many
        samples selects it, with ``low``, its one-sided 90% lower bound; ``grade``: *very likely*
        (at least 0.9), *likely* (0.7), *uncertain* (0.3) or *unlikely*. The highest chances come
        first; features that are not selected are listed from a chance of 0.01 on. For selectors of
        groups there is one row per selected group, named by its representative, with its
        ``members``.

        Estimated from disjoint halves and quarters of the data, see
        :func:`holdfast.judge.replication`; ``replicated(selector, size).features`` lists all
        features. Empty if the chances are unknown; ``features.attrs["why_none"]`` is the reason.
        """
        return features_table(self._reader)

    def features_of(self, selectors: Sequence[str]) -> pd.DataFrame:
        """Return the rows of `features` of some selectors, without computing those of the others.

        Parameters
        ----------
        selectors : sequence of str
            Selectors of the study.

        Returns
        -------
        DataFrame

        Examples
        --------
        >>> import holdfast as hf
        >>> study = hf.Study(["f_score", "t_score"], protocol=hf.Subsampling(5, 0.9), sizes=[2])
        >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
        >>> result.features_of(["f_score"])["selector"].unique().tolist()
        ['f_score']
        """
        return features_table(self._reader, selectors)

    @cached_property
    def cohorts(self) -> pd.DataFrame:
        """How well the selections of cohorts agree, for each selector, size and measure.

        Columns: ``selector``, ``size``, ``measure``; the two cohorts ``cohort_a`` and
        ``cohort_b`` with ``n_a`` and ``n_b`` samples; ``value``, how well their selections agree;
        ``expected`` with ``low`` and ``high``, mean and 95% range for samples of the same sizes
        from one population, from ``n_shuffles`` random reassignments of all samples; ``p_value``
        of agreeing less than these. Empty for a study without cohorts.
        """
        return cohorts_table(self._reader, self._data)

    @cached_property
    def errors(self) -> pd.DataFrame:
        r"""Errors by selector, classifier and size, each with its standard error.

        Columns: ``selector``, ``classifier``, ``size``, ``error`` and ``standard_error``,
        ``balanced_accuracy`` and ``balanced_accuracy_error``, ``auc`` and ``auc_error``, ``n``
        (number of test predictions), ``resamples``.

        Where each sample is tested once, the error is the share of all samples that are
        misclassified, e; the balanced accuracy is pooled in the same way. Elsewhere both are means
        over the resamples. Standard errors cover other data sets. They have two parts. First,
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
        if each sample is tested once, enlarged as above; it treats samples of one subject as
        independent, so is too low there. Test parts that lack a class are left out of means of
        balanced accuracies and areas. Inner resamples and the reference never count.
        """
        return errors_table(self._reader)

    @cached_property
    def frequencies(self) -> pd.DataFrame:
        """How often features were selected; features that were never selected are not listed.

        Columns: ``feature``, ``selector``, ``size``, ``frequency`` = ``count`` / ``n`` (the
        resamples that offered the feature); ``low`` and ``high``, a 95% Wilson interval of the
        frequency in resamples of these data, not of the chance in a new study (where data sets
        were drawn independently, it is: ``frequencies.attrs["interval"]``); ``rank_low``,
        ``rank_median``, ``rank_high``, the 5%, 50% and 95% quantiles of its rank over the
        resamples, missing if they lie beyond the last stored rank (`depth`);
        ``direction``, the class in which the mean of the feature is highest.
        """
        return frequencies_table(self._reader)

    @property
    def preferences(self) -> StudyPreferences:
        """The preferences of the selectors: ``preferences["relieff", 10]`` are `Subsets`."""
        return StudyPreferences(self._reader)

    @cached_property
    def predictions(self) -> pd.DataFrame:
        """The predictions that errors are computed on, one row per prediction.

        Columns: ``selector``, ``classifier``, ``size``, ``resample``, ``sample`` (its row in the
        data, or in the drawn test set), ``actual``, ``predicted`` and the scores:
        ``score`` is high for the second class; with more classes there is ``score_<label>`` for
        each. Names are categorical, as there may be millions of rows.
        """
        frames = list(prediction_frames(self._reader))
        return pd.concat(frames, ignore_index=True) if frames else empty_predictions(self._reader)

    @cached_property
    def values(self) -> pd.DataFrame:
        """The criterion of subset searches, by selector and resample.

        Columns: ``selector``, ``resample``, ``role`` of the resample, ``value``: the criterion of
        the search, over splits of the training part. It is the best of many and thus
        optimistic; `errors` is not. Selectors without such a value are not listed.
        """
        table = self._read_table("resample, value FROM subset_values")
        table.insert(
            2, "role", [self._reader.resamples[number].role for number in table["resample"]]
        )
        return table

    @cached_property
    def resamples(self) -> pd.DataFrame:
        """The resamples: role, outer resample, numbers of training and test rows, alterations."""
        columns = ["resample", "role", "outer", "n_train", "n_test", "n_features", "noise", "draw"]
        rows = [
            (i, p.role, p.outer, p.n_train, p.n_test, p.n_offered, p.noise, p.draw)
            for i, p in self._reader.resamples.items()
        ]
        table = pd.DataFrame(rows, columns=columns)
        return table.astype(dict.fromkeys(("outer", "n_features", "draw"), "Int64"))

    @cached_property
    def timings(self) -> pd.DataFrame:
        """Seconds that selection and classification took, by selector and resample."""
        return self._read_table("resample, selection, classification FROM timings")

    @cached_property
    def failures(self) -> pd.DataFrame:
        """Failed units: selector, resample, message."""
        return self._read_table(f"resample, message {FAILED} AND role NOT IN {AUXILIARY_ROLES}")

    def _read_table(self, query: str) -> pd.DataFrame:
        """Read a table with the names of the selectors in its first column."""
        names = [name.strip() for name in query.partition(" FROM ")[0].split(",")]
        rows = self._reader.query_units(f"SELECT selector, {query} ORDER BY selector, resample")
        named = [(self.selectors[selector], *rest) for selector, *rest in rows]
        return pd.DataFrame(named, columns=["selector", *names])

    @cached_property
    def versions(self) -> pd.DataFrame:
        """The runs of the study: when, where, and with which versions.

        ``command`` is the command line, if a run was started by one.
        """
        rows = self.store.query("SELECT run, started, where_run, versions FROM runs ORDER BY run")
        runs = [
            {"run": run, "started": started, "where": where, **json.loads(versions)}
            for run, started, where, versions in rows
        ]
        return pd.DataFrame(runs) if runs else pd.DataFrame(columns=["run", "started", "where"])

    def summary(self) -> pd.DataFrame:
        """One row per selector and size: stability, and the error of the best classifier.

        The measure is the first one of subsets. The first columns are about a second study:
        ``replication`` with ``replication_low`` and ``replication_high``, for two
        independent samples of ``replication_n`` each (``replication_chance`` is the value of two
        random selections), and ``predicted`` with ``predicted_low``
        and ``predicted_high`` for two of the size of the data, see `replication`. ``stability``
        with ``low``, ``high`` and ``chance`` is measured over the resamples of the protocol.
        ``selected`` and ``selected_sd`` are the mean and the standard deviation, over the
        resamples, of the number of selected features: of interest if the selector chooses it
        (the size ``"own"``).
        """
        measure = main_measure(self.plan["measures"])
        return summary_table(
            self._cached(("summary cells",), lambda: summary_cells(self._reader)),
            measure,
            self.replication_by(measure),
            self.stability,
            self.errors,
        )

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
        """Recommend a selector, a classifier and a size, with reasons.

        Pairs are tested against the pair with the lowest error: by McNemar's test if each sample
        is predicted once, else by a t-test on samples, or on subjects that have several samples;
        variances are enlarged because classifiers share training samples, and p-values corrected
        because the best pair was chosen on the same data. Among the pairs that are not
        significantly worse, the one with the highest expected share of features found again is
        recommended. Pairs with many failed or missing units are left out. Pairs that replicate no
        better than chance, or that are no better than predicting the largest class, are passed
        over; if all are, nothing can be recommended: ``supported`` is False and ``why_not`` is the
        reason.
        The error of the best of many pairs is optimistic; the error of the choice itself is
        estimated by repeating the choice inside each outer resample of a nested study, else
        repeatedly without a quarter of the samples. Without replication it is a bootstrap over
        samples.

        Parameters
        ----------
        stability : {"replication", "resamples"}, default "replication"
            How pairs that are good enough are ordered: by what a second study would find again
            (from disjoint parts of the data, pooled with the stability over the resamples), or by
            the stability over the resamples alone, as Kalousis et al. (2005) advise. If
            replication was not measured, the latter is used; ``stability_source`` and the reasons
            report it.
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
            The choice, its reasons as sentences, and the alternatives. Without classifiers,
            stability alone decides.

        Raises
        ------
        InvalidInputError
            No pair has both an error and a stability.

        See Also
        --------
        holdfast.judge.recommend : The same for tables of any origin.
        """
        if stability not in ("replication", "resamples"):
            raise UnknownNameError(
                f"stability must be 'replication' or 'resamples', got {stability!r}."
            )
        settings = {"rule": rule, "alpha": alpha, "correction": correction, "beta": beta}
        return self._cached(
            ("recommend", stability, measure, *settings.values()),
            lambda: recommend_candidate(
                self._reader,
                self._data,
                self.errors,
                self.stability,
                self.replication_by(measure or main_measure(self.plan["measures"])),
                measure=measure,
                order_by=stability,
                **settings,
            ),
        )

    def compare(self, *, correction: Literal["holm"] | None = "holm") -> pd.DataFrame:
        """Test all pairs of selector and classifier against each other.

        Parameters
        ----------
        correction : {"holm", None}, default "holm"
            How p-values are corrected for the number of tests; None leaves the tests as
            published, neither corrected nor enlarged for shared training samples.

        Returns
        -------
        pandas.DataFrame
            One row per comparison, as returned by :func:`holdfast.judge.compare_pairs`.

        Raises
        ------
        InvalidInputError
            The study has no predictions.
        """
        tested = read_predictions(self._reader)
        if tested is None:
            raise InvalidInputError(
                "the study has no predictions to compare: it has no classifier, its protocol has "
                "no test parts, or nothing is done yet."
            )
        return compare_pairs(tested, correction=correction)

    def compare_replication(
        self,
        size: int | None = None,
        *,
        measure: str | None = None,
        correction: Literal["holm"] | None = "holm",
    ) -> pd.DataFrame:
        """Test for all pairs of selectors whether one replicates better in new studies.

        The question is about the population, not about these resamples: see
        :func:`holdfast.compare_replication`.

        Parameters
        ----------
        size : int, optional
            How many features are selected; by default the largest size. Selectors that choose the
            size are compared at the size they choose.
        measure : str, optional
            A measure of the study; by default its first one.
        correction : {"holm", None}, default "holm"
            How p-values are corrected for the number of tests; None leaves them uncorrected.

        Returns
        -------
        pandas.DataFrame
            One row per pair of selectors: ``selector_a``, ``selector_b``, ``size``, ``measure``;
            ``n_samples`` of each of the two studies; ``replication_a`` and ``replication_b``;
            their ``difference`` (positive if a is better) with ``low`` and ``high``, its 95%
            interval for other data; ``standard_error``; ``p_value`` (uncorrected) and
            ``p_corrected``. Selectors without a value are left out.

        Raises
        ------
        InvalidInputError
            The study has no disjoint halves.
        """
        return compared_replication(
            self._reader, self._data, size=size, measure=measure, correction=correction
        )

    def pipeline(
        self,
        X: MatrixLike,
        y: LabelsLike = None,
        *,
        sample_weight: LabelsLike = None,
        chosen: Recommendation | Pair | None = None,
    ) -> Pipeline:
        """Fit the recommended selector and classifier on all data, as a scikit-learn Pipeline.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), frame or Dataset
            The data, with the features of the study in their order. Features that were nominal in
            the study are nominal here, if its data are still available.
        y : array-like of shape (n,)
            The class of each sample; omitted with a Dataset, which has its labels.
        sample_weight : array-like of shape (n,), optional
            The weight of each sample, needed if the study has weights; omitted with a Dataset.
        chosen : Recommendation or Pair, optional
            Another choice than that of ``recommend()``.

        Returns
        -------
        sklearn.pipeline.Pipeline
            Selects, scales and classifies as in the study; fitted. Without a classifier it ends
            with the selection.

        Raises
        ------
        InvalidInputError
            The data have other features than the study (another number or other names); or
            weights, although the study has none, or none, although it has; or no pair is given
            and nothing can be recommended.
        UntrustedCodeError
            The plan names code that needs trust: open the folder by ``hf.load(DIR, trust=True)``.
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
        data = self._data.dataset
        return fitted_pipeline(
            self.plan,
            chosen or self._supported_recommendation(),
            X,
            y,
            sample_weight=sample_weight,
            names=self._reader.feature_names.tolist(),
            nominal=None if data is None else data.nominal,
            trust=self._trust,
            folder=self._folder,
        )

    def _supported_recommendation(self) -> Recommendation:
        """Return the recommendation; raise if nothing can be recommended."""
        recommendation = self.recommend()
        if not recommendation.supported:
            raise InvalidInputError(
                f"nothing can be recommended: {recommendation.why_not} To fit a pair anyway, give "
                f"it: result.pipeline(X, y, chosen=hf.judge.{recommendation.pair!r})."
            )
        return recommendation

    def profile(
        self,
        *,
        sizes: Sequence[int] | None = None,
        measures: str | Sequence[str] = ("nogueira", "jaccard"),
        selectors: Sequence[str] | None = None,
        max_knot_share: float = 0.4,
    ) -> StabilityProfile:
        """Measure stability against the number of features, from one up to the stored depth.

        Parameters
        ----------
        sizes : sequence of int, optional
            The numbers of features; by default about forty, denser among small numbers, including
            those of the study.
        measures : str or sequence of str, default ("nogueira", "jaccard")
            Measures of subsets.
        selectors : sequence of str, optional
            Selectors of the study; by default all.
        max_knot_share : float, default 0.4
            Share of all features up to which knots are searched; see
            :func:`holdfast.judge.find_knot`.

        Returns
        -------
        StabilityProfile
            Values with intervals and chance levels, and the knot of each selector: the number of
            features after which further ones are added as if at random, if there is one.
            Selectors that choose the size have no profile.

        See Also
        --------
        holdfast.judge.stability_profile : The same for rankings of any origin.
        """
        requested = None if sizes is None else tuple(sizes)
        names = measures if isinstance(measures, str) else tuple(measures)
        chosen = self.selectors if selectors is None else tuple(selectors)
        return self._cached(
            ("profile", requested, names, chosen, max_knot_share),
            lambda: profile(
                self._reader,
                sizes=requested,
                measures=names,
                selectors=chosen,
                max_knot_share=max_knot_share,
            ),
        )

    def similarity(
        self,
        *,
        size: int | None = None,
        measure: str = "phi",
        selectors: Sequence[str] | None = None,
    ) -> SelectorSimilarity:
        """Compare the selections of different selectors with those of each selector itself.

        Parameters
        ----------
        size : int, optional
            The number of features; by default the largest of the study. Selectors that choose
            the size are compared at the size they choose.
        measure : str, default "phi"
            A measure that compares two subsets.
        selectors : sequence of str, optional
            Selectors of the study; by default all.

        Returns
        -------
        SelectorSimilarity
            Over the resamples that are done for all of these selectors.

        See Also
        --------
        holdfast.judge.selector_similarity : The same for selections of any origin.
        """
        chosen = self.selectors if selectors is None else tuple(selectors)
        return self._cached(
            ("similarity", size, measure, chosen),
            lambda: similarity(self._reader, size=size, measure=measure, selectors=chosen),
        )

    def replicated(
        self, selector: str | None = None, size: int | str | None = None, measure: str | None = None
    ) -> Replication:
        """Return the replication stability of a selector at a size, with its curve.

        Parameters
        ----------
        selector : str, optional
            A selector of the study; by default the recommended one.
        size : int or "own", optional
            The number of features; by default the recommended one, or the largest if a selector
            is given.
        measure : str, optional
            Any measure; by default that of the summary.

        Returns
        -------
        Replication
            The numbers of a row of `replication`, estimates for smaller studies, predictions for
            larger ones, and a plot of them.

        Raises
        ------
        InvalidInputError
            The study has no disjoint parts, or the selector failed on them.
        """
        name, count = self._resolve_candidate(selector, size)
        return self._cached(
            ("replicated", name, count, measure),
            lambda: replication_of(self._reader, self._data, name, count, measure),
        )

    def longest_lists(self, found_again: float = 0.8) -> pd.DataFrame:
        """Find the longest list of each selector that a second study would mostly find again.

        Features are added by decreasing chance as long as the expected share found again stays at
        or above `found_again`, by a conservative rule: the longest of many lists tends to be
        overestimated.

        Parameters
        ----------
        found_again : float, default 0.8
            The share, above 0 and below 1.

        Returns
        -------
        pandas.DataFrame
            For each selector: ``size``, the number of selected features with the longest list;
            ``n_features`` of that list, 0 if no list of these data reaches the share;
            ``expected_share``; ``features``. Selectors with unknown chances are left out.
        """
        return self._cached(
            ("longest_lists", found_again), lambda: longest_lists(self._reader, found_again)
        )

    def discoveries(
        self, fdr: float = 0.1, *, selectors: Sequence[str] | None = None, offset: int = 1
    ) -> pd.DataFrame:
        """List the features whose effects agree on the disjoint halves of the study.

        The stored t statistics of the halves give mirror statistics, as in
        :class:`holdfast.DataSplitting`, at no further cost. The table does not depend on the
        sizes of the study.

        Parameters
        ----------
        fdr : float, default 0.1
            The nominal false discovery rate.
        selectors : sequence of str, optional
            Selectors of the study that rank by a t statistic; by default all of these.
        offset : {1, 0}, default 1
            As for :class:`holdfast.DataSplitting`.

        Returns
        -------
        pandas.DataFrame
            For each selector and discovered feature: ``inclusion_rate``; ``agreement``, the share
            of splits on which the signs of the halves agree; and the mean ``statistic``, positive
            if the mean of the second class is larger. Empty if nothing is discovered.

        Raises
        ------
        InvalidInputError
            The study has no disjoint halves, or no selector has stored its statistics on them.

        Examples
        --------
        >>> import holdfast as hf
        >>> study = hf.Study("t_score", protocol=hf.Subsampling(2, 0.9), sizes=[5], classifiers=(),
        ...                  replication=10)
        >>> result = study.run(hf.io.read_data("@breast_cancer"), n_jobs=1)
        >>> result.discoveries(fdr=0.1).round(2).head(2)
          selector               feature  inclusion_rate  agreement  statistic
        0  t_score  worst concave points            0.04        1.0      21.97
        1  t_score       worst perimeter            0.04        1.0      21.23
        """
        chosen = None if selectors is None else tuple(selectors)
        return self._cached(
            ("discoveries", fdr, chosen, offset),
            lambda: discoveries_table(self._reader, chosen, fdr, offset),
        )

    def compare_cohorts(
        self, selector: str | None = None, size: int | str | None = None, measure: str | None = None
    ) -> CohortComparison:
        """Compare the selections of a selector in the cohorts of the data.

        Parameters
        ----------
        selector, size, measure
            As for `replicated`.

        Returns
        -------
        CohortComparison
            How well each two cohorts agree, compared with samples of their sizes from one
            population; in how many cohorts each feature was selected.

        Raises
        ------
        InvalidInputError
            The study has no cohorts.
        """
        name, count = self._resolve_candidate(selector, size)
        return self._cached(
            ("compare_cohorts", name, count, measure),
            lambda: cohorts_of(self._reader, self._data, name, count, measure),
        )

    def memberships(
        self, selector: str, size: int | str | None = None, *, most: int = 50
    ) -> pd.DataFrame:
        """List the features that were most often in selected groups, with their companions.

        Parameters
        ----------
        selector : str
            A selector of groups of features.
        size : int or "own", optional
            How many groups are selected; by default the largest number of the study.
        most : int, default 50
            How many features to list.

        Returns
        -------
        pandas.DataFrame
            For each feature: the share of resamples in which it was a ``member`` of a selected
            group, and the ``representative`` of one, the number of resamples ``n``, and its
            ``companions``: the features that were in its group in at least half of the cases.

        Raises
        ------
        InvalidInputError
            The selector selects no groups.

        Examples
        --------
        >>> import holdfast as hf
        >>> study = hf.Study("kmeans_groups:n_clusters=5", protocol=hf.Subsampling(5, 0.9),
        ...                  sizes=[2], classifiers=())
        >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
        >>> result.memberships("kmeans_groups", 2)["feature"].tolist()[:2]
        ['alcohol', 'flavanoids']
        """
        return memberships(self._reader, selector, size, most)

    def stand_ins(
        self, selector: str | None = None, size: int | str | None = None, **options: Any
    ) -> StandIns:
        """Find the features that replace often-selected ones in other resamples.

        Parameters
        ----------
        selector : str, optional
            A selector of the study; by default the recommended one.
        size : int or "own", optional
            The number of features; by default the recommended one, or the largest if a selector
            is given.
        **options
            As for :func:`holdfast.judge.stand_ins`: the correlation from which features can replace
            each other, and how often a feature must be selected.

        Returns
        -------
        StandIns
            The stand-ins with their shares, and the stability with and without counting them as
            agreement.

        Raises
        ------
        InvalidInputError
            The data are not available, or too few resamples are done.
        """
        name, count = self._resolve_candidate(selector, size)
        return self._cached(
            ("stand_ins", name, count, *sorted(options.items())),
            lambda: stand_ins(self._reader, self._data, name, count, **options),
        )

    def effects(self) -> pd.DataFrame:
        """Estimate the effect size of each feature, corrected for the selection.

        Returns
        -------
        pandas.DataFrame
            For each feature: ``observed``, the effect in these data, which is too high for features
            that were selected for it; ``effect`` with ``low`` and ``high``, corrected for that;
            ``direction``. See :func:`holdfast.judge.shrunken_effects`.

        Raises
        ------
        InvalidInputError
            The data are not available, or each resample is a new data set.

        Examples
        --------
        >>> import holdfast as hf
        >>> study = hf.Study("f_score", protocol=hf.Subsampling(5, 0.9), sizes=[2], classifiers=())
        >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
        >>> result.effects().columns.tolist()
        ['feature', 'observed', 'effect', 'low', 'high', 'direction']
        """
        return self._cached(("effects",), lambda: effects(self._reader, self._data)).copy()

    def _resolve_candidate(
        self, selector: str | None, size: int | str | None
    ) -> tuple[str, int | str | None]:
        """Return selector and size; the recommended ones if no selector is given."""
        if selector is not None:
            return selector, size
        recommendation = self.recommend()
        return recommendation.selector, recommendation.size if size is None else size

    def _cached(self, key: tuple[object, ...], compute: Callable[[], Value]) -> Value:
        """Return a cached value, or compute it."""
        if key not in self._cache:
            self._cache[key] = compute()
        value: Value = self._cache[key]
        return value

    def report(
        self, path: str | os.PathLike[str], *, force: bool = False, found_again: float | None = None
    ) -> list[Path]:
        """Write the report as one HTML page, as JSON and as Markdown.

        Parameters
        ----------
        path : path
            A folder for ``report.html``, ``report.json`` and ``report.md``; or the name of the
            page, ending in ``.html``; the other files get the same name.
        force : bool, default False
            Replace files that are not reports as well.
        found_again : float, optional
            For each selector, report the longest list of which this share is expected to be
            found again (see `longest_lists`), such as 0.8.

        Returns
        -------
        list of Path
            The three files.

        See Also
        --------
        holdfast.report.write_report : The same as a function.
        """
        from holdfast.report import write_report

        return write_report(self, path, force=force, found_again=found_again)

    def __repr__(self) -> str:
        return f"<Result: {self._state()}. Next: {self._next()}>"

    def _repr_html_(self) -> str:
        return self._fragment

    @cached_property
    def _fragment(self) -> str:
        """The report for a notebook."""
        from holdfast.report import make_report, to_html

        return to_html(make_report(self), fragment=True)

    def __rich__(self) -> Table:
        """Return the table that ``holdfast study`` prints, with the verdict below it."""
        from rich.table import Table
        from rich.text import Text

        from holdfast.report import TEXT_COLUMNS, conclude, overview_table, to_plain_text

        verdict, _ = conclude(self)
        overview = overview_table(self, verdict)
        headline = Text(to_plain_text(verdict["headline"]))
        table = Table(title=Text(to_plain_text(overview.title)), caption=headline)
        for name in overview.columns:
            table.add_column(name, justify="left" if name in TEXT_COLUMNS else "right")
        for cells in zip(*overview.columns.values(), strict=True):
            # names are plain text, even if they look like markup
            table.add_row(*(Text(spell_out_invisible(cell, breaks=True)) for cell in cells))
        return table

    def _next(self) -> str:
        """Return what to look at, or how to continue if nothing is done."""
        if self.n_done:
            return "result.recommend()"
        if self._folder is not None:
            return self.resume_command(self._folder)
        return "result.failures" if len(self.failures) else "run the study again"

    @property
    def _folder(self) -> Path | None:
        return None if self.store.path is None else self.store.path.parent

    def resume_command(self, folder: Path) -> str:
        """Return the command that continues the study, by the name of its folder.

        Parameters
        ----------
        folder : Path
            The folder, as the command is to name it.

        Returns
        -------
        str
            The command, with ``--trust`` if the plan needs it and was trusted here: the folder of
            somebody else never suggests it.
        """
        option = " --trust" if self._trust and needs_trust(self.plan) else ""
        return f"holdfast resume {shlex.quote(str(folder))}{option}"

    def _state(self) -> str:
        """Return the progress of the study."""
        resamples = plural(self.n_resamples, "resample")
        text = f"{plural(len(self.selectors), 'selector')} on {resamples}"
        if not self.complete:
            text += f", {self.n_done:,} of {plural(self.n_units, 'unit')} done"
        if len(self.failures):
            text += f", {len(self.failures):,} failed (result.failures)"
            text += f", {self.n_not_run:,} not run" if self.n_not_run else ""
        return text
