"""Where the studies of tests and examples run: in the process of the test, unless it is marked."""

from __future__ import annotations

import pytest
from tests.study.inline import local_pool_without_processes

from holdfast.study._execution import _execute
from holdfast.study._execution._local_pool import LocalPool


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start no processes but for integration tests; decided before fixtures of any scope run.

    A worker process takes seconds to start, so that hundreds of small studies would take longest
    of all tests.
    """
    integration = item.get_closest_marker("integration") is not None
    _execute.LocalPool = LocalPool if integration else local_pool_without_processes
