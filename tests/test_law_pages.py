"""Every law has a page, and what the page says of it is what the law says of itself."""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path

import pytest

import slipstick as ss

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from make_law_cards import FILE, cards  # noqa: E402
from make_law_pages import PUBLIC_LAWS, contents, list_of_laws, page  # noqa: E402

from slipstick.laws import name_in_files  # noqa: E402

PUBLIC = sorted(
    name for name in ss.__all__ if inspect.isclass(getattr(ss, name)) and issubclass(getattr(ss, name), ss.Law)
)


def test_every_public_law_has_a_page_and_a_picture():
    assert sorted(PUBLIC_LAWS) == [name for name in PUBLIC if name != "Law"]
    for name in PUBLIC_LAWS:
        assert (ROOT / "docs" / "pictures" / "laws" / f"{name_in_files(name)}.png").is_file()


@pytest.mark.parametrize("name", PUBLIC_LAWS)
def test_page_of_a_law_is_up_to_date(name):
    there = (ROOT / "docs" / "laws" / f"{name_in_files(name)}.md").read_text(encoding="utf-8")
    assert there == page(name), "run: python scripts/make_law_pages.py"


def test_the_list_of_laws_is_up_to_date_and_leads_to_every_page():
    text = (ROOT / "docs" / "laws.md").read_text(encoding="utf-8")
    assert text == list_of_laws(text), "run: python scripts/make_law_pages.py"
    linked = re.findall(r"^\| \[`(\w+)\(.*?\]\(laws/([\w-]+)\.md\)", text, re.MULTILINE)
    assert linked == [(name, name_in_files(name)) for name in PUBLIC_LAWS]


def test_the_contents_of_the_documentation_have_every_page():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert text == contents(text), "run: python scripts/make_law_pages.py"
    assert re.findall(r"^laws/(.*)$", text, re.MULTILINE) == [name_in_files(name) for name in PUBLIC_LAWS]


def test_no_page_is_left_of_a_law_that_is_gone():
    assert {p.stem for p in (ROOT / "docs" / "laws").glob("*.md")} == {name_in_files(name) for name in PUBLIC_LAWS}


def test_what_the_app_says_and_draws_of_laws_is_up_to_date():
    """Drawings may differ by what a processor rounds: a tenth of a pixel."""
    there = json.loads(FILE.read_text(encoding="utf-8"))
    assert list(there) == list(cards()), "run: python scripts/make_law_cards.py"
    for law, own in cards().items():
        assert there[law]["use"] == own["use"], "run: python scripts/make_law_cards.py"
        drawn, now = ([float(x) for x in re.findall(r"[\d.]+", path)] for path in (there[law]["loop"], own["loop"]))
        assert drawn == pytest.approx(now, abs=0.11), "run: python scripts/make_law_cards.py"
