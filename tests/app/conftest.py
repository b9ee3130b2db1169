"""The page, served as a user starts it, and a browser that looks at it: see `app_browser`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from app_browser import CHROMIUM, OPTIONS, Server, browser_context, opening


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the page share one server and one browser, also where others run beside them (`--dist loadgroup`)."""
    for item in items:
        if {"server", "chromium", "open_page"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("page"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """A test of the page that fails shows what stood on the page, and what the server was doing."""
    report = yield
    opened = getattr(item, "funcargs", {}).get("open_page")
    if report.when == "call" and report.failed and opened is not None:
        for page in opened.pages():
            report.sections.append(("page", page.locator("body").inner_text(timeout=5_000)))
        report.sections.append(("server", item.funcargs["server"].diagnosis()))  # type: ignore[attr-defined]
    return report


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("app"), processes=2)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if not CHROMIUM:
        if os.environ.get("CI"):
            pytest.fail("the tests of the page need Chromium: apt-get install chromium")
        pytest.skip("the tests of the page need Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shared_context(chromium: Any) -> Any:
    """One cache for all tests: each new tab finds the scripts loaded and compiled."""
    return browser_context(chromium)


@pytest.fixture
def open_page(server: Server, chromium: Any, shared_context: Any) -> Iterator[Any]:
    """``open_page("/model")``: a new tab; nothing may leave the machine, no error may show."""
    with opening(server, chromium, shared_context) as opened:
        yield opened
