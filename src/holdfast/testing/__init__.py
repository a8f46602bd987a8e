"""Conformance tests for authors of selectors."""

from holdfast.testing._conformance import (
    GroupSelectorConformance,
    SelectorConformance,
    SubsetSelectorConformance,
)

__all__ = ["GroupSelectorConformance", "SelectorConformance", "SubsetSelectorConformance"]
