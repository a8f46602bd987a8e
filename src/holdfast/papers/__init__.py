"""The papers' tables and figures, run again: our numbers beside the published ones."""

from holdfast.papers._reproduce import PAPERS, Reproduction, list_papers, reproduce

__all__ = ["PAPERS", "Reproduction", "list_papers", "reproduce"]
