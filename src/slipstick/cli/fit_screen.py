"""Screen output of a fit and of a ranking of laws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from slipstick.cli.console import (
    BAD_STYLE,
    GOOD_STYLE,
    console,
    drop_wide_columns,
    headline,
    print_line,
    show_notes,
    table,
    timing_text,
)
from slipstick.identification.ranking.further_laws import FURTHER_LAWS
from slipstick.identification.tolerances import FURTHER_LAWS_MISFIT_SHARE
from slipstick.report.fit_tables import (
    BIC_NOTE,
    DERIVED_NOTE,
    SAMPLES_HEAD,
    fit_notes,
    fit_verdict,
    loop_table,
    parameter_table,
    ranking_table,
)
from slipstick.report.law_block import law_block
from slipstick.sensitivity.next_test import next_test_sentence
from slipstick.study.command_messages import COMMAND
from slipstick.units.number_format import format_percent

if TYPE_CHECKING:
    from rich.console import Console

    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

MAX_FIRST_WARNINGS = 3  # the others follow the notes
MIN_SHARED_BEGINNING = 12  # letters of all loop names that dots replace
MAX_NAME_LENGTH = 32  # of a loop in a table
OPTIONAL_COLUMNS = ("start", "by rule")  # columns of a table that a narrow terminal has no room for
OPTIONAL_RANKING_COLUMNS = ("energy error", "within noise")  # the verdict says the second


def show_fit(fit: Fit, name: str, seconds: float) -> None:
    """The summary of a fit: the verdict first, then tables, notes and the block for a model."""
    screen = console()
    loops = f"{len(fit.loops)} loop{'s' * (len(fit.loops) != 1)}"
    headline(screen, f"{name}: ", f"{fit.kind} fitted to {loops}, {fit.samples_words}")
    screen.print(timing_text(fit.seconds, seconds), soft_wrap=True)
    _fit(screen, fit)
    _next_test(screen, fit)
    screen.print()
    screen.print("to paste under connections: of a model", style="bold")
    print_line(law_block(fit).rstrip())


def show_ranking(ranking: Ranking, name: str, seconds: float, chosen: bool) -> None:
    """The summary of a ranking, and of the fit of the first law; chosen : the laws were named in the command."""
    screen = console()
    fits = [row.fit for row in ranking.table if row.fit is not None]
    headline(screen, f"{name}: ", f"{len(ranking.table)} laws on {ranking.best.samples_words}, best first")
    screen.print(timing_text(sum(fit.seconds for fit in fits), seconds), soft_wrap=True)
    screen.print()
    headline(screen, ranking.verdict, "", GOOD_STYLE if ranking.within_noise else BAD_STYLE)
    screen.print()
    heads, rows, numbers, _ = drop_wide_columns(*ranking_table(ranking), OPTIONAL_RANKING_COLUMNS, screen.width)
    screen.print(table(heads, rows, numbers))
    if len(fits) > 1:
        screen.print(BIC_NOTE, soft_wrap=True)
        _next_test(screen, ranking)
    screen.print()
    if not chosen:
        if added := _added_laws(ranking):
            share = format_percent(FURTHER_LAWS_MISFIT_SHARE)
            words = f"added, as the usual laws are off by more than {share} of the range of force: {', '.join(added)}"
            screen.print(words, soft_wrap=True)
        for law, reason in ranking.composed:
            screen.print(f"tried {law}: {reason}", soft_wrap=True)
        screen.print(f"not tried (name them with --laws): {', '.join(_untried_laws(ranking))}", soft_wrap=True)
    for row in ranking.table:
        if row.fit is None:
            screen.print(f"no fit of {row.name}: {COMMAND.message(row.trouble)}", soft_wrap=True)
    for words in ranking.remarks:
        screen.print(f"warning: {COMMAND.message(words)}", soft_wrap=True)
    screen.print()
    headline(screen, ranking.best.kind, "")
    _fit(screen, ranking.best)


UNTRIED_LAWS = ("masing+maxwell", "series(freeplay, masing)", "polynomial+dahl", "iwan:7", "fibre-shear", "lugre")


def _added_laws(ranking: Ranking) -> list[str]:
    """Laws that `rank` tried on its own, as none of the usual ones came close."""
    names = {row.name for row in ranking.table}
    return [name for name in FURTHER_LAWS if name in names]


def _untried_laws(ranking: Ranking) -> list[str]:
    """Laws that could be compared, too."""
    return [name for name in UNTRIED_LAWS if name not in {row.name for row in ranking.table}]


def _next_test(screen: Console, result: Fit | Ranking) -> None:
    if sentence := next_test_sentence(result):
        screen.print(f"note: {sentence}", soft_wrap=True)


def _fit(screen: Console, fit: Fit) -> None:
    headline(screen, fit_verdict(fit), "", GOOD_STYLE if fit.within_noise else BAD_STYLE)
    screen.print(fit.grade.words, soft_wrap=True)
    shown = fit.further_warnings
    for words in shown[:MAX_FIRST_WARNINGS]:
        screen.print(f"warning: {COMMAND.message(words)}", soft_wrap=True)
    screen.print()
    heads, rows, numbers, out = drop_wide_columns(*parameter_table(fit), OPTIONAL_COLUMNS, screen.width)
    screen.print(table(heads, rows, numbers))
    below = [DERIVED_NOTE] * bool(fit.derived) + [f"on the page only: {', '.join(out)}"] * bool(out)
    if below:
        screen.print("; ".join(below))
    screen.print()
    loops = loop_table(fit)
    names = _short_names([row[0] for row in loops.rows])
    short = [(name, *row[1:]) for name, row in zip(names, loops.rows, strict=True)]
    spare = (SAMPLES_HEAD, loops.heads[-2], "Hz")
    heads, rows, numbers, _ = drop_wide_columns(loops.heads, short, loops.numbers, spare, screen.width)
    screen.print(table(heads, rows, numbers))
    screen.print()
    show_notes(screen, fit_notes(fit))
    for words in shown[MAX_FIRST_WARNINGS:]:
        screen.print(f"also: {COMMAND.message(words)}", soft_wrap=True)


def _short_names(names: Sequence[str]) -> list[str]:
    """Names without the beginning that all of them share; long ones with dots in their middle."""
    shared = next((i for i, signs in enumerate(zip(*names, strict=False)) if len(set(signs)) > 1), 0)
    begin = max(names[0].rfind(sign, 0, shared) for sign in "_- /") + 1
    short = [f"...{name[begin:]}" if begin > MIN_SHARED_BEGINNING else name for name in names]
    half = MAX_NAME_LENGTH // 2 - 1
    return [name if len(name) <= MAX_NAME_LENGTH else f"{name[:half]}...{name[-half:]}" for name in short]
