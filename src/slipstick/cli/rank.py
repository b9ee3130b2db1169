"""``slipstick rank``: which law do measured loops follow?"""

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
from slipstick.errors import InvalidInput


def rank(
    files: Files,
    laws: Annotated[
        str | None,
        typer.Option(metavar="LAWS", help="Names with commas: masing,linear+dahl,iwan:7.", show_default=False),
    ] = None,
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
    """Fit several laws to measured loops, and say which one they follow, if any.

    Without --laws: jenkins, masing, linear+dahl, linear+dynamic-hysteresis,
    modified-dahl and bouc-wen; iwan from 180 samples on, and fibre-shear for
    stresses or three amplitudes. Writes NAME-ranked.nc (all fits, for
    ss.open), .yaml (the first law to paste into a model), .png, .svg and .html.

    The exit code is 2 for what cannot be read or asked, 1 if the search for the
    numbers of the first law did not converge or a file could not be written. That no
    law fits within the noise is an answer, and leaves with 0.
    """
    began = perf_counter()
    reading = Reading.asked(locals())
    asked = typed(locals())
    from slipstick.cli.fit_screen import show_ranking
    from slipstick.cli.products import place_of
    from slipstick.cli.progress import bar
    from slipstick.identification.naming import USUAL, kinds_of
    from slipstick.identification.ranking import rank as ranked
    from slipstick.report.fits import ranking_page

    names = None if laws is None else tuple(part.strip() for part in laws.split(",") if part.strip())
    if names == ():
        raise InvalidInput("--laws names no law; such as --laws masing,dahl")
    for name in names or ():
        kinds_of(name)  # before any file is read
        if names is not None and names.count(name) > 1:
            raise InvalidInput(f"--laws names {name} twice")
    loops = loops_of(files, reading)
    wishes = wishes_of(asked, names or USUAL, loops)
    place = place_of(files, "ranked", out)
    with bar(place.name) as report:
        ranking = ranked(loops, names, *wishes, progress=report)  # type: ignore[arg-type]
    show_ranking(ranking, place.name, perf_counter() - began, chosen=names is not None)
    keep(ranking.best, place, ranking, ranking_page)
