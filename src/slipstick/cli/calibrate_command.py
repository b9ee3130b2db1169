"""``slipstick calibrate``: fit numbers of a model to measurements, show them, write result, picture and model."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from slipstick.cli.console import (
    EXIT_BAD_INPUT,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    console,
    headline,
    print_error,
    print_line,
    table,
)
from slipstick.cli.posterior_screen import PosteriorOption, show_posterior
from slipstick.cli.study_files import study_from_file

if TYPE_CHECKING:
    from slipstick.results.calibration import Calibration
    from slipstick.results.fit import Estimate
    from slipstick.study import Study


def calibrate(
    file: Annotated[str, typer.Argument(metavar="STUDY.yaml", help="The study file.", show_default=False)],
    posterior: PosteriorOption = None,
) -> None:
    """Fit numbers of a model to measurements: loops, records, ring-downs, stepped-sine tests and modes at once.

    Writes the result (.nc, for ss.open), a picture of model beside measurement, and STUDY-model.yaml, the model with
    the fitted numbers; with --posterior also STUDY-posterior.nc.
    """
    began = perf_counter()
    from slipstick.cli.progress import study_progress
    from slipstick.cli.result_output import write_results

    study = study_from_file(file)
    if study.kind.name != "calibrate" or study.sweep is not None:
        print_error(
            f"{file}: needs a calibrate: section and no sweep:; write one by "
            "`slipstick new NAME --study MODEL --kind calibrate`"
        )
        raise typer.Exit(EXIT_BAD_INPUT)
    study.check()
    with study_progress(study) as screen:
        found: Calibration = study.run(screen.report)
    _show(study, found, perf_counter() - began)
    files = write_results(study, found)
    target = Path(file).with_name(f"{Path(file).stem}-model.yaml")
    if not files.interrupted:
        found.model.save(target)
        files.written.append(str(target))
    for i, place in enumerate(files.written):
        print_line(f"{'' if i else chr(10)}written: {place}")
    for trouble in files.troubles:
        print_error(f"slipstick: {trouble}")
    if posterior is not None and not files.interrupted:  # after all files, as it may be refused
        show_posterior(found, posterior, Path(file).with_name(f"{Path(file).stem}-posterior.nc"))
    if files.interrupted or files.troubles:
        raise typer.Exit(EXIT_INTERRUPTED if files.interrupted else EXIT_FAILED)


def _show(study: Study, found: Calibration, seconds: float) -> None:
    """Warnings first, then numbers with their intervals, and the residual of each part of the data."""
    from slipstick.study.command_messages import COMMAND
    from slipstick.units.number_format import format_seconds

    screen = console()
    headline(screen, f"{study.name}: ", f"{study.kind.words(study.settings)}")
    screen.print(f"{found.evaluations} models compared, {format_seconds(seconds)} in all", soft_wrap=True)
    for words in found.warnings:
        screen.print(f"warning: {COMMAND.message(words)}", soft_wrap=True)
    screen.print()
    rows = [(name, *_cells(own)) for name, own in found.parameters.items()]
    screen.print(table(("parameter", "unit", "value", "95 % interval", "start"), rows, numbers=3))
    screen.print()
    parts = [(block.name, block.rms_words) for block in found.blocks]
    screen.print(table(("data", "rms of model minus measurement"), parts, numbers=1))


def _cells(own: Estimate) -> tuple[str, ...]:
    """Unit, value, interval and start of a parameter, to the digits of its interval."""
    from slipstick.units.number_format import format_number, significant_digits

    digits = max(significant_digits(own.value, own.deviation) + 1, 3)

    def shown(value: float) -> str:
        return format_number(value, digits)

    return own.unit, shown(own.value), own.interval(shown), format_number(own.start, 4)
