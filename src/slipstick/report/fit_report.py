"""The page about a fit, and the page about a ranking of laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.report import html_page as html
from slipstick.report.fit_tables import (
    DERIVED_NOTE,
    Table,
    fit_notes,
    fit_verdict,
    loop_table,
    parameter_table,
    ranking_table,
)
from slipstick.report.law_block import law_block
from slipstick.study.command_messages import COMMAND

if TYPE_CHECKING:
    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

ENERGY_NOTE = "energy: what a measured cycle takes; error: how much more one of the law takes"


def fit_page(fit: Fit, name: str, drawn: bytes, command: str = "") -> str:
    """HTML about a fit.   name : of the page.   drawn : its picture as SVG.   command : that made it, where one did."""
    parts = [
        html.embedded_figure(drawn, f"measured and fitted loops, and what is left, of {name}"),
        html.section("Numbers", html.table(parameter_table(fit)), _derived_note(fit)),
        _words(fit),
        html.section("Loops", html.table(loop_table(fit)), html.small_print(ENERGY_NOTE)),
        html.section("Correlation of what was sought", _correlation(fit)),
        _block(fit),
        _command_section(command),
    ]
    return html.html_page(f"{name}: {fit.kind}", fit_verdict(fit), fit.within_noise, [part for part in parts if part])


def ranking_page(ranking: Ranking, name: str, drawn: bytes, command: str = "") -> str:
    """HTML about a ranking."""
    best = ranking.best
    troubles = [COMMAND.message(row.trouble.with_owner(row.name)) for row in ranking.table if row.fit is None]
    parts = [
        html.embedded_figure(drawn, f"the best laws beside what was measured, of {name}"),
        html.section("Laws, best first", html.table(ranking_table(ranking)), html.small_print(CRITERION_NOTE)),
        html.bullet_list([COMMAND.message(words) for words in ranking.remarks], "warning") + html.bullet_list(troubles),
        html.section(f"The numbers of {best.kind}", html.table(parameter_table(best)), _derived_note(best)),
        _words(best),
        html.section("Loops", html.table(loop_table(best)), html.small_print(ENERGY_NOTE)),
        _block(best),
        _command_section(command),
    ]
    return html.html_page(f"{name}: which law", ranking.verdict, ranking.within_noise, [part for part in parts if part])


CRITERION_NOTE = (
    "criterion: Bayes' information criterion, above that of the first; a lead below 10 decides nothing. "
    "residual: rms of the force. in the noise: nearly where it leaves little more than noise, but so many samples tell "
    "that it is more"
)


def _derived_note(fit: Fit) -> str:
    return html.small_print(DERIVED_NOTE) if fit.derived else ""


def _words(fit: Fit) -> str:
    return html.section(
        "What to know",
        html.bullet_list([COMMAND.message(words) for words in fit.warnings], "warning"),
        html.bullet_list([COMMAND.message(note) for note in fit_notes(fit)]),
    )


def _correlation(fit: Fit) -> str:
    if len(fit.free) < 2:
        return ""
    rows = [
        (name, *(f"{fit.correlation[i, j]:.3f}" if j < i else "1" if j == i else "" for j in range(len(fit.free))))
        for i, name in enumerate(fit.free)
    ]
    return html.table(Table(("", *fit.free), rows, len(fit.free)))


def _block(fit: Fit) -> str:
    return html.section("To paste under connections: of a model", html.code(law_block(fit)))


def _command_section(command: str) -> str:
    return html.section("Made by", html.code(command)) if command else ""
