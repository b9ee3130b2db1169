"""Coulomb friction between two rigid surfaces: the force is set-valued at rest.

In slip the force is limit Sgn(v) + c v. In stick it is the reaction that keeps the rate at zero, up to the static
limit. Deflection and rate alone do not determine the force, so the law has no face "value and tangent". Methods use its
pieces (exact) or its resolvent (inclusion), or replace it by a smooth law. A limit that falls over the rate (Stribeck)
has neither face: method events takes it as it is, the exact method `discretised`, others `regularised`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import replace
from math import exp
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, Message, MissingFace, short_repr
from slipstick.laws.base import Law, Leaf, Memory
from slipstick.laws.composite import Composite
from slipstick.laws.diagram_symbols import FRICTION, DiagramSymbol
from slipstick.laws.elastic import Linear, parallel_linear
from slipstick.laws.faces import Affine, Face, Guard, Linearised, Piece, RigidFriction, Term
from slipstick.laws.identification_traits import IdentificationTraits, LoopView
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import checked_factors, parameter
from slipstick.scalar import luz, sgn
from slipstick.signals import TimeFunction, share_below_zero
from slipstick.units.dimensions import DAMPING, FORCE, VELOCITY
from slipstick.units.number_format import format_percent

COMPLETE_FALL = 1e-4  # of the Stribeck fall: chords end where less remains
MAX_CHORDS = 20  # on each side: the exact method passes them all at the start of a run


class DryFriction(Composite):
    """Coulomb friction: f in limit Sgn(v) + c v (gear 3.1, torsional 2-3).

    At rest the force is any reaction up to ``static_limit`` (default: ``limit``). With ``stribeck_velocity`` the
    sliding force falls over the rate, limit + (static_limit - limit) e^(-(|v|/v_s)^n). Method events takes it, the
    exact method `discretised`, others `regularised`.

    The limit may be a function of time, for a varying normal load; negative values are cut off at zero, with a
    warning. The law is then a composite: unit friction times that function, and a damper.

    Along an imposed deflection the contact slides: `trace` gives limit times the direction in which each sample was
    reached, and 0 before the first motion.
    """

    limit: float | TimeFunction = parameter(
        FORCE, low=0.0, kind="number-or-periodic", symbol="F", doc="sliding force", follows=True
    )
    damping: float = parameter(DAMPING, default=0.0, low=0.0, symbol="C", doc="viscous friction")
    static_limit: float | TimeFunction | None = parameter(
        FORCE, default=None, low=0.0, kind="number-or-periodic", optional=True, symbol="F_s", doc="force to break away"
    )
    stribeck_velocity: float | None = parameter(
        VELOCITY, default=None, above=0.0, optional=True, symbol="v_s",
        doc="rate over which the sliding force falls from the static limit",
    )  # fmt: skip
    stribeck_exponent: float = parameter(default=2.0, above=0.0, symbol="n", doc="shape of that fall")
    takes_symbols = True
    derived = ("static_excess", "stribeck_slowness")
    identification = IdentificationTraits(linear=("limit",), held=("stribeck_exponent",))
    state_names = ("stick", "slip")
    is_passive = True
    is_odd = True
    remembers = ("deflection", "direction")
    compiled = "slide"

    def check(self) -> None:
        static, limit = self.static_limit, self.limit
        if self.stribeck_velocity is not None and static is None:
            raise InvalidInput(
                "needs a static_limit, from which the force falls",
                owner="DryFriction",
                subject="stribeck_velocity",
                value=self.stribeck_velocity,
            )
        if isinstance(limit, TimeFunction):
            share = _negative_share(limit)
            if share > 0.0:
                words = f"limit is negative for {format_percent(share, 3)} of its period and is cut off at zero"
                warnings.warn(Message(words, owner="DryFriction"), stacklevel=5)
        if static is not None and self.static_ratio < 1.0:
            raise InvalidInput(
                f"must be >= limit ({limit})",
                owner="DryFriction",
                subject="static_limit",
                value=static,
                got=str(static),
                advice=["leave it out if they are equal"],
            )

    @property
    def static_ratio(self) -> float:
        """static_limit over limit; 1 without a static limit, infinite over a limit of zero."""
        static, limit = self.static_limit, self.limit
        if static is None:
            return 1.0
        if isinstance(static, float) and isinstance(limit, float):
            return static / limit if limit else (math.inf if static else 1.0)
        ratio = _proportion(static, limit)
        if ratio is None:
            raise InvalidInput(
                "must be limit times a constant while limit varies in time (one normal load, two friction "
                "coefficients)",
                owner="DryFriction",
                subject="static_limit",
                value=static,
                got=f"{static} and {limit}",
            )
        return ratio

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return self.damping != 0.0 or self.stribeck_velocity is not None

    @property
    def static_excess(self) -> float:
        """Fall of the sliding force from the smallest to the largest rates, without the damper."""
        if self.stribeck_velocity is None or self.static_limit is None:
            return 0.0
        return self.static_limit - self.limit  # type: ignore[return-value]

    @property
    def stribeck_slowness(self) -> float:
        """1/stribeck_velocity; 0 without one."""
        return 0.0 if self.stribeck_velocity is None else 1.0 / self.stribeck_velocity

    @property
    def varies(self) -> bool:
        """True if the limit is a function of time."""
        return isinstance(self.limit, TimeFunction)

    @property
    def faces(self) -> frozenset[Face]:
        if self.stribeck_velocity is not None:
            return frozenset()  # neither straight over the rate nor monotone
        if self.static_limit is not None:
            return frozenset({Face.PIECES})  # with a static limit the graph is not monotone: no resolvent
        return frozenset({Face.PIECES, Face.RESOLVENT, Face.TERMS}) - ({Face.TERMS} if self.varies else set())

    @property
    def rigid_friction(self) -> RigidFriction | None:
        limit, static = self.limit, self.static_limit
        if isinstance(limit, TimeFunction) or isinstance(static, TimeFunction):
            return None  # its leaf has a unit limit, times a function of time
        return RigidFriction(limit, self.damping, static)

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return FRICTION

    def leaves(self) -> tuple[Leaf, ...]:
        return super().leaves() if self.varies else (Leaf(self),)

    def parts(self) -> tuple[Leaf, ...]:
        if not isinstance(self.limit, TimeFunction):
            return (Leaf(self),)
        unit = DryFriction(
            limit=1.0, static_limit=None if self.static_limit is None else self.static_ratio,
            stribeck_velocity=self.stribeck_velocity, stribeck_exponent=self.stribeck_exponent,
        )  # fmt: skip
        return (Leaf(unit, modulation=((self.limit, True),)), *parallel_linear(0.0, self.damping))

    def apart(self) -> tuple[Law, ...]:
        if self.varies or not self.damping:
            return (self,)
        own = replace(self, damping=0.0)
        return own, Linear(damping=self.damping)

    def slide(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        """The force of a contact that slides from the last deflection to u."""
        d = sgn(u - memory[0])
        if d == 0.0:
            d = memory[1]
        g = self.limit
        if self.static_excess > 0.0:
            g = g + self.static_excess * exp(-((abs(v) * self.stribeck_slowness) ** self.stribeck_exponent))
        return g * d + self.damping * v, (u, d)  # type: ignore[return-value]

    def update(
        self, u: float, v: float, memory: Any, t: float = 0.0, frequency: float | None = None
    ) -> tuple[float, Any]:
        return super().update(u, v, memory, t, frequency) if self.varies else self.slide(u, v, memory)

    def stored(self, u: float, memory: Any) -> float | None:
        return 0.0  # also where the limit varies

    def start(self, u: float = 0.0) -> Any:
        return super().start(u) if self.varies else (float(u), sgn(float(u)))

    def pieces(self) -> tuple[Piece, ...]:
        c = self.damping
        up = Piece("slip+", Affine(v=c, limit=1.0), (Guard(Affine(v=1.0), "stick"),))
        down = Piece("slip-", Affine(v=c, limit=-1.0), (Guard(Affine(v=-1.0), "stick"),))
        return (down, Piece("stick", Affine(), sticks=True), up)

    def resolvent(self, x: float, h: float) -> float:
        """The rate after an implicit step: y + h (limit Sgn(y) + c y) contains x."""
        if isinstance(self.limit, TimeFunction):
            raise InvalidInput(
                "the resolvent of a varying limit is that of its leaf, times the limit at hand", owner="DryFriction"
            )
        return luz(x, h * self.limit) / (1.0 + h * self.damping)

    def luz_tar_terms(self) -> tuple[Term, ...]:
        if isinstance(self.limit, TimeFunction) or self.static_limit is not None:
            raise self.lacks(Face.TERMS)
        return (Term("friction", self.damping, self.limit),)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        self.refuse_state(state)
        return Linearised(0.0, self.damping) if state == "slip" else Linearised(0.0, 0.0, sticks=True)

    def asymmetric(self, *, positive: float = 1.0, negative: float = 1.0) -> Law:
        """Friction of the mean limit beside a constant force: together they lie between both limits.

        Energy balances count the work of the constant force as stored; over a closed path it is zero.
        """
        a, b = checked_factors(positive, negative)
        if isinstance(self.limit, TimeFunction) or self.static_limit is not None:
            raise MissingFace("DryFriction has an asymmetric form only with a constant limit and no static_limit")
        mean = replace(self, limit=0.5 * (a + b) * self.limit)
        return mean + Linear(preload=0.5 * (a - b) * self.limit)

    def discretised(self, points: int = 12) -> Law:
        """Friction that sticks up to the static limit, in parallel with a table of the fall: for the exact method.

        points : chords of the fall on each side, at most `MAX_CHORDS`.
        """
        from slipstick.laws.dampers import DamperTable

        rates, fall = self._chords(points)
        assert self.static_limit is not None  # a stribeck_velocity needs it
        forces = -self.static_excess * fall
        table = DamperTable(
            rates=(*(-rates[:0:-1]).tolist(), *rates.tolist()), forces=(*(-forces[:0:-1]).tolist(), *forces.tolist())
        )
        return replace(self, limit=self.static_limit, static_limit=None, stribeck_velocity=None) + table

    def discretisation_error(self, points: int = 12) -> float:
        """Largest error [N] of the sliding force of `discretised`."""
        rates, fall = self._chords(points)
        fine = np.linspace(0.0, float(rates[-1]), 200 * rates.size)
        true = -np.expm1(-((fine * self.stribeck_slowness) ** self.stribeck_exponent))
        return float(self.static_excess * np.abs(np.interp(fine, rates, fall) - true).max())

    def _chords(self, points: int) -> tuple[Array, Array]:
        """Rates >= 0 and the share of the fall at each; the last two have all of it."""
        if self.stribeck_velocity is None or self.varies:
            raise MissingFace("DryFriction is discretised where it has a stribeck_velocity and a constant limit")
        if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or not 2 <= points <= MAX_CHORDS:
            raise InvalidInput(f"points must be from 2 to {MAX_CHORDS}, got {short_repr(points)}", owner="DryFriction")
        end = self.stribeck_velocity * float(-np.log(COMPLETE_FALL)) ** (1.0 / self.stribeck_exponent)
        rates = np.append(np.linspace(0.0, end, int(points) + 1), 2.0 * end)
        fall = -np.expm1(-((rates * self.stribeck_slowness) ** self.stribeck_exponent))
        fall[-2:] = 1.0
        return rates, fall

    def regularised(self, method: str, **options: float) -> Law:
        from slipstick.laws.regularisation import regularised_friction

        return regularised_friction(self, method, options)

    def equation(self) -> Any:
        from slipstick.laws import law_symbols as s

        limit = s.periodic_symbol(self, "limit")
        if self.stribeck_velocity is not None:
            import sympy as sp

            static, speed, n = (s.symbol(self, x) for x in ("static_limit", "stribeck_velocity", "stribeck_exponent"))
            if self.varies:
                static = limit * s.number(self.static_ratio)
            limit = limit + (static - limit) * sp.exp(-((sp.Abs(s.v) / speed) ** n))
        return s.equation(s.f, limit * s.Sgn(s.v) + s.symbol(self, "damping") * s.v)

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        yield DryFriction(limit=loops.height)


def _negative_share(limit: TimeFunction) -> float:
    """The share of a period with a negative limit; 0 where orders and fixed frequencies have no known period."""
    harmonics = limit.parts().harmonics
    if not limit.is_periodic:
        return 0.0
    if len({h.is_order for h in harmonics}) > 1:
        return 0.0  # the share depends on the base frequency
    return share_below_zero(limit, 1.0 if limit.has_order else None)


def _proportion(a: float | TimeFunction, b: float | TimeFunction) -> float | None:
    """The constant ratio a/b of two functions of time; None if it varies."""
    if not isinstance(a, TimeFunction) or not isinstance(b, TimeFunction):
        return None
    mine, other = a.parts(), b.parts()
    if (len(mine.harmonics), len(mine.signals)) != (len(other.harmonics), len(other.signals)):
        return None
    pairs = [(mine.constant, other.constant), (mine.ramp, other.ramp)]
    for x, y in zip(mine.harmonics, other.harmonics, strict=True):
        if (x.omega, x.rate, x.is_order) != (y.omega, y.rate, y.is_order):
            return None
        pairs += [(x.cos, y.cos), (x.sin, y.sin)]
    for one, two in zip(mine.signals, other.signals, strict=True):
        if one.times != two.times:
            return None
        pairs += list(zip(one.values, two.values, strict=True))
    ratio = next((x / y for x, y in pairs if y), 1.0)
    return ratio if all(math.isclose(x, ratio * y, rel_tol=1e-12, abs_tol=0.0) for x, y in pairs) else None


# ---- words

DryFriction.words = LawWords(
    title="dry friction",
    force="limit Sgn(v) + c v; the limit may vary in time",
    paper="gear 3.1, torsional (2)",
    symbols=(
        "Sgn is the sign, and any value between −1 and 1 at rest: in stick the force is the reaction that holds the "
        "parts together, up to the limit."
    ),
    use=(
        "Guides, bearings, brakes, seals: parts that stick for good until the limit is reached. The limit may vary in "
        "time (`limit=ss.Fourier(...)`) as that of a brake with a wobbling disk does. With `static_limit` it takes "
        "more to break away than to slide on, which is what squeals; with `stribeck_velocity` the force falls over the "
        "rate: `exact` takes `law.discretised()`, `newmark` `law.regularised('tanh', sharpness=...)`. "
        "If the part moves visibly before it slips, use `Jenkins`."
    ),
    identify=(
        "A loop is a rectangle; half its height is the limit. Viscous friction bulges the top: measure at two speeds "
        "to separate the two. A static limit cannot be read from an imposed motion, which leaves no time to stick: "
        "raise the load slowly until the part moves."
    ),
    example="limit=30.0, damping=500.0",
    complete="limit=1.0, damping=1.0, static_limit=2.0, stribeck_velocity=1.0",
    over_rate=True,
)
