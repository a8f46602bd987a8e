"""Outcomes of many training sets, put together and measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.measures import get_measure, measure
from holdfast.preferences import Rankings, Subsets, Weights
from holdfast.preferences._storage import empty_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from holdfast.preferences import Preferences
    from holdfast.simulate._model import GaussianModel
    from holdfast.simulate._training import Outcome, Source

OWN = "own"
"""The size of subsets whose size the selector chooses."""
ERRORS = ["lda_error", "lda_error_sd", "bayes_observed", "bayes_observed_sd", "bayes_optimal"]
_KEPT = ["value", "low", "high", "chance"]


@dataclass(frozen=True)
class Wanted:
    """What is to be found out: at which sizes, by which measures, errors or not."""

    n_sets: int
    sizes: tuple[int, ...]
    measures: tuple[str, ...]
    errors: bool


@dataclass(frozen=True, eq=False)
class Found:
    """Rows of the tables: stability, how often each feature is selected by size, errors."""

    stability: list[dict[str, Any]]
    counts: dict[int | str, NDArray[np.intp]]
    errors: list[dict[str, Any]]


def find(source: Source, wanted: Wanted, model: GaussianModel | None) -> Found:
    """Let a selector see all training sets and measure what came out."""
    errors = _Errors(model, wanted.sizes) if wanted.errors and model is not None else None
    forms = judged(source, wanted.n_sets, errors)
    stability, weights = [], forms.pop("weights", None)
    if weights is not None:
        stability += _measured(weights, wanted, wanted.sizes)
        del weights  # tables of many features are large: each goes when it has served
    counts: dict[int | str, NDArray[np.intp]] = {}
    if "ranking" in forms:
        stability += _measured(forms["ranking"], wanted, wanted.sizes)
    selected = _subsets(forms, wanted.sizes)
    forms.clear()
    for size, subsets in selected.items():
        stability += _measured(subsets, wanted, [size])
        counts[size] = np.bincount(subsets.indices, minlength=subsets.n_features or 0)
    sizes = list(selected)
    stability.sort(
        key=lambda row: (sizes.index(row["size"]), wanted.measures.index(row["measure"]))
    )
    return Found(stability, counts, errors.rows() if errors else [])


def judged(
    source: Source, n_sets: int, look: Callable[[Outcome], None] | None = None
) -> dict[str, Any]:
    """Return what the selector made of all training sets, by form; large tables are in files."""
    tables: dict[str, NDArray[Any]] = {}
    subsets: list[NDArray[np.integer[Any]]] = []
    p = 0
    for position in range(n_sets):
        outcome = source.at(position)
        p = outcome.n_features
        if outcome.subset is not None:
            subsets.append(outcome.subset)
        for name, row in outcome.rows().items():
            if name not in tables:
                tables[name] = empty_table((n_sets, p), row.dtype)
            tables[name][position] = row
        if look is not None:
            look(outcome)
    return {"subset": Subsets(subsets, n_features=p)} if subsets else _forms(tables)


def _forms(tables: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return weights, where there are any, and rankings."""
    forms: dict[str, Any] = {}
    if "scores" in tables:
        forms["weights"] = Weights(tables["scores"])
    ranked = "ranks" in tables
    forms["ranking"] = Rankings(tables["ranks"]) if ranked else forms["weights"].to_rankings()
    return forms


def _subsets(forms: dict[str, Any], sizes: Sequence[int]) -> dict[int | str, Subsets]:
    if "subset" in forms:
        return {OWN: forms["subset"]}
    return {size: forms["ranking"].top(size) for size in sizes}


def _measured(
    preferences: Preferences, wanted: Wanted, sizes: Sequence[int | str]
) -> list[dict[str, Any]]:
    """Return a row for each measure of this form, and for each size if it does not matter."""
    names = [name for name in wanted.measures if get_measure(name).form == preferences.form]
    if not names:
        return []
    table = measure(names, preferences)[_KEPT].reset_index()
    rows: list[dict[Any, Any]] = table.to_dict("records")
    return [{"size": size, **row} for size in sizes for row in rows]


class _Errors:
    """Errors of LDA on the selected features, and the least possible ones, set by set."""

    def __init__(self, model: GaussianModel, sizes: Sequence[int]) -> None:
        self._model = model
        self._sizes = sizes
        self._found: list[list[tuple[float, float]]] = []
        self._own = False

    def __call__(self, outcome: Outcome) -> None:
        """Add a training set."""
        self._own = outcome.subset is not None
        features = outcome.best(self._sizes)
        self._found.append(
            [
                (
                    float(self._model.linear_error(*rule, features=own)),
                    float(self._model.bayes_error(own)),
                )
                for own, rule in zip(features, outcome.learn(features), strict=True)
            ]
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return a row a size: means and standard deviations over the training sets."""
        values = np.array(self._found)
        mean, spread = values.mean(axis=0), values.std(axis=0, ddof=1)
        sizes: Sequence[int | str] = [OWN] if self._own else self._sizes
        return [
            {"size": size, **dict(zip(ERRORS, (*own, self._optimal(size)), strict=True))}
            for size, own in zip(
                sizes, np.stack([mean, spread], axis=2).reshape(-1, 4), strict=True
            )
        ]

    def _optimal(self, size: int | str) -> float:
        return self._model.best_error(size) if isinstance(size, int) else np.nan
