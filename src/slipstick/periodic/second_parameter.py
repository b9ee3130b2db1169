"""Special points of a curve over a second parameter of its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.errors import LOW_HIGH, Advice, InvalidInput, short_repr
from slipstick.model.named_parameter import parameter_of
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.native.blas_threads import one_blas_thread
from slipstick.periodic.branches.graze_family import GrazeFamily
from slipstick.periodic.branches.special_family import DOUBLING, MAX_COLUMNS, NEIMARK_SACKER
from slipstick.periodic.branches.special_tracking import follow_special, track_special
from slipstick.periodic.continuation.family import Family
from slipstick.periodic.continuation.step_control import ParameterRange
from slipstick.periodic.family_factory import FamilyFactory, ParametricModel
from slipstick.periodic.request_checks import checked_values
from slipstick.periodic.shooting.adaptive_family import AdaptiveShooting
from slipstick.periodic.shooting.exact_family import Shooting
from slipstick.results.run import Names
from slipstick.results.special_curve import SpecialCurve
from slipstick.units.scales import Scale, frequency_scale

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.results.curve import CurveStats
    from slipstick.results.orbit import OrbitPoint

GRAZING = "grazing"


class SecondRange(NamedTuple):
    """The name of a second parameter, and two values of it, as they were given."""

    parameter: Any
    between: Any


class CurveSource(NamedTuple):
    """What made a curve: its families, its sub-harmonic index, its statistics."""

    maker: FamilyFactory
    subharmonic: int | None
    stats: CurveStats


def track_over_second(
    source: CurveSource, special: Mapping[str, Any], point: OrbitPoint, second: SecondRange
) -> SpecialCurve:
    """See `slipstick.results.curve.Curve.track`."""
    maker, stats = source.maker, source.stats
    values = checked_values("between", second.between)
    over_frequency = stats.parameter == "frequency"
    if not stats.remade:
        raise InvalidInput("this curve is of models that a function made, so it has no second parameter by name")
    system = maker.models.at(point.p).snapshot()
    if second.parameter == stats.parameter or second.parameter == "frequency":
        words = f"the second parameter must be a number of the model beside {stats.parameter}"
        raise InvalidInput(f'{words}, got "{second.parameter}"').about("parameter")
    found = parameter_of(system, second.parameter)
    low, high = float(values.min()), float(values.max())
    if not low <= found.value <= high:
        raise InvalidInput(
            f"between must hold the model's own {second.parameter}, {found.value:g}, got {short_repr(second.between)}",
            argument="between",
            advice=[Advice("widen {between}", between=LOW_HIGH)],
        )
    family_at = _families(source, system, second.parameter, point)
    kind = special["kind"]
    first_family = family_at(found.value)
    _refuse_method(first_family, kind, point.p)
    within = ParameterRange(float(values[0]), float(values[-1]))
    at, span = (point.x, point.p, found.value), abs(stats.end - stats.begin)
    with one_blas_thread():
        if kind == GRAZING:
            grazes = GrazeFamily(family_at, special["connection"], at, span, within.span)
            tracked = follow_special(grazes, at, span, within, has_cusps=False)
        else:
            tracked = track_special(family_at, kind, at, span, within)
    first = frequency_scale(system.stated_units.frequency) if over_frequency else Scale(stats.unit, 1.0)
    scales = first, Scale(parameter_unit(system, second.parameter), 1.0)
    names = stats.parameter, str(second.parameter)
    curve = SpecialCurve(kind, names, scales, tuple(tracked.points), tracked.turns, Names.of(system))
    curve.ended, curve.notes = tracked.ended, tuple(tracked.notes)
    return curve


def _families(source: CurveSource, system: System, parameter: str, point: OrbitPoint) -> Callable[[float], Family]:
    """The family of the curve at a value of the second parameter."""
    maker, subharmonic, stats = source
    second = parameter_of(system, parameter)
    harmonics = stats.harmonics or maker.harmonics

    def family_at(q: float) -> Family:
        changed = second.at(q)
        if stats.parameter == "frequency":
            models = ParametricModel(lambda _: changed, point.p, same=True)
        else:
            models = ParametricModel(parameter_of(changed, stats.parameter).at, point.p, point.frequency)
        return FamilyFactory(models, maker.method, harmonics or None).family(subharmonic)

    return family_at


def _refuse_method(family: Family, kind: str, p: float) -> None:
    """Refuse families whose derivatives are not as good as second derivatives need."""
    if isinstance(family, AdaptiveShooting):
        raise InvalidInput(
            "shooting by error-controlled integration has no second derivatives to follow special points by",
            advice=[Advice("compute the curve with {method}", method="harmonic-balance")],
        )
    if family.sampled:
        raise InvalidInput(
            "harmonic balance samples the corners of these laws, so its curves waver too much to follow special points",
            advice=[Advice("compute the curve with {method}", method="shooting")],
        )
    if kind == GRAZING and not isinstance(family, Shooting):
        raise InvalidInput(
            "harmonic balance does not locate the instants of contact, so grazes cannot be followed",
            advice=[Advice("compute the curve with {method}", method="shooting")],
        )
    if kind in (DOUBLING, NEIMARK_SACKER) and isinstance(family, Shooting):
        period_map = family.map_at(p)[0]
        if period_map.sliders or period_map.least or period_map.drift.size:
            words = "of models with friction or with free bodies are not followed; only folds are"
            raise InvalidInput(f"{kind} points {words}")
        if kind == NEIMARK_SACKER and family.size > MAX_COLUMNS:
            raise InvalidInput(f"neimark-sacker points are followed in up to {MAX_COLUMNS} unknowns, not {family.size}")
    elif kind in (DOUBLING, NEIMARK_SACKER):
        raise InvalidInput(
            f"harmonic balance finds {kind} points apart from its equations, so they cannot be followed",
            advice=[Advice("compute the curve with {method}", method="shooting")],
        )
