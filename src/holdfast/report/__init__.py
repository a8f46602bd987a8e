"""Reports: a result becomes one dictionary, and that a page, JSON and Markdown."""

from holdfast.report._build import make_report
from holdfast.report._html import to_html
from holdfast.report._markdown import to_markdown
from holdfast.report._schema import Report, Verdict
from holdfast.report._verdict import conclude, verdict_sentences
from holdfast.report._write import to_json, write_report

__all__ = [
    "Report",
    "Verdict",
    "conclude",
    "make_report",
    "to_html",
    "to_json",
    "to_markdown",
    "verdict_sentences",
    "write_report",
]
