"""``slipstick trend``: do the numbers of a law depend on frequency?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from slipstick.cli.console import console, despite_closed_pipe, headline, table
from slipstick.cli.loop_options import command_line, finish_command
from slipstick.cli.loop_request import LawName, LoopRequest, loop_command

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop
    from slipstick.results.trend import Trend

MAX_WARNINGS = 6

Sets = Annotated[bool, typer.Option("--sets", help="Each file is a set of samples with lines of its own.")]


@loop_command
def trend(request: LoopRequest, law: LawName, sets: Sets = False) -> None:
    """Fit a law at each frequency separately, and say which parameters depend on it.

    Frequencies are derived from the times, or read from a column:
    --by frequency, in Hz. Loops of one frequency are fitted together. Writes
    NAME-LAW-trend.nc (all fits, for ss.open), .png, .svg and .html.

    The exit code is 2 for what cannot be read, 1 if a search did not
    converge or a file could not be written.
    """
    from slipstick.cli.output_files import (
        figure_jobs,
        law_file_stem,
        output_location,
        use_headless_backend,
        write_files,
    )
    from slipstick.identification.law_names import law_classes_of
    from slipstick.identification.trend import trend as found_over
    from slipstick.progress import progress_bar
    from slipstick.report.html_page import figure_svg
    from slipstick.report.trend_report import trend_page

    law_classes_of(law)  # before any file is read
    loops, known = request.loops([law])
    place = output_location(request.files, f"{law_file_stem(law)}-trend", request.out)
    with progress_bar(place.name) as report:
        found = found_over(_loops_by_file(loops) if sets else loops, law, progress=report, **known)
    with despite_closed_pipe():
        _show_trend(found, place.name, request.seconds)
    use_headless_backend()
    figure = found.plot()
    drawn = figure_svg(figure)
    page = trend_page(found, place.name, drawn, command_line()).encode()
    stopped = [f"{hertz:g} Hz" for own in found.fits.values() for hertz, fit in own.items() if not fit.converged]
    failed = f"the search did not converge at {', '.join(stopped)}; the values are where it stopped" if stopped else ""
    finish_command(*write_files(place, {".nc": found.save, **figure_jobs(figure, drawn), ".html": page}), failed)


def _loops_by_file(loops: list[Loop]) -> dict[str, list[Loop]]:
    """Loops by the file that they are from."""
    found: dict[str, list[Loop]] = {}
    for loop in loops:
        found.setdefault(loop.file, []).append(loop)
    return found


def _show_trend(trend: Trend, name: str, seconds: float) -> None:
    """Print the parameters over frequency, what they say, and the first warnings."""
    from slipstick.report.trend_report import trend_value_tables, trend_warnings

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
