"""Results of feature selection in four forms: weights, rankings, subsets and groups.

Weights can be converted to rankings, and rankings to subsets, but not back. Groups are separate.
"""

from holdfast.preferences._base import Form, Preferences, concat
from holdfast.preferences._groups import Groups
from holdfast.preferences._ranks import Ties, as_feature_count, check_ties, rank_weights
from holdfast.preferences._scores import (
    Rankings,
    Weights,
    check_finite,
    column_blocks,
    empty_table,
    get_importance,
)
from holdfast.preferences._subsets import Subsets, is_frame

__all__ = ["Form", "Groups", "Preferences", "Rankings", "Subsets", "Weights", "concat"]
