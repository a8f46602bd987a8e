"""A real browser for the tests of pages, where there is one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.report._html import to_html
from tests.conftest import missing
from tests.report.sample import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


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


@pytest.fixture(scope="session")
def html() -> str:
    """Return the page of the sample."""
    return to_html(sample())
