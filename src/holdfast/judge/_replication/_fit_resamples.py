"""Run a selector on the resamples of a comparison and keep what the measure compares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from holdfast._formatting import format_list, plural
from holdfast._random import generators
from holdfast._typing import IndexArray
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io import Dataset, has_missing
from holdfast.judge._replication._score_model import MAX_PAIRS, SignedScores, signed_scores_of
from holdfast.measures import Measure
from holdfast.resample import ReplicationPairs, Resample
from holdfast.select import (
    ResamplePreference,
    ResampleSubset,
    SelectedGroups,
    Selector,
    SelectorRunner,
    SubsetSelector,
    describe_preference,
    failure_message,
    run_selector_on_resamples,
)

MAX_SCORES_PER_BLOCK = 2**22
"""Most scores (resamples times features) held at a time; limits memory, chosen by hand."""


@dataclass(eq=False)
class ComparisonRunner:
    """A selector that is run on the resamples of a comparison, block by block.

    Attributes
    ----------
    selector : Selector
        The selector, ready for these data.
    data : Dataset
        The data; missing values are imputed if the selector does not support them.
    resamples : sequence of Resample
        The parts of the data.
    record : Measure
        The measure, which determines the form of the preferences.
    size : int or None
        How many features are selected.
    failures : dict
        Errors by position of the resample; filled while blocks are run.
    preferences : dict
        The preference on each resample by position: features ordered best first; the subset,
        for selectors that choose the size; the selected groups, for group selectors. Filled
        while blocks are run.
    """

    selector: Selector
    data: Dataset
    resamples: Sequence[Resample]
    record: Measure
    size: int | None
    failures: dict[int, BaseException] = field(default_factory=dict)
    preferences: dict[int, Any] = field(default_factory=dict)

    @cached_property
    def _runner(self) -> SelectorRunner:
        data = self.data
        return SelectorRunner(
            self.selector, data.X, data.y, data.groups, has_missing(data.X), data.sample_weight
        )

    @property
    def _fits_each(self) -> bool:
        """Whether each resample has a fit of its own."""
        return self._runner.fits_each and not isinstance(self.selector, SubsetSelector)

    @property
    def why(self) -> str:
        """How many fits failed, with the first message; empty if none failed."""
        if not self.failures:
            return ""
        first = _one_line(next(iter(self.failures.values())))
        return f"{len(self.failures):,} of {len(self.resamples):,} fits failed: {first}"

    def blocks(self) -> Iterator[dict[int, Any]]:
        """Yield what the measure needs, by position; compared resamples share a block."""
        # the four quarters of a partition are compared with each other and need one block
        most = max(4, MAX_SCORES_PER_BLOCK // self.data.n_features)
        for start, stop in _blocks(self.resamples, most):
            yield self._run_block(range(start, stop))

    def check(self, positions: Sequence[int], what: str) -> None:
        """Raise if the selector failed on all of these resamples."""
        if all(position in self.failures for position in positions):
            first = self.failures[positions[0]]
            raise InvalidInputError(f"the selector fails on {what}: {_one_line(first)}") from first

    def _run_block(self, positions: range) -> dict[int, Any]:
        preferences = run_selector_on_resamples(
            self._select,
            positions,
            self.failures.__setitem__,
            # imputation and own sizes depend on the part,
            # so nothing can be shared between resamples
            in_one_call=not (self._fits_each or self._runner.alters_data),
        )
        rows = {}
        for position, preference in zip(positions, preferences, strict=True):
            if preference is not None:
                self.preferences[position] = self._ordered_features(preference)
                rows[position] = self._compared_row(preference)
        return rows

    def _select(self, positions: range) -> list[ResamplePreference | None]:
        rows = [self.resamples[position].train for position in positions]
        if not (self._fits_each or self._runner.alters_data):
            return list(self._runner.select_rows(rows, positions[0]))
        (position,) = positions
        part = self._runner.training_part(rows[0])
        if not self._fits_each:
            return [self._runner.select_part(part, position)]
        # the seed depends on the position, not on the
        # block: results do not depend on the block size
        generator = next(generators(self.selector.random_state, 1, position))
        return [self._runner.fit_part(part, int(generator.integers(2**31)))]

    def signed_scores(self, pairs: ReplicationPairs) -> SignedScores | None:
        """Return t statistics on the full data and on halves, for selectors that rank by them."""
        codes = self.data.codes
        positions = [int(pairs.full[0]), *pairs.halves[:MAX_PAIRS].ravel().tolist()]
        rows = [self.resamples[position].train for position in positions]
        statistics = self._runner.signed_statistics(codes, rows)
        if statistics is None:
            return None
        full, *halves = statistics
        return signed_scores_of(full, halves, len(codes))

    def _ordered_features(self, preference: ResamplePreference) -> IndexArray | SelectedGroups:
        """Return features ordered best first, a subset, or groups: chances are based on these."""
        if isinstance(preference, ResampleSubset):
            return preference.features
        if isinstance(preference, SelectedGroups):
            return preference.best(self.size)
        # kept for all resamples until chances are estimated: half the memory of 64 bits
        order: IndexArray = np.argsort(preference.ranks, kind="stable").astype(np.int32)
        return order[: preference.n_found]

    def _compared_row(self, preference: ResamplePreference) -> Any:  # noqa: ANN401
        """Return a preference in the form that the measure compares."""
        record = self.record
        if isinstance(preference, SelectedGroups):
            groups = preference.best(self.size)
            if record.form == "groups":
                return list(groups.members)
            return np.unique(groups.representatives)
        if isinstance(preference, ResampleSubset):
            features = preference.features
        else:
            if record.form == "weights" and preference.weights is None:
                raise InvalidInputError(
                    f"{record.name} takes weights, but {describe_preference(self.selector)}; "
                    "take a measure of rankings or of subsets."
                )
            if not record.by_size:
                return preference.weights if record.form == "weights" else preference.ranks
            n_found = preference.n_found
            size = self.size if n_found is None else min(self.size or n_found, n_found)
            features = np.flatnonzero(preference.ranks <= size)
        if record.form == "subset":
            return features
        return [[feature] for feature in features.tolist()]  # groups of one


def _one_line(error: BaseException) -> str:
    return " ".join(failure_message(error).split())


def _blocks(resamples: Sequence[Resample], most: int) -> Iterator[tuple[int, int]]:
    """Cut the resamples into blocks; compared resamples stay together."""
    start = 0
    comparisons = [(resample.role, resample.outer) for resample in resamples]
    ends = [at for at in range(1, len(resamples)) if comparisons[at] != comparisons[at - 1]]
    for end, following in zip(ends, [*ends[1:], len(resamples)], strict=True):
        # a block ends before the comparison that would make it too long
        if following - start > most:
            yield start, end
            start = end
    yield start, len(resamples)


# Missing values: refused before any work, or imputed within each part of the data.


def check_missing(
    data: Dataset, selectors: Mapping[str, Selector], record: Measure, impute: str | None
) -> None:
    """Refuse missing values that selectors, or the measure, do not support.

    Parameters
    ----------
    data : Dataset
        The data.
    selectors : mapping
        Selectors by name, for messages.
    record : Measure
        The measure of similarity.
    impute : {"median"} or None
        What replaces missing values.
    """
    if impute not in (None, "median"):
        raise UnknownNameError(f"impute must be 'median' or None, got {impute!r}.")
    missing = data.summary().n_missing
    refusing = [name for name, selector in selectors.items() if not selector.supports_missing]
    if missing and refusing and impute is None:
        raise InvalidInputError(
            f"the data have {plural(missing, 'missing value')}, which {format_list(refusing)} "
            f"{'does' if len(refusing) == 1 else 'do'} not take. "
            "Impute them by the median of each part of the data (impute='median', --impute "
            "median), or choose other selectors."
        )
    if missing and record.needs & {"similarity", "data"}:
        raise InvalidInputError(
            f"{record.name} compares features by their data, which must not have missing values "
            f"(there are {missing:,}); choose another measure, or fill the values first."
        )
