"""``slipstick identify``: a law from measured loops, with intervals, a picture, and a block for a model."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

import typer

from slipstick.cli.loop_files import (
    By,
    Deflection,
    Drift,
    Files,
    Force,
    Offset,
    Out,
    Reading,
    Scales,
    Time,
    Units,
    keep,
    loops_of,
)  # fmt: skip
from slipstick.cli.wishes import Bounds, Fixed, Prior, typed, wishes_of


def identify(
    files: Files,
    law: Annotated[
        str, typer.Option(metavar="LAW", help="masing, dahl, iwan:7 ..., or linear+dahl.", show_default=False)
    ],
    deflection: Deflection = None,
    force: Force = None,
    time: Time = None,
    by: By = None,
    unit: Units = None,
    scale: Scales = None,
    fixed: Fixed = None,
    bounds: Bounds = None,
    prior: Prior = None,
    remove_drift: Drift = False,
    remove_offset: Offset = False,
    out: Out = None,
) -> None:
    """Fit a law to measured loops.

    Shows its numbers with 95 % intervals in the units of the file, and what the
    data do not tell. Writes NAME-LAW.nc (the fit, for ss.open), .yaml (the law to paste into a model),
    .png and .svg (the picture) and .html (everything on one page).

    The exit code is 2 for what cannot be read or asked, 1 if the search did not
    converge or a file could not be written. That a law does not fit within the
    noise is told, and leaves with 0.
    """
    began = perf_counter()
    reading = Reading.asked(locals())
    asked = typed(locals())
    from slipstick.cli.fit_screen import show_fit
    from slipstick.cli.products import law_in_name, place_of
    from slipstick.cli.progress import bar
    from slipstick.identification.fitting import identify as fitted
    from slipstick.identification.naming import kinds_of
    from slipstick.report.fits import fit_page

    kinds_of(law)  # before any file is read
    loops = loops_of(files, reading)
    wishes = wishes_of(asked, [law], loops)
    place = place_of(files, law_in_name(law), out)
    with bar(place.name) as report:
        fit = fitted(loops, law, *wishes, progress=report)  # type: ignore[arg-type]
    show_fit(fit, place.name, perf_counter() - began)
    keep(fit, place, fit, fit_page)
