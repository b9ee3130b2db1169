"""The shape of a study file, as pydantic models. A new kind of study is a section here and a line in `KINDS`."""

from __future__ import annotations

from typing import Any

from pydantic import Field as Described

from slipstick.model.files.schema import MaybeNumber, MaybeText, Number, Shape, Text


class Transient(Shape):
    """A simulation over time; the keys are the arguments of `Model.simulate`."""

    until: Number = Described(description="the end of the run: s, ms, min")
    start: MaybeNumber = Described(None, description="its beginning; default 0 s")
    frequency: MaybeNumber = Described(None, description="base frequency instead of the model's: rad/s, Hz or rpm")
    method: MaybeText = Described(None, description="auto, exact, adaptive, inclusion, newmark or taylor")
    step: MaybeNumber = Described(None, description="of methods with a fixed step: s, ms, us")
    tolerance: MaybeNumber = Described(None, description="relative, of methods that control their error")
    samples: Any = Described(None, description="how many, a list of times, or 0 for events and the end only")
    options: dict[str, Any] | None = Described(None, description="of the method, such as scheme: theta")


class Output(Shape):
    """Where results go, beside the study file."""

    data: MaybeText = Described(None, description="a netCDF file, .nc; or none")
    figure: MaybeText = Described(None, description="a picture, .png, .svg or .pdf; or none")


KINDS: dict[str, type[Shape]] = {"transient": Transient}


class Document(Shape):
    """A slipstick study."""

    slipstick: Text = Described(description="version of the format: 1")
    name: MaybeText = Described(None, description="of the study; default: the name of the file")
    model: Any = Described(None, description="a model file beside the study, or a model in place")
    system: Any = Described(None, description="instead of model: a published system, such as tensioner")
    transient: Any = Described(None, description="a simulation over time")
    output: Output | None = Described(None, description="where results go; default: NAME.nc and NAME.png")
