"""The study that a file holds, for commands; what is wrong with it is told line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from slipstick.cli.console import complain
from slipstick.cli.errors import BAD_INPUT

if TYPE_CHECKING:
    from slipstick.study import Study


def study_in(file: str) -> Study:
    """What a file asks for; leaves with 2 where that cannot be done."""
    from slipstick.study import examine_study

    report = examine_study(file)
    for line in report.warnings:
        complain(f"warning: {line}")
    if report.study is None:
        for problem in report.problems:
            complain(str(problem))
        raise typer.Exit(BAD_INPUT)
    return report.study
