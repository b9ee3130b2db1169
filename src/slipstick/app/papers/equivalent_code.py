"""The Python script and the command that make the same figure as the page Papers."""

from __future__ import annotations

import shlex

from slipstick.app.equivalent_code import EquivalentCode, keyword_arguments, script
from slipstick.app.papers.page_state import FigureRequest


def figure_code(request: FigureRequest) -> EquivalentCode:
    """Script and command of a figure with the numbers of this request."""
    known: dict[str, object] = {"numbers": dict(request.changed)} if request.changed else {}
    known |= {"own_scheme": True} if request.own_scheme else {}
    arguments = ", ".join([repr(request.paper), repr(request.label), *([keyword_arguments(known)] if known else [])])
    table = request.label.startswith("table")
    command = ["slipstick", "paper", request.paper]
    command += ["--table", request.label.removeprefix("table")] if table else ["--figure", request.label]
    for name, value in request.changed.items():
        command += ["--number", f"{name}={value!r}"]
    command += ["--own-scheme"] * request.own_scheme
    lines = [f"figure = ss.paper({arguments})", "print(figure)", 'figure.save("papers")']
    return EquivalentCode(script(lines), shlex.join(command))
