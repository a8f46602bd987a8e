"""Selectors of groups of correlated features."""
