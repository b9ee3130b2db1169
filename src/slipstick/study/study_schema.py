"""The shape of a study file, as pydantic models; the sections of `KINDS` have shapes of their own."""

from __future__ import annotations

from typing import Any

from pydantic import Field as Described
from pydantic import create_model

from slipstick.model.files.schema import FilePart, MaybeNumber, MaybeText, Text
from slipstick.study.kind_registry import KINDS


class Drawing(FilePart):
    """Contents of the figure; the keys are the arguments of a result's `plot`."""

    quantity: MaybeText = Described(
        None,
        description="over time: displacement, velocity, deflection or force; "
        "over frequency: amplitude, rms, mean, peak_to_peak, phase, force_range, dissipated, stick_share or lag",
    )
    coordinates: Any = Described(None, description="names to show, one or a list")
    connections: Any = Described(None, description="names to show, one or a list")
    start: MaybeNumber = Described(None, description="of the part to show: s, ms")
    until: MaybeNumber = Described(None, description="its end")
    log: MaybeText = Described(None, description="of a curve or a sweep: true for a logarithmic scale")
    curves: Any = Described(None, description="of a mode: files with response curves to lay it over, one or a list")
    coordinate: MaybeText = Described(None, description="of a mode over curves: whose amplitude is shown")
    figure: MaybeText = Described(None, description="of a sweep: which of its figures; default the first")
    x: MaybeText = Described(None, description="of a sweep: the axis to the right; default the longest")
    by: MaybeText = Described(None, description="of a sweep: the axis with a line for each value")


class Output(FilePart):
    """Where results go, beside the study file."""

    data: MaybeText = Described(None, description="a netCDF file, .nc; of a sweep also .csv or .parquet; or none")
    figure: MaybeText = Described(None, description="a picture, .png, .svg or .pdf; or none")
    plot: Drawing | None = Described(None, description="what the figure shows")


class StudyShape(FilePart):
    """What every study has."""

    slipstick: Text = Described(description="version of the format: 1")
    name: MaybeText = Described(None, description="of the study; default: the name of the file")
    model: Any = Described(None, description="a model file beside the study, or a model in place")
    system: Any = Described(None, description="instead of model: a published system, such as tensioner")
    sweep: Any = Described(None, description="many runs: what they go over, and what is kept of each")
    output: Output | None = Described(None, description="where results go; default: NAME.nc and NAME.png")


def study_document() -> type[StudyShape]:
    """A slipstick study: its head and, of any shape, the section of each kind."""
    sections: Any = {kind.name: (Any, Described(None, description=kind.description)) for kind in KINDS.values()}
    return create_model("Document", __base__=StudyShape, **sections)
