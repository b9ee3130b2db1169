"""What the screen says about a fit, and about a ranking of laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.cli.console import BAD, GOOD, console, headline, say, show_notes, table, took, without
from slipstick.report.block import block_of
from slipstick.report.rows import FOLLOWS, SAMPLES, laws_of, loops_of, notes_of, numbers_of, verdict_of

if TYPE_CHECKING:
    from rich.console import Console

    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

SPARE = ("start", "by rule")  # columns of a table that a narrow terminal has no room for


def show_fit(fit: Fit, name: str, seconds: float) -> None:
    """The summary of a fit."""
    screen = console()
    loops = f"{len(fit.loops)} loop{'s' * (len(fit.loops) != 1)}"
    headline(screen, f"{name}: ", f"{fit.kind} fitted to {loops}, {fit.samples_words}")
    screen.print(took(fit.seconds, seconds), soft_wrap=True)
    _fit(screen, fit)
    screen.print()
    screen.print("to paste under connections: of a model", style="bold")
    say(block_of(fit).rstrip())


def show_ranking(ranking: Ranking, name: str, seconds: float, chosen: bool) -> None:
    """The summary of a ranking, and of the fit of the first law; chosen : who typed the command named the laws."""
    screen = console()
    fits = [row.fit for row in ranking.table if row.fit is not None]
    headline(screen, f"{name}: ", f"{len(ranking.table)} laws, best first")
    screen.print(took(sum(fit.seconds for fit in fits), seconds), soft_wrap=True)
    screen.print()
    screen.print(table(*laws_of(ranking)))
    screen.print()
    headline(screen, ranking.verdict, "", GOOD if ranking.within_noise else BAD)
    if not chosen:
        screen.print(f"not tried (name them with --laws): {', '.join(_untried(ranking))}", soft_wrap=True)
    for row in ranking.table:
        if row.fit is None:
            screen.print(f"no fit of {row.name}: {row.trouble.command}", soft_wrap=True)
    for words in ranking.remarks:
        screen.print(f"warning: {words}", soft_wrap=True)
    screen.print()
    headline(screen, ranking.best.kind, "")
    _fit(screen, ranking.best)


OTHERS = ("iwan:7", "fibre-shear", "polynomial+dahl", "bliman-sorine", "lugre")


def _untried(ranking: Ranking) -> list[str]:
    """Laws that could be compared, too."""
    return [name for name in OTHERS if name not in {row.name for row in ranking.table}]


def _fit(screen: Console, fit: Fit) -> None:
    screen.print()
    heads, rows, numbers, out = without(*numbers_of(fit), SPARE, screen.width)
    screen.print(table(heads, rows, numbers))
    below = [FOLLOWS] * bool(fit.derived) + [f"on the page only: {', '.join(out)}"] * bool(out)
    if below:
        screen.print("; ".join(below))
    screen.print()
    loops = loops_of(fit)
    heads, rows, numbers, _ = without(*loops, (SAMPLES, loops.heads[-2]), screen.width)
    screen.print(table(heads, rows, numbers))
    screen.print()
    headline(screen, verdict_of(fit), "", GOOD if fit.within_noise else BAD)
    for words in fit.warnings:
        screen.print(f"warning: {words}", soft_wrap=True)
    show_notes(screen, notes_of(fit))
