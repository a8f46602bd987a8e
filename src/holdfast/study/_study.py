"""Studies: run selectors on resamples of a data set."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from holdfast._typing import DaskClient, LabelsLike, MatrixLike, ProtocolLike, SelectorLike
    from holdfast.io import Dataset
    from holdfast.study._execution._cost import StudyCost
    from holdfast.study._execution._progress import Progress
    from holdfast.study._result import Result


class Study:
    """Run selectors on resamples of a data set and measure their stability and their errors.

    Parameters
    ----------
    selectors : mapping, sequence, str or estimator
        Names and selectors; or a list of selectors, or of their names as on the command line
        (``"relieff:n_neighbors=5"``, ``"path/to/file.py:object"``); or several names
        in one text, between commas. Other estimators and functions ``f(X, y)`` are wrapped in
        :class:`holdfast.AnySelector`, which has how they are read. Selectors of scikit-learn
        choose the size themselves; so do sparse models without `sizes`.
    protocol : Protocol, splitter or str, default None
        The resamples: a protocol of :mod:`holdfast.resample` or its name, or a splitter of
        scikit-learn. None is ``hf.Subsampling(100, 0.9)``, or 30 resamples of data with
        more than 20,000 samples.
    sizes : sequence of int or float, default None
        How many features to select: counts, or fractions of all features. None is 5, 10, 20 and
        50, as far as the data have more features.
    classifiers : mapping or sequence, default ("linear_svm", "knn3")
        Names and scikit-learn classifiers, or names of those in
        :data:`holdfast.study.CLASSIFIERS`. They are trained on the selected features of the
        training part, scaled by it. If empty, no errors are estimated.
    measures : sequence of str, default ("nogueira", "jaccard", "relative_weighted_consistency")
        The stability measures; preferences can be measured in other ways afterwards.
    impute : {"median", None}, default None
        What replaces missing values for selectors that do not support them: the median of the
        feature in the training part. None refuses such data.
    replication : int, default None
        Number of pairs of disjoint halves of the data, from which replication stability is
        estimated in addition to the protocol (:attr:`holdfast.Result.replication`); 0 for none.
        None is 0.3 per resample of the protocol, at least 10 and at most 50, if there are enough
        samples.
    until_width : float, default None
        Stop as soon as all 95% intervals of the summary's measure have at most this width,
        ``high`` minus ``low``. The protocol then sets the maximum number of resamples, pairs or
        repeats (1,000 by default), and must be one whose resamples are drawn one after the other.
        The result is that of a study that requested the sufficient number from the start;
        :attr:`holdfast.Result.running` shows how the intervals narrowed. They cover repetitions
        of the protocol on the same data: more resamples add nothing about new samples. None runs
        all resamples.
    random_state : int, default 0
        Seed of everything random, at most 2^53; it replaces those of the selectors and classifiers.

    See Also
    --------
    holdfast.load : Open the results of a study.
    holdfast.resume : Continue a study.
    holdfast.merge : Merge parts of a study.
    holdfast.export : Write the tables of a result to files.

    Examples
    --------
    >>> import holdfast as hf
    >>> study = hf.Study(["f_score", "random_score"], protocol=hf.Subsampling(20, 0.9), sizes=[5])
    >>> result = study.run(hf.io.read_data("@breast_cancer"), n_jobs=1)
    >>> result.stability.query("measure == 'nogueira'")[["selector", "value"]].round(2)
           selector  value
    0       f_score   1.00
    3  random_score   ...
    """

    def __init__(
        self,
        selectors: SelectorLike,
        *,
        protocol: ProtocolLike = None,
        sizes: Sequence[float] | None = None,
        classifiers: Mapping[str, Any] | Sequence[Any] = ("linear_svm", "knn3"),
        measures: Sequence[str] = ("nogueira", "jaccard", "relative_weighted_consistency"),
        impute: str | None = None,
        replication: int | None = None,
        until_width: float | None = None,
        random_state: int = 0,
    ) -> None:
        # imported when a study is made: these import scikit-learn, which takes a second
        from holdfast.study._planning._settings import check_settings

        self._settings = check_settings(
            selectors=selectors,
            protocol=protocol,
            sizes=sizes,
            classifiers=classifiers,
            measures=measures,
            impute=impute,
            replication=replication,
            until_width=until_width,
            seed=random_state,
        )

    def run(
        self,
        X: MatrixLike,
        y: LabelsLike = None,
        *,
        groups: LabelsLike = None,
        cohorts: LabelsLike = None,
        sample_weight: LabelsLike = None,
        positive: str | None = None,
        out: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        client: DaskClient = None,
        timeout: float | None = None,
        part: str | None = None,
        save_data: bool = True,
        progress: Progress | bool | None = None,
        command: str | None = None,
    ) -> Result:
        """Run the study, or continue it, and return the results.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), frame or Dataset
            The data; a Dataset of :func:`holdfast.io.read_data` includes the labels. Sparse
            matrices (csr or csc) stay sparse for selectors that take them; others get dense copies
            of the training parts, within the limit on memory.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample; no subject is on both sides of a split.
        cohorts : array-like of shape (n,), optional
            The cohort, or study site, of each sample; selections of cohorts are also compared with
            each other (:attr:`holdfast.Result.cohorts`).
        sample_weight : array-like of shape (n,), optional
            The weight of each sample, at least 0. It is passed to the selectors and classifiers
            whose ``fit`` takes ``sample_weight``; a warning names those that ignore it. Resamples
            are drawn, and errors are counted, without weights.
        positive : str, optional
            This class against all others together.
        out : str or path, optional
            Folder for the run: a new or empty one, or that of the same study, which then
            continues where it stopped. None keeps everything in memory.
        n_jobs : int, optional
            Number of processes; None takes all cores, -2 all but one.
        client : dask.distributed.Client, optional
            Run on its Dask cluster instead of in local processes.
        timeout : float, optional
            Most seconds for one selector on one resample, classifiers included (or on one block
            of resamples, which is then run one by one); the process is then ended and the unit
            marked as failed.
        part : str, optional
            ``"2/3"`` runs only the second third of the units; :func:`holdfast.merge` joins parts
            that were run on different machines. ``"auto"`` is the task of the job array that runs
            this process, and ``"auto/3"`` that of an array of the tasks 1 to 3.
        save_data : bool, default True
            Save data that were given in memory next to the results, so that
            :func:`holdfast.resume` finds them.
        progress : bool or Progress, optional
            True shows the progress, and False does not; None shows it in notebooks only. An object
            with the methods of :class:`holdfast.study.Progress` receives it.
        command : str, optional
            The command line that started the run; it is stored with the results and shown in
            the report.

        Returns
        -------
        Result

        Raises
        ------
        InvalidInputError
            The data do not fit the study, or nothing uses the weights; raised before the run
            starts.
        StoreError
            The folder cannot be used, or holds another study.
        StudyError
            The cluster is gone, or no selector succeeded on any resample; finished units are kept
            in the folder and can be resumed.

        Warns
        -----
        HoldfastWarning
            Selectors treat nominal features as numbers, or ignore the given sizes or weights, or
            adapt a default to the number of samples, or versions have changed since the study last
            ran, or intervals are wider than `until_width` after all resamples, or a selector failed
            on every resample while others did not.
        """
        from holdfast.study._execution._execute import ExecutionOptions, execute
        from holdfast.study._execution._form_rehearsal import plan_with_known_forms
        from holdfast.study._execution._progress import as_progress

        options = ExecutionOptions(n_jobs, client, timeout, part, command)
        progress = as_progress(progress)
        if self._settings.stopping_rule is not None:
            options.check_whole()
        data = _as_dataset(X, y, groups, cohorts, sample_weight, positive)
        plan = plan_with_known_forms(self._settings, data, options)
        return execute(
            plan,
            data,
            options,
            out=out,
            progress=progress,
            save_data=save_data,
            protocol=self._settings.protocol,
            rule=self._settings.stopping_rule,
        )

    def estimate_cost(
        self,
        X: MatrixLike,
        y: LabelsLike = None,
        *,
        groups: LabelsLike = None,
        cohorts: LabelsLike = None,
        sample_weight: LabelsLike = None,
        positive: str | None = None,
        n_jobs: int | None = None,
        client: DaskClient = None,
        timeout: float | None = None,
        part: str | None = None,
    ) -> StudyCost:
        """Estimate the time and the memory that the study will take on these data.

        Each selector runs once, on the first resample or block of resamples; nothing is kept. The
        data and settings are checked as by :meth:`run`.

        Parameters
        ----------
        X, y, groups, cohorts, sample_weight, positive, n_jobs, client, timeout, part
            As for :meth:`run`. A study with `until_width` is estimated for the maximum number of
            resamples.

        Returns
        -------
        StudyCost

        Raises
        ------
        InvalidInputError
            The data do not fit the study.

        Examples
        --------
        >>> import holdfast as hf
        >>> study = hf.Study("f_score", protocol=hf.Subsampling(20, 0.9), replication=0)
        >>> cost = study.estimate_cost(hf.io.read_data("@wine"), n_jobs=1)
        >>> cost.table["resamples"].to_dict()
        {'f_score': 20}
        >>> cost.seconds < 60
        True
        """
        from holdfast.study._execution._cost import rehearse_costs
        from holdfast.study._execution._execute import ExecutionOptions
        from holdfast.study._execution._form_rehearsal import plan_with_known_forms

        options = ExecutionOptions(n_jobs, client, timeout, part)
        data = _as_dataset(X, y, groups, cohorts, sample_weight, positive)
        plan = plan_with_known_forms(self._settings, data, options)
        return rehearse_costs(plan, data, options)


def _as_dataset(
    X: MatrixLike,
    y: LabelsLike,
    groups: LabelsLike,
    cohorts: LabelsLike,
    sample_weight: LabelsLike,
    positive: str | None,
) -> Dataset:
    from holdfast.io import Dataset, from_arrays

    if not isinstance(X, Dataset):
        if y is None:
            raise InvalidInputError("y, the class of each sample, is needed in addition to X.")
        return from_arrays(
            X,
            y,
            groups=groups,
            cohorts=cohorts,
            sample_weight=sample_weight,
            positive=positive,
        )
    if any(given is not None for given in (y, groups, cohorts, sample_weight)):
        raise InvalidInputError(
            "a Dataset includes its labels, groups, cohorts and weights; give no others with it."
        )
    return X if positive is None else X.one_against_rest(positive)
