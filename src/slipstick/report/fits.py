"""The page about a fit, and the page about a ranking of laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.report import page as html
from slipstick.report.block import block_of
from slipstick.report.rows import FOLLOWS, Table, laws_of, loops_of, notes_of, numbers_of, verdict_of

if TYPE_CHECKING:
    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

ENERGY = "energy: what a measured cycle takes; error: how much more one of the law takes"


def fit_page(fit: Fit, name: str, drawn: bytes, command: str = "") -> str:
    """HTML about a fit.   name : of the page.   drawn : its picture as SVG.   command : that made it, where one did."""
    parts = [
        html.picture(drawn, f"measured and fitted loops, and what is left, of {name}"),
        html.section("Numbers", html.table(numbers_of(fit)), _follows(fit)),
        _words(fit),
        html.section("Loops", html.table(loops_of(fit)), html.small(ENERGY)),
        html.section("Correlation of what was sought", _correlation(fit)),
        _block(fit),
        _made(command),
    ]
    return html.page(f"{name}: {fit.kind}", verdict_of(fit), fit.within_noise, [part for part in parts if part])


def ranking_page(ranking: Ranking, name: str, drawn: bytes, command: str = "") -> str:
    """HTML about a ranking."""
    best = ranking.best
    troubles = [f"{row.name}: {row.trouble.command}" for row in ranking.table if row.fit is None]
    parts = [
        html.picture(drawn, f"the best laws beside what was measured, of {name}"),
        html.section("Laws, best first", html.table(laws_of(ranking)), html.small(CRITERION)),
        html.listed(ranking.remarks, "warning") + html.listed(troubles),
        html.section(f"The numbers of {best.kind}", html.table(numbers_of(best)), _follows(best)),
        _words(best),
        html.section("Loops", html.table(loops_of(best)), html.small(ENERGY)),
        _block(best),
        _made(command),
    ]
    return html.page(f"{name}: which law", ranking.verdict, ranking.within_noise, [part for part in parts if part])


CRITERION = (
    "criterion: Bayes' information criterion, above that of the first; a lead below 10 decides nothing. "
    "residual: rms of the force. in the noise: nearly where it leaves little more than noise, but so many samples tell "
    "that it is more"
)


def _follows(fit: Fit) -> str:
    return html.small(FOLLOWS) if fit.derived else ""


def _words(fit: Fit) -> str:
    return html.section(
        "What to know",
        html.listed(fit.warnings, "warning"),
        html.listed(notes_of(fit)),
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
    return html.section("To paste under connections: of a model", html.code(block_of(fit)))


def _made(command: str) -> str:
    return html.section("Made by", html.code(command)) if command else ""
