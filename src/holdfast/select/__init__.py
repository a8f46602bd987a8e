"""The verbs: from data and classes to a preference."""

from holdfast.select._adapter import AnySelector
from holdfast.select._base import Ranker, Scorer
from holdfast.select._cat import CATScore
from holdfast.select._forest import ForestImportance
from holdfast.select._grouper import Grouped, Grouper
from holdfast.select._information import (
    InformationGain,
    MutualInformation,
    SymmetricalUncertainty,
)
from holdfast.select._moments import FScore, TScore
from holdfast.select._random import RandomScore
from holdfast.select._record import SelectorRecord, get_selector, list_selectors
from holdfast.select._relieff import ReliefF
from holdfast.select._selector import Judge, Selector
from holdfast.select._svm import LinearSVMWeights
from holdfast.select._svm_rfe import SVMRFE, halve_then_one, weka_tenth

__all__ = [
    "SVMRFE",
    "AnySelector",
    "CATScore",
    "FScore",
    "ForestImportance",
    "Grouped",
    "Grouper",
    "InformationGain",
    "Judge",
    "LinearSVMWeights",
    "MutualInformation",
    "RandomScore",
    "Ranker",
    "ReliefF",
    "Scorer",
    "Selector",
    "SelectorRecord",
    "SymmetricalUncertainty",
    "TScore",
    "get_selector",
    "halve_then_one",
    "list_selectors",
    "weka_tenth",
]
