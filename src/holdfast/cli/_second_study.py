"""What the closing table says about a second study, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._text import plural, shortened
from holdfast.report._second import (
    measured_anew,
    notes_of,
    random_pairs,
    second_study,
    shared_features,
)
from holdfast.study._beside import DRAWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from holdfast.judge import Recommendation
    from holdfast.report._second import Second
    from holdfast.study import Result


def replication_told(result: Result, summary: pd.DataFrame, what: str) -> str:
    """Say what replication stability is, of which studies."""
    table = _shown(result, summary)
    known = table.dropna(subset="value")
    halves, pairs = int(known["n_samples"].max()), int(known["n_pairs"].max())
    parts = (_by_chance(summary), _ahead(result, table), _noted(table))
    return (
        f"Replication is how well the selections of two independent studies of "
        f"{plural(halves, _noun(result))} agree, by {what}, from {plural(pairs, 'pair')} of "
        f"disjoint halves of the data; its 95% interval speaks about other data.{''.join(parts)}"
    )


def _shown(result: Result, summary: pd.DataFrame) -> pd.DataFrame:
    """Return the estimates by the measure that the closing table shows."""
    table = result.replication
    return table[table["measure"].isin(summary["measure"])]


def _noun(result: Result) -> str:
    """Return what a study has many of: subjects, where samples belong to some."""
    return "subject" if result.plan["data"].get("subjects") else "sample"


def _by_chance(summary: pd.DataFrame) -> str:
    """Say what two random selections have in common: fewer selections, another chance level."""
    chances = random_pairs(summary["replication_chance"])
    if not chances:
        return ""
    return f" Two random selections give {chances} by it; chance in the table is of the stability."


def _noted(table: pd.DataFrame) -> str:
    """Return what a reader must know of the estimates, each note once, and of whom."""
    every = table["selector"].nunique()
    notes = (
        note if len(names) == every else f"{note} ({shortened(names)})"
        for note, names in notes_of(table).items()
    )
    text = "; ".join(notes)
    return f" Note: {text}." if text else ""


def _ahead(result: Result, table: pd.DataFrame) -> str:
    known = table.dropna(subset="predicted")
    if not len(known):
        return ""
    size = plural(int(known["at"].max()), _noun(result))
    return f" Predicted is the same for two studies of {size}."


def not_replicated(result: Result, summary: pd.DataFrame) -> str:
    """Say what the stability over the resamples is about where it stands alone."""
    why = str(result.replication.attrs.get("why_none", "")).removesuffix(".")
    if why == DRAWN:
        return (
            "Resamples are independent samples here, so it is replication stability: how well "
            "second studies of this size would agree."
        )
    reason = f" ({why})" if why else ""
    told = f"It is about these data; what a second study would find was not estimated{reason}."
    return told + _noted(_shown(result, summary))


def expected_again(result: Result, choice: Recommendation) -> Iterator[str]:
    """Say how much of the recommended list a second study would find again."""
    found, data = _second(result, choice), result.plan["data"]
    shared = None
    if found is not None:
        n_features = int(data["n_features"])
        shared = shared_features(found.best, choice.measure, choice.size, n_features)
    if found is None or shared is None:
        return
    size = plural(found.best.n, _noun(result))
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
