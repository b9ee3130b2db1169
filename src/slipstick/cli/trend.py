"""``slipstick trend``: do the numbers of a law depend on frequency?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from slipstick.cli.loop_command import Asked, LawName, loop_command
from slipstick.cli.loop_files import command_line, leave

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop

Sets = Annotated[bool, typer.Option("--sets", help="Each file is a set of samples with lines of its own.")]


@loop_command
def trend(asked: Asked, law: LawName, sets: Sets = False) -> None:
    """Fit a law at each frequency by itself, and say which of its numbers depend on it.

    Frequencies are told from the times, or are those of a column:
    --by frequency, in Hz. Loops of one frequency are fitted together. Writes
    NAME-LAW-trend.nc (all fits, for ss.open), .png, .svg and .html.

    The exit code is 2 for what cannot be read or asked, 1 if a search did not
    converge or a file could not be written.
    """
    from slipstick.cli.products import law_in_name, pictures, place_of, without_screen, write_files
    from slipstick.cli.progress import bar
    from slipstick.cli.trend_screen import show_trend
    from slipstick.identification.naming import kinds_of
    from slipstick.identification.trend import trend as found_over
    from slipstick.report.page import svg
    from slipstick.report.trends import trend_page

    kinds_of(law)  # before any file is read
    loops, known = asked.loops([law])
    place = place_of(asked.files, f"{law_in_name(law)}-trend", asked.out)
    with bar(place.name) as report:
        found = found_over(_grouped(loops) if sets else loops, law, progress=report, **known)
    show_trend(found, place.name, asked.seconds)
    without_screen()
    figure = found.plot()
    drawn = svg(figure)
    page = trend_page(found, place.name, drawn, command_line()).encode()
    stopped = [f"{hertz:g} Hz" for own in found.fits.values() for hertz, fit in own.items() if not fit.converged]
    failed = f"the search did not converge at {', '.join(stopped)}; the values are where it stopped" if stopped else ""
    leave(*write_files(place, {".nc": found.save, **pictures(figure, drawn), ".html": page}), failed)


def _grouped(loops: list[Loop]) -> dict[str, list[Loop]]:
    """Loops by the file that they are from."""
    found: dict[str, list[Loop]] = {}
    for loop in loops:
        found.setdefault(loop.file, []).append(loop)
    return found
