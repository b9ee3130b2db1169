"""``slipstick identify``: a law from measured loops, with intervals, a picture, and a block for a model."""

from __future__ import annotations

from slipstick.cli.loop_command import Asked, LawName, loop_command
from slipstick.cli.loop_files import keep


@loop_command
def identify(asked: Asked, law: LawName) -> None:
    """Fit a law to measured loops.

    Shows its numbers with 95 % intervals in the units of the file, and what the
    data do not tell. Writes NAME-LAW.nc (the fit, for ss.open), .yaml (the law
    to paste into a model), .png and .svg (the picture) and .html (everything on
    one page).

    The exit code is 2 for what cannot be read or asked, 1 if the search did not
    converge or a file could not be written. That a law does not fit within the
    noise is told, and leaves with 0.
    """
    from slipstick.cli.fit_screen import show_fit
    from slipstick.cli.products import law_in_name, place_of
    from slipstick.cli.progress import bar
    from slipstick.identification.fitting import identify as fitted
    from slipstick.identification.naming import kinds_of
    from slipstick.report.fits import fit_page

    kinds_of(law)  # before any file is read
    loops, known = asked.loops([law])
    place = place_of(asked.files, law_in_name(law), asked.out)
    with bar(place.name) as report:
        fit = fitted(loops, law, progress=report, **known)
    show_fit(fit, place.name, asked.seconds)
    keep(fit, place, fit, fit_page)
