"""Parameters of a model from measurements: ``calibrate:``, with the arguments of `slipstick.calibrate` as keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.errors import FileError, InvalidInput, SlipstickError, short_repr
from slipstick.model.files.file_problems import LocatedProblem, describe_value
from slipstick.model.files.quantities import Quantity, read_flag, read_quantity
from slipstick.model.files.schema import FilePart, MaybeNumber, MaybeText, Text
from slipstick.model.files.unit_kinds import OpenKinds, read_frequency
from slipstick.study.parameter_values import parameter_values_spec
from slipstick.study.saved_results import read_ringdown
from slipstick.study.study_kind import (
    Section,
    Settings,
    StudyKind,
    arguments,
    point_count_text,
    read_integer,
)
from slipstick.units.dimensions import DEFLECTION, VELOCITY

if TYPE_CHECKING:
    from slipstick.results.calibration import Calibration

OPEN_END = "none"  # of bounds
START_DIMENSIONS = {"displacement": DEFLECTION, "velocity": VELOCITY}  # of a motion at the start of a record
PAIRS = {"bounds": "two values", "priors": "a mean and a standard deviation"}
SOURCES = ("record", "ringdown", "response", "loop", "modes")  # exactly one of them makes a measurement


class MeasurementPart(FilePart):
    """One measurement: its file beside the study, columns by name or number from 0, and options of reading."""

    record: MaybeText = Described(None, description="a table of histories")
    ringdown: MaybeText = Described(None, description="instead: a result of slipstick ringdown, .nc")
    response: MaybeText = Described(None, description="instead: a table of a stepped-sine test")
    loop: MaybeText = Described(None, description="instead: a table of deflection and force")
    modes: Any = Described(None, description="instead: {1: [150 Hz, 0.8 %]}, damped frequency and damping ratio")
    columns: Any = Described(None, description="of a record: {x.acceleration: acc1}")
    loads: Any = Described(None, description="of a record: measured forces on coordinates, {x: hammer}")
    motions: Any = Described(None, description="of a record: measured motions of coordinates, {base: u}")
    time: MaybeText = Described(None, description="column of times")
    frequency: MaybeText = Described(None, description="of a response: column of frequencies")
    amplitude: MaybeText = Described(None, description="of a response: column of amplitudes")
    phase: MaybeText = Described(None, description="of a response: column of phases")
    level: MaybeText = Described(None, description="of a response: column that distinguishes its levels")
    force: MaybeText = Described(None, description="of a loop or response: column of forces")
    deflection: MaybeText = Described(None, description="of a loop: column of deflections")
    channel: MaybeText = Described(None, description="of a response: what was measured, such as x.acceleration")
    load: MaybeText = Described(None, description="of a response: the coordinate with the load")
    coordinate: MaybeText = Described(None, description="of a ring-down: the coordinate that was measured")
    connection: MaybeText = Described(None, description="of a loop: the connection with the law")
    rate: MaybeNumber = Described(None, description="samples per second of a file without times")
    decimal: MaybeText = Described(None, description="decimal sign, where the file does not show it")
    skip_lines: MaybeNumber = Described(None, description="lines at the top that are not read")
    skip_incomplete: Any = Described(None, description="true: leave out rows with holes")
    encoding: MaybeText = Described(None, description="of text, where it is not detected")


KEYS = {  # of each kind of measurement, beside the options of reading
    "record": ("time", "columns", "loads", "motions"),
    "ringdown": ("coordinate",),
    "response": ("frequency", "amplitude", "force", "level", "phase", "channel", "load"),
    "loop": ("connection", "deflection", "force", "time"),
    "modes": (),
}
NEEDED_KEYS = {"response": ("frequency", "amplitude", "force"), "loop": ("connection",)}
READING_KEYS = ("rate", "decimal", "skip_lines", "skip_incomplete", "encoding")
TABLES = ("record", "response", "loop")  # kinds that are read from tables


class CalibrateSection(FilePart):
    """Parameters of the model from measurements; the keys are the arguments of `slipstick.calibrate`."""

    unknown: list[Text] = Described(description="numbers of the model by name, such as [joint.limit, x.inertia]")
    data: list[MeasurementPart] = Described(description="the measurements, at least one")
    bounds: Any = Described(None, description="{joint.limit: [5 N, 50 N]}, none for an open end")
    priors: Any = Described(None, description="{joint.limit: [20 N, 3 N]}, mean and standard deviation")
    fixed: Any = Described(None, description="other numbers of the model: {x.inertia: 20 kg}")


def read(part: CalibrateSection, section: Section) -> None:
    """The arguments of `slipstick.calibrate`, with all measurements read."""
    model = section.model
    section.put("unknown", part.unknown, partial(_names, model))
    for key in PAIRS:
        section.put(key, getattr(part, key), partial(_pairs, model, key))
    section.put("fixed", part.fixed, partial(_values, model))
    found = []
    for i, each in enumerate(part.data):
        with section.findings.catch((section.name, "data", i)):
            found.append(_measurement(each, section.folder, (section.name, "data", i)))
    section.put("data", found if found or not part.data else None, _measured)


def _measured(found: list[Any]) -> list[Any]:
    if not found:
        raise InvalidInput("is empty; name at least one measurement, such as {record: rig.csv}")
    return found


# ---- parameters


def _names(model: Model | None, names: list[str]) -> list[str]:
    if not names:
        raise InvalidInput("is empty; name at least one number of the model, such as joint.limit")
    for name in names:
        _reader(model, name)
    return names


def _reader(model: Model | None, name: str) -> Callable[[Quantity], float]:
    """Reads values of a parameter, by its dimension; any unit where the model could not be read."""
    if model is None:
        return lambda quantity: quantity.value
    owner, _, key = name.rpartition(".")
    if key in START_DIMENSIONS and any(c.name == owner for c in model.coordinates):
        return partial(OpenKinds().take, name, dimension=START_DIMENSIONS[key])
    return parameter_values_spec(model, name).read


def _mapping(given: Any, example: str) -> Mapping[str, Any]:
    if not isinstance(given, dict) or not given:
        raise InvalidInput(f"must be values by name, such as {example}, got {describe_value(given)}")
    return given


def _pairs(model: Model | None, key: str, given: Any) -> dict[str, tuple[float | None, float | None]]:
    found = {}
    for name, pair in _mapping(given, "{joint.limit: [5 N, 50 N]}").items():
        read_one = _reader(model, name)
        if not isinstance(pair, list) or len(pair) != 2:
            raise InvalidInput(f"{name} must have {PAIRS[key]}, such as [5 N, 50 N], got {describe_value(pair)}")
        low, high = (None if key == "bounds" and end == OPEN_END else read_one(read_quantity(end)) for end in pair)
        found[name] = (low, high)
    return found


def _values(model: Model | None, given: Any) -> dict[str, float]:
    return {
        name: _reader(model, name)(read_quantity(value))
        for name, value in _mapping(given, "{x.inertia: 20 kg}").items()
    }


# ---- measurements


def _measurement(part: MeasurementPart, folder: Path, place: tuple[Any, ...]) -> Any:
    """The data set of one entry."""
    kinds = [kind for kind in SOURCES if getattr(part, kind) is not None]
    if len(kinds) != 1:
        words = f"must have one of {', '.join(f'{kind}:' for kind in SOURCES)}"
        raise InvalidInput(f"{words}, got {' and '.join(f'{kind}:' for kind in kinds) or 'none'}")
    kind = kinds[0]
    allowed = (kind, *KEYS[kind], *(READING_KEYS if kind in TABLES else ()))
    for key in type(part).model_fields:
        if getattr(part, key) is not None and key not in allowed:
            raise LocatedProblem((*place, key), f"belongs to another measurement than {kind}: leave it out")
    for key in NEEDED_KEYS.get(kind, ()):
        if getattr(part, key) is None:
            raise InvalidInput(f"needs {key}: for a {kind}")
    if kind == "modes":
        return _modes(part.modes)
    target, options = folder / getattr(part, kind), _reading_options(part)
    given = {key: getattr(part, key) for key in KEYS[kind] if getattr(part, key) is not None}
    try:
        return _READERS[kind](target, given, options)
    except FileError as error:
        raise LocatedProblem((*place, kind), str(error)) from None
    except SlipstickError as error:
        raise LocatedProblem((*place, kind), error.message) from None


def _reading_options(part: MeasurementPart) -> dict[str, Any]:
    given: dict[str, Any] = {
        key: getattr(part, key) for key in ("decimal", "encoding") if getattr(part, key) is not None
    }
    if part.rate is not None:
        given["rate"] = part.rate.text
    if part.skip_lines is not None:
        given["skip_lines"] = read_integer(part.skip_lines)
    if part.skip_incomplete is not None:
        given["skip_incomplete"] = read_flag(part.skip_incomplete)
    return given


def _record(target: Path, given: dict[str, Any], options: dict[str, Any]) -> Any:
    from slipstick.identification.record import Record

    roles = {key: _columns(given.get(key)) for key in ("columns", "loads", "motions")}
    return Record.read(target, time=_column(given.get("time")), **roles, **options)


def _response(target: Path, given: dict[str, Any], options: dict[str, Any]) -> Any:
    from slipstick.calibration.measured_response import MeasuredResponse

    names = {key: given.pop(key) for key in ("channel", "load") if key in given}
    return MeasuredResponse.read(target, **{key: _column(column) for key, column in given.items()}, **names, **options)


def _loop(target: Path, given: dict[str, Any], options: dict[str, Any]) -> Any:
    from slipstick.identification.loop import Loop

    connection = given.pop("connection")
    return {connection: Loop.read(target, **{key: _column(column) for key, column in given.items()}, **options)}


def _ringdown(target: Path, given: dict[str, Any], _: dict[str, Any]) -> Any:
    decay = read_ringdown(target.name, target.parent)
    return decay.on(given["coordinate"]) if "coordinate" in given else decay


_READERS: dict[str, Callable[[Path, dict[str, Any], dict[str, Any]], Any]] = {
    "record": _record, "response": _response, "loop": _loop, "ringdown": _ringdown,
}  # fmt: skip


def _column(given: str | None) -> Any:
    """A column by name, or by number from 0."""
    return int(given) if given is not None and given.isdigit() else given


def _columns(given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    columns = _mapping(given, "{x.acceleration: acc1}")
    for column in columns.values():
        if not isinstance(column, str):
            raise InvalidInput(f"a column is a name or a number, got {describe_value(column)}")
    return {name: _column(column) for name, column in columns.items()}


def _modes(given: Any) -> dict[int, tuple[float, float]]:
    found = {}
    for number, pair in _mapping(given, "{1: [150 Hz, 0.8 %]}").items():
        if not str(number).isdigit() or not isinstance(pair, list) or len(pair) != 2:
            words = f"modes are by number, such as {{1: [150 Hz, 0.8 %]}}, got {short_repr(number)}"
            raise InvalidInput(f"{words}: {describe_value(pair)}")
        frequency, ratio = (read_quantity(each) for each in pair)
        share = OpenKinds().take("a damping ratio", ratio, (0, 0, 0))
        found[int(number)] = (read_frequency(frequency), share)
    return found


# ---- the study


def run(model: Model, settings: Settings, progress: Callable[[int, float], Any] | None) -> Calibration:
    """Fit the parameters."""
    from slipstick.calibration.calibrate import calibrate

    return calibrate(model, **arguments(settings), progress=progress)


def check(model: Model, settings: Settings) -> None:
    """Refuse measurements of what the model does not have, and unknown numbers."""
    from slipstick.calibration.data_sets import data_sets_of
    from slipstick.calibration.unknowns import unknowns_of, with_parameters

    given = arguments(settings)
    start = with_parameters(model, given.get("fixed", {}))
    unknowns_of(start, given["unknown"], given.get("bounds", {}), given.get("priors", {}))
    for name in given["unknown"]:
        if name in given.get("fixed", {}):
            raise InvalidInput(f"{name} is in unknown and in fixed; leave one of them out")
    data_sets_of(given["data"], start)


def watched(_: Settings, count: int, squares: float) -> str:
    """How far it is: ``57 models, sum of squares 1.2e3``."""
    return f"{point_count_text(count).replace('point', 'model')}, sum of squares {squares:.3g}"


def words(settings: Settings) -> str:
    """The request in words: ``joint.limit, joint.stiffness from 2 measurements``."""
    count = len(settings["data"])
    return f"{', '.join(settings['unknown'])} from {count} measurement{'s' * (count != 1)}"


KIND = StudyKind(
    name="calibrate",
    description="parameters of the model from measurements",
    example="calibrate: {unknown: [joint.limit], data: [{loop: joint.csv, connection: joint}]}",
    shape=CalibrateSection,
    read=read,
    run=run,
    check=check,
    watched=watched,
    begins="comparing the model with the data",
    words=words,
    title="calibration",
)
