"""Reports: a result becomes a dictionary, and that a page, JSON and Markdown."""

from holdfast.report._formatting import (
    remove_name_marks,
    to_json_value,
    to_plain_text,
    verdict_sentences,
)
from holdfast.report._methods import describe_weighting
from holdfast.report._page_engine import (
    GENERATOR_TAG,
    embed_svg,
    format_markdown_table,
    has_mark,
    make_environment,
    page_head,
    read_asset,
    write_atomically,
)
from holdfast.report._rendering import to_html, to_markdown
from holdfast.report._report import conclude, make_report, to_json, write_report
from holdfast.report._schema import NOT_KNOWN, NOTHING, Report, Verdict
from holdfast.report._second_study import collect_notes, read_replication
from holdfast.report._tables import TEXT_COLUMNS, longest_list_sentences, overview_table

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
