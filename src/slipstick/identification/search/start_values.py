"""Start values of a law, from the geometry of measured loops, and for some laws from the motion in time.

A law offers them itself (`Law.start_values`); the search takes those that fit best. A law without start values is
given with values, which are its start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.identification.preparing.imposed_path import ImposedPath, forces_of
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.rules.area import rate_from_area_of
from slipstick.identification.rules.backbone import backbone_of
from slipstick.identification.rules.dahl_shape import rate_and_exponent_of
from slipstick.identification.rules.envelope_lines import envelopes_of
from slipstick.identification.rules.masing_corners import masing_geometry_of
from slipstick.identification.rules.overshoot import overshoot_dahl_of
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import map_terms
from slipstick.laws.identification_traits import LoopView, MotionStart, MotionView, positive_or

# the laws that rules of the papers read off loops, sorted by amplitude
RULE_LAWS: dict[str, Callable[[Sequence[LoopGeometry]], Law]] = {
    "masing_geometry": lambda loops: masing_geometry_of(loops[-1]).law,
    "rate_and_exponent": lambda loops: rate_and_exponent_of(loops[-1]).law,
    "rate_from_area": lambda loops: rate_from_area_of(loops[-1]).law,
    "backbone": lambda loops: backbone_of(loops, ()).law,
    "overshoot": lambda loops: overshoot_dahl_of(loops[-1], {}).law,
    "backbone_and_overshoot": lambda loops: overshoot_dahl_of(loops[-1], backbone_of(loops).moduli).fibre,
}


def start_laws_of(kind: type[Law], loops: Sequence[LoopGeometry]) -> list[Law]:
    """Start values of a class of laws; loops : sorted by amplitude."""
    return start_laws_from(kind, loop_view(loops))


def start_laws_from(kind: type[Law], view: LoopView) -> list[Law]:
    """Start values of a class of laws."""
    made = _as_subclass(kind, list(kind.start_values(view)))
    if not made:
        raise InvalidInput(
            f"identify: {kind.__name__} has no start values; give a law with values, {kind.__name__}(...)"
        ).about("law")
    return made


def loop_view(loops: Sequence[LoopGeometry]) -> LoopView:
    """Loops, sorted by amplitude, as laws see them."""
    small, large = loops[0], loops[-1]
    scale = float(np.ptp(np.concatenate((large.up, large.down)))) or 1.0
    lines = envelopes_of(large)

    def rule(name: str) -> Law | None:
        try:
            return RULE_LAWS[name](loops)
        except InvalidInput:  # the rule does not apply
            return None

    return LoopView(
        u=large.u,
        up=large.up,
        down=large.down,
        amplitude=large.amplitude,
        middle=large.middle,
        first_slope=positive_or(small.slope_after_reversal(), scale / (2.0 * large.amplitude)),
        last_slope=lines.slope,
        upper=lines.upper,
        lower=lines.lower,
        line_distance=lines.width(large.middle),
        secant=large.secant,
        height=positive_or(large.half_width, 1e-3 * scale),
        typical_height=loops[len(loops) // 2].half_width,
        swing=0.49 * scale,
        mean=float(np.mean(large.up + large.down)) / 2.0,
        period=large.period,
        rule=rule,
    )


def with_force_share(view: LoopView, share: float) -> LoopView:
    """The loops with a share of their force."""
    scaled: dict[str, Any] = {
        name: share * getattr(view, name)
        for name in (
            "up", "down", "first_slope", "last_slope", "line_distance", "secant", "height", "typical_height", "swing",
            "mean",
        )
    }  # fmt: skip
    scaled |= {name: tuple(share * x for x in getattr(view, name)) for name in ("upper", "lower")}
    return replace(view, **scaled, rule=lambda _: None)


def _as_subclass(kind: type[Law], offers: Sequence[Law]) -> list[Law]:
    """Start values as laws of a subclass; none if it has further parameters without a default."""
    found = []
    for start in offers:
        values = {f.name: getattr(start, f.name) for f in fields(start)}
        if any(f.name not in values and f.default is MISSING and f.default_factory is MISSING for f in fields(kind)):
            return []
        found.append(start if type(start) is kind else kind(**values))
    return found


# ---- from the motion in time


def has_motion_starts(template: Law) -> bool:
    """True for a law with start values from the motion, alone or beside one spring."""
    terms = template.as_terms()
    others = [term.law for term in terms if not term.law.identification.is_spring]
    return (
        len(others) == 1
        and len(terms) <= 2
        and all(term == Leaf(term.law) for term in terms)
        and type(others[0]).motion_start_values is not Law.motion_start_values
    )


def motion_start_laws(drives: Sequence[ImposedPath], weights: Array, template: Law) -> list[Law]:
    """Laws like the template, best first; see `has_motion_starts`."""
    u, v, f = (np.concatenate([getattr(d, key)[d.counts] for d in drives]) for key in ("u", "rate", "f"))
    weight = np.concatenate([np.full(np.count_nonzero(d.counts), w) for d, w in zip(drives, weights, strict=True)])
    laws = [term.law for term in template.as_terms()]
    powers = [u**k for law in laws for k in range(law.spring_power_count)]

    def trace(law: Law) -> Array:
        return np.concatenate([force[d.counts] for force, d in zip(forces_of(law, drives), drives, strict=True)])

    own = next(law for law in laws if not law.identification.is_spring)
    found = own.motion_start_values(MotionView(u, v, f, weight, powers, trace))
    return [map_terms(template, lambda law, start=start: _with_values(law, start)) for start in found]  # type: ignore[misc]


def _with_values(law: Law, start: MotionStart) -> Law:
    """A term of the template with the values of a start."""
    if law.identification.is_spring:
        return law.with_spring_powers(start.spring)
    return replace(law, **start.law.parameters())
