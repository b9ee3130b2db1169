"""What the figure of a study shows: the keys under ``output: {plot: ...}``, by the kind of its result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.laws.parameters import TIME
from slipstick.model.files.kinds import Kinds
from slipstick.model.files.problems import Findings, hint
from slipstick.model.files.quantities import read_flag
from slipstick.results.points import CONNECTION, COORDINATE
from slipstick.results.trajectory import refuse_unknown_quantity

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.results.curve import Curve
    from slipstick.study.kind import Settings
    from slipstick.study.schema import Drawing

PLACE = ("output", "plot")
NAMES = ("coordinates", "connections")
OF_CURVES = ((*COORDINATE, "peak_to_peak"), tuple(CONNECTION))  # by coordinate, by connection


class Drawn(NamedTuple):
    """What a picture of a result takes: the keys under plot."""

    result: str
    keys: tuple[str, ...]


RUN = Drawn("a run over time", ("quantity", *NAMES, "start", "until"))
CURVE = Drawn("a curve over frequency", ("quantity", *NAMES, "log"))
FOLLOWED = Drawn("a curve over a parameter", CURVE.keys)
MODE = Drawn("a nonlinear mode", ("curves", "coordinate"))
SWEEP = Drawn("a sweep", ("figure", "x", "by", "log"))


def read_drawing(part: Drawing, drawn: Drawn, model: Model | None, findings: Findings) -> Settings:
    """The arguments of `plot`, checked as far as the model tells."""
    found: Settings = {}
    if "quantity" in drawn.keys:
        with findings.catch((*PLACE, "quantity")):
            _refuse_quantity(part, drawn)
    for key in type(part).model_fields:
        value = getattr(part, key)
        if value is None:
            continue
        if key not in drawn.keys:
            findings.problem((*PLACE, key), f"the picture of {drawn.result} has no {key}; leave it out")
            continue
        with findings.catch((*PLACE, key)):
            found[key] = _read(key, value, model, findings)
    if "coordinate" in found and part.curves is None:
        words = (
            "is whose amplitude is shown beside curves; name their files too, curves: [response.nc], or leave it out"
        )
        findings.problem((*PLACE, "coordinate"), words)
    return found


def read_drawing_of_sweep(
    part: Drawing, figures: Sequence[str], axes: Sequence[str], model: Model | None, findings: Findings
) -> Settings:
    """The arguments of the plot of a sweep.   figures, axes : names of those that it has."""
    found = read_drawing(part, SWEEP, model, findings)
    for key, word, known in (("figure", "figure", figures), ("x", "axis", axes), ("by", "axis", axes)):
        if key in found and found[key] not in known:
            findings.problem((*PLACE, key), f"the sweep has no {word} {shown(found[key])}{hint(found[key], known)}")
    if "x" in found and found["x"] == found.get("by"):
        findings.problem((*PLACE, "by"), f"is {shown(found['x'])}, as x is; name another axis, or leave it out")
    return found


def _read(key: str, value: Any, model: Model | None, findings: Findings) -> Any:
    match key:
        case "start" | "until":
            return Kinds().take(key, value, TIME)
        case "log":
            return read_flag(value)
        case "coordinates" | "connections":
            return _names(key, value, model, findings)
        case "coordinate":
            return _names("coordinates", value, model, findings, key)[0]
        case "curves":
            names = value if isinstance(value, list) else [value]
            if not names:
                raise InvalidInput("is an empty list; name a file, such as [response.nc], or leave it out")
            return [_curve(name, model, Path(findings.file).parent) for name in names]
    return value


def _names(key: str, given: Any, model: Model | None, findings: Findings, place: str = "") -> list[Any]:
    names = given if isinstance(given, list) else [given]
    known = [each.name for each in getattr(model, key)] if model is not None else names
    for name in names:
        if name not in known:
            findings.problem((*PLACE, place or key), f"no {key[:-1]} {shown(name)}{hint(str(name), known)}")
    return names


def _curve(name: Any, model: Model | None, beside: Path) -> Curve:
    """A response curve to lay a mode over."""
    from slipstick.study.start import read_curve

    found = read_curve(name, beside)
    if found.stats.parameter != "frequency":
        raise InvalidInput(f"{shown(name)} has a curve over {found.stats.parameter}; name one over frequency")
    own = tuple(each.name for each in model.coordinates) if model is not None else found.names.coordinates
    if found.names.coordinates != own:
        raise InvalidInput(f"{shown(name)} has a curve of another model: its coordinates are not those of this one")
    return found


def _refuse_quantity(part: Drawing, drawn: Drawn) -> None:
    if drawn is RUN:
        refuse_unknown_quantity(part.quantity)
        return
    quantity = part.quantity or "amplitude"
    known = OF_CURVES[0] + OF_CURVES[1]
    if quantity not in known:
        raise InvalidInput(f"no quantity {shown(quantity)} of {drawn.result}{did_you_mean(quantity, known)}")
    of = NAMES[quantity in OF_CURVES[1]]
    other = NAMES[quantity not in OF_CURVES[1]]
    if getattr(part, other) is not None:
        raise InvalidInput(f"{quantity} belongs to {of}; leave {other} out, or choose a quantity of theirs")
