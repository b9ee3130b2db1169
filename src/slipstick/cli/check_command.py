"""``slipstick check``: problems and contents of a model or study file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from slipstick.cli.console import EXIT_BAD_INPUT, console, print_error, print_line, table
from slipstick.cli.option_types import argument

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.errors import FileError
    from slipstick.model.files import Report


def check(
    files: Annotated[list[str] | None, argument(metavar="FILE", help="Model or study files.")] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of model files, for editors.")
    ] = False,
) -> None:
    """Check model and study files, and show their contents.

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
            print_error(
                f"{file}: this is a file of results, not a model or a study; ss.open({file!r}) reads it in Python"
            )
            raise typer.Exit(EXIT_BAD_INPUT)
        if is_study(file):
            problems += _show_study(file)
            continue
        report = examine(file, Model)
        _show(report)
        problems += report.problems
    if problems:
        raise typer.Exit(EXIT_BAD_INPUT)


def _print_schema() -> None:
    import json

    from slipstick.model.files import json_schema

    print_line(json.dumps(json_schema(), indent=2))


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
        print_error(str(problem))
    if report.study is not None and not problems:
        kind = report.study.kind
        _summary(file, report.study.model)
        print_line(f"\n{kind.name}: {kind.words(report.study.settings)}")
        if report.study.sweep is not None:
            print_line(f"sweep: {report.study.sweep.words}")
            print_line(f"writes {report.study.sweep.store}")
        for target in filter(None, (report.study.data, report.study.figure)):
            print_line(f"writes {target}")
        for line in report.warnings:
            print_line(f"warning: {line}")
    return problems


def _show(report: Report[Model]) -> None:
    from slipstick.model.files.file_problems import MAX_PROBLEMS

    if report.model is None:
        for problem in report.problems:
            print_error(str(problem))
        if len(report.problems) >= MAX_PROBLEMS:
            print_error(f"{report.file}: these are the first {MAX_PROBLEMS} problems; there may be more")
        return
    _summary(report.file, report.model)
    print_line("")
    for word, lines in (("warning", report.warnings), ("note", report.notes)):
        for line in lines:
            print_line(f"{word}: {line}")
    if report.warnings or report.notes:
        print_line("")


def _summary(file: str, model: Model) -> None:
    """A short description of a model, at the width of the terminal."""
    from rich.text import Text

    from slipstick.report.model_tables import base_frequency_text, model_tables

    screen = console()
    screen.print(Text.assemble((f"{file}: ok", "bold green"), f"  {model.name}"), soft_wrap=True)
    if model.frequency is not None:
        screen.print(base_frequency_text(model))
    if model.matrices is not None:
        screen.print(f"matrices of {len(model.matrices.names)} coordinates")
    for heads, rows in model_tables(model):
        screen.print()
        screen.print(table(heads, rows))
