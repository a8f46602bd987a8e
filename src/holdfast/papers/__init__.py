"""The papers' tables and figures, run again: our numbers beside the published ones."""

from holdfast.papers._registry import PAPERS, list_papers
from holdfast.papers._reproduce import Reproduction, reproduce

__all__ = ["PAPERS", "Reproduction", "list_papers", "reproduce"]
