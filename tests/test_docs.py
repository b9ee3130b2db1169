"""Every Python block of the documentation runs, and so do the `$ slipstick` lines of console blocks.

One module and one empty directory a page, in the order of the page. A YAML block that begins with the name of a file
(`# drive.yaml`), or is fenced with it (```yaml drive.yaml), is saved under it; every one is checked as `slipstick
check` does, a part of a model within a small one. A block fenced as ```python no-run (or ```console no-run) is left
out.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from slipstick.transient.methods import METHODS

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from page_blocks import blocks, command, run_page, save_file  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SLOW = {ROOT / "docs/howto/rank-laws.md"}  # README.md and docs/identify.md rank, too


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.long if page in SLOW else ()) for page in PAGES],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_blocks_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setitem(sys.modules, f"page_{page.stem}", None)  # taken away again afterwards
    run_page(page)


def test_the_page_on_simulate_has_every_option_of_every_method_with_its_default():
    page = (ROOT / "docs" / "simulate.md").read_text(encoding="utf-8")
    table = page[page.index("| method | step or tolerance |") :]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*)$", table[: table.index("\n\n")], re.MULTILINE))
    assert rows.keys() == METHODS.keys()
    for method, row in rows.items():
        run = import_module(f"slipstick.transient.{method}").run
        options = list(inspect.signature(run).parameters.values())[2:]
        for option in options:
            assert f"`{option.name}=" in row, (method, option.name)
            stated = row.split(f"`{option.name}=")[1].split("`")[0]
            if option.default is not None:
                assert ast.literal_eval(stated) == option.default, (method, option.name)
        assert options or "none" in row


def test_blocks_are_found_with_their_lines_and_no_run_is_left_out():
    text = (
        "a\n```python\nx = 1\n```\n```python no-run\nboom()\n```\n  ```python\n  y = 2\n  ```\n"
        "```text\nz\n```\n```console\n$ slipstick new a\n```\n```yaml b.yaml\nslipstick: 1\n```\n"
    )
    assert list(blocks(text)) == [
        ("python", 2, "x = 1\n"),
        ("python", 8, "y = 2\n"),
        ("console", 14, "$ slipstick new a\n"),
        ("yaml", 17, "# b.yaml\nslipstick: 1\n"),
    ]


def test_a_wrong_file_on_a_page_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    part = "connections:\n  shaft: {deflection: a - b, law: linear, stiffness: 8 N m/deg}\n"
    command(f"check {save_file(part)}")
    with pytest.raises(AssertionError, match="left with 2"):
        command(f"check {save_file(part.replace('stiffness', 'stifness'))}")


def test_messages_in_the_page_on_trouble_are_those_of_the_code():
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^### `([^`]+)`", page, re.MULTILINE)
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert len(quoted) > 10
    assert [message for message in quoted if message not in code] == []
