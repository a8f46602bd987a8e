"""Files in: selections, scores and ranks that any program wrote, and similarities of features."""

from __future__ import annotations

from holdfast.io._read import read_preferences, read_with_similarity
from holdfast.io._similarity import read_similarity

__all__ = ["read_preferences", "read_similarity", "read_with_similarity"]
