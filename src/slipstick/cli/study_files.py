"""The study or model in a file, for commands; problems are printed one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from slipstick.cli.console import EXIT_BAD_INPUT, print_error
from slipstick.errors import InvalidInput

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.study import Study


def study_from_file(file: str) -> Study:
    """The study in a file; exits with 2 if it has problems."""
    from slipstick.study import examine_study

    report = examine_study(file)
    for line in report.warnings:
        print_error(f"warning: {line}")
    if report.study is None:
        for problem in report.problems:
            print_error(str(problem))
        raise typer.Exit(EXIT_BAD_INPUT)
    return report.study


def reject_study(file: str, command: str, advice: str) -> None:
    """Refuse a study for a command that takes a model file."""
    from slipstick.study import is_study

    if is_study(file):
        raise InvalidInput(f"{command}: {file} is a study, not a model; {advice}")


def model_from_file(file: str) -> Model:
    """The model in a file; exits with 2 if it has problems."""
    from slipstick.api import Model
    from slipstick.model.files import examine

    report = examine(file, Model)
    if report.model is None:
        for problem in report.problems:
            print_error(str(problem))
        raise typer.Exit(EXIT_BAD_INPUT)
    return report.model
