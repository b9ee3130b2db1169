"""``slipstick identify``: a law from measured loops, with intervals, a picture, and a block for a model."""

from __future__ import annotations

from slipstick.cli.console import despite_closed_pipe
from slipstick.cli.loop_options import write_fit_files
from slipstick.cli.loop_request import LawName, LoopRequest, loop_command
from slipstick.cli.posterior_screen import PosteriorOption, show_posterior


@loop_command
def identify(request: LoopRequest, law: LawName, posterior: PosteriorOption = None) -> None:
    """Fit a law to measured loops.

    Shows its numbers with 95 % intervals in the units of the file, and what the
    data do not determine. Writes NAME-LAW.nc (the fit, for ss.open), .yaml (the law
    to paste into a model), .png and .svg (the picture) and .html (everything on
    one page).

    The exit code is 2 for what cannot be read, 1 if the search did not
    converge or a file could not be written. That a law does not fit within the
    noise is reported, with exit code 0.
    """
    from slipstick.cli.fit_screen import show_fit
    from slipstick.cli.output_files import law_file_stem, output_location
    from slipstick.identification.identify import identify as fitted
    from slipstick.identification.law_names import law_classes_of
    from slipstick.progress import progress_bar
    from slipstick.report.fit_report import fit_page

    law_classes_of(law)  # before any file is read
    loops, known = request.loops([law])
    place = output_location(request.files, law_file_stem(law), request.out)
    with progress_bar(place.name) as report:
        fit = fitted(loops, law, progress=report, **known)
    with despite_closed_pipe():
        show_fit(fit, place.name, request.seconds)
    write_fit_files(fit, place, fit, fit_page)
    if posterior is not None:  # after all files, as it may be refused
        show_posterior(fit, posterior, place.file("-posterior.nc"))
