"""What the figure of a study shows: the keys under ``output: {plot: ...}``, by the kind of its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.model.files.kinds import TIME, Kinds
from slipstick.model.files.problems import Findings, hint
from slipstick.model.files.quantities import read_flag
from slipstick.results.points import CONNECTION, COORDINATE
from slipstick.results.trajectory import refuse_unknown_quantity

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.study.kind import Settings
    from slipstick.study.schema import Drawing

PLACE = ("output", "plot")
NAMES = ("coordinates", "connections")
OF_CURVES = ((*COORDINATE, "peak_to_peak"), tuple(CONNECTION))  # by coordinate, by connection


class Drawn(NamedTuple):
    """What a picture of a result takes beside quantity and names."""

    result: str
    keys: tuple[str, ...]
    is_curve: bool = False


RUN = Drawn("a run over time", ("start", "until"))
CURVE = Drawn("a curve over frequency", ("log",), is_curve=True)


def read_drawing(part: Drawing, drawn: Drawn, model: Model | None, findings: Findings) -> Settings:
    """The arguments of `plot`, checked as far as the model tells."""
    found: Settings = {}
    with findings.catch((*PLACE, "quantity")):
        _refuse_quantity(part, drawn)
    for key in ("start", "until", "log"):
        value = getattr(part, key)
        if value is None:
            continue
        if key not in drawn.keys:
            findings.problem((*PLACE, key), f"the picture of {drawn.result} has no {key}; leave it out")
            continue
        with findings.catch((*PLACE, key)):
            found[key] = read_flag(value) if key == "log" else Kinds().take(key, value, TIME)
    for key in NAMES:
        given = getattr(part, key)
        if given is not None:
            found[key] = _names(key, given, model, findings)
    return found if part.quantity is None else {**found, "quantity": part.quantity}


def _names(key: str, given: Any, model: Model | None, findings: Findings) -> list[Any]:
    names = given if isinstance(given, list) else [given]
    known = [each.name for each in getattr(model, key)] if model is not None else names
    for name in names:
        if name not in known:
            findings.problem((*PLACE, key), f"no {key[:-1]} {shown(name)}{hint(str(name), known)}")
    return names


def _refuse_quantity(part: Drawing, drawn: Drawn) -> None:
    if not drawn.is_curve:
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
