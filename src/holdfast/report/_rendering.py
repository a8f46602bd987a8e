"""A report as a page, one file that loads nothing from a network, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from holdfast._formatting import format_number, format_percent, format_whole_percent, plural
from holdfast.measures import get_measure
from holdfast.report._formatting import (
    OBSERVED_EFFECT_HEADING,
    escape_markdown,
    format_cell,
    format_chosen_size,
    format_code_block,
    format_data_values,
    format_effect,
    format_effect_interval,
    format_expected_count,
    format_number_cell,
    format_p_value,
    format_range,
    format_stability_interval,
    format_stand_in_counts,
    has_chance_agreement,
    has_ranks,
    prediction_heading,
    replication_heading,
    shorten_list,
    shown_sections,
    to_plain_text,
    verdict_sentences,
)
from holdfast.report._glossary import TERM_MEANINGS, Terms, isolate_names
from holdfast.report._page_engine import (
    embed_svg,
    format_markdown_table,
    make_environment,
    page_head,
    read_asset,
)
from holdfast.report._schema import (
    FORMAT,
    FeatureRow,
    Figure,
    GroupSection,
    Methods,
    ReplicationRow,
    Report,
    ReportSection,
    SecondStudy,
    SelectorRow,
)
from holdfast.report._second_study import format_cohort_section

if TYPE_CHECKING:
    from jinja2 import Environment


MAX_ROWS = 200
"""Most rows of a table of numbers (chosen by hand); the JSON file has all of them."""


def to_html(report: Report, *, fragment: bool = False) -> str:
    """Return a report as one self-contained HTML file.

    The page needs no network and no script to be read; scripts add sorting, searching and export.
    Names are always text, and a content security policy forbids every request.

    Parameters
    ----------
    report : Report
        The dictionary of :func:`holdfast.report.make_report`.
    fragment : bool
        Return a part for a notebook instead of a whole file: the verdict, the features and the
        selectors, in a frame.

    Returns
    -------
    str

    Raises
    ------
    InvalidInputError
        If a picture contains anything but shapes, text and embedded images.
    """
    report = keep_selectors_shown(report)
    page = _environment().get_template("page.html").render(_context(report, whole=not fragment))
    if not fragment:
        return page
    # A frame, not a shadow tree: notebooks insert outputs as strings, so that a declarative
    # shadow root is never created and nothing would be visible. A sandboxed frame separates styles
    # and scripts in both directions. Where frames are removed, the plain sentences remain.
    return _environment().get_template("fragment.html").render(report=report, page=page)


def keep_selectors_shown(report: Report) -> Report:
    """Return a report whose tables have only the selectors shown, and say so; the JSON has all."""
    if "left_out" not in report["selectors"]:
        return report
    left_out = report["selectors"]["left_out"]
    shown = set(left_out["shown"])
    sentence = f"{left_out['sentence']} The JSON file has the numbers of all."
    selectors, second = report["selectors"], report["replication"]
    kept: Report = {
        **report,
        "selectors": {
            **selectors,
            "rows": [row for row in selectors["rows"] if row["selector"] in shown],
            "reasons": [*selectors["reasons"], sentence],
        },
        "replication": {
            **second,
            "rows": [row for row in second["rows"] if row["selector"] in shown],
            "sentences": [*second["sentences"], sentence],
        },
    }
    return kept


def _context(report: Report, *, whole: bool) -> dict[str, Any]:
    return {
        "report": report,
        "whole": whole,
        "shows": shown_sections(report),
        "terms": Terms(report["glossary"], _collect_unambiguous_names(report), links=whole),
        "pictures_by_section": _embed_pictures(report["figures"]),
        "max_rows": MAX_ROWS,
        **page_head(script=read_asset("script.js", "holdfast.report")),
    }


def _collect_unambiguous_names(report: Report) -> set[str]:
    """Return the names of selectors and classifiers that are neither terms nor features."""
    rows = report["selectors"]["rows"]
    names = {name for row in rows for name in (row["selector"], row["classifier"]) if name}
    words = {term.lower() for term in TERM_MEANINGS}
    features = {row["feature"] for row in report["features"]["rows"]}
    return {name for name in names - features if name.lower() not in words}


def _embed_pictures(figures: list[Figure]) -> dict[str, list[dict[str, Any]]]:
    """Return the pictures by section, checked and ready for the page."""
    sections: dict[str, list[dict[str, Any]]] = {}
    for place, figure in enumerate(figures, 1):
        if "svg" in figure:
            alt = to_plain_text(figure["alt"])
            svg = embed_svg(figure["svg"], f"picture-{place}", alt)
            sections.setdefault(figure["section"], []).append({**figure, "drawing": svg})
    return sections


@cache
def _environment() -> Environment:
    environment = make_environment("holdfast.report", finalize=_finalize_value)
    filters = (
        format_cell,
        format_expected_count,
        format_number,
        format_p_value,
        format_percent,
        format_whole_percent,
        isolate_names,
    )
    functions = (
        format_chosen_size,
        format_cohort_section,
        format_data_values,
        format_effect,
        format_effect_interval,
        format_range,
        format_stability_interval,
        format_stand_in_counts,
        get_measure,
        has_chance_agreement,
        has_ranks,
        plural,
        prediction_heading,
        replication_heading,
        shorten_list,
        verdict_sentences,
    )
    environment.filters |= {function.__name__: function for function in filters}
    environment.globals |= {function.__name__: function for function in functions}
    return environment


def _finalize_value(value: object) -> object:
    """Spell out the invisible characters of any text that is not markup."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return to_plain_text(value)
    return value


# A report as Markdown.

MARKDOWN_MARK = f"<!-- {FORMAT}"
"""Start of a report in Markdown, by which holdfast recognizes it."""


def to_markdown(report: Report) -> str:
    r"""Return a report as Markdown.

    Parameters
    ----------
    report : Report
        The dictionary of :func:`make_report`.

    Returns
    -------
    str
        Everything that the page says, with tables but without pictures. Names are escaped, so
        that they are shown literally. Ends with ``\n``.
    """
    report = keep_selectors_shown(report)
    parts = [
        f"{MARKDOWN_MARK}, {report['generator']} -->",
        *_format_verdict(report),
        *_format_features(report),
        *(
            _format_replication(report["replication"])
            if shown_sections(report)["replication"]
            else ()
        ),
        *(() if report["lists"] is None else _format_section("Longest lists", report["lists"])),
        *_format_selectors(report),
        *_format_section("Stability at every size", report["profile"]),
        *_format_section("How similar the selectors are", report["similarity"]),
        *_format_groups(report["groups"]),
        *_format_section("Stand-ins", report["stand_ins"]),
        *_format_section("What failed", {"sentences": [], "rows": report["failures"]}),
        *_format_methods(report["methods"]),
        *_format_glossary(report["glossary"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _format_verdict(report: Report) -> Iterator[str]:
    verdict = report["verdict"]
    headline, *rest = verdict_sentences(verdict)
    yield f"# {escape_markdown(headline)}"
    yield from _format_paragraphs([*rest, report["subtitle"], report["state"]["sentence"]])
    if report["truth"] is not None:
        yield from _format_section("The truth", report["truth"])


def _format_replication(second: SecondStudy) -> Iterator[str]:
    yield "## Would a second study find these features?"
    yield from _format_paragraphs(second["sentences"])
    if second["rows"]:
        heads = ["selector", "features", "found again, expected"]
        heads += [replication_heading(second), "95% interval"]
        heads += ["two at random"] if has_chance_agreement(second) else []
        heads += [prediction_heading(second), "95% interval", "over resamples", "95% interval"]
        yield _format_table(
            [*heads, "remarks"], (_format_replication_row(row, second) for row in second["rows"])
        )
    if "cohorts" in second:
        yield from _format_section(
            "Cohorts compared", format_cohort_section(second["cohorts"]), level=3
        )


def _format_replication_row(row: ReplicationRow, second: SecondStudy) -> list[str]:
    measure = second["measure"]
    numbers = (
        format_expected_count(row["expected"]),
        format_number(row["replication"]),
        format_stability_interval(row["replication_low"], row["replication_high"], measure),
        *([format_number(row["replication_chance"])] if has_chance_agreement(second) else []),
        format_number(row["predicted"]),
        format_stability_interval(row["predicted_low"], row["predicted_high"], measure),
        format_number(row["stability"]),
        format_stability_interval(row["low"], row["high"], measure),
    )
    remark = "recommended" if row["recommended"] else ""
    return [row["selector"], format_cell(row["size"]), *numbers, remark]


def _format_features(report: Report) -> Iterator[str]:
    features = report["features"]
    if not features["rows"]:
        return
    yield f"## {features['title']}"
    yield from _format_paragraphs([features["caption"], features["interval"]])
    with_truth, with_ranks = report["truth"] is not None, has_ranks(features["rows"])
    heads = ["feature", "selected", "chance to be found again", "at least (90% sure)", "grade"]
    heads += ["in resamples", "95% interval for more resamples"]
    heads += ["rank (range)"] if with_ranks else []
    heads += ["highest in", "effect size", "95% interval", OBSERVED_EFFECT_HEADING]
    heads += ["in its group"] if "in_group" in features["rows"][0] else []
    heads += ["stand-ins", "caveats", *(["informative"] if with_truth else [])]
    lines = (
        _format_feature_row(row, truth=with_truth, ranks=with_ranks) for row in features["rows"]
    )
    yield _format_table(heads, lines)
    if features["total"] > len(features["rows"]):
        yield f"{len(features['rows']):,} of {features['total']:,} features are shown."


def _format_feature_row(row: FeatureRow, *, truth: bool, ranks: bool) -> list[str]:
    stand_ins = (
        f"{stand_in['feature']} (r = {format_number_cell(stand_in['correlation'])}, "
        f"{format_stand_in_counts(stand_in)})"
        for stand_in in row["stand_ins"]
    )
    return [
        row["feature"],
        format_cell(row["selected"]),
        format_number(row["found_again"]),
        format_number(row["low"]),
        row["grade"] or "",
        f"{row['count']:,} of {row['n']:,}",
        format_range(
            format_whole_percent(row["frequency_low"]), format_whole_percent(row["frequency_high"])
        ),
        *([_format_ranks(row)] if ranks else []),
        row["direction"] or "",
        format_effect(row),
        format_effect_interval(row),
        format_number(row["observed_effect"]),
        *(
            ["; ".join(shorten_list(row["in_group"], row["in_group_total"]))]
            if "in_group" in row
            else []
        ),
        "; ".join(stand_ins),
        "; ".join(row["caveats"]),
        *([format_cell(row["informative"])] if truth else []),
    ]


def _format_ranks(row: FeatureRow) -> str:
    ends = format_range(format_cell(row["rank_low"]), format_cell(row["rank_high"]))
    return (
        f"{format_cell(row['rank_median'])} ({ends})" if ends else format_cell(row["rank_median"])
    )


def _format_selectors(report: Report) -> Iterator[str]:
    selectors = report["selectors"]
    if not selectors["rows"]:
        return
    yield "## Selectors compared"
    yield from _format_paragraphs([*selectors["reasons"], selectors["choice"] or ""])
    if selectors["rows"]:
        heads = ["selector", "features", f"stability ({selectors['measure']})", "95% interval"]
        heads += ["by chance", "classifier", "error", "standard error", "balanced accuracy", "AUC"]
        heads += ["RPT", "p against the best, corrected", "remarks"]
        measure = selectors["measure"]
        yield _format_table(
            heads, (_format_selector_row(row, measure) for row in selectors["rows"])
        )


def _format_selector_row(row: SelectorRow, measure: str | None) -> list[str]:
    remarks = {"recommended": "recommended", "front": "Pareto front"}
    if not row["recommended"]:
        remarks["rival"] = "not shown to be worse"
    labels = [text for key, text in remarks.items() if row[key]]  # type: ignore[literal-required]
    return [
        row["selector"],
        format_chosen_size(row["selected"], row["selected_sd"])
        if "selected" in row
        else format_cell(row["size"]),
        format_number(row["stability"]),
        format_stability_interval(row["low"], row["high"], measure),
        format_number(row["chance"]),
        row["classifier"] or "",
        *map(format_percent, (row["error"], row["standard_error"], row["balanced_accuracy"])),
        *map(format_number, (row["auc"], row["rpt"])),
        format_p_value(row["p_value"]),
        ", ".join([*labels, *([row["remark"]] if "remark" in row else [])]),
    ]


def _format_section(title: str, section: ReportSection, level: int = 2) -> Iterator[str]:
    if not section["sentences"] and not section["rows"]:
        return
    yield f"{'#' * level} {title}"
    yield from _format_paragraphs(section["sentences"])
    if section["rows"]:
        heads = [key.replace("_", " ") for key in section["rows"][0]]
        yield _format_table(heads, (map(format_cell, row.values()) for row in section["rows"]))


def _format_groups(groups: GroupSection | None) -> Iterator[str]:
    if groups is None:
        return
    yield "## Groups of features"
    yield from _format_paragraphs(groups["sentences"])
    if groups["rows"]:
        heads = ["feature", "in a group", "representative", "companions"]
        members = (
            [
                row["feature"],
                *(format_whole_percent(row[key]) for key in ("member", "representative")),
                row["companions"],
            ]
            for row in groups["rows"]
        )
        yield _format_table(heads, members)
    if "measures" in groups:
        yield from _format_paragraphs(groups["measures"]["sentences"])
        heads = ["selector", "size", "measure", "value", "95% interval"]
        values = (
            [
                row["selector"],
                format_cell(row["size"]),
                row["measure"],
                format_number(row["value"]),
                format_stability_interval(row["low"], row["high"], row["measure"]),
            ]
            for row in groups["measures"]["rows"]
        )
        yield _format_table(heads, values)


def _format_methods(methods: Methods) -> Iterator[str]:
    yield "## What was done"
    yield from _format_paragraphs([methods["protocol"]])
    yield _format_table(["data", ""], methods["data"])
    yield _format_items(methods["warnings"])
    yield "### For the methods section of a paper"
    yield from _format_paragraphs([methods["paragraph"]])
    yield "### References"
    yield _format_items(methods["references"])
    yield "### To repeat it"
    yield format_code_block(methods["command"]) if methods["command"] else ""
    facts: list[Sequence[Any]] = [("seed", methods["seed"]), *methods["versions"]]
    yield _format_table(["what", "which"], [*facts, ("data fingerprint", methods["fingerprint"])])


def _format_glossary(glossary: Mapping[str, str]) -> Iterator[str]:
    if glossary:
        yield "## Glossary"
        yield "\n".join(
            f"- **{escape_markdown(term)}**: {escape_markdown(text)}"
            for term, text in glossary.items()
        )
    yield "The pictures are in the page next to this file, `report.html`."


def _format_paragraphs(sentences: Iterable[str]) -> Iterator[str]:
    return (escape_markdown(sentence) for sentence in sentences if sentence)


def _format_items(texts: Sequence[str]) -> str:
    return "\n".join(f"- {escape_markdown(text)}" for text in texts)


def _format_table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    return format_markdown_table(heads, ([escape_markdown(item) for item in row] for row in rows))
