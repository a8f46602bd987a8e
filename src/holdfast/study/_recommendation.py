"""The recommendation of a study: its tables and predictions, handed to those who judge."""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from holdfast._classifiers import classifying, clone_with_seed, median_imputer
from holdfast._formatting import did_you_mean, plural
from holdfast.errors import InvalidInputError, StudyError, UnknownNameError
from holdfast.io import Dataset, from_arrays
from holdfast.judge import Deletion, Fold, choice_error, recommend
from holdfast.judge._candidates import candidates, orient_stability, sizes_of
from holdfast.judge._replicability import Replicability
from holdfast.measures import get_measure
from holdfast.resample import ReplicationPairs
from holdfast.study._planning._make_plan import prepare_selector
from holdfast.study._planning._plan import CLASSIFICATION, DRAWN, SELECTOR, seed_of
from holdfast.study._storage._reader import DONE, OWN_SIZE, View, size_label
from holdfast.study._storage._serialization import deserialize_object, is_opaque
from holdfast.study._storage._store import to_integers
from holdfast.study._tables._feature_chances import why_none
from holdfast.study._tables._predictions import inner_tested, tested_of
from holdfast.study._tables._replication import values_on
from holdfast.study._tables._stability import stability_table
from holdfast.study._tables._summary import chief_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.judge import ChoiceError, Pair, PairValues, Recommendation, Tested
    from holdfast.measures import Measure
    from holdfast.select import Selector
    from holdfast.study._storage._serialization import JSON
    from holdfast.study._tables._stability import LazyDataset


def recommend_candidate(
    view: View,
    data: LazyDataset,
    errors: pd.DataFrame,
    stability: pd.DataFrame,
    replication: pd.DataFrame | None = None,
    *,
    measure: str | None = None,
    order_by: Literal["replication", "resamples"] = "replication",
    **rule: Any,
) -> Recommendation:
    """Recommend a pair of a study, and estimate the error of recommending it.

    `errors`, `stability` and `replication` are the tables of the result; without the last, no
    replication is known. `rule` holds the settings of :func:`holdfast.judge.recommend`: ``rule``,
    ``alpha``, ``correction`` and ``beta``.
    """
    record = _measure(view, measure)
    table = _at_all_sizes(view, stability, record)
    second = _replication_of(replication, record)
    rows = candidates(errors, table, record)
    known = Replicability.of(rows, second, record)
    by_resamples = known is None or order_by == "resamples"
    merits = orient_stability(rows, record) if known is None or by_resamples else known.scores
    folds = _folds(view, data, rows, record)
    tested = tested_of(view)
    own = own_sizes(view)
    values = None if second is None else _pair_values(view, data, record)
    deletions = [] if by_resamples or values is None else _deletions(view, rows, values, record)
    return recommend(
        errors,
        table,
        tested,
        measure=record.name,
        baseline=_baseline(view),
        own_sizes=own,
        choice=_choice(rows, merits, (folds, deletions), tested, own, rule),
        replication=second,
        pair_values=values,
        order_by=order_by,
        independent=why_none(view) == DRAWN,
        why_no_replication=_why_unknown(view, second),
        **rule,
    )


def _replication_of(replication: pd.DataFrame | None, record: Measure) -> pd.DataFrame | None:
    """Return the table of replication stability by a measure; None where it has no value."""
    if replication is None:
        return None
    own = replication[replication["measure"] == record.name]
    return own if own["value"].notna().any() else None


def _pair_values(
    view: View, data: LazyDataset, record: Measure
) -> dict[tuple[str, Any], PairValues]:
    """Return the agreement of disjoint parts, by selector and size."""
    found = {}
    for selector, name in enumerate(view.selectors):
        for size in view.sizes(selector):
            asked = size if record.by_size else view.n_features
            found[name, size_label(size)] = values_on(view, data, selector, asked, record)
    return found


def _why_unknown(view: View, second: pd.DataFrame | None) -> str:
    """Say why it is not known what a second study would find; of no use where it is."""
    if second is not None:
        return ""
    return why_none(view).removesuffix(".") or "disjoint halves of the data gave no value"


def _measure(view: View, name: str | None) -> Measure:
    chosen = chief_measure(view.plan["measures"]) if name is None else name
    if chosen is None:
        raise InvalidInputError(
            "the study measured no stability, so nothing can be recommended; run it with "
            "measures=['nogueira']."
        )
    return get_measure(chosen)


def _at_all_sizes(view: View, stability: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """Return the rows of a measure; what is measured on whole rankings holds for each size."""
    if measure.by_size:
        return stability
    cells = [
        (name, size_label(size))
        for selector, name in enumerate(view.selectors)
        for size in view.sizes(selector)
    ]
    sizes = pd.DataFrame(cells, columns=["selector", "size"])
    return sizes.merge(stability.drop(columns="size"), on="selector", how="inner")


def own_sizes(view: View) -> dict[str, float]:
    """Return the mean number of features of selectors that choose it themselves."""
    found = {}
    for selector, name in enumerate(view.selectors):
        if view.sizes(selector) == [OWN_SIZE]:
            choices = view.choices(selector)
            counts = [len(choices[number]) for number in view.counted(choices)]
            found[name] = float(np.mean(counts)) if counts else np.nan
    return found


def _baseline(view: View) -> float:
    """Return the error of naming the largest class always."""
    counts: list[int] = [*view.plan["data"]["classes"].values()]
    return 1 - max(counts) / sum(counts)


def _choice(
    table: pd.DataFrame,
    merits: NDArray[np.float64],
    parts: tuple[list[Fold], list[Deletion]],
    tested: Tested | None,
    own: dict[str, float],
    rule: dict[str, Any],
) -> ChoiceError | None:
    """Estimate the error of the choice; None where there is nothing to choose from."""
    fit = table["error"].notna() & np.isfinite(merits)
    if tested is None or fit.sum() < 2:
        return None
    folds, deletions = parts
    return choice_error(
        tested, merits, folds=folds, deletions=deletions, sizes=sizes_of(table, own), **rule
    )


def _deletions(
    view: View, table: pd.DataFrame, values: dict[tuple[str, Any], PairValues], record: Measure
) -> list[Deletion]:
    """Return the subsets of three quarters of the data: what they leave out, and its stability."""
    pairs = ReplicationPairs.of(list(view.parts.values()))
    query = "SELECT resample, train FROM resamples WHERE role = 'part'"
    rows = {number: to_integers(train) for number, train in view.store.query(query)}
    kept = [
        np.unique(np.concatenate([rows[number] for number in numbers.ravel().tolist()]))
        for numbers in pairs.parts
    ]
    everyone = np.unique(np.concatenate([*kept, np.empty(0, dtype=np.int64)]))
    cells = [values[key] for key in zip(table["selector"], table["size"], strict=True)]
    scores = np.array([_above_chance(one, record) for one in cells])
    found = [
        Deletion(np.setdiff1d(everyone, own).astype(np.int64), scores[:, subset])
        for subset, own in enumerate(kept)
    ]
    return [one for one in found if np.isfinite(one.stability).any()]


def _above_chance(values: PairValues, record: Measure) -> NDArray[np.float64]:
    """Return for each subset where its halves agree, 0 for chance and 1 for perfect agreement."""
    mean = values.parts.mean(axis=1)
    way = record.best - values.chance
    if not np.isfinite(way) or way == 0:  # a measure without bounds
        return np.asarray(-mean if record.distance else mean)
    return np.asarray((mean - values.chance) / way)


def _folds(view: View, data: LazyDataset, table: pd.DataFrame, measure: Measure) -> list[Fold]:
    """Read what is known inside each outer training part: predictions, and stability."""
    return [
        Fold(tested, _inner_stability(view, data, table, measure, outer), outer)
        for outer, tested in inner_tested(view).items()
    ]


def _inner_stability(
    view: View, data: LazyDataset, table: pd.DataFrame, measure: Measure, outer: int
) -> NDArray[np.float64]:
    within = stability_table(Inside(view, outer, measure.name), data)
    return orient_stability(
        candidates(table, _at_all_sizes(view, within, measure), measure), measure
    )


class Inside(View):
    """What a study knows inside one outer training part: the inner resamples of that part."""

    def __init__(self, view: View, outer: int, measure: str) -> None:
        super().__init__(view.store)
        self.plan = {**view.plan, "measures": [measure]}
        self.parts = view.parts
        self._outer = view.parts[outer].outer

    def raw(self, selector: int, form: str) -> list[tuple[int, bytes]]:
        """Return the stored preferences of one form, of done inner units only."""
        return self.store.query(
            f"SELECT resample, data FROM preferences JOIN resamples USING (resample) {DONE} "
            "selector = ? AND form = ? AND role = 'inner' AND outer_resample = ? ORDER BY resample",
            (selector, form, self._outer),
        )


# The recommended pair, fitted to all data.


def fitted_pipeline(
    plan: dict[str, JSON],
    chosen: Recommendation | Pair,
    X: Any,  # noqa: ANN401  (a matrix, a frame, or a Dataset)
    y: Any = None,  # noqa: ANN401
    *,
    names: Sequence[str] | None = None,
    nominal: tuple[int, ...] | None = None,
) -> Pipeline:
    """Fit the selector and the classifier of a pair as the study does, on all these data.

    Features are selected, scaled and classified; where values are missing, medians take their
    place, before the selector where it does not take missing values. The seeds are those of a
    resample after the last.

    Parameters
    ----------
    plan : dict
        The plan of the study, as JSON.
    chosen : Recommendation or Pair
        The selector, the classifier (None: the pipeline ends with the selector) and the size.
    X : array-like of shape (n, p), frame or Dataset
        The data, with the features of the study; of a Dataset their names are kept.
    y : array-like of shape (n,)
        The class of each sample; these are the labels that the pipeline predicts.
    names : sequence of str, optional
        The names of the features in the study; data that have other names are refused. Arrays
        have no names.
    nominal : tuple of int, optional
        Which features were nominal in the study; by default those of the Dataset.

    Returns
    -------
    sklearn.pipeline.Pipeline
        With the steps ``select``, ``scale`` and ``classify``, and ``impute`` where needed.
    """
    data = _check_features(plan, X, y)
    _check_names(data.feature_names, names)
    if names is not None:  # arrays have none, and selectors may name features
        data = dataclasses.replace(data, feature_names=tuple(names))
    if nominal is not None:
        data = dataclasses.replace(data, nominal=nominal)
    missing = bool(np.isnan(data.X).any())
    number = _number("selector", chosen.selector, [one["name"] for one in plan["selectors"]])
    selector = _selector(plan, number, chosen.size, data)
    steps: list[tuple[str, Any]] = [("select", selector)]
    before = missing and not selector.takes_missing
    if before:
        steps.insert(0, ("impute", median_imputer()))
    if chosen.classifier is not None:
        classifier = _classifier(plan, number, chosen.classifier)
        steps += classifying(classifier, impute=missing and not before)
    subjects = data.groups if selector.takes_subjects else None
    return _fit_pipeline(Pipeline(steps), chosen, *_to_sklearn_input(X, y), subjects)


def _check_features(plan: dict[str, JSON], X: Any, y: Any) -> Dataset:  # noqa: ANN401
    """Return the data in the form that the study knows, if they have the same features."""
    if isinstance(X, Dataset) == (y is not None):
        raise InvalidInputError("give X and y, or a Dataset alone, which has its labels.")
    data = X if isinstance(X, Dataset) else from_arrays(X, y)
    wanted = int(plan["data"]["n_features"])
    if data.n_features != wanted:
        raise InvalidInputError(
            f"the study was made on {plural(wanted, 'feature')}, these data have "
            f"{data.n_features:,}; give data with the same features in the same order."
        )
    return data


def _check_names(given: Sequence[str], wanted: Sequence[str] | None) -> None:
    """Refuse features that are called otherwise, or come in another order, than in the study."""
    unnamed = [f"f{position}" for position in range(len(given))]  # those of arrays
    if wanted is None or list(given) == unnamed or list(wanted) == unnamed:
        return
    apart = [i for i, pair in enumerate(zip(given, wanted, strict=True)) if pair[0] != pair[1]]
    if apart:
        first = apart[0]
        raise InvalidInputError(
            f"these data have other features than the study, or the same in another order: "
            f"feature {first + 1} is {given[first]!r}, in the study it is {wanted[first]!r} "
            f"({len(apart):,} of {len(given):,} names differ). Give the same features in the order "
            "of the study, or an array if they are the same under other names."
        )


def _to_sklearn_input(X: Any, y: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return data and labels as scikit-learn takes them; those of users stay as they are."""
    if isinstance(X, Dataset):
        return pd.DataFrame(X.X, columns=list(X.feature_names)), X.y
    return X, y


def _selector(plan: dict[str, JSON], number: int, size: int | str, data: Dataset) -> Selector:
    selector: Selector = _rebuild_object(plan["selectors"][number])
    ready = prepare_selector(selector, seed_of(int(plan["seed"]), SELECTOR, number), data)
    return ready if isinstance(size, str) else ready.sized(int(size))


def _classifier(plan: dict[str, JSON], selector: int, name: str) -> Any:  # noqa: ANN401
    place = _number("classifier", name, [one["name"] for one in plan["classifiers"]])
    after = int(plan["protocol"]["resamples"])
    seed = seed_of(int(plan["seed"]), CLASSIFICATION, selector, after, place)
    return clone_with_seed(_rebuild_object(plan["classifiers"][place]), seed)


def _number(what: str, name: str, names: list[str]) -> int:
    if name not in names:
        raise UnknownNameError(
            f"no {what} of this study is called {name!r}.{did_you_mean(name, names)}"
        )
    return names.index(name)


def _rebuild_object(part: JSON) -> Any:  # noqa: ANN401
    if is_opaque(part["object"]):
        raise StudyError(
            f"{part['name']} cannot be made again from the plan, because it cannot be imported: "
            "define it in a module, not in a notebook or script, and run the study again; or "
            "make the pipeline by hand."
        )
    return deserialize_object(part["object"])


def _fit_pipeline(
    pipeline: Pipeline,
    chosen: Recommendation | Pair,
    X: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    subjects: NDArray[Any] | None,
) -> Pipeline:
    """Fit a pipeline; say so where the selector leaves nothing to classify by."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "No features were selected", UserWarning)
            more = {} if subjects is None else {"select__groups": subjects}
            return pipeline.fit(X, y, **more)
    except UserWarning as warning:
        raise InvalidInputError(
            f"{chosen.selector} selects no feature of these data, so there is nothing to "
            "classify by; choose another selector or size."
        ) from warning
