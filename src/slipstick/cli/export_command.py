"""``slipstick export``: a model as an FMU for co-simulation in other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from slipstick.cli.console import print_line
from slipstick.cli.option_types import argument, optional
from slipstick.cli.study_files import model_from_file, reject_study
from slipstick.errors import InvalidInput


def export(
    file: Annotated[str, argument(metavar="MODEL.yaml", help="The model file.")],
    fmu: Annotated[bool, typer.Option("--fmu", help="An FMU for co-simulation, in native code.")] = False,
    out: Annotated[str | None, optional("--out", "-o", metavar="FILE", help="The FMU; default MODEL.fmu.")] = None,
    fmi: Annotated[int, typer.Option(metavar="2|3", help="The version of the interface.")] = 3,
    frequency: Annotated[
        str | None,
        optional(metavar="20Hz", help="The base frequency at the start for loads with an order."),
    ] = None,
    platform: Annotated[
        list[str] | None,
        optional(
            metavar="NAME",
            help="Where the FMU runs: linux-x86_64, linux-aarch64, windows-x86_64; default this machine. Repeatable.",
        ),
    ] = None,
) -> None:
    """Export a model as a functional mock-up unit: Simulink, Modelica tools and Python run it step by step.

    Inputs are loads, velocities of prescribed coordinates and the base frequency; outputs motions, forces and states.
    """
    from slipstick.identification.constraints import quantity_in_si

    if not fmu:
        raise InvalidInput("export: name the format: --fmu; see slipstick export --help")
    reject_study(file, "export", "export the file under its model: key")
    model = model_from_file(file)
    base = None if frequency is None else quantity_in_si("--frequency", frequency, ("rad/s", "Hz"))
    target = Path(out) if out else Path(file).with_suffix(".fmu")
    written = model.export_fmu(target, fmi=fmi, frequency=base, platforms=platform or None)
    print_line(f"written: {written}")
