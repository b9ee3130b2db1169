"""``slipstick rank``: which law do measured loops follow?"""

from __future__ import annotations

from typing import Annotated

from slipstick.cli.console import despite_closed_pipe
from slipstick.cli.loop_options import write_fit_files
from slipstick.cli.loop_request import LoopRequest, loop_command
from slipstick.cli.option_types import optional
from slipstick.errors import InvalidInput

Names = Annotated[
    str | None, optional(metavar="LAWS", help="Names with commas: masing,linear+dahl,iwan:7,series(freeplay,masing).")
]


@loop_command
def rank(request: LoopRequest, laws: Names = None) -> None:
    """Fit several laws to measured loops, and say which one they follow, if any.

    Without --laws: jenkins, masing, linear+dahl, linear+dynamic-hysteresis,
    modified-dahl and bouc-wen; iwan from 180 samples on, and fibre-shear for
    stresses or three amplitudes. If all of them are off by more than 1.5 % of
    the range of force, dampers, relaxation, gaps or degradation are tried,
    too, as the record allows. Writes NAME-ranked.nc (all fits, for
    ss.open), .yaml (the first law to paste into a model), .png, .svg and .html.

    The exit code is 2 for what cannot be read, 1 if the search for the
    numbers of the first law did not converge or a file could not be written. That no
    law fits within the noise is an answer, and leaves with 0.
    """
    from slipstick.cli.fit_screen import show_ranking
    from slipstick.cli.output_files import output_location
    from slipstick.identification.law_names import DEFAULT_LAWS, law_classes_of
    from slipstick.identification.rank import rank as ranked
    from slipstick.laws.series_start import split_law_names
    from slipstick.progress import progress_bar
    from slipstick.report.fit_report import ranking_page

    names = None if laws is None else tuple(split_law_names(laws))
    if names == ():
        raise InvalidInput("--laws is empty; name laws, such as --laws masing,dahl")
    for name in names or ():
        law_classes_of(name)  # before any file is read
        if names is not None and names.count(name) > 1:
            raise InvalidInput(f"--laws has {name} twice; leave one out")
    loops, known = request.loops(names or DEFAULT_LAWS)
    place = output_location(request.files, "ranked", request.out)
    with progress_bar(place.name) as report:
        ranking = ranked(loops, names, progress=report, **known)
    with despite_closed_pipe():
        show_ranking(ranking, place.name, request.seconds, chosen=names is not None)
    write_fit_files(ranking.best, place, ranking, ranking_page)
