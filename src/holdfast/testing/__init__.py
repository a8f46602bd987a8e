"""Tests that any selector must pass, for those who write their own."""

from holdfast.testing._conformance import (
    GroupSelectorConformance,
    SelectorConformance,
    SubsetSelectorConformance,
)

__all__ = ["GroupSelectorConformance", "SelectorConformance", "SubsetSelectorConformance"]
