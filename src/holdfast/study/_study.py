"""Studies: run selectors on resamples of a data set."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast._classifiers import as_classifier
from holdfast._object_spec import is_object_path, parse_names
from holdfast._typing import (
    DaskClient,
    EstimatorLike,
    LabelsLike,
    MatrixLike,
    ProtocolLike,
    SelectorLike,
)
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io import Dataset, from_arrays
from holdfast.measures import get_measure
from holdfast.resample import Protocol, Subsampling, as_protocol
from holdfast.select import Selector, named_selector
from holdfast.study._execution._execute import ExecutionOptions, execute
from holdfast.study._execution._form_rehearsal import plan_with_known_forms
from holdfast.study._execution._scheduler import Progress
from holdfast.study._planning._stopping_rule import (
    DEFAULT_MAX_RESAMPLES,
    StoppingRule,
    make_stopping_rule,
)
from holdfast.study._result import Result
from holdfast.study._storage._store_checks import MAX_INTEGER


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
        scikit-learn. None is ``hf.Subsampling(100, 0.9)``.
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
        positive: str | None = None,
        out: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        client: DaskClient = None,
        timeout: float | None = None,
        part: str | None = None,
        save_data: bool = True,
        progress: Progress | None = None,
        command: str | None = None,
    ) -> Result:
        """Run the study, or continue it, and return the results.

        Parameters
        ----------
        X : array-like of shape (n, p), frame or Dataset
            The data; a Dataset of :func:`holdfast.io.read_data` includes the labels.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample; no subject is on both sides of a split.
        cohorts : array-like of shape (n,), optional
            The cohort, or study site, of each sample; selections of cohorts are also compared with
            each other (:attr:`holdfast.Result.cohorts`).
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
        progress : Progress, optional
            Receives the progress of the run.
        command : str, optional
            The command line that started the run; it is stored with the results and shown in
            the report.

        Returns
        -------
        Result

        Raises
        ------
        InvalidInputError
            The data do not fit the study; raised before the run starts.
        StoreError
            The folder cannot be used, or holds another study.
        StudyError
            The cluster is gone, or no selector succeeded on any resample; finished units are kept
            in the folder and can be resumed.

        Warns
        -----
        HoldfastWarning
            Selectors treat nominal features as numbers, or ignore the given sizes, or adapt a
            default to the number of samples, or versions have changed since the study last ran, or
            intervals are wider than `until_width` after all resamples, or a selector failed on
            every resample while others did not.
        """
        options = ExecutionOptions(n_jobs, client, timeout, part, command)
        if self._settings.stopping_rule is not None:
            options.check_whole()
        data = _as_dataset(X, y, groups, cohorts, positive)
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


def _as_dataset(
    X: MatrixLike, y: LabelsLike, groups: LabelsLike, cohorts: LabelsLike, positive: str | None
) -> Dataset:
    if not isinstance(X, Dataset):
        if y is None:
            raise InvalidInputError("y, the class of each sample, is needed in addition to X.")
        return from_arrays(X, y, groups=groups, cohorts=cohorts, positive=positive)
    if any(labels is not None for labels in (y, groups, cohorts)):
        raise InvalidInputError(
            "a Dataset includes its labels, groups and cohorts; give no others with it."
        )
    return X if positive is None else X.one_against_rest(positive)


# The settings of a study, checked as far as possible without data.


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The checked settings of a study."""

    selectors: dict[str, Selector]
    protocol: Protocol
    sizes: tuple[float, ...] | None
    classifiers: dict[str, Any]
    measures: tuple[str, ...]
    impute: str | None
    replication: int | None
    stopping_rule: StoppingRule | None
    seed: int


def check_settings(
    *,
    selectors: SelectorLike,
    protocol: ProtocolLike,
    sizes: Sequence[float] | None,
    classifiers: EstimatorLike,
    measures: Sequence[str],
    impute: str | None,
    replication: int | None,
    until_width: float | None,
    seed: int,
) -> Settings:
    """Convert names to objects; raise if a setting is invalid."""
    default = Subsampling(100 if until_width is None else DEFAULT_MAX_RESAMPLES, 0.9)
    protocol = default if protocol is None else as_protocol(protocol)
    measures = tuple(dict.fromkeys(get_measure(name).name for name in _as_list(measures)))
    replication = _check_pairs(replication)
    named_selectors = _name_objects("selector", selectors, named_selector)
    checked_sizes = None if sizes is None else _check_sizes(sizes)
    named_classifiers = _name_objects("classifier", classifiers, as_classifier, least=0)
    if impute not in (None, "median"):
        raise UnknownNameError(f"impute must be 'median' or None, got {impute!r}.")
    stopping_rule = make_stopping_rule(until_width, protocol, measures, replication)
    is_integer = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not is_integer or not 0 <= seed <= MAX_INTEGER:
        raise InvalidInputError(
            f"random_state must be a non-negative integer up to {MAX_INTEGER:,}, got {seed!r}."
        )
    return Settings(
        selectors=named_selectors,
        protocol=protocol,
        sizes=checked_sizes,
        classifiers=named_classifiers,
        measures=measures,
        impute=impute,
        replication=replication,
        stopping_rule=stopping_rule,
        seed=int(seed),
    )


def _name_objects(
    what: str,
    given: Any,  # noqa: ANN401
    convert: Callable[[Any], tuple[str, Any]],
    least: int = 1,
) -> dict[str, Any]:
    """Return objects by name; objects with the same name are named by their full text."""
    if isinstance(given, Mapping):
        named = {str(name): convert(item)[1] for name, item in given.items()}
    else:
        items = parse_names(given) if isinstance(given, str) else list(_as_list(given))
        pairs = [convert(item) for item in items]
        names = [name for name, _ in pairs]
        named = {
            _spell_in_full(item, name) if names.count(name) > 1 else name: converted
            for (name, converted), item in zip(pairs, items, strict=True)
        }
        if len(named) < len(items):
            raise InvalidInputError(
                f"each {what} may be given once, got {', '.join(map(str, items))}; give a mapping "
                "of names to tell them apart."
            )
    if len(named) < least:
        raise InvalidInputError(f"at least one {what} is needed, got none.")
    if any(not name.strip() for name in named):
        raise InvalidInputError(f"the name of a {what} must not be empty.")
    return named


def _spell_in_full(item: object, name: str) -> str:
    """Return an object as text, with its options; the name replaces another name for it."""
    text = str(item)
    if isinstance(item, str) and not is_object_path(item):
        text = re.sub(r"^\s*\w+", name, text)
    return text


def _as_list(given: Any) -> Iterable[Any]:  # noqa: ANN401
    single = isinstance(given, str) or hasattr(given, "fit") or not hasattr(given, "__iter__")
    return [given] if single else given


def _check_sizes(sizes: Any) -> tuple[float, ...]:  # noqa: ANN401
    checked = tuple(_as_list(sizes))
    if not checked:
        raise InvalidInputError(
            "at least one size is needed, got none; None selects the default sizes."
        )
    for size in checked:
        whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        if not whole and not (isinstance(size, float) and 0 < size <= 1):
            raise InvalidInputError(
                f"a size must be a count, or a fraction above 0 and up to 1; got {size!r}."
            )
    return checked


def _check_pairs(replication: int | None) -> int | None:
    if replication is None:
        return None
    pairs = check_integer(replication, "replication", 0)
    if pairs == 1:
        raise InvalidInputError(
            "replication must be 0, for none, or at least 2 pairs of halves; got 1."
        )
    return pairs
