"""Which measures fit which selectors; what will come out empty is told before work starts."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import TYPE_CHECKING

from holdfast._text import shortened
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.measures import get_measure
from holdfast.select._record import form_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.measures import Measure
    from holdfast.select import Selector

SUBSETS = frozenset({"subset", "groups"})
"""Forms that every selector serves: a feature without a group stands for itself."""
FIXED = ("n_features_to_select", "estimator__k", "estimator__n_features_to_select")
"""Parameters of which a whole number makes all subsets equally large."""


def check_fitting(selectors: Mapping[str, Selector], measures: Sequence[str]) -> None:
    """Refuse measures none of which fits any selector; warn of those that fit some only."""
    records = [get_measure(name) for name in measures]
    served = {name: _served(one) for name, one in selectors.items()}
    lacking = {
        record.name: tuple(name for name, forms in served.items() if record.form not in forms)
        for record in records
    }
    if records and all(len(names) == len(selectors) for names in lacking.values()):
        raise InvalidInputError(
            f"{_unserved(list(lacking), list(selectors), records)} Nothing is left to "
            f"measure; {_instead(records)}."
        )
    for names in dict.fromkeys(filter(None, lacking.values())):
        unserved = [name for name, own in lacking.items() if own == names]
        _warn(
            f"{_unserved(unserved, names, records)} There no value comes out; {_instead(records)}."
        )
    _warn_of_unequal(selectors, records)


def _served(selector: Selector) -> frozenset[str]:
    """Return the forms of measures for which a study keeps something of this selector."""
    form = form_of(type(selector))
    if selector.chooses_size or form in SUBSETS:
        return SUBSETS
    return SUBSETS | {"ranking", form}  # weights are ranked


def _unserved(measures: Sequence[str], selectors: Sequence[str], records: Sequence[Measure]) -> str:
    forms = {record.form for record in records if record.name in measures}
    needs = " and ".join("ranks" if form == "ranking" else form for form in sorted(forms))
    return (
        f"{shortened(measures)} cannot be computed for {shortened(selectors)}: {needs} of all "
        "features are needed, and none are given."
    )


def _instead(records: Sequence[Measure]) -> str:
    if any(record.form == "subset" and not _needs_equal(record) for record in records):
        return "the measures of subsets apply"
    return "use measures of subsets, such as nogueira or relative_weighted_consistency"


def _warn_of_unequal(selectors: Mapping[str, Selector], records: Sequence[Measure]) -> None:
    measures = [record.name for record in records if _needs_equal(record)]
    free = [name for name, one in selectors.items() if one.chooses_size and not _fixed(one)]
    if measures and free:
        _warn(
            f"{shortened(measures)} cannot be computed for {shortened(free)} wherever two subsets "
            "differ in size, as they may there. Use nogueira or relative_weighted_consistency; or "
            "make sizes equal, where the selector can, as in n_features_to_select=5."
        )


def _needs_equal(record: Measure) -> bool:
    return "equal_sizes" in record.needs


def _fixed(selector: Selector) -> bool:
    """Tell whether a selector with a size of its own always chooses the same."""
    given = selector.get_params()
    if given.get("feature_groups") is not None:  # so many groups, of whatever size
        return False
    return any(isinstance(given.get(name), Integral) for name in FIXED)


def _warn(words: str) -> None:
    warnings.warn(words, HoldfastWarning, stacklevel=4)
