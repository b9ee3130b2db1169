"""Docstrings are plain words: `name : what it is` a line for each argument. Here they become what Sphinx reads."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

ARGUMENT = re.compile(r"^(?P<names>\w[\w, ./=|]*?) : (?P<words>\S.*)$")
BESIDE = re.compile(r" {2,}(?=\w[\w, ]* : )")  # two short ones may share a line
LITERAL = re.compile(r"(``.+?``|`.+?`)")


def escaped(text: str) -> str:
    """Words as they are: bars, stars and underscores mean nothing, what stands in backticks is code."""
    parts = LITERAL.split(text)
    return "".join(
        f"``{part.strip('`')}``" if i % 2 else re.sub(r"([\\*|`_])", r"\\\1", part) for i, part in enumerate(parts)
    )


def converted(lines: list[str]) -> list[str]:
    """The lines of a docstring, with a list of its arguments and its indented blocks as code."""
    out: list[str] = []
    inside = ""  # "argument", "code" or nothing
    for line in [part for whole in lines for part in _apart(whole)]:
        found = ARGUMENT.match(line)
        if not line.strip():
            inside = "code" if inside == "code" else ""
            out.append("")
        elif found:
            out += ["", f"* **{escaped(found['names'])}**: {escaped(found['words'])}"]
            inside = "argument"
        elif line.startswith(" ") and inside == "argument":
            out.append(f"  {escaped(line.strip())}")
        elif line.startswith("    "):
            out += [line] if inside == "code" else ["::", "", line]
            inside = "code"
        else:
            out += ["", escaped(line)] if inside else [escaped(line)]
            inside = ""
    return out


def _apart(line: str) -> list[str]:
    return BESIDE.split(line) if ARGUMENT.match(line) else [line]


def _replace(*event: Any) -> None:
    lines = event[-1]  # the last argument of the event, to be changed in place
    lines[:] = converted(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _replace)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
