"""The page of the sample report."""

from __future__ import annotations

import pytest

from holdfast.report._rendering import to_html
from tests.report.sample_report import sample


@pytest.fixture(scope="session")
def html() -> str:
    """Return the page of the sample."""
    return to_html(sample())
