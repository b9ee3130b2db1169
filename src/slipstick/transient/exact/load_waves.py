"""Waves of loads, prescribed motions and sliding limits, with their complex amplitudes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.angle import Angle
from slipstick.arrays import Array
from slipstick.forcing import Forcing, SweptWaves, sum_functions
from slipstick.transient.problem import Problem

if TYPE_CHECKING:
    from slipstick.transient.exact.packed_model import ModelUnit


class WaveKind(NamedTuple):
    """A wave of constant frequency, or a wave along an angle times powers of its speed and acceleration.

    omega : [rad/s]; for a wave along an angle, a typical frequency.
    """

    omega: float
    angle: Angle | None = None
    powers: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, sweep: SweptWaves) -> WaveKind:
        speeds = [*map(abs, sweep.angle.speed), *(math.sqrt(abs(a)) for a in sweep.angle.acceleration)]
        return cls(max(speeds), sweep.angle, sweep.powers)


def limit_function(problem: Problem, unit: ModelUnit) -> Forcing | None:
    """The sliding limit of a contact over time, one row; None where it is constant."""
    if not (unit.friction and problem.elements[unit.elements[0]].modulation):
        return None
    total = sum(problem.elements[e].law.limit for e in unit.elements)  # type: ignore[attr-defined]
    function = problem.elements[unit.elements[0]].modulation[0][0]
    return sum_functions(1, [(function, np.array([total], dtype=float))], problem.base)


def limit_varies_by_line(problem: Problem, unit: ModelUnit) -> bool:
    limit = limit_function(problem, unit)
    return limit is not None and bool(limit.ramp.any() or limit.signals)


def collect_waves(
    problem: Problem, units: tuple[ModelUnit, ...], linear: Iterable[int]
) -> tuple[list[WaveKind], tuple[Any, ...]]:
    """All waves, and complex amplitudes (Re a e^(i x)) of forces, unit offsets and unit limits."""
    found: list[dict[WaveKind, NDArray[np.complex128]]] = [{}, {}, {}]  # of forces, offsets, limits
    sizes = problem.n, len(units), len(units)

    def add(which: int, kind: WaveKind, amplitude: Any, place: Any = slice(None)) -> None:
        found[which].setdefault(kind, np.zeros(sizes[which], complex))[place] += amplitude

    for kind, amplitude in wave_amplitudes(problem.forcing):
        add(0, kind, amplitude)
    for kind, amplitude in wave_amplitudes(problem.offsets):
        add(1, kind, 0.0)  # keeps the wave in the layout even if no unit has it
        for j, unit in enumerate(units):
            add(1, kind, amplitude[unit.elements[0]], j)
        for e in linear:
            add(0, kind, -element_stiffness(problem, e) * amplitude[e])
    for kind, amplitude in wave_amplitudes(problem.offsets.rate()):
        for e in linear:
            add(0, kind, -element_damping(problem, e) * amplitude[e])
    for j, unit in enumerate(units):
        limit = limit_function(problem, unit)
        for kind, amplitude in wave_amplitudes(limit) if limit is not None else ():
            add(2, kind, amplitude[0], j)
    kinds = sorted({kind for part in found for kind in part}, key=lambda kind: (kind.omega, str(kind)))
    return kinds, tuple(
        np.array([part.get(kind, np.zeros(size)) for kind in kinds], complex).reshape(len(kinds), size).T
        for part, size in zip(found, sizes, strict=True)
    )


def wave_amplitudes(function: Forcing) -> Iterator[tuple[WaveKind, NDArray[np.complex128]]]:
    """The waves of functions of time, with their amplitudes (r,)."""
    for k, omega in enumerate(function.omega.tolist()):
        yield WaveKind(omega), function.cos[:, k] - 1j * function.sin[:, k]
    for sweep in function.sweeps:
        yield WaveKind.of(sweep), sweep.cos - 1j * sweep.sin


def element_stiffness(problem: Problem, e: int) -> Array:
    """(n,) the force of a linear element for a unit deflection."""
    element = problem.elements[e]
    return np.asarray(getattr(element.law, "stiffness", 0.0) * element.force * element.along)


def element_damping(problem: Problem, e: int) -> Array:
    element = problem.elements[e]
    return np.asarray(element.law.damping * element.force * element.along)  # type: ignore[attr-defined]


def sweep_sections(problem: Problem, waves: list[WaveKind]) -> dict[str, Array]:
    """Sections of a model: angle, speed and acceleration of each swept wave where each epoch begins."""
    begins = np.concatenate([[problem.start], problem.breaks(np.inf)])
    along = np.zeros((3, begins.size, len(waves)))
    for j, wave in enumerate(waves):
        if wave.angle is not None:
            along[:, :, j] = [wave.angle.over(begins, derivative) for derivative in range(3)]
    powers = np.array([wave.powers for wave in waves], dtype=float).reshape(-1, 2)
    return {
        "wave_swept": np.array([wave.angle is not None for wave in waves], dtype=float),
        "speed_power": powers[:, 0], "acceleration_power": powers[:, 1],
        "sweep_angle": along[0], "sweep_speed": along[1], "sweep_acceleration": along[2],
    }  # fmt: skip
