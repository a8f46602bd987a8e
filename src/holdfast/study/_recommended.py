"""The recommendation of a study: its tables and predictions, handed to those who judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from holdfast.errors import InvalidInputError
from holdfast.judge import Deletion, Fold, choice_error, recommend
from holdfast.judge._candidates import candidates, merits_of, sizes_of
from holdfast.judge._replicability import Replicability
from holdfast.measures import get_measure
from holdfast.resample import ReplicationPairs
from holdfast.study._beside import DRAWN
from holdfast.study._feature_chances import why_none
from holdfast.study._replication import values_on
from holdfast.study._stability import stability_table
from holdfast.study._store import to_integers
from holdfast.study._summary import chief_measure
from holdfast.study._tested import inner_tested, tested_of
from holdfast.study._view import DONE, OWN, View, size_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge import ChoiceError, PairValues, Recommendation, Tested
    from holdfast.measures import Measure
    from holdfast.study._measured import Data


def recommended(
    view: View,
    data: Data,
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
    merits = merits_of(rows, record) if known is None or by_resamples else known.scores
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


def _pair_values(view: View, data: Data, record: Measure) -> dict[tuple[str, Any], PairValues]:
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
        if view.sizes(selector) == [OWN]:
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


def _folds(view: View, data: Data, table: pd.DataFrame, measure: Measure) -> list[Fold]:
    """Read what is known inside each outer training part: predictions, and stability."""
    return [
        Fold(tested, _inner_stability(view, data, table, measure, outer), outer)
        for outer, tested in inner_tested(view).items()
    ]


def _inner_stability(
    view: View, data: Data, table: pd.DataFrame, measure: Measure, outer: int
) -> NDArray[np.float64]:
    within = stability_table(Inside(view, outer, measure.name), data)
    return merits_of(candidates(table, _at_all_sizes(view, within, measure), measure), measure)


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
