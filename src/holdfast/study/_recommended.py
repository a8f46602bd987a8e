"""The recommendation of a study: its tables and predictions, handed to those who judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast.errors import InvalidInputError
from holdfast.judge import Fold, choice_error, recommend
from holdfast.judge._candidates import candidates, merits_of, sizes_of
from holdfast.measures import get_measure
from holdfast.study._stability import stability_table
from holdfast.study._summary import chief_measure
from holdfast.study._tested import inner_tested, tested_of
from holdfast.study._view import DONE, OWN, View, size_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge import ChoiceError, Recommendation, Tested
    from holdfast.measures import Measure
    from holdfast.study._measured import Data


def recommended(
    view: View,
    data: Data,
    errors: pd.DataFrame,
    stability: pd.DataFrame,
    *,
    measure: str | None = None,
    **rule: Any,
) -> Recommendation:
    """Recommend a pair of a study, and estimate the error of recommending it.

    `errors` and `stability` are the tables of the result; `rule` holds the settings of
    :func:`holdfast.judge.recommend`: ``rule``, ``alpha``, ``correction`` and ``beta``.
    """
    record = _measure(view, measure)
    table = _at_all_sizes(view, stability, record)
    tested = tested_of(view)
    own = own_sizes(view)
    return recommend(
        errors,
        table,
        tested,
        measure=record.name,
        baseline=_baseline(view),
        own_sizes=own,
        choice=_choice(view, data, candidates(errors, table, record), tested, record, own, rule),
        **rule,
    )


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
    view: View,
    data: Data,
    table: pd.DataFrame,
    tested: Tested | None,
    measure: Measure,
    own: dict[str, float],
    rule: dict[str, Any],
) -> ChoiceError | None:
    """Estimate the error of the choice; None where there is nothing to choose from."""
    fit = table["error"].notna() & table["stability"].notna()
    if tested is None or fit.sum() < 2:
        return None
    return choice_error(
        tested,
        merits_of(table, measure),
        folds=_folds(view, data, table, measure),
        sizes=sizes_of(table, own),
        **rule,
    )


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
