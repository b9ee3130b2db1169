"""``slipstick check``: is this model or study file right, and what is in it?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slipstick.cli.console import complain, console, say, table
from slipstick.cli.errors import BAD_INPUT

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.errors import FileError
    from slipstick.model.files import Report
    from slipstick.plot.units import Axis


def check(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE", help="Model or study files.", show_default=False)
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of model files, for editors.")
    ] = False,
) -> None:
    """Check model and study files, and show what is in them.

    Every problem is one line: file:line: path: what is wrong, and what to do. The exit code is 2 if there are any.
    """
    if schema:
        _print_schema()
        return
    if not files:
        raise typer.BadParameter("name at least one file, such as belt.yaml", param_hint="FILE")
    from slipstick.api import Model
    from slipstick.model.files import examine
    from slipstick.study import is_study

    problems = []
    for file in files:
        if file.endswith(".nc"):
            complain(f"{file}: this is a file of results, not a model or a study; ss.open({file!r}) reads it in Python")
            raise typer.Exit(BAD_INPUT)
        if is_study(file):
            problems += _show_study(file)
            continue
        report = examine(file, Model)
        _show(report)
        problems += report.problems
    if problems:
        raise typer.Exit(BAD_INPUT)


def _print_schema() -> None:
    import json

    from slipstick.model.files import json_schema

    say(json.dumps(json_schema(), indent=2))


def _show_study(file: str) -> list[FileError]:
    """A study and the model in it; the problems, if there are any."""
    from slipstick.errors import FileError
    from slipstick.study import examine_study

    report = examine_study(file)
    problems = [*report.problems]
    if report.study is not None:
        try:
            report.study.check()
        except FileError as refusal:
            problems.append(refusal)
    for problem in problems:
        complain(str(problem))
    if report.study is not None and not problems:
        kind = report.study.kind
        _summary(file, report.study.model)
        say(f"\n{kind.name}: {kind.words(report.study.settings)}")
        if report.study.sweep is not None:
            say(f"sweep: {report.study.sweep.words}")
            say(f"writes {report.study.sweep.store}")
        for target in filter(None, (report.study.data, report.study.figure)):
            say(f"writes {target}")
        for line in report.warnings:
            say(f"warning: {line}")
    return problems


def _show(report: Report[Model]) -> None:
    from slipstick.model.files.problems import MOST_PROBLEMS

    if report.model is None:
        for problem in report.problems:
            complain(str(problem))
        if len(report.problems) >= MOST_PROBLEMS:
            complain(f"{report.file}: these are the first {MOST_PROBLEMS} problems; there may be more")
        return
    _summary(report.file, report.model)
    say("")
    for word, lines in (("warning", report.warnings), ("note", report.notes)):
        for line in lines:
            say(f"{word}: {line}")
    if report.warnings or report.notes:
        say("")


def _summary(file: str, model: Model) -> None:
    """A short description of a model, at the width of the terminal."""
    from rich.text import Text

    from slipstick.plot.units import axis_of

    screen = console()
    screen.print(Text.assemble((f"{file}: ok", "bold green"), f"  {model.name}"), soft_wrap=True)
    if model.frequency is not None:
        hertz = model.frequency / (2.0 * math.pi)
        screen.print(f"base frequency {model.frequency:.6g} rad/s = {hertz:.6g} Hz = {60 * hertz:.6g} rpm")
    if model.matrices is not None:
        screen.print(f"matrices of {len(model.matrices.names)} coordinates")
    held = () if model.matrices is None else model.matrices.names
    tables: list[tuple[tuple[str, ...], Sequence[tuple[str, ...]]]] = [
        (
            ("coordinate", "inertia", "start"),
            [_coordinate(c, axis_of(model, c), c.name in held) for c in model.coordinates],
        ),
        (("connection", "deflection", "law (SI units)"), [(c.name, _where(c), repr(c.law)) for c in model.connections]),
        (("load on", "function of time"), [(repr(load.form), repr(load.function)) for load in model.loads]),
    ]
    for heads, rows in tables:
        if rows:
            screen.print()
            screen.print(table(heads, rows))


def _coordinate(c: Any, axis: Axis, in_matrices: bool) -> tuple[str, str, str]:
    """Its name, inertia and start, in the units of the file where it tells them."""
    inertia = f"{c.inertia:.6g} {axis.inertia}" if c.inertia or c.motion is None else "-"
    if in_matrices:
        inertia = f"{inertia} beside the matrices" if c.inertia else "in the matrices"
    if c.motion is not None:
        return c.name, inertia, f"moves as {c.motion!r}"
    if c.displacement == 0.0 and c.velocity == 0.0:
        return c.name, inertia, "at rest"
    starts = [(c.displacement, "displacement", axis.unit), (c.velocity, "velocity", axis.rate)]
    return c.name, inertia, ", ".join(f"{word} {axis.factor * value:.6g} {unit}" for value, word, unit in starts)


def _where(connection: Any) -> str:
    text = repr(connection.deflection)
    return text if connection.is_conjugate else f"{text} along {connection.along!r}"
