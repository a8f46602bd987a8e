"""What all tests share: hypothesis profiles, parts that may be missing, a browser."""

from __future__ import annotations

import importlib
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from holdfast import _kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

# Nothing depends on how fast the machine is; examples are the same in every run but in a search.
SETTINGS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("unit", max_examples=10, derandomize=True, **SETTINGS)
settings.register_profile("ci", max_examples=100, derandomize=True, **SETTINGS)
settings.register_profile("search", max_examples=1000, **SETTINGS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "unit"))

REQUIRED = {part for part in os.environ.get("HOLDFAST_REQUIRE", "").split(",") if part}
MODULES = {
    "polars": "polars",
    "parquet": "pyarrow",
    "dask": "distributed",
    "browser": "playwright.sync_api",
    "shap": "shap",
}

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


def missing(part: str, why: str):
    """Skip for want of a part, or fail where HOLDFAST_REQUIRE names it."""
    if part in REQUIRED:
        pytest.fail(f"{part} is required here, but {why}")
    pytest.skip(f"{part}: {why}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that open a browser as integration tests."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("integration")


@pytest.fixture(scope="session", autouse=True)
def _no_notice_of_compilation():
    """Let outputs not depend on which kernels are compiled already."""
    _kernels.NOTICE.is_logged = True


@pytest.fixture(scope="session")
def require():
    """Return a function that imports an optional part, or skips or fails without it."""

    def load(part: str):
        try:
            return importlib.import_module(MODULES[part])
        except ImportError as error:
            return missing(part, str(error))

    return load


@pytest.fixture
def data_folder() -> Path:
    """Return the folder of real data sets, or skip or fail without it."""
    folder = os.environ.get("HOLDFAST_DATA", "")
    if not folder or not Path(folder).is_dir():
        missing("data", "HOLDFAST_DATA names no folder")
    return Path(folder)


@dataclass
class Opened:
    """A page in the browser, with all that it asked for and complained about."""

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def chromium(require: Callable[[str], Any]) -> Iterator[Browser]:
    """Return the browser of the system; none is ever downloaded."""
    playwright = require("browser")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing("browser", "there is no chromium on the path")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Return a function that opens HTML from a file and keeps a log."""
    contexts = []

    def opened_page(html: str, **options: Any) -> Opened:
        file = tmp_path / f"page-{len(contexts)}.html"
        file.write_text(html, encoding="utf-8")
        context = chromium.new_context(**options)
        contexts.append(context)
        return _visited(context.new_page(), file.as_uri())

    yield opened_page
    for context in contexts:
        context.close()


def _visited(page: Page, address: str) -> Opened:
    found = Opened(page, address)
    page.on("request", lambda request: found.requests.append(request.url))
    page.on("console", lambda message: found.complaints.append(message.text))
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.goto(address)
    return found
