"""HTML reports of a fit and of a ranking of laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.report import html_page as html
from slipstick.report.fit_tables import (
    DERIVED_NOTE,
    fit_notes,
    fit_verdict,
    loop_table,
    parameter_table,
    ranking_table,
)
from slipstick.report.law_block import law_block
from slipstick.report.table import Table
from slipstick.study.command_messages import COMMAND

if TYPE_CHECKING:
    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

ENERGY_NOTE = "energy: dissipated by a measured cycle; error: of the energy of the fitted law"


def fit_page(fit: Fit, name: str, drawn: bytes, command: str = "") -> str:
    """HTML report of a fit.   name : of the page.   drawn : its figure as SVG.   command : that made it, if any."""
    parts = [
        html.embedded_figure(drawn, f"measured and fitted loops, and residuals, of {name}"),
        html.section("Parameters", html.table(parameter_table(fit)), _derived_note(fit)),
        _words(fit),
        html.section("Loops", html.table(loop_table(fit)), html.small_print(f"{fit.grade.words}. {ENERGY_NOTE}")),
        html.section("Correlation of the fitted parameters", _correlation(fit)),
        _block(fit),
        _command_section(command),
    ]
    return html.html_page(f"{name}: {fit.kind}", fit_verdict(fit), fit.within_noise, [part for part in parts if part])


def ranking_page(ranking: Ranking, name: str, drawn: bytes, command: str = "") -> str:
    """HTML report of a ranking."""
    best = ranking.best
    troubles = [COMMAND.message(row.trouble.with_owner(row.name)) for row in ranking.table if row.fit is None]
    parts = [
        html.embedded_figure(drawn, f"the best laws and the measured loop, of {name}"),
        html.section("Laws, best first", html.table(ranking_table(ranking)), html.small_print(CRITERION_NOTE)),
        html.bullet_list([COMMAND.message(words) for words in ranking.remarks], "warning") + html.bullet_list(troubles),
        html.section(f"Parameters of {best.kind}", html.table(parameter_table(best)), _derived_note(best)),
        _words(best),
        html.section("Loops", html.table(loop_table(best)), html.small_print(f"{best.grade.words}. {ENERGY_NOTE}")),
        _block(best),
        _command_section(command),
    ]
    return html.html_page(f"{name}: which law", ranking.verdict, ranking.within_noise, [part for part in parts if part])


CRITERION_NOTE = (
    "BIC difference: Bayesian information criterion less the smallest one; under 10 is a tie, and the law with the "
    "fewest parameters leads. It counts independent residuals of the best law, so compare it within one ranking only. "
    "residual: rms of the force. held-out error: rms at amplitudes, or in parts of the "
    "record, that were held out of the fit. "
    "within noise: nearly, if the residual is within the noise, but the samples show that the first law fits better"
)


def _derived_note(fit: Fit) -> str:
    return html.small_print(DERIVED_NOTE) if fit.derived else ""


def _words(fit: Fit) -> str:
    return html.section(
        "Warnings and notes",
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
