"""Damper of a Masing law from energy (tensioner 28-31): the energy of a cycle beyond that of the dry law.

    c = (area - dry energy) / closed integral of u'^2 dt,        pi x_1^2 Omega for a harmonic motion (30)

The product c Omega is assumed constant over frequency (31).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.identification.preparing.cycle_figures import cycle_period
from slipstick.identification.preparing.loop_geometry import whole_branches
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.preparing.reversals import full_cycles
from slipstick.identification.rules.masing_corners import MasingGeometry, masing_geometry_of
from slipstick.identification.rules.rule_base import (
    ENERGY,
    NUMBER,
    Rule,
    RuleRow,
    prepare_for_rule,
    require_steady,
    rule_error,
)
from slipstick.laws.masing import Masing


@dataclass(frozen=True)
class DampingFromEnergy(Rule):
    """damping : c.   energy : area between the mean branches.   dry_energy : of the law without damper.
    rate_squared : integral of u'^2 over a cycle.   amplitude : half range of deflection.   frequency : [rad/s].
    harmonic : pi amplitude^2 frequency, for comparison.   geometry : the dry Masing law.
    """

    name: str
    damping: float
    energy: float
    dry_energy: float
    rate_squared: float
    amplitude: float
    frequency: float
    geometry: MasingGeometry

    @property
    def harmonic(self) -> float:
        return float(np.pi) * self.amplitude**2 * self.frequency

    @property
    def law(self) -> Masing:
        own = self.geometry
        return Masing(
            stiffness=own.stiffness, limit=own.limit, parallel_stiffness=own.parallel_stiffness, damping=self.damping,
            preload=own.preload,
        )  # fmt: skip

    def at(self, frequency: float) -> float:
        """The damping at another frequency [rad/s] (31)."""
        if isinstance(frequency, bool) or not isinstance(frequency, (int, float, np.number)) or not frequency > 0.0:
            raise InvalidInput(f"at needs a frequency > 0 rad/s, got {short_repr(frequency)}").about("frequency")
        return self.damping * self.frequency / float(frequency)

    @property
    def system(self) -> str:
        return self.geometry.system

    def rows(self) -> list[RuleRow]:
        harmonic = f"({self.harmonic:.6g} for a harmonic motion)"
        return [
            RuleRow("damping", self.damping, (1, -1, 1)),
            RuleRow("area of the mean branches", self.energy, ENERGY),
            RuleRow("of the dry skeleton", self.dry_energy, ENERGY),
            RuleRow("integral of rate^2", self.rate_squared, (0, 2, -1), harmonic),
            RuleRow("frequency", self.frequency, NUMBER, "rad/s"),
        ]


def damping_from_energy(loop: Any, *, geometry: MasingGeometry | None = None) -> DampingFromEnergy:
    """Damper that dissipates the energy of a cycle beyond that of the dry Masing law.

    loop : a `Loop` with times and a full cycle.   geometry : the dry law; by default `masing_geometry(loop)`.
    """
    prepared = prepare_for_rule("rules.damping_from_energy", loop)
    if geometry is not None and not isinstance(geometry, MasingGeometry):
        raise InvalidInput(
            f"rules.damping_from_energy: geometry must be what masing_geometry gives, got {short_repr(geometry)}"
        ).about("geometry")
    return damping_from_energy_of(prepared, geometry or masing_geometry_of(prepared.geometry))


def damping_from_energy_of(prepared: PreparedLoop, dry_law: MasingGeometry) -> DampingFromEnergy:
    """The same from a prepared loop and its dry law."""
    loop = prepared.loop
    require_steady(prepared.geometry)
    if loop.t is None:
        raise rule_error(
            prepared.geometry,
            "it has no times, so its damper cannot be determined; give Loop(u, f, t)",
            Advice("{times}"),
        )
    cycles = full_cycles(loop.u, loop.f, loop.turning.turns)
    inner = [(a, b) for a, b in whole_branches(loop) if a > 0 and b < len(loop) - 1]  # between reversals
    if not cycles or not inner:
        raise rule_error(prepared.geometry, "it has no full cycle, so its energy is not known; measure two or more")
    branches = [float(np.trapezoid(prepared.path.rate[a : b + 1] ** 2, loop.t[a : b + 1])) for a, b in inner]
    energy, square = dry_law.geometry.area, 2.0 * float(np.mean(branches))
    damping = (energy - dry_law.dry_energy) / square
    return DampingFromEnergy(
        loop.name, damping, energy, dry_law.dry_energy, square, 0.5 * (dry_law.high - dry_law.low),
        2.0 * float(np.pi) / _passage_period(prepared.path.u, loop.t, cycles, dry_law.geometry.middle), dry_law,
    )  # fmt: skip


def _passage_period(u: Array, t: Array, cycles: list[slice], middle: float) -> float:
    """[s] mean time between passages of the middle, interpolated; that of the cycles if they begin elsewhere."""
    passes = [own.start for own in cycles] + [cycles[-1].stop]
    if not all(0 < i < u.size and u[i - 1] <= middle <= u[min(i + 1, u.size - 1)] for i in passes):
        return float(np.mean([cycle_period(t[own]) for own in cycles]))
    around = [np.arange(max(i - 2, 0), min(i + 2, u.size)) for i in passes]
    times = [float(np.interp(middle, u[own], t[own])) for own in around]
    return (times[-1] - times[0]) / (len(times) - 1)
