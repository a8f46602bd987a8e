"""The nouns: what a feature selector prefers, in four forms.

Weights turn into rankings, rankings into subsets; there is no way back. Groups stand apart.
"""

from holdfast.preferences._base import Form, Preferences, concat
from holdfast.preferences._groups import Groups
from holdfast.preferences._scores import Rankings, Weights
from holdfast.preferences._subsets import Subsets

__all__ = ["Form", "Groups", "Preferences", "Rankings", "Subsets", "Weights", "concat"]
