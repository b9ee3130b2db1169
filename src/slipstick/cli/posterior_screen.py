"""Draws from the posterior of a fit or a calibration, on the screen and in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from slipstick.cli.console import console, print_line
from slipstick.cli.option_types import optional

if TYPE_CHECKING:
    from slipstick.results.calibration import Calibration
    from slipstick.results.fit import Fit

PosteriorOption = Annotated[
    int | None,
    optional(min=1, metavar="1000", help="Also draw from the posterior: intervals that need not be symmetric."),
]


def show_posterior(found: Fit | Calibration, draws: int, target: Path) -> None:
    """Draw, print the intervals beside those from curvature, and write the draws."""
    from slipstick.progress import progress_bar

    with progress_bar("posterior") as report:
        drawn = found.posterior(draws, progress=lambda used, budget: report(f"{used} evaluations", used / budget))
    screen = console()
    screen.print()
    screen.print(repr(drawn), soft_wrap=True)
    drawn.save(target)
    print_line(f"written: {target}")
