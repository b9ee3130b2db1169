"""The LuGre law: friction of bristles, with presliding, Stribeck effect and viscous friction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import exp, expm1, pi
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.laws.base import Law, Memory
from slipstick.laws.faces import Linearised
from slipstick.laws.identification_traits import IdentificationTraits, LoopView, MotionStart, MotionView
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.units.dimensions import DAMPING, FORCE, STIFFNESS, VELOCITY

# the scan for start values
BRISTLE_DEFLECTIONS_REL = np.geomspace(1e-4, 1.0, 9)  # coulomb/bristle_stiffness, of half the range of deflection
STATIC_TO_COULOMB_RATIOS = (1.0, 1.2, 1.5, 2.0, 3.0, 5.0)
STRIBECK_VELOCITIES_REL = np.geomspace(3e-3, 1.0, 7)  # of the largest rate
MAX_OFFERED_STARTS = 4
# of the range of force, in a search: less is no friction, and with more the bristles are a spring, so far from steady
# sliding that no loop shows its force
SLIDING_FORCES_REL = (1e-6, 1e3)
MIN_COULOMB_FORCE_REL = 1e-3  # of the range of force: the least sliding friction that a search can begin with


class LuGre(Law):
    """Bristles between two surfaces: f = s0 z + s1 dz/dt + s2 v,  dz/dt = v - s0 |v| z/g(v),

    g(v) = coulomb + (static - coulomb) e^(-(v/v_s)^2). z is the mean deflection of the bristles. The force depends on
    the size of the rate. An update takes the mean of the last and the new rate over its step: second order, and exact
    for a constant rate.
    """

    bristle_stiffness: float = parameter(STIFFNESS, above=0.0, symbol=r"\sigma_0", doc="stiffness of the bristles")
    bristle_damping: float = parameter(DAMPING, low=0.0, symbol=r"\sigma_1", doc="damping of the bristles")
    viscous: float = parameter(DAMPING, low=0.0, symbol=r"\sigma_2", doc="viscous friction")
    coulomb: float = parameter(FORCE, above=0.0, symbol="F_C", doc="sliding force")
    static: float = parameter(FORCE, above=0.0, symbol="F_S", doc="force to break away")
    stribeck_velocity: float = parameter(
        VELOCITY, above=0.0, symbol="v_s", doc="rate at which friction falls from static to sliding"
    )
    remembers = ("deflection", "rate", "z")
    needs_rate = True
    identification = IdentificationTraits(
        not_below={"static": "coulomb"}, search_range={"coulomb": SLIDING_FORCES_REL, "static": SLIDING_FORCES_REL}
    )
    state_names = ("stick", "slip")
    is_odd = True
    has_local_memory = True

    def check(self) -> None:
        if self.static < self.coulomb:
            raise InvalidInput(
                f"must be >= coulomb ({self.coulomb:g})", owner="LuGre", subject="static", value=self.static
            )

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        last, v_last, z = memory
        x = abs(u - last)
        if x > 0.0:
            # a last rate of the other sign belongs to the branch before a reversal
            g = self.sliding(0.5 * (v + v_last) if v * v_last >= 0.0 else v)
            rest = g / self.bristle_stiffness if u > last else -g / self.bristle_stiffness
            z -= (rest - z) * expm1(-self.bristle_stiffness * x / g)
        return self.inner_force(u, v, z), (u, v, z)

    def sliding(self, v: float) -> float:
        """g(v): the force in steady sliding, without the viscous part."""
        w = v / self.stribeck_velocity
        return self.coulomb + (self.static - self.coulomb) * exp(-w * w)

    def inner_state(self, memory: Memory) -> float:
        return memory[2]

    def inner_rate(self, u: float, v: float, z: float, memory: Memory) -> float:
        return self.bristle_rate(v, z)

    def settled(self, u: float, v: float, z: float, memory: Memory) -> Memory:
        return (u, v, z)

    def bristle_rate(self, v: float, z: float) -> float:
        """dz/dt."""
        return v - self.bristle_stiffness * abs(v) * z / self.sliding(v)

    def inner_force(self, u: float, v: float, z: float) -> float:
        return self.bristle_stiffness * z + self.bristle_damping * self.bristle_rate(v, z) + self.viscous * v

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """stick: the bristles act as spring and damper; slip: only viscous friction is left."""
        self.refuse_state(state)
        if state == "slip":
            return Linearised(0.0, self.viscous)
        return Linearised(self.bristle_stiffness, self.bristle_damping + self.viscous)

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        s0, s1, s2, fc, fs, vs = (s.symbol(self, name) for name in self.parameters())
        z, g = sp.Function("z")(s.t), sp.Symbol("g", real=True)
        return (
            s.equation(s.f, s0 * z + s1 * z.diff(s.t) + s2 * s.v),
            s.equation(z.diff(s.t), s.v - s0 * sp.Abs(s.v) * z / g),
            s.equation(g, fc + (fs - fc) * sp.exp(-((s.v / vs) ** 2))),
        )

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        speed = 2.0 * pi * loops.amplitude / (loops.period or 1.0)
        for over, slow in product((1.2, 1.6), (0.02, 0.08, 0.3)):
            yield LuGre(
                bristle_stiffness=loops.first_slope, bristle_damping=0.0, viscous=0.0,
                coulomb=loops.height / over**0.5, static=loops.height * over**0.5, stribeck_velocity=slow * speed,
            )  # fmt: skip

    @staticmethod
    def motion_start_values(motion: MotionView) -> list[MotionStart]:
        """The best laws of a scan along the motion: branches of a loop do not show rates.

        With z in units of coulomb/bristle_stiffness the force is linear in all but three numbers: the bristle
        deflection coulomb/bristle_stiffness, the ratio static/coulomb and the Stribeck velocity,

            f = coulomb z + bristle_damping dz/dt + viscous v + spring(u).

        These three are scanned; the others follow by linear least squares, the friction >= 0. The sum of squares has
        many minima: the best of each Stribeck velocity is kept, since neighbours of a scan lead to the same one.
        """
        reach, fastest = 0.5 * float(np.ptp(motion.u)), float(np.max(np.abs(motion.rate)))
        best: dict[float, tuple[float, LuGre, Array]] = {}
        for deflection, ratio, velocity in product(
            reach * BRISTLE_DEFLECTIONS_REL, STATIC_TO_COULOMB_RATIOS, fastest * STRIBECK_VELOCITIES_REL
        ):
            if ratio == 1.0 and velocity < fastest:
                continue  # without static friction there is no Stribeck velocity
            unit = LuGre(
                bristle_stiffness=1.0 / deflection, bristle_damping=0.0, viscous=0.0, coulomb=1.0, static=ratio,
                stribeck_velocity=velocity,
            )  # fmt: skip
            misfit, x = _fit_linear_numbers(unit, motion)
            if velocity not in best or misfit < best[velocity][0]:
                best[velocity] = misfit, unit, x
        least = MIN_COULOMB_FORCE_REL * float(np.ptp(motion.force))
        ordered = sorted((best[velocity] for velocity in sorted(best)), key=lambda one: one[0])
        return [_scanned_law(unit, x, least) for _, unit, x in ordered[:MAX_OFFERED_STARTS]]


def _fit_linear_numbers(unit: LuGre, motion: MotionView) -> tuple[float, Array]:
    """Misfit and coefficients of spring, z, dz/dt and rate; those of the friction are >= 0.

    The columns of the spring may have any sign: a QR decomposition projects them out.
    """
    from scipy.optimize import nnls

    bristles = motion.trace(unit)
    moving = motion.trace(LuGre(**{**unit.parameters(), "bristle_damping": 1.0}))
    columns = np.stack([*motion.spring, bristles, moving - bristles, motion.rate], axis=1) * motion.weight[:, None]
    free = len(motion.spring)
    size = np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    r = np.asarray(np.linalg.qr(np.column_stack((columns / size, motion.force * motion.weight)), mode="r"))
    x, misfit = nnls(r[free:, free:-1], r[free:, -1])
    spring = np.linalg.lstsq(r[:free, :free], r[:free, -1] - r[:free, free:-1] @ x, rcond=None)[0]
    return float(misfit), np.concatenate((spring, x)) / size


def _scanned_law(unit: LuGre, x: Array, least: float) -> MotionStart:
    """The law with the numbers that its force is linear in; ``least`` : the least sliding friction."""
    *spring, sliding, damping, viscous = x.tolist()
    coulomb = max(sliding, least)
    friction = LuGre(
        bristle_stiffness=coulomb * unit.bristle_stiffness, bristle_damping=damping, viscous=viscous, coulomb=coulomb,
        static=coulomb * unit.static, stribeck_velocity=unit.stribeck_velocity,
    )  # fmt: skip
    return MotionStart(friction, spring)


# ---- words

LuGre.words = LawWords(
    title="LuGre",
    force="bristles with Stribeck effect",
    summary="Bristles between two surfaces, that bend, slip and slide more easily the faster they are (Stribeck).",
    symbols="$z$ is the mean deflection of the bristles, $g$ the sliding force as a function of the rate.",
    use=(
        "Control of drives and positioning: one smooth law with pre-sliding, break-away, falling friction (Stribeck) "
        "and viscous friction. It depends on speed, so a single loop says little about it. Stiff bristles need small "
        "steps; where you only need stick, slip and a limit, `Jenkins` and `DryFriction` are exact."
    ),
    identify=(
        "Needs times with the loop, and a range of speeds: strokes slow enough to show the bristles, and fast enough "
        "to show viscous friction. With a single speed only combinations of the Stribeck velocity and the two limits "
        "are determined."
    ),
    memory="the deflection of its bristles",
    example=(
        "bristle_stiffness=2e6, bristle_damping=500.0, viscous=300.0, coulomb=60.0, static=90.0, stribeck_velocity=1e-3"
    ),
    over_rate=True,
)
