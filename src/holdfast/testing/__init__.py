"""Tests that any selector must pass, for those who write their own."""

from holdfast.testing._groups import GroupSelectorConformance
from holdfast.testing._selectors import SelectorConformance
from holdfast.testing._subsets import SubsetSelectorConformance

__all__ = ["GroupSelectorConformance", "SelectorConformance", "SubsetSelectorConformance"]
