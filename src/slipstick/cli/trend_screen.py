"""Screen output of the parameters of a law over frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.cli.console import console, headline, table
from slipstick.report.trend_report import trend_value_tables, trend_warnings

if TYPE_CHECKING:
    from slipstick.results.trend import Trend

MAX_WARNINGS = 6


def show_trend(trend: Trend, name: str, seconds: float) -> None:
    """The summary of a trend."""
    screen = console()
    count = sum(len(own) for own in trend.fits.values())
    headline(screen, f"{name}: ", f"{trend.law} fitted at {count} frequencies, {seconds:.3g} s in all")
    for which in trend.sets:
        screen.print()
        if which:
            headline(screen, which, "")
        for i, part in enumerate(trend_value_tables(trend, which)):
            if i:
                screen.print()
            screen.print(table(*part))
    screen.print()
    for words in trend.sentences:
        screen.print(words, soft_wrap=True)
    warnings = trend_warnings(trend)
    for words in warnings[:MAX_WARNINGS]:
        screen.print(f"warning: {words}", soft_wrap=True)
    if len(warnings) > MAX_WARNINGS:
        screen.print(f"and {len(warnings) - MAX_WARNINGS} more warnings, on the page", soft_wrap=True)
