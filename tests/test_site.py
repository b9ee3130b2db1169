"""The site: pages lead somewhere, all names are in it, and nothing is fetched to build or to read it."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from typer.testing import CliRunner

import slipstick as ss
from slipstick.cli.commands import app

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}  # by a browser, unasked
NEEDED_BY_NOBODY = ("canonical", "next", "prev", "search", "index", "author")  # links that are not followed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_lead_to_files(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[\w-]+)?\)", re.sub(r"`[^`\n]*`", "", text))
    missing = [link for link in links if not link.startswith("http") and not (page.parent / link).exists()]
    assert missing == []


def test_every_public_name_is_on_the_page_of_names():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    described = re.findall(r"^\.\. auto\w+:: slipstick\.(\w+)$", page, re.MULTILINE)
    assert sorted(described) == sorted(set(ss.__all__))
    deeper = re.findall(r"^\.\. auto\w+:: slipstick\.([\w.]+)$", page, re.MULTILINE)
    elements = [name for name, one in vars(ss.elements).items() if inspect.isfunction(one) and name[0] != "_"]
    own = [name for name in elements if getattr(ss.elements, name).__module__ == ss.elements.__name__]
    public = {f"systems.{name}" for name in ss.systems.__all__} | {f"elements.{name}" for name in own}
    assert len(own) > 2
    assert public <= set(deeper)
    for one in ("papers.Reproduction", "papers.Entry", "papers.reproduction.Row", "results.comparison.Comparison"):
        assert one in deeper


def test_every_public_name_has_an_example_in_the_reference():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    without = [name for name in ss.__all__ if not re.search(rf"\bss\.{name}\b", code)]
    laws = [name for name in without if inspect.isclass(getattr(ss, name)) and issubclass(getattr(ss, name), ss.Law)]
    assert without == laws
    pytest.importorskip("sphinx")
    sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
    try:
        from plain_docstrings import law_example
    finally:
        sys.path.pop(0)
    for name in laws:
        exec(law_example(getattr(ss, name)), {})


@pytest.fixture(scope="module")
def command_parts():
    """The generated part of the page of commands, by command."""
    sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
    try:
        from command_pages import command_pages
    finally:
        sys.path.pop(0)
    return {re.match(r"## slipstick (\S+)", part)[1]: part for part in command_pages()}


def test_every_command_is_on_the_page_with_an_example_and_what_its_help_shows(command_parts):
    prose = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    listed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "160"}).output
    names = re.findall(r"^. (\w+) {2,}\w", listed[listed.index("Commands") :], re.MULTILINE)
    assert len(names) > 9
    assert names == list(command_parts)
    for name in names:
        shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "160"}).output
        options = set(re.findall(r"^. \*? *(--[\w-]+)", shown, re.MULTILINE)) - {"--help"}
        assert options == set(re.findall(r"^\| `(--[\w-]+)", command_parts[name], re.MULTILINE)), name
        assert f"$ slipstick {name}" in command_parts[name]
        assert f"(#slipstick-{name})" in prose


def test_the_exit_codes_on_the_page_are_those_of_the_commands():
    from slipstick.cli import error_handling

    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    codes = [int(code) for code in re.findall(r"^\| (\d+) \| \w", page, re.MULTILINE)]
    assert codes == [
        0,
        error_handling.EXIT_FAILED,
        error_handling.EXIT_BAD_INPUT,
        error_handling.EXIT_FAULT,
        error_handling.EXIT_INTERRUPTED,
        error_handling.EXIT_BROKEN_PIPE,
    ]


class Page(HTMLParser):
    """What a page of the site fetches, where it leads, and the places that can be led to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places.update(filter(None, (given.get("id"), given.get("name"))))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if given.get(FETCHED.get(tag, "")) and given.get("rel", "") not in NEEDED_BY_NOBODY:
            self.fetched.append(given[FETCHED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if find_spec("sphinx") is None or find_spec("myst_parser") is None or find_spec("furo") is None:
        pytest.skip("the site's tools are not installed: make docs brings them")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", str(folder / "trees")]
    done = subprocess.run(
        [*build, str(ROOT / "docs"), str(folder / "html")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr  # a warning is a fault: a page nobody leads to, a link to nowhere
    return folder / "html"


@pytest.mark.long
def test_the_site_fetches_nothing_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 50
    outside = {(page.name, url) for page in pages for url in Page(page).fetched if urlsplit(url).netloc}
    assert outside == set()
    for sheet in [*site.rglob("*.css"), *site.rglob("*.js")]:
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"url\(\s*['\"]?(https?:)?//|@import\s+['\"](https?:)?//", text), sheet
        assert not re.search(r"(fetch|importScripts|import)\(\s*['\"]https?://", text), sheet


@pytest.mark.long
def test_links_of_the_site_lead_to_pages_and_places(site):
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    broken = set()
    for path, page in pages.items():
        for link in page.links + page.fetched:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if not target.exists() or (url.fragment and target in pages and url.fragment not in pages[target].places):
                broken.add((path.name, link))
    assert broken == set()


@pytest.mark.long
def test_equations_of_the_site_need_no_script(site):
    path = site / "laws" / "masing.html"
    assert path.read_text(encoding="utf-8").count("<math") > 5
    assert [url for url in Page(path).fetched if "mathjax" in url.lower() or "katex" in url.lower()] == []


@pytest.mark.long
def test_search_works_from_a_folder_without_a_server(site):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("no Chromium to search with")
    page = f"{(site / 'search.html').as_uri()}?q=freeplay"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom"]
    shown = subprocess.run([browser, *options, page], capture_output=True, text=True, check=True, timeout=600).stdout
    found = int(re.search(r"found (\d+) page", shown)[1])
    assert found > 10
    assert "laws/freeplay.html" in shown
