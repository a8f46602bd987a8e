"""A report as JSON, for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holdfast.report._names import bare_all
from holdfast.report._plain import plain

if TYPE_CHECKING:
    from holdfast.report._schema import Report


def to_json(report: Report) -> str:
    r"""Return a report as JSON.

    Parameters
    ----------
    report : Report
        The dictionary of :func:`make_report`.

    Returns
    -------
    str
        Indented, with names as they are, whatever characters they hold; numbers that are
        missing or infinite are null. Pictures are left out, their captions are not. Ends with
        ``\n``.

    Examples
    --------
    >>> from holdfast.report import to_json
    >>> to_json({"title": "Größe", "figures": [{"name": "plane", "svg": "<svg/>"}]})
    '{\n  "title": "Größe",\n  "figures": [\n    {\n      "name": "plane"\n    }\n  ]\n}\n'
    """
    document: dict[str, Any] = bare_all(plain(report))
    for figure in document["figures"]:
        figure.pop("svg", None)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
