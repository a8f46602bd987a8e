"""The docstring of every measure: complete, and its examples run."""

import doctest
import inspect
import re
from pathlib import Path

import pytest

import holdfast
from holdfast.measures import REFERENCES
from holdfast.measures._registry import MEASURES
from holdfast.select._registry import SELECTORS

everyone = pytest.mark.parametrize("name", sorted(MEASURES))


@everyone
def test_examples_run(name):
    example = doctest.DocTestParser().get_doctest(MEASURES[name].__doc__, {}, name, None, 0)
    assert example.examples
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    report = []
    runner.run(example, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


@everyone
def test_docstring_has_formula_edge_cases_range_and_reference(name):
    record = MEASURES[name]
    text = inspect.getdoc(record)
    assert ".. math::" in text
    assert "Edge cases" in text
    assert "Range: " in text
    for key in record.references:
        assert REFERENCES[key].full in " ".join(text.split())


def test_references_are_all_used():
    records = [*MEASURES.values(), *SELECTORS.values()]
    used = {key for record in records for key in record.references}
    source = Path(holdfast.__file__).parent
    report = "".join(path.read_text() for path in (source / "report").glob("*.py"))
    used |= {key for key in REFERENCES if re.search(f"['\"]{key}['\"]", report)}  # no records
    code = "".join(path.read_text() for path in source.rglob("*.py")).lower()
    used |= {key for key in REFERENCES if f"[{key}]_" in code}
    guide = "".join(path.read_text() for path in (source.parents[1] / "docs").glob("*.md"))
    used |= {key for key in REFERENCES if f"#ref-{key})" in guide}
    modules = "".join(path.read_text(encoding="utf-8") for path in source.rglob("*.py"))
    used |= {key for key in REFERENCES if f"[{key.capitalize()}]_" in modules}
    assert used == REFERENCES.keys()
