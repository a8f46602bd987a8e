"""What the closing table says about a second study, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.report._second import measured_anew, second_study, shared_features
from holdfast.study._beside import DRAWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from holdfast.judge import Recommendation
    from holdfast.report._second import Second
    from holdfast.study import Result


def replication_told(result: Result, what: str) -> str:
    """Say what replication stability is, of which studies."""
    table = result.replication
    known = table.dropna(subset="value")
    halves, pairs = int(known["n_samples"].max()), int(known["n_pairs"].max())
    return (
        f"Replication is how well the selections of two independent samples of {halves:,} agree, "
        f"by {what}, from {plural(pairs, 'pair')} of disjoint halves of the data; its 95% "
        f"interval speaks about other data.{_ahead(table)}{_noted(table)}"
    )


def _noted(table: pd.DataFrame) -> str:
    """Return what a reader must know of the estimates, each note once."""
    notes = [note.removesuffix(".") for note in table["note"].dropna().unique() if note]
    return f" Note: {'; '.join(notes)}." if notes else ""


def _ahead(table: pd.DataFrame) -> str:
    known = table.dropna(subset="predicted")
    if not len(known):
        return ""
    return f" Predicted is the same for two studies of {int(known['at'].max()):,}."


def not_replicated(result: Result) -> str:
    """Say what the stability over the resamples is about where it stands alone."""
    why = str(result.replication.attrs.get("why_none", "")).removesuffix(".")
    if why == DRAWN:
        return (
            "Resamples are independent samples here, so it is replication stability: how well "
            "second studies of this size would agree."
        )
    reason = f" ({why})" if why else ""
    return f"It is about these data; what a second study would find was not estimated{reason}."


def expected_again(result: Result, choice: Recommendation) -> Iterator[str]:
    """Say how much of the recommended list a second study would find again."""
    found, data = _second(result, choice), result.plan["data"]
    shared = None
    if found is not None:
        n_features = int(data["n_features"])
        shared = shared_features(found.best, choice.measure, choice.size, n_features)
    if found is None or shared is None:
        return
    size = plural(found.best.n, "subject" if data["subjects"] else "sample")
    at = "this n" if found.full is not None else "half this n"
    yield (
        f"Your list at {at}: expect {shared.told} of {shared.size:,} features again in a second "
        f"study, if both have {size}."
    )


def _second(result: Result, choice: Recommendation) -> Second | None:
    """Find what is known of a second study: by disjoint halves, or by independent samples."""
    table, n_samples = result.replication, int(result.plan["data"]["n_samples"])
    if table.attrs.get("why_none") == DRAWN:
        return measured_anew(choice, n_samples, result.n_resamples)
    return second_study(table, choice.selector, choice.size, choice.measure)
