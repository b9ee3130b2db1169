"""The shape of a model file, as pydantic models; the JSON Schema for editors follows from them.

The keys of a law are made from the law's own parameters (`Spec`), so a new law needs no change here. Values are
only split (number, unit, text); bounds and dimensions are checked when the model is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, Field, fields
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, PlainValidator, TypeAdapter, WithJsonSchema, create_model
from pydantic import Field as Described

from slipstick.errors import InvalidInput
from slipstick.laws import law_class
from slipstick.laws.parameters import Spec, spec_of
from slipstick.model.files.file_problems import describe_value
from slipstick.model.files.quantities import Quantity, read_flag, read_quantity
from slipstick.model.files.unit_kinds import describe_units
from slipstick.units.dimensions import COORDINATE_KINDS

FORMAT_VERSION = 1  # of the format
TEXT_NUMBER = r"^\s*[-+\u2212]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?(\s*([^\s0-9.,:_]|1/).*)?$"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"must be text, got {describe_value(value)}")
    return value


def _one_of(choices: Sequence[str], value: Any) -> str:
    if value not in choices:
        raise InvalidInput(f"must be {' or '.join(choices)}, got {describe_value(value)}")
    return str(value)


def _number_schema(**bounds: float) -> dict[str, Any]:
    return {"anyOf": [{"type": "number", **bounds}, {"type": "string", "pattern": TEXT_NUMBER}]}


Text = Annotated[str, PlainValidator(_text), WithJsonSchema({"type": ["string", "number"]})]
Number = Annotated[Quantity, PlainValidator(read_quantity), WithJsonSchema(_number_schema())]
MaybeText = Annotated[str | None, PlainValidator(_text), WithJsonSchema({"type": ["string", "number"]})]
MaybeNumber = Annotated[Quantity | None, PlainValidator(read_quantity), WithJsonSchema(_number_schema())]
MaybeNumbers = list[Number] | None
MaybeKind = Annotated[
    str | None,
    PlainValidator(lambda value: _one_of(COORDINATE_KINDS, value)),
    WithJsonSchema({"enum": list(COORDINATE_KINDS)}),
]
Flag = Annotated[bool, PlainValidator(read_flag), WithJsonSchema({"type": "boolean"})]


class FilePart(BaseModel):
    """Base of all parts of a file: unknown keys are refused."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        protected_namespaces=(),
        model_title_generator=lambda part: part.__name__.removesuffix("Section"),
    )


# ---- functions of time


class HarmonicSection(FilePart):
    """amplitude * cos(omega t + phase), or sin."""

    amplitude: Number = Described(description="half of peak to peak, in the unit of what varies")
    frequency: MaybeNumber = Described(None, description="rad/s, Hz or rpm; or give order instead")
    order: MaybeNumber = Described(None, description="multiple of the base frequency; or give frequency instead")
    phase: MaybeNumber = Described(None, description="rad or deg")


class ChirpFunction(FilePart):
    """amplitude * cos(frequency t + rate t^2/2 + phase)."""

    amplitude: Number = Described(description="half of peak to peak, in the unit of what varies")
    frequency: Number = Described(description="at t = 0: rad/s, Hz or rpm")
    rate: Number = Described(description="by which the frequency grows: rad/s^2, Hz/s or rpm/s")
    phase: MaybeNumber = Described(None, description="rad or deg")


class FourierSeries(FilePart):
    """mean + sum over n of cos[n-1] cos(n omega t) + sin[n-1] sin(n omega t)."""

    mean: MaybeNumber = Described(None, description="the mean value")
    cos: MaybeNumbers = Described(None, description="cosine coefficients of the 1st, 2nd ... multiple")
    sin: MaybeNumbers = Described(None, description="sine coefficients of the 1st, 2nd ... multiple")
    frequency: MaybeNumber = Described(None, description="rad/s, Hz or rpm; or give order instead")
    order: MaybeNumber = Described(None, description="multiple of the base frequency (default 1)")


class SamplesSection(FilePart):
    """Samples, linear between them; a repeated time is a jump; the end values hold."""

    times: MaybeNumbers = Described(None, description="s, not decreasing")
    values: MaybeNumbers = Described(None, description="one value a time")
    file: MaybeText = Described(
        None,
        description="instead: a file beside, in SI: .csv with columns of time and value, or .npz with times and values",
    )


class FunctionSection(FilePart):
    """A function of time; several keys are added."""

    constant: MaybeNumber = Described(None, description="the same at all times")
    ramp: MaybeNumber = Described(None, description="rate: the value is rate times t")
    cosine: HarmonicSection | None = None
    sine: HarmonicSection | None = None
    fourier: FourierSeries | None = None
    signal: SamplesSection | None = None
    chirp: ChirpFunction | None = None
    sum: list[FunctionSection] | None = Described(None, description="several functions, added")


class LoadSection(FunctionSection):
    """A force on a coordinate."""

    on: Text = Described(description="a coordinate, or a sum of coordinates such as x - y")
    name: MaybeText = Described(None, description="by which a study finds its numbers, such as forcing.amplitude")


class Modulation(FunctionSection):
    """A function of time that multiplies the force."""

    cut_at_zero: Flag = Described(False, description="true: the factor is 0 where the function is negative")


# ---- coordinates and connections


class CoordinateSection(FilePart):
    """One displacement or angle."""

    inertia: MaybeNumber = Described(None, description="kg for a displacement, kg m^2 for an angle; may be 0")
    displacement: MaybeNumber = Described(None, description="at the start: m, mm, rad, deg")
    velocity: MaybeNumber = Described(None, description="at the start: m/s, rad/s, rpm")
    motion: FunctionSection | None = Described(None, description="prescribed motion instead of a start")
    kind: MaybeKind = Described(None, description="translation or rotation, where no unit says it")


class ScaleSection(FilePart):
    """force * law(deflection * u): from strain and stress to metres and newtons."""

    deflection: MaybeNumber = Described(None, description="strain over deflection: 1/thickness, in 1/m")
    force: MaybeNumber = Described(None, description="force over stress: the area, in m^2")


class FollowedSection(FilePart):
    """A limit that follows the force of another connection while that presses."""

    force_of: Text = Described(description="name of the other connection, which comes before this one")
    factor: MaybeNumber = Described(None, description="friction coefficient; 1 if left out")


def _modulations(value: Any) -> list[Modulation]:
    if isinstance(value, list):
        return TypeAdapter(list[Modulation]).validate_python(value)
    return [Modulation.model_validate(value)]


MODULATION_REFERENCE = {"x-ref": "Modulation"}  # replaced by references once all definitions are together
FUNCTION_REFERENCE = {"x-ref": "Function"}
FOLLOWED_REFERENCE = {"x-ref": "Followed"}
Modulations = Annotated[list[Modulation] | None, PlainValidator(_modulations), WithJsonSchema(MODULATION_REFERENCE)]


class TermSection(FilePart):
    """A law, or a sum of laws."""

    scaled: ScaleSection | None = Described(None, description="force * law(deflection * u)")
    modulated: Modulations = Described(None, description="a periodic function that multiplies the force, or several")


class SeriesPart(TermSection):
    """A law in a series, or a sum of laws."""


class ContactDeflections(FilePart):
    """The deflections of a contact."""

    tangential: Annotated[
        Any,
        PlainValidator(lambda value: [_text(each) for each in value] if isinstance(value, list) else _text(value)),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
    ] = Described(description="along the surface: a sum of coordinates, or a list of two")
    normal: Text = Described(description="across the surface: a sum of coordinates; positive presses")

    def __str__(self) -> str:
        return " and ".join(self.texts)

    @property
    def texts(self) -> list[str]:
        """All deflections, the normal one last."""
        return [*(self.tangential if isinstance(self.tangential, list) else [self.tangential]), self.normal]


def _deflection(value: Any) -> str | ContactDeflections:
    return ContactDeflections.model_validate(value) if isinstance(value, dict) else _text(value)


Deflection = Annotated[
    Any,
    PlainValidator(_deflection),
    WithJsonSchema({"anyOf": [{"type": ["string", "number"]}, {"x-ref": "ContactDeflections"}]}),
]


class ConnectionSection(TermSection):
    """A law that acts along a deflection."""

    deflection: Deflection = Described(
        description="a sum of coordinates: u2, u1 - u2, delta - 2*gamma; of a contact tangential: and normal:"
    )
    along: MaybeText = Described(None, description="where the force acts, if not along the deflection")


class Document(FilePart):
    """A slipstick model."""

    slipstick: Text = Described(description="version of the format: 1")
    name: MaybeText = Described(None, description="of the model; default: the name of the file")
    frequency: MaybeNumber = Described(None, description="base frequency for orders: rad/s, Hz or rpm")
    coordinates: dict[str, Any] | None = Described(None, description="displacements and angles by name")
    connections: dict[str, Any] | None = Described(None, description="laws between coordinates by name")
    loads: list[Any] | None = Described(None, description="forces on coordinates; they add")
    matrices: MaybeText = Described(
        None, description="an .npz file in the same folder with mass, damping, stiffness and names"
    )


# ---- laws


@lru_cache(maxsize=200)
def law_part(name: str, base: type[TermSection]) -> type[TermSection]:
    """The keys of a connection, or of a term of a sum, with this law."""
    law = law_class(name)
    keys: dict[str, Any] = {"law": (Text, Described(description=_first_line(law.__doc__)))}
    for f in fields(law):
        keys[f.name] = _parameter(f, spec_of(f))
    prefix = "" if base is ConnectionSection else "Term"
    made: type[TermSection] = create_model(
        prefix + law.__name__, __base__=base, __doc__=_first_line(law.__doc__), **keys
    )
    return made


@lru_cache(maxsize=2)
def sum_part(base: type[TermSection]) -> type[TermSection]:
    """The keys of a connection whose law is a sum."""
    made: type[TermSection] = create_model(
        "Sum" if base is ConnectionSection else "TermSum",
        __base__=base,
        __doc__="Several laws in parallel.",
        sum=(list[Any], Described(description="laws in parallel, each with its parameters")),
    )
    return made


def has_function(name: str) -> bool:
    """True for a law with a Python function among its parameters, which no file can hold."""
    return any(spec_of(f).kind == "function" for f in fields(law_class(name)))


def missing_parameter_message(law: str, parameter: str) -> str:
    """What to say if a parameter is missing."""
    f = next(f for f in fields(law_class(law)) if f.name == parameter)
    spec = spec_of(f)
    doc = f", {spec.doc}" if spec.doc else ""
    return f"{law} needs {parameter} [{_units(spec)}]{doc}; add {parameter}: with its value"


def _parameter(f: Field[Any], spec: Spec) -> tuple[Any, Any]:
    default: Any = ... if f.default is MISSING else None
    return _annotation(spec), Described(default, description=f"{spec.doc} [{_units(spec)}]{_bounds(spec)}")


def _annotation(spec: Spec) -> Any:
    match spec.kind:
        case "numbers" | "pair":
            return MaybeNumbers
        case "choice":
            options = list(spec.choices)
            return Annotated[
                Any, PlainValidator(lambda value: _one_of(options, value)), WithJsonSchema({"enum": options})
            ]
        case "flag":
            return Flag
        case "laws":
            return list[Any]
        case "number-or-periodic":
            both = {"anyOf": [*_number_schema(**_limits(spec))["anyOf"], FUNCTION_REFERENCE]}
            if spec.follows:
                both["anyOf"].append(FOLLOWED_REFERENCE)
            return Annotated[Any, PlainValidator(_number_or_function), WithJsonSchema(both)]
    if spec.follows:
        both = {"anyOf": [*_number_schema(**_limits(spec))["anyOf"], FOLLOWED_REFERENCE]}
        return Annotated[Any, PlainValidator(_number_or_force), WithJsonSchema(both)]
    return Annotated[Any, PlainValidator(read_quantity), WithJsonSchema(_number_schema(**_limits(spec)))]


def _number_or_force(value: Any) -> Quantity | FollowedSection:
    return FollowedSection.model_validate(value) if isinstance(value, dict) else read_quantity(value)


def _number_or_function(value: Any) -> Quantity | FunctionSection | FollowedSection:
    if isinstance(value, dict) and "force_of" in value:
        return FollowedSection.model_validate(value)
    return FunctionSection.model_validate(value) if isinstance(value, dict) else read_quantity(value)


def _units(spec: Spec) -> str:
    if spec.kind == "flag":
        return "true or false"
    if spec.kind == "laws":
        return "a list, each with law: and its parameters"
    if spec.kind == "choice":
        return " or ".join(spec.choices)
    if callable(spec.dimension):
        return "its unit depends on the exponent"
    if any(spec.step):
        first, second = (describe_units(spec.dimension_of(None, i)) for i in (0, 1))
        return f"first in {first}, second in {second}" + ("" if spec.kind == "pair" else " ...")
    return describe_units(spec.dimension)


def _limits(spec: Spec) -> dict[str, float]:
    named = {"minimum": spec.low, "exclusiveMinimum": spec.above, "maximum": spec.high, "exclusiveMaximum": spec.below}
    return {key: bound for key, bound in named.items() if bound is not None}


def _bounds(spec: Spec) -> str:
    pairs = ((">=", spec.low), (">", spec.above), ("<=", spec.high), ("<", spec.below))
    return "".join(f", {sign} {bound:g}" for sign, bound in pairs if bound is not None)


def _first_line(doc: str | None) -> str:
    return (doc or "").strip().split("\n")[0]
