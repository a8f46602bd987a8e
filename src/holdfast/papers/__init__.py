"""Tables and figures of papers, run again: our numbers next to the published ones."""

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
from holdfast.papers._reproduce import (
    PAPERS,
    ExperimentSession,
    PlannedExperiment,
    Reproduction,
    check_any_runnable,
    expected_seconds,
    explain_missing_data,
    get_requested_experiments,
    list_papers,
    plan_experiments,
    reproduce,
)
from holdfast.papers._runner import DatasetLocator, WorkerOptions, has_stored_work

__all__ = ["PAPERS", "Reproduction", "list_papers", "reproduce"]
