"""Contents of the figure of a study: the keys under ``output: {plot: ...}``, by the kind of its result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.errors import InvalidInput, short_repr
from slipstick.model.files.file_problems import FileFindings
from slipstick.model.files.quantities import read_flag
from slipstick.model.files.unit_kinds import OpenKinds
from slipstick.name_hints import did_you_mean, name_hint
from slipstick.results.curve_points import CONNECTION_VARIABLES, COORDINATE_VARIABLES
from slipstick.results.trajectory import refuse_unknown_quantity
from slipstick.units.dimensions import TIME

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.results.curve import Curve
    from slipstick.study.study_kind import Settings
    from slipstick.study.study_schema import Drawing

PLOT_PATH = ("output", "plot")
NAME_KEYS = ("coordinates", "connections")
CURVE_QUANTITIES = (
    (*COORDINATE_VARIABLES, "peak_to_peak"),
    tuple(CONNECTION_VARIABLES),
)  # by coordinate, by connection


class PlotKeys(NamedTuple):
    """The keys under plot for one kind of result."""

    result: str
    keys: tuple[str, ...]


RUN_PLOT = PlotKeys("a run over time", ("quantity", *NAME_KEYS, "start", "until"))
CURVE_PLOT = PlotKeys("a curve over frequency", ("quantity", *NAME_KEYS, "log"))
PARAMETER_CURVE_PLOT = PlotKeys("a curve over a parameter", CURVE_PLOT.keys)
MODE_PLOT = PlotKeys("a nonlinear mode", ("curves", "coordinate"))
SWEEP_PLOT = PlotKeys("a sweep", ("figure", "x", "by", "log"))


def read_plot_options(part: Drawing, drawn: PlotKeys, model: Model | None, findings: FileFindings) -> Settings:
    """The arguments of `plot`, checked against the model."""
    found: Settings = {}
    if "quantity" in drawn.keys:
        with findings.catch((*PLOT_PATH, "quantity")):
            _reject_quantity(part, drawn)
    for key in type(part).model_fields:
        value = getattr(part, key)
        if value is None:
            continue
        if key not in drawn.keys:
            findings.problem((*PLOT_PATH, key), f"the picture of {drawn.result} has no {key}; leave it out")
            continue
        with findings.catch((*PLOT_PATH, key)):
            found[key] = _read(key, value, model, findings)
    if "coordinate" in found and part.curves is None:
        words = "selects the amplitude beside curves; name their files too, curves: [response.nc], or leave it out"
        findings.problem((*PLOT_PATH, "coordinate"), words)
    return found


def read_sweep_plot_options(
    part: Drawing, figures: Sequence[str], axes: Sequence[str], model: Model | None, findings: FileFindings
) -> Settings:
    """The arguments of the plot of a sweep.   figures, axes : names of those that it has."""
    found = read_plot_options(part, SWEEP_PLOT, model, findings)
    for key, word, known in (("figure", "figure", figures), ("x", "axis", axes), ("by", "axis", axes)):
        if key in found and found[key] not in known:
            findings.problem(
                (*PLOT_PATH, key), f"the sweep has no {word} {short_repr(found[key])}{name_hint(found[key], known)}"
            )
    if "x" in found and found["x"] == found.get("by"):
        findings.problem(
            (*PLOT_PATH, "by"), f"is {short_repr(found['x'])}, as x is; name another axis, or leave it out"
        )
    return found


def _read(key: str, value: Any, model: Model | None, findings: FileFindings) -> Any:
    match key:
        case "start" | "until":
            return OpenKinds().take(key, value, TIME)
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


def _names(key: str, given: Any, model: Model | None, findings: FileFindings, place: str = "") -> list[Any]:
    names = given if isinstance(given, list) else [given]
    known = [each.name for each in getattr(model, key)] if model is not None else names
    for name in names:
        if name not in known:
            findings.problem(
                (*PLOT_PATH, place or key), f"no {key[:-1]} {short_repr(name)}{name_hint(str(name), known)}"
            )
    return names


def _curve(name: Any, model: Model | None, beside: Path) -> Curve:
    """A response curve to lay a mode over."""
    from slipstick.study.saved_results import read_curve

    found = read_curve(name, beside)
    if found.stats.parameter != "frequency":
        raise InvalidInput(f"{short_repr(name)} has a curve over {found.stats.parameter}; name one over frequency")
    own = tuple(each.name for each in model.coordinates) if model is not None else found.names.coordinates
    if found.names.coordinates != own:
        raise InvalidInput(
            f"{short_repr(name)} has a curve of another model: its coordinates are not those of this one"
        )
    return found


def _reject_quantity(part: Drawing, drawn: PlotKeys) -> None:
    if drawn is RUN_PLOT:
        if part.quantity is not None:
            refuse_unknown_quantity(part.quantity)
        return
    quantity = part.quantity or "amplitude"
    known = CURVE_QUANTITIES[0] + CURVE_QUANTITIES[1]
    if quantity not in known:
        raise InvalidInput(f"no quantity {short_repr(quantity)} of {drawn.result}{did_you_mean(quantity, known)}")
    of = NAME_KEYS[quantity in CURVE_QUANTITIES[1]]
    other = NAME_KEYS[quantity not in CURVE_QUANTITIES[1]]
    if getattr(part, other) is not None:
        raise InvalidInput(f"{quantity} belongs to {of}; leave {other} out, or choose another quantity")
