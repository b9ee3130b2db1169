"""The code blocks of a page, and how they are run: by the tests, and by what draws the pictures of tutorials."""

from __future__ import annotations

import re
import shlex
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from slipstick.cli import main

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>python|console|yaml) *(?P<flag>[\w.-]*)\n(?P<code>.*?)^(?P=indent)``` *$",
    re.MULTILINE | re.DOTALL,
)


def blocks(text: str) -> Iterator[tuple[str, int, str]]:
    """(kind, line, code) of every block to run; a file that is named by its fence has the name in its first line."""
    for found in FENCE.finditer(text):
        if found["flag"] != "no-run":
            name = f"# {found['flag']}\n" if found["flag"] else ""
            yield found["kind"], text.count("\n", 0, found.start("code")), name + textwrap.dedent(found["code"])


def run_page(page: Path) -> None:
    """All blocks of a page, in its order, in this folder.

    Their module is a real one with a real file: a law that is written on the page is compiled from its source.
    """
    module = ModuleType(f"page_{page.stem}")
    module.__file__ = str(page)
    sys.modules[module.__name__] = module
    for kind, line, code in blocks(page.read_text(encoding="utf-8")):
        if kind == "console":
            run_console(code)
        elif kind == "yaml":
            command(f"check {save_file(code)}")
        else:  # empty lines before the code make tracebacks and sources point into the page
            exec(compile("\n" * line + code, str(page), "exec"), module.__dict__)


def run_console(code: str) -> None:
    """Its lines that call slipstick."""
    for line in code.splitlines():
        if line.startswith("$ slipstick "):
            command(line.removeprefix("$ slipstick "))


def command(words: str) -> None:
    """A command that has to leave with 0."""
    try:
        main(shlex.split(words, comments=True))
    except SystemExit as left:
        if left.code != 0:
            raise AssertionError(f"slipstick {words} left with {left.code}") from None


def save_file(code: str) -> Path:
    """A YAML block as a file of the name in its first line; a part of a model within a small one."""
    named = re.match(r"# ([\w-]+\.yaml)\n", code)
    file = Path(named[1] if named else "unnamed.yaml")
    file.write_text(code if "slipstick: 1" in code else _in_a_model(code), encoding="utf-8")
    return file


def _in_a_model(connections: str) -> str:
    """A small model with connections of a page: their coordinates are rotors."""
    names = sorted(set(re.findall(r"[a-z]\w*", " ".join(re.findall(r"deflection: (.+)", connections)))))
    rotors = "".join(f"  {name}: {{inertia: 1 kg m^2}}\n" for name in names)
    return f"slipstick: 1\ncoordinates:\n{rotors}{connections}"
