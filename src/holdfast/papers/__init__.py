"""Tables and figures of papers, run again: our numbers next to the published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._lazy_exports import lazy_exports

if TYPE_CHECKING:
    from holdfast.papers._dataset_locator import DatasetLocator
    from holdfast.papers._document import (
        Document,
        agreement_rows,
        agreement_sentence,
        data_sentences,
        grid,
        settings_shown,
        size_word,
        summary,
    )
    from holdfast.papers._pages import check_free, write, write_index
    from holdfast.papers._registry import ALL_PAPERS, PAPERS, list_papers, paper_rows
    from holdfast.papers._reproduce import (
        ExperimentSession,
        PlannedExperiment,
        Reproduction,
        check_any_runnable,
        expected_seconds,
        explain_missing_data,
        get_requested_experiments,
        plan_experiments,
        reproduce,
    )
    from holdfast.papers._runner import WorkerOptions, has_stored_work

__all__ = ["PAPERS", "Reproduction", "list_papers", "reproduce"]

__getattr__, __dir__ = lazy_exports(__name__)
