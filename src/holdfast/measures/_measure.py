"""The front door: measure, pairwise."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from holdfast._formatting import format_list
from holdfast._typing import FloatArray, PreferenceView
from holdfast.errors import (
    InvalidInputError,
    UndefinedMeasureError,
    UndefinedMeasureWarning,
)
from holdfast.measures._feature_similarity import Similarity, as_similarity, check_all_named
from holdfast.measures._interval import estimate_interval
from holdfast.measures._registry import Estimate, Measure, get_measure
from holdfast.measures._subset_tables import PairMeasure, SubsetTables
from holdfast.preferences import Groups, Preferences, Rankings, Subsets, Weights, concat

if TYPE_CHECKING:
    import pandas as pd


Undefined: TypeAlias = Literal["warn", "raise"] | float
_FORMS: dict[str, type[Preferences]] = {
    "weights": Weights,
    "ranking": Rankings,
    "subset": Subsets,
    "groups": Groups,
}


@overload
def measure(
    names: str,
    preferences: Preferences,
    *,
    confidence: float = ...,
    undefined: Undefined = ...,
    reference: Preferences | None = ...,
    **options: Any,
) -> float: ...
@overload
def measure(
    names: Iterable[str],
    preferences: Preferences,
    *,
    confidence: float = ...,
    undefined: Undefined = ...,
    reference: Preferences | None = ...,
    **options: Any,
) -> pd.DataFrame: ...
def measure(
    names: str | Iterable[str],
    preferences: Preferences,
    *,
    confidence: float = 0.95,
    undefined: Undefined = "warn",
    reference: Preferences | None = None,
    **options: Any,
) -> float | pd.DataFrame:
    r"""Measure how stable preferences are.

    Parameters
    ----------
    names : str or iterable of str
        A measure, or several; :func:`list_measures` shows all.
    preferences : Weights, Rankings, Subsets or Groups
        The results of one selector on several resamples. Weights are ranked where a measure
        asks for rankings (ties at random, by `random_state`); subsets are not made for you: call
        ``.top(k)``.
    confidence : float, default 0.95
        Level of the intervals.
    undefined : "warn", "raise" or float, default "warn"
        What to do where a measure has no value (empty or full subsets, constant weights, unequal
        sizes): return NaN with a warning that says which preferences are the cause, raise
        `UndefinedMeasureError`, or let each undefined pair count as this number.
    reference : preferences of one result, optional
        Compare each preference with this one (the result on all data, say) instead of with all
        others. For measures of pairs only.
    **options
        Passed to the measures that know them: ``corrected`` (bool; correct for chance, or not),
        ``similarity`` or ``data`` and ``threshold`` (0.9) for measures that look at similar
        features, with ``correction`` ("auto", "exact", "simulate"), ``n_simulations`` (1000) and
        ``random_state`` (0); ``penalty`` (davis), ``clip`` (ati_pa), ``persistence`` (rbo),
        ``centre`` (group_matching_value), ``n_groups`` and ``against`` (both group_matching
        measures). An option that none of the measures knows is an error.

    Returns
    -------
    float or pandas.DataFrame
        A number for one name. For several a table, indexed by measure: value; low and high end
        of the confidence interval and how it was made (``interval``); ``chance``, what random
        preferences of the same sizes give on average, and its ``chance_error`` (0 where exact);
        ``minimum`` and ``maximum`` of the measure; ``note``.

    Notes
    -----
    The interval speaks about *repeating the same protocol on the same data*: how much the value
    would change with other resamples of these samples. It does not cover a new study with new
    samples: resamples of one data set overlap, so the spread between data sets is larger, and
    the stability between data sets is another number.

    One method serves all measures. The standard error is the jackknife's over the m preferences,

    .. math:: \widehat{se}^2 = \frac{m-1}{m} \sum_i (\theta_{(i)} - \bar\theta_{(\cdot)})^2,

    where θ₍ᵢ₎ is the value without preference i. The interval is value ± t · standard error with
    Student's quantile for m - 1 degrees of freedom, cut to the ``minimum`` and ``maximum`` of the
    measure. There is none (NaN, and the note says why) for fewer than three preferences and
    where all θ₍ᵢ₎ are equal, as for identical preferences: what has not varied yet may still vary.

    Examples
    --------
    >>> import holdfast as hf
    >>> s = hf.Subsets([[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 4]], n_features=100)
    >>> round(hf.measure("jaccard", s), 3)
    0.533
    >>> hf.measure(["jaccard", "nogueira"], s)[["value", "low", "high", "chance"]].round(3)
              value    low  high  chance
    measure
    jaccard   0.533  0.000   1.0   0.018
    nogueira  0.656  0.025   1.0   0.000
    """
    _check_arguments("measure", names, preferences)
    single = isinstance(names, str)
    records = [get_measure(name) for name in ([names] if isinstance(names, str) else names)]
    check_confidence(confidence)
    check_options(records, options)
    estimates = estimate_all(records, preferences, undefined, reference, options)
    if single:
        return estimates[0].value
    return _make_table(records, estimates, confidence, options)


def estimate_all(
    records: list[Measure],
    preferences: Preferences,
    undefined: Undefined,
    reference: Preferences | None,
    options: Mapping[str, Any],
) -> list[Estimate]:
    """Estimate several measures on one system of preferences; shared tables are computed once."""
    fill = _check_undefined(undefined)
    if reference is not None:
        preferences = _prepend_reference(records, preferences, reference)
    elif len(preferences) < 2:
        raise InvalidInputError("stability needs at least two preferences, got one.")
    views = _Views(preferences, options)
    estimates = []
    for record in records:
        view, arguments = views.get_view(record), views.get_options(record)
        if reference is None:
            estimate = record.estimate(view, fill, arguments)
        else:
            estimate = _require_pair_measure(record).against_reference(view, fill, arguments)
        _report_undefined(record, estimate, undefined)
        estimates.append(estimate)
    return estimates


def pairwise(name: str, preferences: Preferences, **options: Any) -> FloatArray:
    """Return the table of similarities behind a measure that is a mean over pairs.

    Parameters
    ----------
    name : str
        A measure of pairs (most are; measures of selection frequencies are not).
    preferences : Weights, Rankings, Subsets or Groups
        m preferences.
    **options
        As in :func:`measure`.

    Returns
    -------
    array of shape (m, m)
        Symmetric; NaN where a pair is undefined. The mean off the diagonal is the measure; on
        it stands each preference compared with itself.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.pairwise("jaccard", hf.Subsets([[0, 1], [0, 1], [0, 2, 3]])).round(2).tolist()
    [[1.0, 1.0, 0.25], [1.0, 1.0, 0.25], [0.25, 0.25, 1.0]]
    """
    _check_arguments("pairwise", name, preferences)
    record = _require_pair_measure(get_measure(name))
    check_options([record], options)
    views = _Views(preferences, options)
    pairs = record.function(views.get_view(record), **views.get_options(record))
    return np.concatenate(list(pairs.blocks))


def _check_arguments(function: str, names: object, preferences: object) -> None:
    """Raise unless preferences are preferences; say so if names come second."""
    swapped = isinstance(preferences, str) and not isinstance(names, str)
    if swapped or isinstance(names, Preferences):
        raise InvalidInputError(
            "names of measures come first, then preferences: "
            f'hf.{function}("nogueira", preferences).'
        )
    if not isinstance(preferences, Preferences):
        raise InvalidInputError(
            "preferences are Weights, Rankings, Subsets or Groups, "
            f"got {type(preferences).__name__}; wrap them: hf.Subsets(...)."
        )


def _require_pair_measure(record: Measure) -> PairMeasure:
    if not isinstance(record, PairMeasure):
        raise InvalidInputError(
            f"{record.name} looks at the whole system at once, not at pairs of preferences; "
            "for pairs use another measure, such as jaccard or phi."
        )
    return record


def _prepend_reference(
    records: list[Measure], preferences: Preferences, reference: Preferences
) -> Preferences:
    for record in records:
        _require_pair_measure(record)
    if len(reference) != 1:
        raise InvalidInputError(f"a reference is one preference, got {len(reference)}.")
    return concat([reference, preferences])


class _Views:
    """Preferences in the forms that measures need, and the options of each measure."""

    def __init__(self, preferences: Preferences, options: Mapping[str, Any]) -> None:
        self._preferences = preferences
        self._options = options
        self._cache: dict[str, Any] = {}

    def get_view(self, record: Measure) -> PreferenceView:
        """Return the preferences in the form that this measure needs."""
        # measures of one form share tables such as overlaps, which are computed once
        if record.form not in self._cache:
            self._cache[record.form] = self._convert_preferences(record)
        view = self._cache[record.form]
        if "n_features" in record.needs and not view.knows_p:
            raise InvalidInputError(
                f"{record.name} needs the number of features that could have been selected; "
                "give it: Subsets(..., n_features=...)."
            )
        return view

    def get_options(self, record: Measure) -> dict[str, Any]:
        """Return the options of this measure, with similarities as a graph."""
        arguments = {key: value for key, value in self._options.items() if key in record.arguments}
        if "graph" in record.arguments:
            arguments["graph"] = self._get_graph(record)
        elif "data" in record.needs and arguments.get("data") is None:
            raise InvalidInputError(f"{record.name} needs data= (samples in rows).")
        return arguments

    def _convert_preferences(self, record: Measure) -> PreferenceView:
        preferences = self._preferences
        if isinstance(preferences, Subsets) and record.form == "subset":
            return SubsetTables(preferences)
        if isinstance(preferences, Weights) and record.form == "ranking":
            # weights determine a ranking; a subset would need a size, which only the user knows
            return preferences.to_rankings(random_state=self._options.get("random_state", 0))
        if not isinstance(preferences, _FORMS[record.form]):
            ready = isinstance(preferences, Weights | Rankings) and record.form == "subset"
            hint = " Select features first: preferences.top(k)." if ready else ""
            raise InvalidInputError(
                f"{record.name} takes {_FORMS[record.form].__name__}, "
                f"got {type(preferences).__name__}.{hint}"
            )
        return preferences

    def _get_graph(self, record: Measure) -> Similarity:
        if "graph" not in self._cache:
            tables = self.get_view(record)
            names = tables.subsets.feature_names
            check_all_named(tables.subsets)
            options = self._options
            self._cache["graph"] = as_similarity(
                options.get("similarity"),
                options.get("data"),
                options.get("threshold", 0.9),
                tables.p,
                names,
            )
        graph: Similarity = self._cache["graph"]
        return graph


def check_confidence(confidence: float) -> None:
    """Raise for a confidence level outside (0, 1)."""
    if not 0 < confidence < 1:
        raise InvalidInputError(f"confidence must lie between 0 and 1, got {confidence}.")


def check_options(records: list[Measure], options: Mapping[str, Any]) -> None:
    """Raise for options that none of the measures has."""
    known = {option for record in records for option in record.options}
    if any(record.corrected for record in records):
        known.add("corrected")
    _check_correction(records, options)
    odd = sorted(set(options) - known)
    if odd:
        named = ", ".join(record.name for record in records)
        raise InvalidInputError(
            f"{format_list(odd)}: no such option of {named}. "
            f"Known: {', '.join(sorted(known)) or 'none'}."
        )


def _check_correction(records: list[Measure], options: Mapping[str, Any]) -> None:
    """Raise for a value of `corrected` that a measure does not support."""
    corrected = options.get("corrected")
    fixed = [r for r in records if "corrected" not in r.options]
    odd = [r.name for r in fixed if corrected is not None and r.corrected != bool(corrected)]
    if odd:
        nature = (
            "cannot be corrected for chance" if corrected else "corrected for chance by definition"
        )
        raise InvalidInputError(f"corrected={corrected}: {nature}: {format_list(odd)}.")


def _check_undefined(undefined: Undefined) -> float | None:
    if undefined in ("warn", "raise"):
        return None
    if isinstance(undefined, int | float) and math.isfinite(undefined):
        return float(undefined)
    raise InvalidInputError(
        f'undefined must be "warn", "raise" or a finite number, got {undefined!r}.'
    )


def _report_undefined(record: Measure, estimate: Estimate, undefined: Undefined) -> None:
    if not np.isnan(estimate.value):
        return
    message = f"{record.name} is undefined here: {estimate.undefined}."
    if undefined == "raise":
        raise UndefinedMeasureError(message)
    warnings.warn(message, UndefinedMeasureWarning, stacklevel=4)


def _make_table(
    records: list[Measure], estimates: list[Estimate], confidence: float, options: Mapping[str, Any]
) -> pd.DataFrame:
    import pandas as pd

    rows = {}
    for record, estimate in zip(records, estimates, strict=True):
        minimum, maximum = record.range_with(options)
        interval = estimate_interval(estimate, confidence, (minimum, maximum))
        chance = estimate.chance()
        direction = "a distance: lower is more stable" if record.distance else ""
        notes = (estimate.undefined, interval.note, chance.note, direction)
        rows[record.name] = {
            "value": estimate.value,
            "low": interval.low,
            "high": interval.high,
            "interval": interval.method,
            "chance": chance.value,
            "chance_error": chance.error,
            "minimum": minimum,
            "maximum": maximum,
            "note": "; ".join(filter(None, notes)),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
