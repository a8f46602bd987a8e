"""One frozen record a selector; listings, docs, tests and commands all read these records."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from holdfast._bibliography import REFERENCES
from holdfast._formatting import did_you_mean
from holdfast.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from holdfast.select._selector import Selector

GROUP = "holdfast.selectors"
FORMS = {
    "score_resamples": "weights",
    "group_resamples": "groups",
    "select_resamples": "subset",
}
"""Which method tells that a selector gives which form; else it gives a ranking."""


@dataclass(frozen=True, kw_only=True)
class SelectorRecord:
    """What is known about a selector.

    Attributes
    ----------
    name : str
        Its name on the command line and in study files.
    title : str
        What it is called in the field.
    kind : type
        The estimator class.
    gives : {"weights", "ranking", "groups", "subset"}
        The form of preference that it gives.
    references : tuple of str
        Keys of :data:`holdfast.measures.REFERENCES`.
    missing, sparse : bool
        Whether it takes missing values, and sparse matrices.
    """

    name: str
    title: str
    kind: type[Selector]
    gives: str
    references: tuple[str, ...]
    missing: bool = False
    sparse: bool = False


SELECTORS: dict[str, SelectorRecord] = {}


def selector(
    *, name: str, title: str, references: tuple[str, ...]
) -> Callable[[type[Any]], type[Any]]:
    """Register an estimator class under a name."""

    def record(kind: type[Any]) -> type[Any]:
        if name in SELECTORS:
            raise RuntimeError(f"two selectors are called {name!r}")
        SELECTORS[name] = _record(name, kind, title, references)
        return kind

    return record


def _record(name: str, kind: type[Any], title: str, references: tuple[str, ...]) -> SelectorRecord:
    return SelectorRecord(
        name=name,
        title=title,
        kind=kind,
        gives=form_of(kind),
        references=references,
        missing=kind._allow_nan,
        sparse=kind._allow_sparse,
    )


def form_of(kind: type[Any]) -> str:
    """Return the form of preference that a kind of selector gives."""
    return next((form for method, form in FORMS.items() if hasattr(kind, method)), "ranking")


def get_selector(name: str) -> SelectorRecord:
    """Return the record of a selector.

    Parameters
    ----------
    name : str
        Its name: one of holdfast's own, or of a selector that an installed package offers under
        the entry point group ``holdfast.selectors``.

    Returns
    -------
    SelectorRecord

    Raises
    ------
    UnknownNameError
        No selector is called so; the message names the nearest.

    Examples
    --------
    >>> from holdfast.select import get_selector
    >>> get_selector("relieff").kind.__name__
    'ReliefF'
    """
    if name in SELECTORS:  # entry points take a while to look up
        return SELECTORS[name]
    known = all_selectors()
    if name not in known:
        raise UnknownNameError(f"no selector is called {name!r}.{did_you_mean(name, known)}")
    return known[name]


def all_selectors() -> dict[str, SelectorRecord]:
    """Return the records of all selectors, those of other packages included.

    Another package offers a selector by an entry point whose name is the selector's name and
    whose object is a subclass of :class:`holdfast.select.Scorer`,
    :class:`holdfast.select.Ranker`, :class:`holdfast.select.Grouper` or
    :class:`holdfast.select.SubsetSelector`. A name that holdfast has already is left alone.
    """
    known = dict(SELECTORS)
    for point in entry_points(group=GROUP):
        if point.name not in known:
            known[point.name] = _record(point.name, point.load(), point.value, ())
    return known


def list_selectors() -> pd.DataFrame:
    """List all selectors.

    Returns
    -------
    pandas.DataFrame
        One row a selector, indexed by name: title, class, what it gives (weights, a ranking,
        groups or a subset), whether it takes missing values and sparse matrices, reference.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.list_selectors().loc["svm_rfe", "gives"]
    'ranking'
    """
    import pandas as pd  # noqa: PLC0415  (kept out of the import of the records)

    rows = {
        record.name: {
            "title": record.title,
            "class": record.kind.__name__,
            "gives": record.gives,
            "missing": record.missing,
            "sparse": record.sparse,
            "reference": "; ".join(REFERENCES[key].short for key in record.references),
        }
        for record in sorted(all_selectors().values(), key=lambda one: one.name)
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("selector")
