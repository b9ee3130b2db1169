"""The site: pages lead somewhere, all names are in it, and nothing is fetched to build or to read it."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import slipstick as ss

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
    assert sorted(described) == ss.__all__


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
