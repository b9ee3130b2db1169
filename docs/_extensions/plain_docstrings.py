"""Docstrings are plain text: `name : description` a line for each argument. This turns them into what Sphinx reads.

Laws get an example, made from the same words as their page.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

from slipstick.laws.base import Law

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


def law_example(law: Any) -> str:
    """Code that makes a law and follows it along a loop."""
    words = law.words
    setup = f"{words.setup.strip()}\n" if words.setup else ""
    path = ", ".join(f"{share * words.amplitude:g}" for share in (0.0, 1.0, -1.0, 1.0))
    return (
        f"import slipstick as ss\n{setup}law = ss.{law.__name__}({words.example})\n"
        f"print(law.trace([{path}], [0.0, 1.0, 2.0, 3.0]))"
    )


def _replace(_app: Any, _what: str, _name: str, described: Any, _options: Any, lines: list[str]) -> None:
    lines[:] = converted(lines)
    if isinstance(described, type) and issubclass(described, Law) and described.words is not None:
        lines += ["", ".. code-block:: python", "", *(f"   {line}" for line in law_example(described).split("\n")), ""]


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _replace)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
