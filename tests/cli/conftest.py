"""What tests of commands share: reports without pictures, which take most of the time."""

import pytest


@pytest.fixture(scope="package", autouse=True)
def _reports_without_pictures():
    """Draw no pictures for reports: tests/report and tests/test_end_to_end.py look at them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("holdfast.report._figures._request_figures", lambda *_: iter(()))
        yield
