"""One frozen record per selector; listings, docs, tests and commands all read these records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast._bibliography import REFERENCES
from holdfast._registry import Registry, Row

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.select._selector import Selector

FORMS = {
    "score_resamples": "weights",
    "group_resamples": "groups",
    "rank_resamples": "ranking",
    "select_resamples": "subset",
}
"""The form of preference that a selector gives, by the first of these methods that it has."""


@dataclass(frozen=True, kw_only=True)
class SelectorRecord:
    """The description of a selector.

    Attributes
    ----------
    name : str
        Its name on the command line and in study files.
    title : str
        Its usual name in the field.
    kind : type
        The estimator class.
    gives : {"weights", "ranking", "groups", "subset"}
        The form of preference that it gives.
    references : tuple of str
        Keys of :data:`holdfast.measures.REFERENCES`.
    aliases : tuple of str
        Other names for the same selector.
    missing, sparse : bool
        Whether it accepts missing values, and sparse matrices.
    """

    name: str
    title: str
    kind: type[Selector]
    gives: str
    references: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    missing: bool = False
    sparse: bool = False


def selector(
    *, name: str, title: str, references: tuple[str, ...], aliases: tuple[str, ...] = ()
) -> Callable[[type[Any]], type[Any]]:
    """Register an estimator class under a name, and under other names for the same selector."""

    def record(kind: type[Any]) -> type[Any]:
        SELECTORS.register(_make_record(name, kind, title, references, aliases), aliases=aliases)
        return kind

    return record


def _make_record(
    name: str,
    kind: type[Any],
    title: str,
    references: tuple[str, ...],
    aliases: tuple[str, ...] = (),
) -> SelectorRecord:
    return SelectorRecord(
        name=name,
        title=title,
        kind=kind,
        gives=form_of(kind),
        references=references,
        aliases=aliases,
        missing=kind._allow_nan,
        sparse=kind._allow_sparse,
    )


def form_of(kind: type[Any]) -> str:
    """Return the form of preference that a kind of selector gives."""
    # selectors of groups and rankings can select as well:
    # the most informative form is looked up first
    return next((form for method, form in FORMS.items() if hasattr(kind, method)), "ranking")


def _use_estimator(title: str, package: str, kind: str) -> str:
    """Return how to use an estimator of another package as a selector."""
    return (
        f"{title} is a package of its own: with {package} installed, use '{package}:{kind}', which "
        "ranks features by its feature_importances_; or use 'gradient_boosting'."
    )


REMEDIES = {
    **dict.fromkeys(("xgboost", "xgb"), _use_estimator("XGBoost", "xgboost", "XGBClassifier")),
    **dict.fromkeys(("lightgbm", "lgbm"), _use_estimator("LightGBM", "lightgbm", "LGBMClassifier")),
    "catboost": _use_estimator("CatBoost", "catboost", "CatBoostClassifier"),
}
"""What to use instead of selectors that are known from elsewhere."""


def _describe(record: SelectorRecord) -> Row:
    return {
        "title": record.title,
        "aliases": ", ".join(record.aliases),
        "class": record.kind.__name__,
        "gives": record.gives,
        "missing": record.missing,
        "sparse": record.sparse,
        "reference": "; ".join(REFERENCES[key].short for key in record.references),
    }


SELECTORS: Registry[SelectorRecord] = Registry(
    "selector",
    describe=_describe,
    remedies=REMEDIES,
    entry_point_group="holdfast.selectors",
    record_from_entry_point=lambda point: _make_record(point.name, point.load(), point.value, ()),
)
"""Holdfast's selectors by name.

Another package offers a selector by an entry point whose name is the selector's name and whose
object is a subclass of :class:`holdfast.select.Scorer`, :class:`holdfast.select.Ranker`,
:class:`holdfast.select.GroupSelector` or :class:`holdfast.select.SubsetSelector`.
"""


def get_selector(name: str) -> SelectorRecord:
    """Return the record of a selector.

    Parameters
    ----------
    name : str
        Its name or another name for it: one of holdfast's selectors, or one that an installed
        package offers under the entry point group ``holdfast.selectors``.

    Returns
    -------
    SelectorRecord

    Raises
    ------
    UnknownNameError
        No selector has this name; the message suggests one.

    Examples
    --------
    >>> from holdfast.select import get_selector
    >>> get_selector("relieff").kind.__name__
    'ReliefF'
    >>> get_selector("random_forest").name
    'forest_importance'
    """
    return SELECTORS.get_record(name)


def list_selectors() -> pd.DataFrame:
    """List all selectors.

    Returns
    -------
    pandas.DataFrame
        One row per selector, indexed by name: title, other names, class, what it gives (weights,
        a ranking, groups or a subset), whether it accepts missing values and sparse matrices,
        reference.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.list_selectors().loc["svm_rfe", "gives"]
    'ranking'
    """
    return SELECTORS.to_frame()
