"""What follows from a result: which pair to take, and why selections agree or do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from holdfast.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from sklearn.pipeline import Pipeline

    from holdfast.judge import (
        CohortComparison,
        Pair,
        Recommendation,
        Replication,
        SelectorSimilarity,
        StabilityProfile,
        StandIns,
    )
    from holdfast.study._measured import Data
    from holdfast.study._view import View

    Made = TypeVar("Made")


class Judged:
    """The judgements of a result, a method each; each is made once and kept."""

    if TYPE_CHECKING:  # what the result has, that judgements are made from
        _view: View
        _data: Data

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
        from holdfast.study._recommended import recommended  # noqa: PLC0415  (seldom needed)

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
        from holdfast.study._tested import tested_of  # noqa: PLC0415

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
        from holdfast.study._compared_replication import (  # noqa: PLC0415  (seldom needed)
            compared_replication,
        )

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
        from holdfast.study._pipeline import fitted_pipeline  # noqa: PLC0415  (seldom needed)

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
        from holdfast.study._profiles import profile  # noqa: PLC0415  (seldom needed)

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
        from holdfast.study._profiles import similarity  # noqa: PLC0415  (seldom needed)

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
        from holdfast.study._replication import replicated_of  # noqa: PLC0415  (seldom needed)

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
        from holdfast.study._found_again import longest_lists  # noqa: PLC0415  (seldom needed)

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
        from holdfast.study._cohorts import cohorts_of  # noqa: PLC0415  (seldom needed)

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
        from holdfast.study._memberships import memberships  # noqa: PLC0415  (seldom needed)

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
        from holdfast.study._profiles import stand_ins  # noqa: PLC0415  (seldom needed)

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
        from holdfast.study._profiles import effects  # noqa: PLC0415  (seldom needed)

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
