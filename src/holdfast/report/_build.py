"""A result becomes a report: one dictionary, before it is a page."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from holdfast._formatting import plural
from holdfast.measures import get_measure
from holdfast.report._evidence import MOST_MEMBERS, Evidence, attempt
from holdfast.report._feature_table import features, longest_lists
from holdfast.report._figures import figures as drawn
from holdfast.report._formatting import (
    first_names,
    format_name,
    join_names,
    join_texts,
    plain,
    records,
)
from holdfast.report._glossary import glossary
from holdfast.report._methods import data_name, methods
from holdfast.report._replication_section import second_study
from holdfast.report._schema import FORMAT, VERSION
from holdfast.report._selector_table import (
    compared_size,
    describe_compared_sizes,
    selectors,
    size_of_pair,
)
from holdfast.report._verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import pandas as pd

    from holdfast.judge import StabilityProfile
    from holdfast.report._schema import Groups, Report, ReportSection, State
    from holdfast.study import Result


REPORT_TITLE = "Which features would you find again?"


def make_report(
    result: Result, *, figures: bool = True, found_again: float | None = None
) -> Report:
    """Gather all that a report says about a result.

    Parameters
    ----------
    result : Result
        A study, complete or not.
    figures : bool, default True
        Draw the pictures as well; they take most of the time.
    found_again : float, optional
        For each selector, name the longest list of which this share is expected to be found again.

    Returns
    -------
    Report
        A dictionary of plain Python values; `to_html`, `to_json` and `to_markdown` show it.
        There is one for every result: what a study cannot tell (nothing is done, the data are
        gone) is said or left out. The same result gives the same report.

    Examples
    --------
    >>> import holdfast as hf
    >>> from holdfast.report import make_report
    >>> study = hf.Study("f_score", protocol=hf.Subsampling(20, 0.9), sizes=[3])
    >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    >>> report = make_report(result, figures=False)
    >>> report["verdict"]["headline"]
    'A second study of 178 samples would find about 3 of these 3 features again.'
    >>> report["verdict"]["grade"]
    'nearly all'
    """
    evidence = Evidence(result)
    report: Report = {
        "format": FORMAT,
        "version": VERSION,
        "generator": f"holdfast {version('holdfast')}",
        "title": REPORT_TITLE,
        "subtitle": _subtitle(evidence),
        "state": _state(evidence),
        "verdict": verdict(evidence),
        "truth": truth(evidence),
        "replication": second_study(evidence),
        "features": features(evidence),
        "lists": None if found_again is None else longest_lists(evidence, found_again),
        "selectors": selectors(evidence),
        "profile": profile(evidence),
        "similarity": similarity(evidence),
        "groups": groups(evidence),
        "stand_ins": stand_ins(evidence),
        "failures": failures(evidence),
        "figures": drawn(evidence) if figures else [],
        "methods": methods(evidence),
        "glossary": {},
    }
    report["glossary"] = glossary(evidence, report)
    made: Report = plain(report)
    return made


def _subtitle(evidence: Evidence) -> str:
    data = evidence.plan["data"]
    return (
        f"{format_name(data_name(evidence))}: {plural(data['n_samples'], 'sample')}, "
        f"{plural(data['n_features'], 'feature')}"
    )


def _state(evidence: Evidence) -> State:
    result = evidence.result
    failed = len(result.failures)
    sentence = ""
    if not result.complete:
        sentence = f"Only {result.n_done:,} of {plural(result.n_units, 'fit')} are done"
        sentence += f"; {failed:,} failed." if failed else "."
    return {
        "complete": result.complete,
        "done": result.n_done,
        "failed": failed,
        "units": result.n_units,
        "sentence": sentence,
    }


# Sections of sentences and numbers: profiles, similarity of selectors, stand-ins, failures.

MAX_SECTION_ROWS = 200
"""Most rows of a table that a section shows."""
NO_KNOT = "no knot: "
OWN_SIZE = "no profile, as the number of features is chosen, not asked for"
EMPTY: ReportSection = {"sentences": [], "rows": []}
"""A section that is left out."""
SHORTEST = 6
"""Fewest groups in which a knot can be seen: two, and twice as many after them."""
WHAT = (
    "that correlates with it by {} or more and is selected clearly more often without it than "
    "with it (Fisher's exact test, corrected for all correlated pairs)"
)


def profile(evidence: Evidence) -> ReportSection:
    """Return how stability depends on the number of features, and where it breaks."""
    found = evidence.profile
    if found is None:
        return EMPTY
    if evidence.plan["data"]["n_features"] == 1:
        return EMPTY
    whole = found.knots.astype(dict.fromkeys(("size", "low", "high"), "Int64"))
    return {
        "sentences": [*_knots(evidence, found, _few_groups(evidence)), found.how],
        "rows": records(whole.drop(columns="sentence")),
        "numbers": records(found.table),
    }


def _few_groups(evidence: Evidence) -> dict[str, str]:
    """Say of the selectors that found but a few groups that these make no profile."""
    found = {name: evidence.fewer(name, evidence.result.depth) for name in evidence.groupers}
    return {
        name: f"there is no profile from so few groups ({short.remark})"
        for name, short in found.items()
        if short is not None and short.fewest < SHORTEST
    }


def _knots(evidence: Evidence, found: StabilityProfile, instead: dict[str, str]) -> Iterator[str]:
    """Say where each profile breaks; selectors of which the same is said stand together."""
    told = zip(found.knots["selector"], found.knots["sentence"], strict=True)
    left = ((name, OWN_SIZE) for name in found.left_out)
    names: dict[str, list[str]] = {}
    for name, sentence in (*told, *left):
        names.setdefault(instead.get(name, sentence), []).append(name)
    for sentence, same in names.items():
        why = sentence.removeprefix(NO_KNOT)
        who = join_texts([evidence.spoken(name) for name in same])
        head = f"No knot for {who}" if why != sentence else who
        yield f"{head}: {why}."


def similarity(evidence: Evidence) -> ReportSection:
    """Return how alike selectors choose, against how alike each is to itself."""
    if len(evidence.result.selectors) < 2:
        return EMPTY
    size = compared_size(evidence)
    found = attempt(lambda: evidence.result.similarity(size=size), "the similarity of selectors")
    if found is None:
        return EMPTY
    told = [evidence.told(sentence) for sentence in found.sentences]
    rows = [
        {**row, "size": size_of_pair(evidence, row["first"], row["second"])}
        for row in records(found.table.head(MAX_SECTION_ROWS))
    ]
    how = f"Selectors are compared {describe_compared_sizes(evidence, found.matrix.index)}."
    return {"sentences": [how, *told], "rows": rows}


def stand_ins(evidence: Evidence) -> ReportSection:
    """Return the features that take each other's place, and what that does to stability."""
    found = evidence.stand_ins
    if found is None:
        return EMPTY
    count = found.table["feature"].nunique()
    if not count:
        return EMPTY
    told = [
        f"{_format_stand_in_count(count)} a stand-in: one {WHAT.format(found.threshold)}.",
        found.sentence,
    ]
    note = f"{found.note[:1].upper()}{found.note[1:]}." if found.note else ""
    return {
        "sentences": [text for text in (*told, note) if text],
        "rows": records(found.table.head(MAX_SECTION_ROWS)),
        "numbers": records(found.stability),
    }


def _format_stand_in_count(count: int) -> str:
    return "One frequent feature has" if count == 1 else f"{count:,} frequent features have"


def failures(evidence: Evidence) -> list[dict[str, Any]]:
    """Return what failed: each reason of each selector once, with the number of resamples."""
    table = evidence.result.failures
    kinds = table.groupby(["selector", "message"], sort=False)["resample"].agg(["count", "min"])
    rows = kinds.reset_index().rename(columns={"count": "resamples", "min": "first"})
    return records(rows, ["selector", "resamples", "first", "message"])


# The section on groups: which features lie in one together, and how well groups match.

GROUP_MEASURE_COLUMNS = ["selector", "size", "measure", "value", "low", "high"]


def groups(evidence: Evidence) -> Groups | None:
    """Return what is known of groups; None where there are none, and none were measured."""
    table, measured = evidence.members, _make_measure_section(evidence)
    if table is None and measured is None:
        return None
    section: Groups = {"sentences": [], "rows": []}
    if table is not None:
        shown = records(table.head(MOST_MEMBERS))
        section = {
            "sentences": _describe_groups(evidence, table),
            "rows": [_row(one) for one in shown],
        }
    return section if measured is None else {**section, "measures": measured}


def _describe_groups(evidence: Evidence, table: pd.DataFrame) -> list[str]:
    selector = "" if evidence.cell is None else evidence.cell[0]
    shown = table.head(MOST_MEMBERS)
    together = int((shown["companions"].str.len() > 0).sum())
    often = " most often" if len(table) > len(shown) else ""
    count = f"{together:,}" if together < len(shown) else "all"
    what = (
        f"{evidence.spoken(selector)} selects groups of features; the table of "
        "features and the classifiers take one of each group, its representative. Which member "
        "that is may change while the group stays."
    )
    who = (
        f"Of the {len(shown):,} features that lay in selected groups{often}, {count} had "
        "companions: features that were in the same group at least half of the times."
    )
    return [what, who]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """Return how often a feature was in a group, and with which others, as a table shows it."""
    others = [format_name(name) for name in row["companions"]]
    return {
        "feature": row["feature"],
        "member": row["member"],
        "representative": row["representative"],
        "companions": ", ".join(first_names(others, len(others))),
    }


def _make_measure_section(evidence: Evidence) -> ReportSection | None:
    """Return what the measures of groups say of each selector at each size; None without any."""
    asked = map(get_measure, evidence.plan["measures"])
    names = [one.name for one in asked if one.form == "groups"]
    if not names:
        return None
    table = evidence.result.stability
    rows = records(table[table["measure"].isin(names)], GROUP_MEASURE_COLUMNS)
    return {"sentences": [_matching(evidence, names)], "rows": rows} if rows else None


def _matching(evidence: Evidence, names: list[str]) -> str:
    text = "Measures of groups say how well the groups of different resamples match"
    if len(evidence.groupers) < len(evidence.result.selectors):
        text += "; the features of a selector that finds none count as groups of one"
    if not any(get_measure(name).corrected for name in names):
        text += "; the values are not corrected for chance"
    return f"{text}."


# The verdict beside the truth, for simulated data.


def truth(evidence: Evidence) -> ReportSection | None:
    """Return how many of the features found truly matter; None where that is not known."""
    if evidence.result.truth is None:
        return None
    lists = _lists(evidence)
    return {
        "sentences": _sentences(evidence),
        "rows": [_row_truth(evidence, what, names) for what, names in lists.items()],
    }


def _lists(evidence: Evidence) -> dict[str, list[str]]:
    found = [str(name) for name in evidence.found["feature"]]
    size = round(float(evidence.found["frequency"].sum()))
    return {
        "trusted": evidence.trusted,
        f"the {size:,} most frequent": found[:size],
        "selected at least once": found,
    }


def _row_truth(evidence: Evidence, what: str, names: Collection[str]) -> dict[str, Any]:
    hits = len(evidence.truth.intersection(names))
    return {
        "list": what,
        "features": len(names),
        "informative": hits,
        "noise": len(names) - hits,
    }


def _sentences(evidence: Evidence) -> list[str]:
    count, total = len(evidence.truth), evidence.plan["data"]["n_features"]
    verb = "differs" if count == 1 else "differ"
    known = f"{plural(count, 'feature')} of {total:,} {verb} between the classes"
    told = f"These data were simulated, so the truth is known: {known}."
    return [told, *_about_trusted(evidence)]


def _about_trusted(evidence: Evidence) -> list[str]:
    names = evidence.trusted
    false = [name for name in names if name not in evidence.truth]
    if not names:
        return ["No feature is trusted, so none is trusted in error."]
    hits = len(names) - len(false)
    verb = "matters" if hits == 1 else "matter"
    errors = f"; trusted in error: {join_names(false)}" if false else ", none is trusted in error"
    told = [f"Of the {plural(len(names), 'trusted feature')}, {hits:,} truly {verb}{errors}."]
    missed = len(evidence.truth) - hits
    if missed:
        told.append(
            f"{plural(missed, 'informative feature')} {'is' if missed == 1 else 'are'} not among "
            "them: a short list that is selected again and again need not be a full one."
        )
    return told
