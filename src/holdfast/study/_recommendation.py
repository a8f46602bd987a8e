"""The recommendation of a study, and the recommended pair fitted to all data."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from holdfast._classifiers import (
    classification_steps,
    clone_with_seed,
    median_imputer,
    takes_sparse_counts,
)
from holdfast._formatting import did_you_mean, plural
from holdfast._memory import to_dense
from holdfast._typing import JSON, AnyArray, FloatArray, LabelsLike, MatrixLike
from holdfast.errors import InvalidInputError, StudyError, UnknownNameError
from holdfast.io import Dataset, from_arrays, has_missing
from holdfast.judge import (
    ChoiceError,
    Deletion,
    Fold,
    Pair,
    PairValues,
    Recommendation,
    Replicability,
    Tested,
    candidate_table,
    choice_error,
    numeric_sizes,
    orient_stability,
    recommend,
)
from holdfast.measures import Measure, get_measure
from holdfast.resample import ReplicationPairs
from holdfast.select import Selector
from holdfast.study._planning._make_plan import prepare_selector
from holdfast.study._planning._plan import CLASSIFICATION, DRAWN, SELECTOR, derive_seed
from holdfast.study._planning._sample_weights import classification_weights
from holdfast.study._storage._plan_objects import (
    PlanPart,
    build_objects,
    classifier_parts,
    selector_parts,
)
from holdfast.study._storage._reader import DONE_UNITS_SQL, OWN_SIZE, StudyReader, size_label
from holdfast.study._storage._serialization import is_opaque
from holdfast.study._storage._store import to_integers
from holdfast.study._tables._errors import read_inner_predictions, read_predictions
from holdfast.study._tables._replication import read_pair_values, why_none
from holdfast.study._tables._stability import LazyDataset, main_measure, stability_table


def recommend_candidate(
    reader: StudyReader,
    data: LazyDataset,
    errors: pd.DataFrame,
    stability: pd.DataFrame,
    replication: pd.DataFrame | None = None,
    *,
    measure: str | None = None,
    order_by: Literal["replication", "resamples"] = "replication",
    **rule: Any,
) -> Recommendation:
    """Recommend a pair of a study, and estimate the error of the recommendation.

    `errors`, `stability` and `replication` are the tables of the result; without the last,
    replication is unknown. `rule` holds the settings of :func:`holdfast.judge.recommend`: ``rule``,
    ``alpha``, ``correction`` and ``beta``.
    """
    record = _get_measure(reader, measure)
    table = _repeat_by_size(reader, stability, record)
    second = None if replication is None else replication[replication["measure"] == record.name]
    if second is not None and second["value"].isna().all():
        second = None
    rows = candidate_table(errors, table, record)
    known = Replicability.from_tables(rows, second, record)
    by_resamples = known is None or order_by == "resamples"
    merits = orient_stability(rows, record) if known is None or by_resamples else known.scores
    folds = _inner_folds(reader, data, rows, record)
    tested = read_predictions(reader)
    own = own_sizes(reader)
    values = None if second is None else _pair_values(reader, data, record)
    class_counts: list[int] = [*reader.plan["data"]["classes"].values()]
    unknown = why_none(reader).removesuffix(".") or "disjoint halves of the data gave no value"
    deletions = [] if by_resamples or values is None else _deletions(reader, rows, values, record)
    return recommend(
        errors,
        table,
        tested,
        measure=record.name,
        baseline=1 - max(class_counts) / sum(class_counts),  # always predict the largest class
        own_sizes=own,
        choice=_estimate_choice_error(rows, merits, (folds, deletions), tested, own, rule),
        replication=second,
        pair_values=values,
        order_by=order_by,
        independent=why_none(reader) == DRAWN,
        why_no_replication="" if second is not None else unknown,
        **rule,
    )


def _pair_values(
    reader: StudyReader, data: LazyDataset, record: Measure
) -> dict[tuple[str, Any], PairValues]:
    """Return the agreement of disjoint parts, by selector and size."""
    values = {}
    for selector, name in enumerate(reader.selectors):
        for size in reader.sizes(selector):
            count = size if record.by_size else reader.n_features
            key = name, size_label(size)
            values[key] = read_pair_values(reader, data, selector, count, record)
    return values


def _get_measure(reader: StudyReader, name: str | None) -> Measure:
    chosen = main_measure(reader.plan["measures"]) if name is None else name
    if chosen is None:
        raise InvalidInputError(
            "the study has no stability measure, so nothing can be recommended; run it with "
            "measures=['nogueira']."
        )
    return get_measure(chosen)


def _repeat_by_size(reader: StudyReader, stability: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """Return the rows of a measure for each size; measures of rankings hold for all sizes."""
    if measure.by_size:
        return stability
    cells = [
        (name, size_label(size))
        for selector, name in enumerate(reader.selectors)
        for size in reader.sizes(selector)
    ]
    sizes = pd.DataFrame(cells, columns=["selector", "size"])
    return sizes.merge(stability.drop(columns="size"), on="selector", how="inner")


def own_sizes(reader: StudyReader) -> dict[str, float]:
    """Return the mean number of features of selectors that choose the number."""
    means = {}
    for selector, name in enumerate(reader.selectors):
        if reader.sizes(selector) == [OWN_SIZE]:
            features = reader.selected_features(selector)
            counts = [len(features[number]) for number in reader.compared(features)]
            means[name] = float(np.mean(counts)) if counts else np.nan
    return means


def _estimate_choice_error(
    table: pd.DataFrame,
    merits: FloatArray,
    parts: tuple[list[Fold], list[Deletion]],
    tested: Tested | None,
    own: dict[str, float],
    rule: dict[str, Any],
) -> ChoiceError | None:
    """Estimate the error of the choice; None if there is nothing to choose from."""
    fit = table["error"].notna() & np.isfinite(merits)
    if tested is None or fit.sum() < 2:
        return None
    folds, deletions = parts
    return choice_error(
        tested, merits, folds=folds, deletions=deletions, sizes=numeric_sizes(table, own), **rule
    )


def _deletions(
    reader: StudyReader,
    table: pd.DataFrame,
    values: dict[tuple[str, Any], PairValues],
    record: Measure,
) -> list[Deletion]:
    """Return what each three quarters of the data leave out, and their stability."""
    pairs = ReplicationPairs.from_resamples(list(reader.resamples.values()))
    query = "SELECT resample, train FROM resamples WHERE role = 'part'"
    rows = {number: to_integers(train) for number, train in reader.store.query(query)}
    kept = [
        np.unique(np.concatenate([rows[number] for number in numbers.ravel().tolist()]))
        for numbers in pairs.parts
    ]
    all_rows = np.unique(np.concatenate([*kept, np.empty(0, dtype=np.int64)]))
    cells = [values[key] for key in zip(table["selector"], table["size"], strict=True)]
    scores = np.array([_above_chance(cell, record) for cell in cells])
    deletions = [
        Deletion(np.setdiff1d(all_rows, rows_kept).astype(np.int64), scores[:, subset])
        for subset, rows_kept in enumerate(kept)
    ]
    return [deletion for deletion in deletions if np.isfinite(deletion.stability).any()]


def _above_chance(values: PairValues, record: Measure) -> FloatArray:
    """Return the agreement of the halves of each subset: 0 for chance, 1 if perfect."""
    mean = values.parts.mean(axis=1)
    scale = record.best - values.chance
    if not np.isfinite(scale) or scale == 0:  # a measure without bounds
        return np.asarray(-mean if record.distance else mean)
    return np.asarray((mean - values.chance) / scale)


def _inner_folds(
    reader: StudyReader, data: LazyDataset, table: pd.DataFrame, measure: Measure
) -> list[Fold]:
    """Return the predictions and the stability inside each outer training part."""
    folds = []
    for outer, tested in read_inner_predictions(reader).items():
        inner = stability_table(InnerResamplesReader(reader, outer, measure.name), data)
        rows = candidate_table(table, _repeat_by_size(reader, inner, measure), measure)
        folds.append(Fold(tested, orient_stability(rows, measure), outer))
    return folds


class InnerResamplesReader(StudyReader):
    """Reads the inner resamples of one outer training part."""

    def __init__(self, reader: StudyReader, outer: int, measure: str) -> None:
        super().__init__(reader.store)
        self.plan = {**reader.plan, "measures": [measure]}
        self.resamples = reader.resamples
        self._outer = reader.resamples[outer].outer

    def stored_data(self, selector: int, form: str) -> list[tuple[int, bytes]]:
        """Return the stored preferences of one form, of done inner units only."""
        return self.query_units(
            "SELECT resample, data FROM preferences JOIN resamples USING (resample) "
            f"{DONE_UNITS_SQL} selector = ? AND form = ? AND role = 'inner' AND outer_resample = ? "
            "ORDER BY resample",
            (selector, form, self._outer),
        )


# A pair fitted to all data.


def fitted_pipeline(
    plan: dict[str, JSON],
    chosen: Recommendation | Pair,
    X: MatrixLike,
    y: LabelsLike = None,
    *,
    sample_weight: LabelsLike = None,
    names: Sequence[str] | None = None,
    nominal: tuple[int, ...] | None = None,
    trust: bool = False,
    folder: Path | None = None,
) -> Pipeline:
    """Fit the selector and the classifier of a pair as the study does, on all these data.

    Features are selected, scaled and classified; missing values are replaced by medians, before
    the selector if it does not support missing values. The seeds are those of a resample after
    the last.

    Parameters
    ----------
    plan : dict
        The plan of the study, as JSON.
    chosen : Recommendation or Pair
        The selector, the classifier (None: the pipeline ends with the selector) and the size.
    X : array-like of shape (n, p), frame or Dataset
        The data, with the features of the study; a Dataset keeps their names.
    y : array-like of shape (n,)
        The class of each sample; the pipeline predicts these labels.
    sample_weight : array-like of shape (n,), optional
        The weight of each sample, for a study with weights.
    names : sequence of str, optional
        The names of the features in the study; data with other names are refused. Arrays have
        no names.
    nominal : tuple of int, optional
        The nominal features of the study; by default those of the Dataset.
    trust : bool, default False
        Whether the folder is trusted: any code that its plan names is then run.
    folder : Path, optional
        The folder of the study, for messages.

    Returns
    -------
    sklearn.pipeline.Pipeline
        With the steps ``select``, ``scale`` and ``classify``; and ``impute``, and ``dense`` for
        sparse data, where needed.
    """
    data = _check_features(plan, X, y, sample_weight)
    _check_names(data.feature_names, names)
    if names is not None:  # arrays have none, but selectors may name features
        data = dataclasses.replace(data, feature_names=tuple(names))
    if nominal is not None:
        data = dataclasses.replace(data, nominal=nominal)
    missing = has_missing(data.X)
    seed = int(plan["seed"])
    number = _find_part("selector", chosen.selector, plan["selectors"])
    parts = [selector_parts(plan)[number]]
    if chosen.classifier is not None:
        place = _find_part("classifier", chosen.classifier, plan["classifiers"])
        parts.append(classifier_parts(plan)[place])
    selector: Selector
    classifiers: list[Any]
    selector, *classifiers = _rebuild_objects(parts, trust=trust, folder=folder)
    selector = prepare_selector(selector, derive_seed(seed, SELECTOR, number), data)
    if not isinstance(chosen.size, str):
        selector = selector.with_size(int(chosen.size))
    seeded = [
        clone_with_seed(
            given,
            # after the last resample
            derive_seed(seed, CLASSIFICATION, number, int(plan["protocol"]["resamples"]), place),
        )
        for given in classifiers
    ]
    steps = _pipeline_steps(selector, seeded, missing=missing, sparse=data.is_sparse)
    arguments = _fit_arguments(data, selector, classifiers)
    if data.is_sparse:
        X, y = data.X, data.y if y is None else y
    elif isinstance(X, Dataset):
        X, y = pd.DataFrame(X.X, columns=list(X.feature_names)), X.y
    return _fit_pipeline(Pipeline(steps), chosen, X, y, arguments)


def _pipeline_steps(
    selector: Selector, classifiers: Sequence[Any], *, missing: bool, sparse: bool
) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline: selection, and imputation and classification if needed."""
    steps: list[tuple[str, Any]] = [("select", selector)]
    impute_first = missing and not selector.supports_missing
    if impute_first:
        steps.insert(0, ("impute", median_imputer()))
    to_array = FunctionTransformer(to_dense, accept_sparse=True, feature_names_out="one-to-one")
    if sparse and (impute_first or not selector.supports_sparse):
        steps.insert(0, ("dense", to_array))
    elif sparse and not all(map(takes_sparse_counts, classifiers)):
        steps.append(("dense", to_array))
    for classifier in classifiers:
        steps += classification_steps(classifier, impute=missing and not impute_first)
    return steps


def _fit_arguments(
    data: Dataset, selector: Selector, classifiers: Sequence[Any]
) -> dict[str, AnyArray]:
    """Return the arguments of ``fit`` of a pipeline: subjects and weights, for steps with them."""
    arguments: dict[str, AnyArray] = {}
    if data.groups is not None and selector.supports_subjects:
        arguments["select__groups"] = data.groups
    if data.sample_weight is not None and selector.supports_sample_weight:
        arguments["select__sample_weight"] = data.sample_weight
    for classifier in classifiers:
        arguments |= classification_weights(classifier, data.sample_weight)
    return arguments


def _check_features(
    plan: dict[str, JSON], X: MatrixLike, y: LabelsLike, sample_weight: LabelsLike
) -> Dataset:
    """Return the data as a Dataset; raise if they lack features or weights of the study."""
    if isinstance(X, Dataset) == (y is not None) or (
        isinstance(X, Dataset) and sample_weight is not None
    ):
        raise InvalidInputError(
            "give X and y, or only a Dataset, which has its labels and its weights."
        )
    data = X if isinstance(X, Dataset) else from_arrays(X, y, sample_weight=sample_weight)
    is_weighted = "weighting" in plan
    if is_weighted != (data.sample_weight is not None):
        raise InvalidInputError(
            "the samples of the study have weights, these have none; give sample_weight, in which "
            "equal weights are allowed."
            if is_weighted
            else "the samples of the study have no weights, these have some; leave them out."
        )
    expected = int(plan["data"]["n_features"])
    if data.n_features != expected:
        raise InvalidInputError(
            f"the study has {plural(expected, 'feature')}, these data have {data.n_features:,}; "
            "give data with the same features in the same order."
        )
    return data


def _check_names(names: Sequence[str], study_names: Sequence[str] | None) -> None:
    """Raise if features have other names, or another order, than in the study."""
    unnamed = [f"f{position}" for position in range(len(names))]  # those of arrays
    if study_names is None or list(names) == unnamed or list(study_names) == unnamed:
        return
    different = [
        i for i, pair in enumerate(zip(names, study_names, strict=True)) if pair[0] != pair[1]
    ]
    if different:
        first = different[0]
        raise InvalidInputError(
            f"these data have other features than the study, or the same in another order: "
            f"feature {first + 1} is {names[first]!r}, in the study it is {study_names[first]!r} "
            f"({len(different):,} of {len(names):,} names differ). Give the same features in the "
            "order of the study, or an array if they are the same under other names."
        )


def _find_part(what: str, name: str, parts: JSON) -> int:
    """Return the position of a selector or classifier in the plan."""
    names = [part["name"] for part in parts]
    if name not in names:
        raise UnknownNameError(
            f"no {what} of this study is called {name!r}.{did_you_mean(name, names)}"
        )
    return names.index(name)


def _rebuild_objects(parts: list[PlanPart], *, trust: bool, folder: Path | None) -> list[Any]:
    for part in parts:
        if is_opaque(part.document):
            raise StudyError(
                f"{part.name} cannot be rebuilt from the plan, because it cannot be imported: "
                "define it in a module, not in a notebook or script, and run the study again; or "
                "build the pipeline by hand."
            )
    return build_objects(parts, trust=trust, folder=folder)


def _fit_pipeline(
    pipeline: Pipeline,
    chosen: Recommendation | Pair,
    X: MatrixLike,
    y: LabelsLike,
    arguments: dict[str, AnyArray],
) -> Pipeline:
    """Fit a pipeline; raise if the selector selects no features."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "No features were selected", UserWarning)
            return pipeline.fit(X, y, **arguments)
    except UserWarning as warning:
        raise InvalidInputError(
            f"{chosen.selector} selects no feature of these data, so there is nothing to "
            "classify with; choose another selector or size."
        ) from warning
