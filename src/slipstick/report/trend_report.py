"""The page about a trend, and its tables: the numbers of a law over frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slipstick.report import html_page as html
from slipstick.report.fit_tables import Table
from slipstick.report.number_format import format_number, interval_text, unit_column
from slipstick.study.command_messages import COMMAND

if TYPE_CHECKING:
    from slipstick.results.fit import Estimate
    from slipstick.results.trend import Trend

MAX_FREQUENCY_COLUMNS = 5  # frequencies beside each other


def trend_value_tables(trend: Trend, which: str) -> list[Table]:
    """The numbers of one set, in units of the file: a column a frequency, as many beside each other as can be read."""
    hertz = list(trend.fits[which])
    found = []
    tables = -(-len(hertz) // MAX_FREQUENCY_COLUMNS)
    wide = -(-len(hertz) // tables)  # none of them with a column alone
    for first in range(0, len(hertz), wide):
        part = hertz[first : first + wide]
        rows = []
        for name in trend.parameters:
            own = [_shown(trend, name, f, which) for f in part]
            rows.append((name, unit_column(own[0]), *(format_number(each.value, 5) for each in own)))
        found.append(Table(("number", "unit", *(f"{f:g} Hz" for f in part)), rows, len(part)))
    return found


def trend_interval_table(trend: Trend, which: str) -> Table:
    """A row for each number at each frequency, with its interval."""
    rows: list[tuple[str, ...]] = []
    for name in trend.parameters:
        for f in trend.fits[which]:
            own = _shown(trend, name, f, which)
            rows.append((name, unit_column(own), f"{f:g}", format_number(own.value), interval_text(own)))
    return Table(("number", "unit", "Hz", "value", "95 % interval"), rows, 3)


def trend_warnings(trend: Trend) -> list[str]:
    """Of all fits; what is said at several frequencies is said once, with these."""
    told: dict[str, list[str]] = {}
    for which, own in trend.fits.items():
        for f, fit in own.items():
            for words in fit.warnings:
                told.setdefault(COMMAND.message(words), []).append(f"{which} {f:g} Hz".strip())
    return [f"{', '.join(where)}: {words}" for words, where in told.items()]


def trend_page(trend: Trend, name: str, drawn: bytes, command: str = "") -> str:
    """HTML about a trend.   name : of the page.   drawn : its picture as SVG.   command : that made it."""
    off = [f"{f:g} Hz" for own in trend.fits.values() for f, fit in own.items() if not fit.within_noise]
    grows = [line.name for own in trend.lines.values() for line in own.values() if line.depends]
    verdict = f"depends on frequency: {', '.join(dict.fromkeys(grows))}" if grows else "nothing depends on frequency"
    verdict = f"does not fit within the noise at {', '.join(off)}" if off else verdict
    parts = [
        html.embedded_figure(drawn, f"numbers of {trend.law} over frequency, of {name}"),
        html.section("Which numbers depend on frequency", html.bullet_list(trend.sentences)),
        *(
            html.section(f"Numbers of {which}" if which else "Numbers", html.table(trend_interval_table(trend, which)))
            for which in trend.sets
        ),
        html.section("What to know", html.bullet_list(trend_warnings(trend), "warning")),
        html.section("Made by", html.code(command)) if command else "",
    ]
    return html.html_page(f"{name}: {trend.law} over frequency", verdict, not off, [part for part in parts if part])


def _shown(trend: Trend, name: str, hertz: float, which: str) -> Estimate:
    return trend.estimate(name, hertz, which).shown_in(trend.fits[which][hertz].units)
