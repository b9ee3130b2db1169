"""The pages on systems and papers name every keyword with its default, and every figure."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import slipstick as ss
from slipstick.papers import NAMES, entries

DOCS = Path(__file__).resolve().parents[2] / "docs"


def _rows(name: str) -> dict[str, str]:
    """Defaults as written, by keyword."""
    part = (DOCS / "systems.md").read_text(encoding="utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]
    found = {}
    for line in part.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        keys = re.findall(r"`(\w+)`", cells[0]) if line.startswith("| `") else []
        defaults = re.split(r",\s+(?![^(]*\))", cells[1]) if keys else []  # not within brackets
        found.update(zip(keys, defaults, strict=True) if len(keys) == len(defaults) else {})
    return found


def _number(words: str) -> float:
    return float(words.split()[0])


@pytest.mark.parametrize("name", NAMES)
def test_every_keyword_of_a_system_is_on_the_page_with_its_default(name):
    rows = _rows(name)
    for keyword in inspect.signature(getattr(ss.systems, name)).parameters.values():
        if keyword.kind is keyword.VAR_KEYWORD:
            continue
        stated = rows[keyword.name]
        if isinstance(keyword.default, tuple):
            inside = stated[1 : stated.index(")")]
            assert tuple(_number(one) for one in inside.split(",") if one.strip()) == keyword.default
        elif isinstance(keyword.default, str):
            assert stated == f'"{keyword.default}"'
        elif keyword.default is None:
            assert stated == "None"
        else:
            assert _number(stated) == pytest.approx(keyword.default, rel=1e-12), keyword.name


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_a_paper_is_on_the_page(name):
    page = (DOCS / "papers.md").read_text(encoding="utf-8").split("## What is in each")[1]
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
    numbers = {one for a, b in re.findall(r"(\d+) to (\d+)", row) for one in map(str, range(int(a), int(b) + 1))}
    numbers |= set(re.findall(r"\d+[a-c]?", row)) | set(re.findall(r"`([\w-]+)`", row))
    for one in entries(name):
        assert one.label.removeprefix("table ") in numbers, one.label
