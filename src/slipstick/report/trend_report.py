"""HTML report and tables of a trend: parameters of a law over frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.report import html_page as html
from slipstick.report.estimate_text import interval_text, unit_column
from slipstick.report.table import Table
from slipstick.study.command_messages import COMMAND
from slipstick.units.number_format import format_number

if TYPE_CHECKING:
    from slipstick.results.fit import Estimate
    from slipstick.results.trend import Trend

MAX_FREQUENCY_COLUMNS = 5


def trend_value_tables(trend: Trend, which: str) -> list[Table]:
    """Parameters of one set, in units of the file, with one column a frequency; several tables if there are many."""
    hertz = list(trend.fits[which])
    tables = []
    count = -(-len(hertz) // MAX_FREQUENCY_COLUMNS)
    wide = -(-len(hertz) // count)  # of about equal width
    for first in range(0, len(hertz), wide):
        part = hertz[first : first + wide]
        rows = []
        for name in trend.parameters:
            own = [_shown(trend, name, f, which) for f in part]
            rows.append((name, unit_column(own[0]), *(format_number(each.value, 5) for each in own)))
        tables.append(Table(("parameter", "unit", *(f"{f:g} Hz" for f in part)), rows, len(part)))
    return tables


def trend_interval_table(trend: Trend, which: str) -> Table:
    """A row for each parameter at each frequency, with its interval."""
    rows: list[tuple[str, ...]] = []
    for name in trend.parameters:
        for f in trend.fits[which]:
            own = _shown(trend, name, f, which)
            rows.append((name, unit_column(own), f"{f:g}", format_number(own.value), interval_text(own)))
    return Table(("parameter", "unit", "Hz", "value", "95 % interval"), rows, 3)


def trend_warnings(trend: Trend) -> list[str]:
    """Warnings of all fits, with equal ones of several frequencies merged."""
    places: dict[str, list[str]] = {}
    for which, own in trend.fits.items():
        for f, fit in own.items():
            for words in fit.warnings:
                places.setdefault(COMMAND.message(words), []).append(f"{which} {f:g} Hz".strip())
    return [f"{', '.join(where)}: {words}" for words, where in places.items()]


def trend_page(trend: Trend, name: str, drawn: bytes, command: str = "") -> str:
    """HTML report of a trend.   name : of the page.   drawn : its figure as SVG.   command : that made it."""
    off = [f"{f:g} Hz" for own in trend.fits.values() for f, fit in own.items() if not fit.within_noise]
    grows = [line.name for own in trend.lines.values() for line in own.values() if line.depends]
    verdict = f"depends on frequency: {', '.join(dict.fromkeys(grows))}" if grows else "nothing depends on frequency"
    verdict = f"does not fit within the noise at {', '.join(off)}" if off else verdict
    parts = [
        html.embedded_figure(drawn, f"parameters of {trend.law} over frequency, of {name}"),
        html.section("Dependence on frequency", html.bullet_list(trend.sentences)),
        *(
            html.section(
                f"Parameters of {which}" if which else "Parameters", html.table(trend_interval_table(trend, which))
            )
            for which in trend.sets
        ),
        html.section("Warnings", html.bullet_list(trend_warnings(trend), "warning")),
        html.section("Made by", html.code(command)) if command else "",
    ]
    return html.html_page(f"{name}: {trend.law} over frequency", verdict, not off, [part for part in parts if part])


def _shown(trend: Trend, name: str, hertz: float, which: str) -> Estimate:
    return trend.estimate(name, hertz, which).shown_in(trend.fits[which][hertz].units)
