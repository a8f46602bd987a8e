"""A result becomes a report: one dictionary, before it is a page."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.report._evidence import Evidence
from holdfast.report._features import features
from holdfast.report._figures import figures as drawn
from holdfast.report._glossary import glossary
from holdfast.report._groups import groups
from holdfast.report._lists import longest_lists
from holdfast.report._methods import data_name, methods
from holdfast.report._plain import plain
from holdfast.report._replication import second_study
from holdfast.report._schema import FORMAT, VERSION
from holdfast.report._sections import failures, profile, similarity, stand_ins
from holdfast.report._selectors import selectors
from holdfast.report._truth import truth
from holdfast.report._verdict import verdict
from holdfast.report._words import called

if TYPE_CHECKING:
    from holdfast.report._schema import Report, State
    from holdfast.study import Result

TITLE = "Which features would you find again?"


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
        "title": TITLE,
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
        f"{called(data_name(evidence))}: {plural(data['n_samples'], 'sample')}, "
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
