"""Every Python block of the documentation runs, and so do the `$ slipstick` lines of console blocks.

One module and one empty directory a page, in the order of the page. A YAML block that begins with the name of a file
(`# drive.yaml`) is saved under it. A block fenced as ```python no-run (or ```console no-run) is left out.
"""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from slipstick.cli import main
from slipstick.transient.methods import METHODS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>python|console|yaml) *(?P<flag>[\w-]*)\n(?P<code>.*?)^(?P=indent)``` *$",
    re.MULTILINE | re.DOTALL,
)


def blocks(text):
    """(kind, line, code) of every block to run."""
    for found in FENCE.finditer(text):
        if found["flag"] != "no-run":
            yield found["kind"], text.count("\n", 0, found.start("code")), textwrap.dedent(found["code"])


def run_console(code):
    for line in code.splitlines():
        if line.startswith("$ slipstick "):
            with pytest.raises(SystemExit) as left:
                main(shlex.split(line.removeprefix("$ slipstick "), comments=True))
            assert left.value.code == 0, line


def save_if_named(code):
    named = re.match(r"# ([\w-]+\.yaml)\n", code)
    if named:
        Path(named[1]).write_text(code, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_blocks_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    # a real module with a real file: a law that is written on the page is compiled from its source
    module = ModuleType(f"page_{page.stem}")
    module.__file__ = str(page)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for kind, line, code in blocks(page.read_text(encoding="utf-8")):
        if kind == "console":
            run_console(code)
        elif kind == "yaml":
            save_if_named(code)
        else:  # empty lines before the code make tracebacks and sources point into the page
            exec(compile("\n" * line + code, str(page), "exec"), module.__dict__)


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
        "```text\nz\n```\n```console\n$ slipstick new a\n```\n"
    )
    assert list(blocks(text)) == [
        ("python", 2, "x = 1\n"),
        ("python", 8, "y = 2\n"),
        ("console", 14, "$ slipstick new a\n"),
    ]


def test_messages_in_the_page_on_trouble_are_those_of_the_code():
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^### `([^`]+)`", page, re.MULTILINE)
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert len(quoted) > 10
    assert [message for message in quoted if message not in code] == []
