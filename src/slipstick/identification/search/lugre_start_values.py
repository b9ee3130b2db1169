"""Where a search for a LuGre law begins, alone or beside a spring: a scan along the measured motion.

With z in units of coulomb/bristle_stiffness the force is linear in everything but three numbers: the distance
coulomb/bristle_stiffness of the bristles, the ratio static/coulomb, and the Stribeck velocity,

    f = coulomb z + bristle_damping dz/dt + viscous v + spring(u).

These three are scanned, and the others follow by linear least squares, none of the friction below zero. The sum of
squares has many minima over them, and branches of a loop do not show rates: geometry alone led to poor ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.preparing.imposed_path import ImposedPath, forces_of
from slipstick.identification.search.unknowns import terms_of
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import Combination
from slipstick.laws.elastic import Linear, Polynomial
from slipstick.laws.lugre import LuGre

Array = NDArray[np.float64]
ScanPoint = tuple[float, LuGre, Array]  # rest, the three numbers, and what the force is linear in

BRISTLE_DEFLECTIONS_REL = np.geomspace(1e-4, 1.0, 9)  # of the bristles, times half the range of deflection
STATIC_TO_COULOMB_RATIOS = (1.0, 1.2, 1.5, 2.0, 3.0, 5.0)  # of static to sliding friction
STRIBECK_VELOCITIES_REL = np.geomspace(3e-3, 1.0, 7)  # of Stribeck, times the largest rate
MAX_OFFERED_STARTS = 4
MIN_COULOMB_FORCE_REL = 1e-3  # of the range of force: sliding friction that a search can begin with


def lugre_start_laws(drives: Sequence[ImposedPath], weights: Array, template: Law) -> list[Law]:
    """Laws like the template to begin with, the best first; none unless it is a LuGre law, alone or beside a spring."""
    terms = terms_of(template)
    springs = [term.law for term in terms if type(term.law) in (Linear, Polynomial)]
    plain = all(term == Leaf(term.law) for term in terms) and any(type(term.law) is LuGre for term in terms)
    if not plain or not len(terms) - 1 == len(springs) <= 1:
        return []
    u, v, f = (np.concatenate([getattr(d, key)[d.counts] for d in drives]) for key in ("u", "rate", "f"))
    weight = np.concatenate([np.full(np.count_nonzero(d.counts), w) for d, w in zip(drives, weights, strict=True)])
    reach, fastest = 0.5 * float(np.ptp(u)), float(np.max(np.abs(v)))
    powers = [u**k for spring in springs for k in range(_coefficients(spring))]
    found: list[ScanPoint] = []
    for distance, ratio, velocity in product(
        reach * BRISTLE_DEFLECTIONS_REL, STATIC_TO_COULOMB_RATIOS, fastest * STRIBECK_VELOCITIES_REL
    ):
        if ratio == 1.0 and velocity < fastest:
            continue  # without static friction there is no Stribeck velocity
        unit = LuGre(
            bristle_stiffness=1.0 / distance, bristle_damping=0.0, viscous=0.0, coulomb=1.0, static=ratio,
            stribeck_velocity=velocity,
        )  # fmt: skip
        columns = np.stack([*powers, *_bristle_columns(unit, drives), v], axis=1)
        found.append(_bounded_least_squares(columns * weight[:, None], f * weight, len(powers), unit))
    best = [min(own, key=lambda one: one[0]) for own in _best_by_stribeck_velocity(found)]
    least = MIN_COULOMB_FORCE_REL * float(np.ptp(f))
    return [
        _lugre_law(unit, x, template, least) for _, unit, x in sorted(best, key=lambda one: one[0])[:MAX_OFFERED_STARTS]
    ]


def _coefficients(spring: Law) -> int:
    """How many the polynomial of a spring has."""
    return len(spring.coefficients) if isinstance(spring, Polynomial) else 2


def _bounded_least_squares(columns: Array, f: Array, free: int, unit: LuGre) -> ScanPoint:
    """Least squares with the first columns of any sign and the others not below zero: the first are projected out."""
    from scipy.optimize import nnls

    size = np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    r = np.asarray(np.linalg.qr(np.column_stack((columns / size, f)), mode="r"))
    x, rest = nnls(r[free:, free:-1], r[free:, -1])
    spring = np.linalg.lstsq(r[:free, :free], r[:free, -1] - r[:free, free:-1] @ x, rcond=None)[0]
    return float(rest), unit, np.concatenate((spring, x)) / size


def _best_by_stribeck_velocity(found: list[ScanPoint]) -> list[list[ScanPoint]]:
    """Neighbours of a scan lead to the same minimum, other Stribeck velocities to others."""
    velocities = sorted({unit.stribeck_velocity for _, unit, _ in found})
    return [[one for one in found if one[1].stribeck_velocity == own] for own in velocities]


def _bristle_columns(unit: LuGre, drives: Sequence[ImposedPath]) -> list[Array]:
    """(n,) z and dz/dt of bristles whose sliding friction is 1, along all samples that are compared."""
    damped = LuGre(**{**unit.parameters(), "bristle_damping": 1.0})
    still, moving = (
        np.concatenate([force[d.counts] for force, d in zip(forces_of(law, drives), drives, strict=True)])
        for law in (unit, damped)
    )
    return [still, moving - still]


def _lugre_law(unit: LuGre, x: Array, template: Law, least: float) -> Law:
    """The template with the numbers that its force is linear in."""
    *powers, sliding, damping, viscous = x.tolist()
    coulomb = max(sliding, least)
    friction = LuGre(
        bristle_stiffness=coulomb * unit.bristle_stiffness, bristle_damping=damping, viscous=viscous, coulomb=coulomb,
        static=coulomb * unit.static, stribeck_velocity=unit.stribeck_velocity,
    )  # fmt: skip
    if not isinstance(template, Combination):
        return friction
    made: dict[type[Law], Callable[[Any], Law]] = {
        LuGre: lambda _: friction,
        Linear: lambda own: replace(own, stiffness=powers[1], preload=powers[0]),
        Polynomial: lambda own: replace(own, coefficients=tuple(powers)),
    }
    return Combination(terms=tuple(Leaf(made[type(law)](law)) for law, *_ in template.terms))
