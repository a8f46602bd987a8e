"""The sample paper in the place of a real one."""

import pytest

from holdfast.papers import _document, _reproduce
from tests.papers.sample import NAME, PUBLISHED, SAMPLE


@pytest.fixture
def sample(monkeypatch):
    """Let the sample stand for a paper, with its own published numbers."""
    monkeypatch.setitem(_reproduce.PAPERS._records, NAME, SAMPLE)
    monkeypatch.delenv("HOLDFAST_DATA", raising=False)

    def numbers(_, experiment):
        return PUBLISHED if experiment == "table" else PUBLISHED.iloc[:0, 2:]

    for module in (_reproduce, _document):
        monkeypatch.setattr(module, "published_numbers", numbers)
    return SAMPLE
