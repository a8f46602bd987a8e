"""Studies: a plan, its run on one machine or many, its store, its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._lazy_exports import lazy_exports

if TYPE_CHECKING:
    from holdfast._classifiers import CLASSIFIERS, ClassifierRecord, get_classifier
    from holdfast.study._execution._cost import SelectorCost, StudyCost, format_seconds
    from holdfast.study._execution._execute import FailedSelectorsWarning, failed_selectors, resume
    from holdfast.study._execution._progress import Progress, UnitCounter
    from holdfast.study._planning._make_plan import USUAL_SIZES
    from holdfast.study._planning._plan import as_text
    from holdfast.study._planning._settings import default_protocol
    from holdfast.study._planning._stopping_rule import is_narrow, too_wide_sentence
    from holdfast.study._result import Result
    from holdfast.study._storage._check import StudyCheck, check
    from holdfast.study._storage._export import export
    from holdfast.study._storage._folder import DATA, PLAN, create_folder
    from holdfast.study._storage._folder_lock import refuse_missing_folder
    from holdfast.study._storage._merge import load, merge
    from holdfast.study._storage._schema import STOPPING_RULE_KEY
    from holdfast.study._storage._store import FILE
    from holdfast.study._study import Study

__all__ = [
    "CLASSIFIERS",
    "ClassifierRecord",
    "Progress",
    "Result",
    "SelectorCost",
    "Study",
    "StudyCheck",
    "StudyCost",
    "check",
    "export",
    "get_classifier",
    "load",
    "merge",
    "resume",
]

__getattr__, __dir__ = lazy_exports(__name__)
