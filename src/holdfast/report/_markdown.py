"""A report as Markdown, for people who read plain text and for pages that render it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.report._escaping import escape_markdown, format_code_block
from holdfast.report._formatting import (
    OBSERVED_EFFECT,
    cell,
    chance_differs,
    chosen_size,
    effect_interval,
    effect_size,
    expected_count,
    first_names,
    hundredths,
    interval,
    number_cells,
    p_value,
    percent,
    predicted_head,
    ranked,
    replication_head,
    shown_sections,
    span,
    stand_in_counts,
    tenths,
)
from holdfast.report._replication_section import cohort_section
from holdfast.report._schema import FORMAT
from holdfast.report._verdict import verdict_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.report._schema import (
        FeatureRow,
        Groups,
        Methods,
        ReplicationRow,
        Report,
        ReportSection,
        SecondStudy,
        SelectorRow,
    )

MARK = f"<!-- {FORMAT}"
"""How a report in Markdown begins, so that it is known again."""
RANDOM = "two at random"
"""What two random selections give."""


def to_markdown(report: Report) -> str:
    r"""Return a report as Markdown.

    Parameters
    ----------
    report : Report
        The dictionary of :func:`make_report`.

    Returns
    -------
    str
        All that the page says, with tables; pictures are left out. Names are escaped: they are
        shown as they are and do nothing. Ends with ``\n``.
    """
    parts = [
        f"{MARK}, {report['generator']} -->",
        *_verdict(report),
        *_features(report),
        *(_replication(report["replication"]) if shown_sections(report)["replication"] else ()),
        *(() if report["lists"] is None else _section("Longest lists", report["lists"])),
        *_selectors(report),
        *_section("Stability at every size", report["profile"]),
        *_section("How alike the selectors are", report["similarity"]),
        *_groups(report["groups"]),
        *_section("Stand-ins", report["stand_ins"]),
        *_failures(report),
        *_methods(report["methods"]),
        *_glossary(report["glossary"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _verdict(report: Report) -> Iterator[str]:
    verdict = report["verdict"]
    headline, *rest = verdict_sentences(verdict)
    yield f"# {escape_markdown(headline)}"
    yield from _paragraphs([*rest, report["subtitle"], report["state"]["sentence"]])
    if report["truth"] is not None:
        yield from _section("The truth", report["truth"])


def _replication(second: SecondStudy) -> Iterator[str]:
    yield "## Would a second study find these features?"
    yield from _paragraphs(second["sentences"])
    if second["rows"]:
        heads = ["selector", "features", "found again, expected"]
        heads += [replication_head(second), "95% interval"]
        heads += [RANDOM] if chance_differs(second) else []
        heads += [predicted_head(second), "95% interval", "over resamples", "95% interval"]
        yield _table([*heads, "remarks"], (_second(row, second) for row in second["rows"]))
    if "cohorts" in second:
        yield from _section("Cohorts compared", cohort_section(second["cohorts"]), level=3)


def _second(row: ReplicationRow, second: SecondStudy) -> list[str]:
    measure = second["measure"]
    numbers = (
        expected_count(row["expected"]),
        hundredths(row["replication"]),
        interval(row["replication_low"], row["replication_high"], measure),
        *([hundredths(row["replication_chance"])] if chance_differs(second) else []),
        hundredths(row["predicted"]),
        interval(row["predicted_low"], row["predicted_high"], measure),
        hundredths(row["stability"]),
        interval(row["low"], row["high"], measure),
    )
    remark = "recommended" if row["recommended"] else ""
    return [row["selector"], cell(row["size"]), *numbers, remark]


def _features(report: Report) -> Iterator[str]:
    features = report["features"]
    if not features["rows"]:
        return
    yield f"## {features['title']}"
    yield from _paragraphs([features["caption"], features["interval"]])
    with_truth, with_ranks = report["truth"] is not None, ranked(features["rows"])
    heads = ["feature", "selected", "chance to be found again", "at least (90% sure)", "grade"]
    heads += ["in resamples", "95% interval for more resamples"]
    heads += ["rank (range)"] if with_ranks else []
    heads += ["highest in", "effect size", "95% interval", OBSERVED_EFFECT]
    heads += ["in its group"] if "in_group" in features["rows"][0] else []
    heads += ["stand-ins", "caveats", *(["informative"] if with_truth else [])]
    lines = (_feature(row, truth=with_truth, ranks=with_ranks) for row in features["rows"])
    yield _table(heads, lines)
    if features["total"] > len(features["rows"]):
        yield f"{len(features['rows']):,} of {features['total']:,} features are shown."


def _feature(row: FeatureRow, *, truth: bool, ranks: bool) -> list[str]:
    stand_ins = (
        f"{one['feature']} (r = {number_cells(one['correlation'])}, {stand_in_counts(one)})"
        for one in row["stand_ins"]
    )
    return [
        row["feature"],
        cell(row["selected"]),
        hundredths(row["found_again"]),
        hundredths(row["low"]),
        row["grade"] or "",
        f"{row['count']:,} of {row['n']:,}",
        span(percent(row["frequency_low"]), percent(row["frequency_high"])),
        *([_ranks(row)] if ranks else []),
        row["direction"] or "",
        effect_size(row),
        effect_interval(row),
        hundredths(row["observed_effect"]),
        *([_in_group(row)] if "in_group" in row else []),
        "; ".join(stand_ins),
        "; ".join(row["caveats"]),
        *([cell(row["informative"])] if truth else []),
    ]


def _ranks(row: FeatureRow) -> str:
    ends = span(cell(row["rank_low"]), cell(row["rank_high"]))
    return f"{cell(row['rank_median'])} ({ends})" if ends else cell(row["rank_median"])


def _in_group(row: FeatureRow) -> str:
    return "; ".join(first_names(row["in_group"], row["in_group_total"]))


def _selectors(report: Report) -> Iterator[str]:
    selectors = report["selectors"]
    if not selectors["rows"]:
        return
    yield "## Selectors compared"
    yield from _paragraphs([*selectors["reasons"], selectors["choice"] or ""])
    if selectors["rows"]:
        heads = ["selector", "features", f"stability ({selectors['measure']})", "95% interval"]
        heads += ["by chance", "classifier", "error", "standard error", "balanced accuracy", "AUC"]
        heads += ["RPT", "p against the best, corrected", "remarks"]
        measure = selectors["measure"]
        yield _table(heads, (_selector(row, measure) for row in selectors["rows"]))


def _selector(row: SelectorRow, measure: str | None) -> list[str]:
    remarks = {"recommended": "recommended", "front": "Pareto front"}
    if not row["recommended"]:
        remarks["rival"] = "not shown to be worse"
    given = [text for key, text in remarks.items() if row[key]]  # type: ignore[literal-required]
    return [
        row["selector"],
        chosen_size(row["selected"], row["selected_sd"])
        if "selected" in row
        else cell(row["size"]),
        hundredths(row["stability"]),
        interval(row["low"], row["high"], measure),
        hundredths(row["chance"]),
        row["classifier"] or "",
        *map(tenths, (row["error"], row["standard_error"], row["balanced_accuracy"])),
        *map(hundredths, (row["auc"], row["rpt"])),
        p_value(row["p_value"]),
        ", ".join([*given, *([row["remark"]] if "remark" in row else [])]),
    ]


def _section(title: str, section: ReportSection, level: int = 2) -> Iterator[str]:
    if not section["sentences"] and not section["rows"]:
        return
    yield f"{'#' * level} {title}"
    yield from _paragraphs(section["sentences"])
    if section["rows"]:
        heads = [key.replace("_", " ") for key in section["rows"][0]]
        yield _table(heads, (map(cell, row.values()) for row in section["rows"]))


def _groups(groups: Groups | None) -> Iterator[str]:
    if groups is None:
        return
    yield "## Groups of features"
    yield from _paragraphs(groups["sentences"])
    if groups["rows"]:
        heads = ["feature", "in a group", "representative", "companions"]
        yield _table(heads, map(_member, groups["rows"]))
    if "measures" in groups:
        yield from _paragraphs(groups["measures"]["sentences"])
        heads = ["selector", "size", "measure", "value", "95% interval"]
        yield _table(heads, map(_format_measure_row, groups["measures"]["rows"]))


def _member(row: dict[str, Any]) -> list[str]:
    shares = (percent(row[key]) for key in ("member", "representative"))
    return [row["feature"], *shares, row["companions"]]


def _format_measure_row(row: dict[str, Any]) -> list[str]:
    name = row["measure"]
    ends = interval(row["low"], row["high"], name)
    return [row["selector"], cell(row["size"]), name, hundredths(row["value"]), ends]


def _failures(report: Report) -> Iterator[str]:
    rows = report["failures"]
    if rows:
        yield "## What failed"
        yield _table(list(rows[0]), (map(cell, row.values()) for row in rows))


def _methods(methods: Methods) -> Iterator[str]:
    yield "## What was done"
    yield from _paragraphs([methods["protocol"]])
    yield _table(["data", ""], methods["data"])
    yield _items(methods["warnings"])
    yield "### For the methods section of a paper"
    yield from _paragraphs([methods["paragraph"]])
    yield "### References"
    yield _items(methods["references"])
    yield "### To repeat it"
    yield format_code_block(methods["command"]) if methods["command"] else ""
    facts: list[Sequence[Any]] = [("seed", methods["seed"]), *methods["versions"]]
    yield _table(["what", "which"], [*facts, ("data fingerprint", methods["fingerprint"])])


def _glossary(glossary: Mapping[str, str]) -> Iterator[str]:
    if glossary:
        yield "## Glossary"
        yield "\n".join(
            f"- **{escape_markdown(term)}**: {escape_markdown(text)}"
            for term, text in glossary.items()
        )
    yield "The pictures are in the page next to this file, `report.html`."


def _paragraphs(sentences: Iterable[str]) -> Iterator[str]:
    return (escape_markdown(sentence) for sentence in sentences if sentence)


def _items(texts: Sequence[str]) -> str:
    return "\n".join(f"- {escape_markdown(text)}" for text in texts)


def _table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [
        heads,
        ["---"] * len(heads),
        *([escape_markdown(item) for item in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
