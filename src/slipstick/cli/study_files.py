"""The study in a file, for commands; problems are printed one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from slipstick.cli.console import EXIT_BAD_INPUT, print_error

if TYPE_CHECKING:
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
