"""Start values of a law's parameters, read from the geometry of the loops.

A function here for each law offers a few starts (`law_traits` lists them); the search takes those that fit best. A law
of somebody's own is given with values, which are its start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.rules.area import rate_from_area_of
from slipstick.identification.rules.backbone import backbone_of
from slipstick.identification.rules.dahl_shape import rate_and_exponent_of
from slipstick.identification.rules.envelope_lines import envelopes_of
from slipstick.identification.rules.masing_corners import masing_geometry_of
from slipstick.identification.rules.overshoot import overshoot_dahl_of
from slipstick.laws.base import Law
from slipstick.laws.boucwen import BoucWen
from slipstick.laws.dahl import Dahl, Duhem, ModifiedDahl
from slipstick.laws.elastic import Contact, Freeplay, Linear, Polynomial
from slipstick.laws.friction import DryFriction
from slipstick.laws.lugre import LuGre
from slipstick.laws.masing import Iwan, Jenkins, Masing
from slipstick.laws.nonlocal_memory import BlimanSorine, DynamicHysteresis, FibreShear

Array = NDArray[np.float64]
Starts = Iterator[Law]
StartFunction = Callable[[Sequence[LoopGeometry]], Starts]

IWAN_SLIP_GRID = 120  # ways at which elements of an Iwan law may slip
IWAN_DEFAULT_ELEMENTS = 4  # of an Iwan law that is asked for by its name alone


def _from_rule(make: Callable[[], Law]) -> Starts:
    """The law that a rule of the papers gives; none where it does not apply."""
    with suppress(InvalidInput):
        yield make()


def _positive_or(x: float, instead: float) -> float:
    """A start that may not be zero or below."""
    return x if x > 0.0 else instead


class _LoopSizes:
    """What most starts need, from the smallest and the largest loop."""

    def __init__(self, loops: Sequence[LoopGeometry]) -> None:
        small, large = loops[0], loops[-1]
        self.large, self.amplitude = large, large.amplitude
        scale = float(np.ptp(np.concatenate((large.up, large.down)))) or 1.0
        self.swing = 0.49 * scale  # the limit of a slider that just begins to slip
        self.first = _positive_or(small.slope_after_reversal(), scale / (2.0 * large.amplitude))
        self.last = envelopes_of(large).slope
        self.height = _positive_or(large.half_width, 1e-3 * scale)
        self.mean = float(np.mean(large.up + large.down)) / 2.0
        self.excess = _positive_or(self.first - self.last, self.first)


def jenkins(loops: Sequence[LoopGeometry]) -> Starts:
    s = _LoopSizes(loops)
    for share in (1.0, 0.5):
        yield Jenkins(stiffness=s.first, limit=share * s.height)
    yield Jenkins(stiffness=_positive_or(s.large.secant, s.first), limit=s.swing)


def masing(loops: Sequence[LoopGeometry]) -> Starts:
    yield from _from_rule(lambda: masing_geometry_of(loops[-1]).law)
    s = _LoopSizes(loops)
    for beside, share in product((s.last, 0.0), (1.0, 0.5)):
        preload = s.mean - beside * s.large.middle
        stiffness = _positive_or(s.first - beside, s.first)
        yield Masing(
            stiffness=stiffness, limit=share * s.height, parallel_stiffness=beside, damping=0.0, preload=preload
        )
    stiffness = _positive_or(s.large.secant, s.first)
    yield Masing(stiffness=stiffness, limit=s.swing, parallel_stiffness=0.0, damping=0.0, preload=s.mean)


def iwan(loops: Sequence[LoopGeometry], count: int = IWAN_DEFAULT_ELEMENTS) -> Starts:
    """Elements that slip at given ways add up linearly along a branch: least squares over a fine grid of ways, no
    stiffness below zero; neighbours on the grid are one element."""
    from scipy.optimize import nnls

    large = loops[-1]
    way = large.u - large.u[0]  # behind a reversal an element of stiffness k that slips at y holds k min(way, 2 y)
    rise = 0.5 * (large.up - large.up[0]) + 0.5 * (large.down[-1] - large.down[::-1])
    grid = np.linspace(0.01, 0.99, IWAN_SLIP_GRID) * large.amplitude
    basis = np.stack([np.minimum(way, 2.0 * y) for y in grid] + [way], axis=1)
    found, _ = nnls(basis, rise)
    offers = [_cluster_elements(grid, found[:-1], count)]
    if count > 1:  # two elements closer than the grid tells look like one: any of them may be two
        fewer = _cluster_elements(grid, found[:-1], count - 1)
        offers += [
            [*fewer[:i], (0.5 * k, 0.98 * y), (0.5 * k, 1.02 * y), *fewer[i + 1 :]] for i, (k, y) in enumerate(fewer)
        ]
    for elements in offers:
        k, y = np.array([e[0] for e in elements]), np.array([e[1] for e in elements])
        yield Iwan(stiffnesses=tuple(k), limits=tuple(k * y), parallel_stiffness=float(found[-1]))


def _cluster_elements(grid: Array, stiffness: Array, count: int) -> list[tuple[float, float]]:
    """(stiffness, way) of so many elements: neighbours on the grid are one, then the nearest are made one."""
    held = [(float(k), float(y)) for k, y in zip(stiffness, grid, strict=True) if k > 1e-9 * stiffness.sum()]
    while len(held) > count:
        cost = [_merging_error(a, b) for a, b in pairwise(held)]
        i = int(np.argmin(cost))
        (k, y), (other, z) = held[i], held[i + 1]
        held[i : i + 2] = [(k + other, (k * y + other * z) / (k + other))]
    while len(held) < count:  # fewer corners than elements: the stiffest is two
        i = int(np.argmax([k for k, _ in held])) if held else 0
        k, y = held[i] if held else (1.0, float(grid[grid.size // 2]))
        held[i : i + 1] = [(0.5 * k, 0.8 * y), (0.5 * k, 1.1 * y)]
    return held


def _merging_error(a: tuple[float, float], b: tuple[float, float]) -> float:
    """How much the force changes if two elements are made one."""
    return a[0] * b[0] / (a[0] + b[0]) * (b[1] - a[1])


def linear(loops: Sequence[LoopGeometry]) -> Starts:
    s = _LoopSizes(loops)
    yield Linear(stiffness=s.large.secant, preload=s.mean - s.large.secant * s.large.middle)


def polynomial(loops: Sequence[LoopGeometry]) -> Starts:
    large = loops[-1]
    middle = 0.5 * (large.up + large.down)
    yield Polynomial(coefficients=tuple(np.polyfit(large.u, middle, 3)[::-1]))


def friction(loops: Sequence[LoopGeometry]) -> Starts:
    yield DryFriction(limit=_LoopSizes(loops).height)


def freeplay(loops: Sequence[LoopGeometry]) -> Starts:
    s = _LoopSizes(loops)
    for share in (0.2, 0.5):
        yield Freeplay(stiffness=max(s.last, s.large.secant), half_gap=share * s.amplitude)


def contact(loops: Sequence[LoopGeometry]) -> Starts:
    s = _LoopSizes(loops)
    for share in (-0.5, 0.0, 0.5):
        yield Contact(stiffness=max(s.last, s.large.secant), gap=s.large.middle + share * s.amplitude)


def dahl(loops: Sequence[LoopGeometry]) -> Starts:
    s = _LoopSizes(loops)
    for exponent, share in product((1.0, 0.5, 1.8), (1.0, 1.5)):
        yield Dahl(stiffness=s.first / 2.0**exponent, limit=share * s.height, exponent=exponent)


def modified_dahl(loops: Sequence[LoopGeometry]) -> Starts:
    yield from _from_rule(lambda: rate_and_exponent_of(loops[-1]).law)
    lines = envelopes_of(loops[-1])
    for exponent in (0.3, 0.6, 1.0, 1.5):
        for rate in _dahl_rates(loops, exponent):
            yield ModifiedDahl(rate=rate, exponent=exponent, upper=lines.upper, lower=lines.lower)


def _dahl_rates(loops: Sequence[LoopGeometry], exponent: float) -> Iterator[float]:
    """The slope right after a reversal is rate * gap^exponent."""
    s = _LoopSizes(loops)
    gap = max(envelopes_of(s.large).width(s.large.middle), s.height)
    for rise in (s.excess, 3.0 * s.excess):
        yield rise / gap**exponent


def duhem(loops: Sequence[LoopGeometry]) -> Starts:
    yield from _from_rule(lambda: rate_from_area_of(loops[-1]).law)
    lines = envelopes_of(loops[-1])
    for rate in _dahl_rates(loops, 1.0):
        yield Duhem(rate=rate, upper=lines.upper, lower=lines.lower)


def dynamic_hysteresis(loops: Sequence[LoopGeometry]) -> Starts:
    yield from _from_rule(lambda: backbone_of(loops, ()).law)
    s = _LoopSizes(loops)
    for exponent, share in product((1.0, 0.5, 1.8), (1.0, 1.5)):
        yield DynamicHysteresis(stiffness=s.first / 2.0**exponent, limit=share * s.height, exponent=exponent)


def bliman_sorine(loops: Sequence[LoopGeometry]) -> Starts:
    yield from _from_rule(lambda: overshoot_dahl_of(loops[-1], {}).law)
    s = _LoopSizes(loops)
    for over, ratio in product((0.2, 0.5), (0.1, 0.4)):
        limit = s.height / (1.0 - over)
        stiffness = 0.5 * s.first / (1.0 - ratio * over)
        yield BlimanSorine(stiffness=stiffness, limit=limit, overshoot_limit=over * limit, ratio=ratio)


def fibre(loops: Sequence[LoopGeometry]) -> Starts:
    yield from _from_rule(lambda: overshoot_dahl_of(loops[-1], backbone_of(loops).moduli).fibre)
    s = _LoopSizes(loops)
    large = s.large
    cubic, linear = _cubic_midline(large)
    for over, ratio in product((0.3, 1.0), (0.2, 0.5)):
        yield FibreShear(
            stiffness=_positive_or(0.5 * (s.first - linear), 0.1 * s.first), limit=loops[len(loops) // 2].half_width,
            linear=linear, cubic=max(cubic, 1e-3 * abs(linear) / large.amplitude**2), overshoot=over, ratio=ratio,
        )  # fmt: skip


def _cubic_midline(large: LoopGeometry) -> tuple[float, float]:
    """The cubic and the linear coefficient of the middle line of a loop."""
    middle = 0.5 * (large.up + large.down)
    basis = np.stack((large.u**3, large.u), axis=1)
    cubic, linear = np.linalg.lstsq(basis / large.amplitude, middle, rcond=None)[0] / large.amplitude
    return float(cubic), float(linear)


def bouc_wen(loops: Sequence[LoopGeometry]) -> Starts:
    s = _LoopSizes(loops)
    ratio = float(np.clip(s.last / s.first, 0.01, 0.95))
    reach = s.height / ((1.0 - ratio) * s.first)  # what z grows to
    for exponent, share in product((1.0, 2.0), (0.5, 0.8, 0.2)):
        both = 1.0 / reach**exponent
        yield BoucWen(
            stiffness=s.first, ratio=ratio, beta=share * both, gamma=(1.0 - share) * both, exponent=exponent, A=1.0
        )


def lugre(loops: Sequence[LoopGeometry]) -> Starts:
    s = _LoopSizes(loops)
    period = s.large.period or 1.0
    speed = 2.0 * np.pi * s.amplitude / period
    for over, slow in product((1.2, 1.6), (0.02, 0.08, 0.3)):
        yield LuGre(
            bristle_stiffness=s.first, bristle_damping=0.0, viscous=0.0, coulomb=s.height / over**0.5,
            static=s.height * over**0.5, stribeck_velocity=slow * speed,
        )  # fmt: skip
