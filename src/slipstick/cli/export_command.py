"""``slipstick export``: a model as an FMU for co-simulation in other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from slipstick.cli.console import EXIT_BAD_INPUT, print_error, print_line
from slipstick.errors import InvalidInput

if TYPE_CHECKING:
    from slipstick.api import Model


def export(
    file: Annotated[str, typer.Argument(metavar="MODEL.yaml", help="The model file.", show_default=False)],
    fmu: Annotated[bool, typer.Option("--fmu", help="An FMU for co-simulation, in native code.")] = False,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="The FMU; default MODEL.fmu.", show_default=False)
    ] = None,
    fmi: Annotated[int, typer.Option(metavar="2|3", help="The version of the interface.")] = 3,
    frequency: Annotated[
        str | None,
        typer.Option(
            metavar="20Hz", help="The base frequency at the start for loads with an order.", show_default=False
        ),
    ] = None,
    platform: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Where the FMU runs: linux-x86_64, linux-aarch64, windows-x86_64; default this machine. Repeatable.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Export a model as a functional mock-up unit: Simulink, Modelica tools and Python run it step by step.

    Inputs are loads, velocities of prescribed coordinates and the base frequency; outputs motions, forces and states.
    """
    from slipstick.identification.constraints import quantity_in_si

    if not fmu:
        raise InvalidInput("export: name the format: --fmu; see slipstick export --help")
    model = _read(file)
    base = None if frequency is None else quantity_in_si("--frequency", frequency, ("rad/s", "Hz"))
    target = Path(out) if out else Path(file).with_suffix(".fmu")
    written = model.export_fmu(target, fmi=fmi, frequency=base, platforms=platform or None)
    print_line(f"written: {written}")


def _read(file: str) -> Model:
    """The model in a file; exits with its problems otherwise."""
    from slipstick.api import Model
    from slipstick.model.files import examine
    from slipstick.study import is_study

    if is_study(file):
        raise InvalidInput(f"export: {file} is a study, not a model; export the file under its model: key")
    report = examine(file, Model)
    if report.model is None:
        for problem in report.problems:
            print_error(str(problem))
        raise typer.Exit(EXIT_BAD_INPUT)
    return report.model
