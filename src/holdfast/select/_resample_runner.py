"""Run a selector on resamples: a block in one call, resample by resample if the block fails."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from sklearn.base import clone

from holdfast._memory import is_sparse, to_dense
from holdfast._typing import AnyArray, FloatArray, IndexArray
from holdfast.io import impute_medians
from holdfast.preferences import Subsets
from holdfast.select._adapter import AnySelector
from holdfast.select._groups._group_selector import GroupSelector, SelectedGroups
from holdfast.select._search._subset_selector import SubsetSelector
from holdfast.select._selector import BoundSelector, Selector, resample_subjects

Result = TypeVar("Result")


class TrainingPart(NamedTuple):
    """The training data of one resample."""

    X: AnyArray
    y: AnyArray
    subjects: AnyArray | None = None
    """The subject of each sample, for selectors that support subjects."""
    sample_weight: FloatArray | None = None
    """The weight of each sample, for selectors that support weights."""


class ResampleRanking(NamedTuple):
    """The ranking of all features on one resample."""

    weights: FloatArray | None
    """None if the selector ranks without weights."""
    ranks: AnyArray
    n_found: int | None = None
    """How many features may be selected, those of the best ranks; None for all."""


class ResampleSubset(NamedTuple):
    """The subset of features selected on one resample, with the size chosen by the selector."""

    features: IndexArray
    value: float | None = None
    """The criterion of a subset search; None for other selectors."""


ResamplePreference: TypeAlias = ResampleRanking | ResampleSubset | SelectedGroups


@dataclass(frozen=True, eq=False)
class SelectorRunner:
    """A selector and the data set whose resamples it is run on.

    Attributes
    ----------
    selector : Selector
        The selector, with its seed and with features named by index.
    X : ndarray or csr_matrix of shape (n, p)
        The data; selectors that take no sparse matrix get arrays, resample by resample.
    y : ndarray of shape (n,)
        The class of each sample.
    subjects : ndarray of shape (n,), optional
        The subject of each sample; ignored if the selector does not support subjects.
    has_missing : bool, default False
        Whether the data have missing values.
    sample_weight : ndarray of shape (n,), optional
        The weight of each sample; ignored if the selector does not support weights.
    """

    selector: Selector
    X: AnyArray
    y: AnyArray
    subjects: AnyArray | None = None
    has_missing: bool = False
    sample_weight: FloatArray | None = None

    @property
    def imputes(self) -> bool:
        """Whether missing values are replaced by medians before the selector sees them."""
        return self.has_missing and not self.selector.supports_missing

    @property
    def densifies(self) -> bool:
        """Whether the selector gets the rows of a sparse matrix as an array."""
        return is_sparse(self.X) and (self.imputes or not self.selector.supports_sparse)

    @property
    def alters_data(self) -> bool:
        """Whether the selector gets other data than rows of the matrix."""
        return self.imputes or self.densifies

    @property
    def fits_each(self) -> bool:
        """Whether each resample has a fit of its own, with a seed of its own.

        So have selectors that choose the size; and sparse models whose best features are taken, as
        these are then a part of what the model selects by itself.
        """
        if isinstance(self.selector, GroupSelector):
            return False
        if isinstance(self.selector, AnySelector) and self.selector.expected_form.is_sparse:
            return True
        return self.selector.selects_own_size

    @cached_property
    def _bound(self) -> BoundSelector[Any]:
        """The selector bound to all data, which are checked once."""
        subjects = self.subjects if self.selector.supports_subjects else None
        return self.selector.bind(self.X, self.y, subjects, self._used_weights)

    @property
    def _used_weights(self) -> FloatArray | None:
        """The weights of the samples, if the selector uses them."""
        return self.sample_weight if self.selector.supports_sample_weight else None

    def select_rows(self, rows: Sequence[IndexArray], first: int) -> list[ResamplePreference]:
        """Run the selector on several resamples of the data in one call.

        Parameters
        ----------
        rows : sequence of ndarray of int
            The rows of each resample.
        first : int
            Position of the first resample; resamples are seeded by position.

        Returns
        -------
        list of ResampleRanking, ResampleSubset or SelectedGroups
        """
        preferences = self._bound.select_resamples(rows, first)
        return _split_by_resample(preferences, self._bound.found_counts)

    def training_part(self, rows: IndexArray, X: AnyArray | None = None) -> TrainingPart:
        """Return the training data of one resample; `X` replaces the rows of the data."""
        part = self.X[rows] if X is None else X
        subjects = (
            resample_subjects(self.subjects, rows) if self.selector.supports_subjects else None
        )
        weights = None if self._used_weights is None else self._used_weights[rows]
        if self.densifies:
            part = to_dense(part, "the training part of a resample")
        # medians of this part only: values of test samples must not leak into the training data
        if self.imputes:
            part = impute_medians(part)
        return TrainingPart(part, self.y[rows], subjects, weights)

    def select_part(self, part: TrainingPart, position: int) -> ResamplePreference:
        """Run the selector on one training part, seeded by the position of its resample."""
        bound: BoundSelector[Any] = self.selector.bind(*part)
        preferences = bound.select_resamples([np.arange(len(part.y))], position)
        return _split_by_resample(preferences, bound.found_counts)[0]

    def fit_part(self, part: TrainingPart, seed: int) -> ResampleSubset | ResampleRanking:
        """Fit the selector to one training part and return the subset that it selects.

        Of a sparse model whose best features are taken, return the ranking.
        """
        # a selector that chooses its size has no batch path: each part has a fit of its own
        fitted = clone(self.selector).set_params(random_state=seed)
        options = {} if part.subjects is None else {"groups": part.subjects}
        if part.sample_weight is not None:
            options["sample_weight"] = part.sample_weight
        fitted.fit(part.X, part.y, **options)
        if not self.selector.selects_own_size:
            return ResampleRanking(fitted.scores_, fitted.ranking_, fitted.n_found_)
        features = fitted.get_support(indices=True)
        value = getattr(fitted, "value_", None) if isinstance(fitted, SubsetSelector) else None
        return ResampleSubset(features, None if value is None else float(value))

    def signed_statistics(self, codes: IndexArray, rows: Sequence[IndexArray]) -> FloatArray | None:
        """Return signed t statistics on resamples, for selectors that rank by them.

        Parameters
        ----------
        codes : ndarray of shape (n,)
            The classes, numbered from 0.
        rows : sequence of ndarray of int
            The rows of each resample.

        Returns
        -------
        ndarray of shape (resamples, p) or None
            None for other selectors, and where missing values are imputed.
        """
        if self.imputes:
            return None
        if not self.densifies:
            return self.selector.signed_statistics(self.X, codes, rows)
        statistics = []
        for indices in rows:  # one dense copy at a time
            part, every = self.training_part(indices).X, [np.arange(len(indices))]
            of_part = self.selector.signed_statistics(part, codes[indices], every)
            if of_part is None:
                return None
            statistics.append(of_part[0])
        return np.array(statistics)


def run_selector_on_resamples(
    run: Callable[[range], list[Result]],
    positions: range,
    fail: Callable[[int, BaseException], Result],
    *,
    in_one_call: bool = True,
    errors: tuple[type[BaseException], ...] = (Exception,),
) -> list[Result]:
    """Run a block of resamples in one call; if it fails, run its resamples one by one.

    Parameters
    ----------
    run : callable
        Takes a range of positions and returns one result per resample.
    positions : range
        Positions of the resamples of the block.
    fail : callable
        Takes the position of a resample that failed by itself and the error, and returns the
        result that stands for the failure.
    in_one_call : bool, default True
        Whether to try the block as a whole first.
    errors : tuple of exception types
        What counts as a failure; selectors may be other people's code, which raises anything.

    Returns
    -------
    list
        One result per resample, in order.
    """
    # one resample that fails must not cost the other results of its block
    if in_one_call or len(positions) == 1:
        try:
            return run(positions)
        except errors as error:
            if len(positions) == 1:
                return [fail(positions[0], error)]
    return [
        result
        for position in positions
        for result in run_selector_on_resamples(
            run, range(position, position + 1), fail, errors=errors
        )
    ]


def _split_by_resample(
    preferences: Subsets | list[SelectedGroups] | tuple[Any, Any], found_counts: list[int] | None
) -> list[ResamplePreference]:
    """Return one preference per resample."""
    if isinstance(preferences, Subsets):
        return [
            ResampleSubset(features)
            for features in np.split(preferences.indices, preferences.indptr[1:-1])
        ]
    if isinstance(preferences, list):
        return list(preferences)
    weights, rankings = preferences
    return [
        ResampleRanking(
            None if weights is None else weights.values[position],
            np.asarray(rankings.values[position]),
            None if found_counts is None else found_counts[position],
        )
        for position in range(len(rankings.values))
    ]


MAX_FAILURE_CHARACTERS = 500
"""Longest message of a failure that is stored; chosen by hand: some lines of a terminal."""
MAX_MESSAGE_CHARACTERS = 100_000
"""Most characters of a message that are looked at; chosen by hand, as some hold whole arrays."""
CATEGORIES_ESCAPED = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of control and format characters, surrogates, and separators of lines."""
SHORTENED = " ... (shortened)"
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def failure_message(error: BaseException) -> str:
    """Return the type and the message of an error as text that can be stored.

    The text is the same in every run, safe to print and short: addresses in memory are left out,
    control characters are escaped, and at most `MAX_FAILURE_CHARACTERS` are kept.
    """
    try:
        message = str(error)[:MAX_MESSAGE_CHARACTERS]
    except BaseException:  # noqa: BLE001  (the __str__ of the error may fail)
        message = ""
    text = f"{type(error).__name__}: {message}".strip(" :")
    text = "".join(_to_visible(char) for char in _ADDRESS.sub("", text))
    if len(text) > MAX_FAILURE_CHARACTERS:
        text = text[: MAX_FAILURE_CHARACTERS - len(SHORTENED)] + SHORTENED
    return text


def _to_visible(character: str) -> str:
    """Return a character, or its escape where it moves the cursor or has no UTF-8 form."""
    if character in "\n\t" or unicodedata.category(character) not in CATEGORIES_ESCAPED:
        return character
    return character.encode("unicode_escape").decode("ascii")
