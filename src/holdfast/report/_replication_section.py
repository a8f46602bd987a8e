"""Would a second study find these features? Replication stability, and how cohorts agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from holdfast._formatting import plural
from holdfast.judge._replication._sample_plan import plan_samples
from holdfast.measures import get_measure
from holdfast.report._escaping import set_apart
from holdfast.report._evidence import attempt
from holdfast.report._formatting import (
    cell,
    hundredths,
    interval,
    is_known_number,
    join_texts,
    p_value,
    records,
)
from holdfast.report._second_study import WHY_DIFFERENT, notes_of, random_pairs
from holdfast.report._selector_table import recommends, title_of_row
from holdfast.report._verdict import GOOD_REPLICATION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import ReplicationRow, ReportSection, SecondStudy


REPLICATION_KEYS = ("replication", "replication_low", "replication_high", "replication_chance")
PREDICTION_KEYS = ("predicted", "predicted_low", "predicted_high")
STABILITY_KEYS = ("stability", "low", "high")


def second_study(evidence: Evidence) -> SecondStudy:
    """Return what is known of a second study, by selector and size."""
    rows = _rows(evidence)
    sentences = list(_describe_replication(evidence) if rows else _untold(evidence))
    found: SecondStudy = {
        "measure": _measure(evidence),
        "n_samples": _common(evidence, "n_samples"),
        "at": _common(evidence, "at"),
        "noun": evidence.noun,
        "sentences": sentences,
        "rows": rows,
    }
    if evidence.replication is not None:
        found["curve"] = records(evidence.replication.curve)
    if (cohorts := _cohorts(evidence)) is not None:
        found["cohorts"] = cohorts
    return found


def _measure(evidence: Evidence) -> str | None:
    measures = evidence.result.summary()["measure"].dropna()
    return str(measures.iloc[0]) if len(measures) else None


def _common(evidence: Evidence, column: str) -> int | None:
    """Return the number of samples of the estimates, which all have the same."""
    known_ones = evidence.result.replication[column].dropna()
    return int(known_ones.max()) if len(known_ones) else None


def _rows(evidence: Evidence) -> list[ReplicationRow]:
    """Return the selectors and sizes in the order of the study; none if nothing was estimated."""
    rows = records(evidence.result.summary())
    if not any(is_known_number(row["replication"]) for row in rows):
        return []
    return [_row(evidence, row) for row in rows]


def _row(evidence: Evidence, row: dict[str, Any]) -> ReplicationRow:
    cell = (row["selector"], row["size"])
    return {
        "selector": row["selector"],
        "title": title_of_row(evidence, row["selector"]),
        "size": row["size"],
        **{key: row[key] for key in (*REPLICATION_KEYS, *PREDICTION_KEYS, *STABILITY_KEYS)},  # type: ignore[typeddict-item]
        "expected": _expected_counts(evidence).get(cell),
        "recommended": recommends(evidence) and cell == evidence.cell,
    }


def _expected_counts(evidence: Evidence) -> dict[tuple[str, int | str], float]:
    """Return how many selected features a second study would find, by selector and size."""
    table = evidence.result.features
    chosen = table[table["selected"].astype(bool)]
    sums = chosen.groupby(["selector", "size"], sort=False)["found_again"].sum().reset_index()
    cells = zip(sums["selector"], sums["size"], strict=True)
    return dict(zip(cells, sums["found_again"].tolist(), strict=True))


def _describe_replication(evidence: Evidence) -> Iterator[str]:
    table, halves = evidence.result.replication, _common(evidence, "n_samples") or 0
    record = get_measure(_measure(evidence) or "")
    pairs = plural(int(table["n_pairs"].max()), "time")
    yield (
        f"Replication stability says how well the selections of two independent studies agree, "
        f"by {record.title}. The {evidence.noun}s were split {pairs} into "
        f"disjoint halves, of {halves:,} each: like two studies, these have none in common. The "
        f"mean agreement estimates that of two studies of {plural(halves, evidence.noun)} without "
        "bias; its 95% interval speaks about other data, not about other splits."
    )
    yield from _by_chance(evidence)
    if (at := _common(evidence, "at")) is not None:
        yield (
            f"For two studies of {plural(at, evidence.noun)}, as many as there are, it is "
            "predicted, by the same estimate as the features that would be found again."
        )
    yield f"The usual stability, over the resamples, differs, as {WHY_DIFFERENT}."
    yield from _describe_needed_samples(evidence)
    yield from _notes(evidence)


def _by_chance(evidence: Evidence) -> Iterator[str]:
    """Say what two random selections have in common, where it is not 0."""
    chances = random_pairs(evidence.result.summary()["replication_chance"])
    if chances:
        yield (
            f"Two random selections of as many features would agree at {chances}; the chance level "
            "of the usual stability is that of all its resamples together, and may be another."
        )


def _describe_needed_samples(evidence: Evidence) -> Iterator[str]:
    """Say how many samples the recommended pair would need for a good replication stability."""
    found = evidence.replication
    if found is None:
        return
    plan = attempt(lambda: plan_samples(found, target=GOOD_REPLICATION), "a plan of samples")
    if plan is None:
        return
    wanted, low = f"replication stability of {GOOD_REPLICATION}", f"{plan.needed_low:,.0f}"
    if math.isinf(plan.needed):
        yield f"A {wanted} cannot be planned for: the data do not show agreement beyond chance."
    elif math.isnan(plan.needed):
        yield f"A {wanted} needs at least {low} {evidence.noun}s."
    else:
        about = _format_needed_samples(plan.needed, int(found.points["n_samples"].min()))
        known = math.isfinite(plan.needed_high)
        span = f"{low} to {plan.needed_high:,.0f}" if known else f"at least {low}, at most unknown"
        yield (
            f"For a {wanted}, each of two studies is predicted to need {about} {evidence.noun}s "
            f"(95% interval: {span})."
        )


def _format_needed_samples(needed: float, fewest: int) -> str:
    """Return a number of samples; below the smallest parts that were looked at, only that."""
    return f"fewer than {fewest:,}" if needed < fewest else f"about {needed:,.0f}"


def _notes(evidence: Evidence) -> Iterator[str]:
    """Tell each note once, with the selectors that it is about."""
    table = evidence.result.replication
    table = table[table["measure"] == _measure(evidence)]
    for note, names in notes_of(table).items():
        whose = (
            ""
            if len(names) == table["selector"].nunique()
            else f" ({join_texts([evidence.spoken(name) for name in names])})"
        )
        yield f"Please note{whose}: {note}."


def _untold(evidence: Evidence) -> Iterator[str]:
    if evidence.drawn:
        count = plural(int(evidence.plan["data"]["n_samples"]), "sample")
        yield (
            "Each resample is an independent sample, so the stability of this study is its "
            f"replication stability: how well two independent studies of {count} agree."
        )
        return
    yield from _notes(evidence)


def _cohorts(evidence: Evidence) -> ReportSection | None:
    """Return how well cohorts agree, beside what samples of one population would."""
    found = evidence.cohorts
    if found is None:
        return None
    return {
        "sentences": [set_apart(text, found.cohorts) for text in found.sentences],
        "rows": records(found.pairs),
        "numbers": records(found.features),
    }


# The table of cohorts as people read it.


def cohort_section(section: ReportSection) -> ReportSection:
    """Return the section with the numbers of each pair as text, under headings to read."""
    return {**section, "rows": list(map(_pair, section["rows"]))}


def _pair(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "first cohort": row["cohort_a"],
        "samples (first)": cell(row["n_a"]),
        "second cohort": row["cohort_b"],
        "samples (second)": cell(row["n_b"]),
        "agreement": hundredths(row["value"]),
        "expected": hundredths(row["expected"]),
        "95% range": interval(row["low"], row["high"], None),
        "p": p_value(row["p_value"]),
        "shuffles": cell(row["n_shuffles"]),
    }
