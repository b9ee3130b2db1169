"""The glossary and the map of the house name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "docs" / "glossary.md", ROOT / "docs" / "architecture.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|md|yaml|toml))`", page.read_text(encoding="utf-8"))
    assert named
    bases = (ROOT, ROOT / "src" / "slipstick")
    assert [name for name in named if not any((base / name).exists() for base in bases)] == []
