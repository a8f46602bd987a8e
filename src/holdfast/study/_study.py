"""Studies: selectors on resamples of the data, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._classifiers import as_classifier
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io import Dataset, from_arrays
from holdfast.measures import get_measure
from holdfast.resample import Protocol, Subsampling, as_protocol
from holdfast.select._adapter import named_selector
from holdfast.study._execution._execute import ExecutionOptions, execute
from holdfast.study._planning._make_plan import make_plan
from holdfast.study._planning._stopping_rule import DEFAULT_MAX_RESAMPLES, checked_until

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.select import Selector
    from holdfast.study._execution._scheduler import Progress
    from holdfast.study._planning._stopping_rule import Until
    from holdfast.study._result import Result


class Study:
    """Run selectors on resamples of a data set and measure how stable, and how good, they are.

    Parameters
    ----------
    selectors : mapping, sequence, str or estimator
        Names and selectors; or a list of selectors, or of their names as on the command line
        (``"relieff:n_neighbors=5"``). Selectors of scikit-learn, estimators with ``coef_`` or
        ``feature_importances_`` and functions ``f(X, y)`` are wrapped in
        :class:`holdfast.AnySelector`. What is a selector of scikit-learn chooses the size itself.
    protocol : Protocol, splitter or str, default None
        The resamples: a protocol of :mod:`holdfast.resample` or its name, or a splitter of
        scikit-learn. None is ``hf.Subsampling(100, 0.9)``.
    sizes : sequence of int or float, default None
        How many features to select: counts, or fractions of all features. None is 5, 10, 20 and
        50, as far as there are more features than that.
    classifiers : mapping or sequence, default ("linear_svm", "knn3")
        Names and scikit-learn classifiers, or names of those in
        :data:`holdfast.study.CLASSIFIERS`. They are trained on the selected features of the
        training part, scaled by it. An empty one: no errors are estimated.
    measures : sequence of str, default ("nogueira", "jaccard", "relative_weighted_consistency")
        The stability measures; all preferences can be measured in other ways afterwards.
    impute : {"median", None}, default None
        What selectors see where values are missing, if they do not take missing values: the
        median of the feature in the training part. None refuses such data.
    replication : int, default None
        So many pairs of disjoint halves of the data tell the replication stability, beside the
        protocol's resamples (:attr:`holdfast.Result.replication`); 0 does without. None is 0.3
        for each resample of the protocol, at least 10 and at most 50, if there are samples enough.
    until_width : float, default None
        Stop as soon as the 95% interval of the summary's measure is at most so wide, ``high`` minus
        ``low``, for every selector and size that has one. The protocol then says how many
        resamples, pairs or repeats are done at most (1,000 by default), and must be one whose
        resamples are drawn one after the other. The result is that of a study which asked for
        the number that was enough; :attr:`holdfast.Result.running` shows how the intervals
        narrowed. They speak about repeating the protocol on the same data: more resamples tell
        nothing more about new samples. None does all resamples.
    random_state : int, default 0
        Seed of all that is random; it takes the place of the selectors' and classifiers' own.

    See Also
    --------
    holdfast.load : Open the results of a study.
    holdfast.resume : Go on with a study.
    holdfast.merge : Join parts of a study.
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

    def __init__(  # noqa: PLR0913  (each says one thing about the study)
        self,
        selectors: Any,  # noqa: ANN401  (a mapping, a sequence, or one of many kinds)
        *,
        protocol: Any = None,  # noqa: ANN401
        sizes: Sequence[float] | None = None,
        classifiers: Mapping[str, Any] | Sequence[Any] = ("linear_svm", "knn3"),
        measures: Sequence[str] = ("nogueira", "jaccard", "relative_weighted_consistency"),
        impute: str | None = None,
        replication: int | None = None,
        until_width: float | None = None,
        random_state: int = 0,
    ) -> None:
        self._settings = checked_settings(
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

    def run(  # noqa: PLR0913  (each says one thing about the run)
        self,
        X: Any,  # noqa: ANN401  (a matrix, a frame, or a Dataset)
        y: Any = None,  # noqa: ANN401
        *,
        groups: Any = None,  # noqa: ANN401
        cohorts: Any = None,  # noqa: ANN401
        positive: str | None = None,
        out: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        client: Any = None,  # noqa: ANN401
        timeout: float | None = None,
        part: str | None = None,
        save_data: bool = True,
        progress: Progress | None = None,
        command: str | None = None,
    ) -> Result:
        """Run the study, or go on with it, and return the results.

        Parameters
        ----------
        X : array-like of shape (n, p), frame or Dataset
            The data; what :func:`holdfast.io.read_data` returns has the labels with it.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample; no subject is on both sides of a split.
        cohorts : array-like of shape (n,), optional
            The cohort, or study site, of each sample; selections of cohorts are compared with
            each other (:attr:`holdfast.Result.cohorts`), beside all else.
        positive : str, optional
            This class against all others together.
        out : str or path, optional
            Folder for the run: a new or empty one, or that of the same study, which then goes on
            where it stopped. None keeps everything in memory.
        n_jobs : int, optional
            Number of processes; None takes all cores, -2 all but one.
        client : dask.distributed.Client, optional
            Run on its Dask cluster instead of in local processes.
        timeout : float, optional
            Most seconds for one selector on one resample, classifiers included (or on one block
            of them, which is then tried one by one); its process is ended then, and the unit
            recorded as failed.
        part : str, optional
            ``"2/3"`` does the second third of the work only; :func:`holdfast.merge` joins parts
            that different machines did.
        save_data : bool, default True
            Save data that were given in memory beside the results, so that
            :func:`holdfast.resume` finds them.
        progress : Progress, optional
            Told how far the run is.
        command : str, optional
            The command line that asked for the run; it is kept beside the results, and the
            report names it.

        Returns
        -------
        Result

        Raises
        ------
        InvalidInputError
            The data and the study do not go together; told before work starts.
        StoreError
            The folder cannot be used, or holds another study.
        StudyError
            The run cannot go on, as the cluster is gone, or no selector succeeded on any resample;
            what was done is kept in the folder and can be resumed.

        Warns
        -----
        HoldfastWarning
            Selectors see nominal features as numbers, or choose sizes of their own although sizes
            are given, or versions have changed since the study last ran, or intervals are wider
            than `until_width` after all resamples, or a selector failed on every resample while
            others did not.
        """
        workers = ExecutionOptions(n_jobs, client, timeout, part, command)
        if self._settings.until is not None:
            workers.check_whole()
        data = _dataset(X, y, groups, cohorts, positive)
        plan = make_plan(self._settings, data)
        return execute(
            plan,
            data,
            workers,
            out=out,
            progress=progress,
            save_data=save_data,
            until=self._settings.until,
        )


def _dataset(
    X: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    groups: Any,  # noqa: ANN401
    cohorts: Any,  # noqa: ANN401
    positive: str | None,
) -> Dataset:
    if not isinstance(X, Dataset):
        if y is None:
            raise InvalidInputError("y, the class of each sample, is needed beside X.")
        return from_arrays(X, y, groups=groups, cohorts=cohorts, positive=positive)
    if any(one is not None for one in (y, groups, cohorts)):
        raise InvalidInputError(
            "a Dataset has its labels, groups and cohorts; give no others beside it."
        )
    return X if positive is None else X.one_against_rest(positive)


# What a study is to do, checked as far as this is possible without data.


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a study, each of the right kind."""

    selectors: dict[str, Selector]
    protocol: Protocol
    sizes: tuple[float, ...] | None
    classifiers: dict[str, Any]
    measures: tuple[str, ...]
    impute: str | None
    replication: int | None
    until: Until | None
    seed: int


def checked_settings(  # noqa: PLR0913  (each says one thing about the study)
    *,
    selectors: Any,  # noqa: ANN401  (a mapping, a sequence, or one of many kinds)
    protocol: Any,  # noqa: ANN401
    sizes: Sequence[float] | None,
    classifiers: Any,  # noqa: ANN401
    measures: Sequence[str],
    impute: str | None,
    replication: int | None,
    until_width: float | None,
    seed: int,
) -> Settings:
    """Turn names into objects; refuse what cannot be."""
    usual = Subsampling(100 if until_width is None else DEFAULT_MAX_RESAMPLES, 0.9)
    protocol = usual if protocol is None else as_protocol(protocol)
    measures = tuple(dict.fromkeys(get_measure(name).name for name in _several(measures)))
    replication = _pairs(replication)
    return Settings(
        selectors=_name_objects("selector", selectors, named_selector),
        protocol=protocol,
        sizes=None if sizes is None else _sizes(sizes),
        classifiers=_name_objects("classifier", classifiers, as_classifier, least=0),
        measures=measures,
        impute=_impute(impute),
        replication=replication,
        until=checked_until(until_width, protocol, measures, replication),
        seed=_seed(seed),
    )


def _name_objects(
    what: str,
    given: Any,  # noqa: ANN401
    convert: Callable[[Any], tuple[str, Any]],
    least: int = 1,
) -> dict[str, Any]:
    """Return names and objects; two of one name are called by all that was said of them."""
    if isinstance(given, Mapping):
        named = {str(name): convert(one)[1] for name, one in given.items()}
    else:
        many = list(_several(given))
        pairs = [convert(one) for one in many]
        twice = {name for name, _ in pairs if [other for other, _ in pairs].count(name) > 1}
        named = {
            str(one) if name in twice else name: made
            for (name, made), one in zip(pairs, many, strict=True)
        }
        if len(named) < len(many):
            raise InvalidInputError(
                f"each {what} may be given once, got {', '.join(map(str, many))}; give a mapping "
                "of names to tell them apart."
            )
    if len(named) < least:
        raise InvalidInputError(f"at least one {what} is needed, got none.")
    if any(not name.strip() for name in named):
        raise InvalidInputError(f"the name of a {what} must not be empty.")
    return named


def _several(given: Any) -> Iterable[Any]:  # noqa: ANN401
    single = isinstance(given, str) or hasattr(given, "fit") or not hasattr(given, "__iter__")
    return [given] if single else given


def _sizes(sizes: Any) -> tuple[float, ...]:  # noqa: ANN401
    given = tuple(_several(sizes))
    if not given:
        raise InvalidInputError("at least one size is needed, got none; None chooses some.")
    for size in given:
        whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        if not whole and not (isinstance(size, float) and 0 < size <= 1):
            raise InvalidInputError(
                f"a size must be a count, or a fraction above 0 and up to 1; got {size!r}."
            )
    return given


def _impute(impute: str | None) -> str | None:
    if impute not in (None, "median"):
        raise UnknownNameError(f"impute must be 'median' or None, got {impute!r}.")
    return impute


def _pairs(replication: int | None) -> int | None:
    if replication is None:
        return None
    pairs = check_integer(replication, "replication", 0)
    if pairs == 1:
        raise InvalidInputError(
            "replication must be 0, for none, or at least 2 pairs of halves; received 1."
        )
    return pairs


def _seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInputError(f"random_state must be a whole number from 0 on, got {seed!r}.")
    return int(seed)
