"""Start values from the measured motion in time, for laws that offer them, alone or beside a spring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from slipstick.arrays import Array
from slipstick.identification.preparing.imposed_path import ImposedPath, forces_of
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import map_terms
from slipstick.laws.identification_traits import MotionStart, MotionView


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
