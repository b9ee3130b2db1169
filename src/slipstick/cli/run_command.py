"""``slipstick run``: run a study file, show its result, write data and figure."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slipstick.cli.console import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED, print_error, print_line
from slipstick.cli.option_types import argument
from slipstick.cli.study_files import study_from_file
from slipstick.errors import NotConverged

if TYPE_CHECKING:
    from collections.abc import Callable

    from slipstick.cli.result_output import Result
    from slipstick.study import Study


def run(
    file: Annotated[str, argument(metavar="STUDY.yaml", help="The study file.")],
) -> None:
    """Run a study: a model, what to do with it, and where the results go.

    Data go to a netCDF file, the figure to a picture, both beside the study. The exit code is 2 if the study is wrong
    or its files cannot be written, 1 if the run could not be finished, its certificate failed, or most errors of a
    curve or mode are beyond a tenth of it; what was reached is kept.
    """
    began = perf_counter()
    from slipstick.cli.progress import study_progress
    from slipstick.cli.result_output import save_partial_result, write_results

    study = study_from_file(file)
    if study.sweep is not None:
        print_error(f"{file}: has a sweep: section; run `slipstick sweep {file}`, or leave that section out")
        raise typer.Exit(EXIT_BAD_INPUT)
    if study.kind.name == "calibrate":
        print_error(f"{file}: has a calibrate: section; run `slipstick calibrate {file}`")
        raise typer.Exit(EXIT_BAD_INPUT)
    study.refuse_unwritable()
    try:
        with study_progress(study) as screen:
            found = study.run(screen.report)
            looks = _compute_lazy_results(found, screen.say)
    except NotConverged as failure:
        raise save_partial_result(study, failure) from failure
    failed = _show(study, found, perf_counter() - began, looks)
    files = write_results(study, found)
    for i, place in enumerate(files.written):
        print_line(f"{'' if i else chr(10)}written: {place}")
    for trouble in files.troubles:
        print_error(f"slipstick: {trouble}")
    if files.interrupted:
        raise typer.Exit(EXIT_INTERRUPTED)
    if failed:
        print_error(f"slipstick: {failed}")
    if files.troubles or failed:
        raise typer.Exit(EXIT_FAILED)


def _compute_lazy_results(found: Result, show_status_text: Callable[[str], Any]) -> float:
    """Compute lazy parts of a result before the bar is full.

    Gives how long it took [s].

    Ctrl-C leaves a run without a certificate, and of a curve the points that were looked at; they are kept.
    """
    from slipstick.results.curve import Curve
    from slipstick.results.nonlinear_mode import NonlinearMode

    began = perf_counter()
    if isinstance(found, (Curve, NonlinearMode)):
        show_status_text("stability and special points" if isinstance(found, Curve) else "motions and errors")
        found.findings  # noqa: B018
        return perf_counter() - began
    show_status_text("certificate")  # it may take another run
    try:
        found.certificate  # noqa: B018
    except KeyboardInterrupt as stop:
        found.leave_uncertified("interrupted before the certificate was computed")
        words = "interrupted while the certificate was computed"
        raise NotConverged(words, partial=found, interrupted=True) from stop
    return perf_counter() - began


def _show(study: Study, found: Result, seconds: float, looks: float) -> str:
    """Print the summary; returns the failed checks of the result in words (of a curve each point has an error).

    seconds : of everything.   looks : of that, the lazy parts of the result.
    """
    from slipstick.results.curve import Curve
    from slipstick.results.nonlinear_mode import NonlinearMode

    if isinstance(found, Curve):
        from slipstick.cli.curve_screen import show_curve

        show_curve(study, found, seconds, looks)
        return "the curve is PARTIAL: it did not reach its end" if found.partial else _doubt_text(found.doubt)
    if isinstance(found, NonlinearMode):
        from slipstick.cli.mode_screen import show_mode

        show_mode(study, found, seconds)
        return _doubt_text(found.doubt)
    from slipstick.cli.run_screen import show_run

    show_run(study, found, seconds)
    from slipstick.study.command_messages import COMMAND

    return "" if found.certificate.passed else f"certificate {COMMAND.message(found.certificate.verdict)}"


def _doubt_text(doubt: str) -> str:
    from slipstick.study.command_messages import COMMAND

    return f"not to be trusted: {COMMAND.message(doubt)}" if doubt else ""
