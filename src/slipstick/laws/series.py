"""Laws in series: the same force acts in all parts, and their deflections add up.

    u = x_1 + x_2 + ...        f = f_1(x_1) = f_2(x_2) = ...

*Which part moves.* If the force of no part falls along a monotone motion, the common force is unique, and each part
moves in the direction of u. The part that needs less force moves first: a gap closes before friction slides. If
several parts can move at the same force (two gaps, two sliders of equal limits), the first of them in the list moves;
the force does not depend on this choice. Rigid friction sticks while the other parts carry less than its limit. Two
rigid parts are refused, since the position between them is undetermined.

*Two solutions.* (1) The local solve: Newton's method within a bracket gives the deflection x of the first part from
f_1(x) = f_2(u - x) (`slipstick.laws.series_loop`). At each end of the bracket only one part moves. With more than two
parts the second one is a series itself. The memory holds the deflections and the memories of the parts. The derivative
follows from the implicit function theorem. (2) A joint: a coordinate without inertia between two parts, whose equation
of motion is f_1 = f_2. The exact method uses joints, since all laws then are piecewise linear. Newmark, taylor, modes
and harmonic balance use them for parts with dampers, where x obeys a differential equation.
`slipstick.model.series_joints` adds these coordinates, and results do not show them.

*Dampers.* In `trace` and in fits the local solve follows a straight path between two samples and takes the time that
passes from the memory, whose first number is the time. It is exact for linear parts.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, WrongArguments, short_repr
from slipstick.laws import series_loop
from slipstick.laws.base import Law, Leaf, Memory
from slipstick.laws.composite import elementary_terms, split_memory, with_elementary_terms
from slipstick.laws.diagram_symbols import SERIES, DiagramSymbol
from slipstick.laws.faces import Face, Linearised
from slipstick.laws.identification_traits import IdentificationTraits
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.native import Native, compile_functions


class Series(Law):
    """Laws in series: f = f_1(x_1) = f_2(x_2) = ..., u = x_1 + x_2 + ..."""

    of: tuple[Law, ...] = parameter(kind="laws", doc="the laws, two or more")
    derived_lists = ("network",)
    identification = IdentificationTraits(
        not_by_name="needs its parts, such as series(freeplay, masing); in Python, give a series with values"
    )

    def __init__(self, *laws: Law, of: Any = ()) -> None:
        if laws and of:
            raise WrongArguments("Series takes its laws one by one, Series(a, b), or as a list, Series(of=[a, b])")
        own: Any = laws or of
        if isinstance(own, tuple | list):  # parts are distinguished by identity, also in Series(gap, gap)
            own = tuple(copy(law) if any(law is other for other in own[:i]) else law for i, law in enumerate(own))
        object.__setattr__(self, "of", own)
        self.__post_init__()

    def __repr__(self) -> str:
        return f"Series({', '.join(map(repr, self.of))})"

    def check(self) -> None:
        if len(self.of) < 2:
            raise InvalidInput(f"needs two laws or more, got {len(self.of)}", owner="Series", argument="of")
        for i, law in enumerate(self.of):
            words = _obstacle(law)
            if words:
                raise InvalidInput(f"part {i} ({type(law).__name__}) {words}", owner="Series", argument="of")
        rigid = [type(law).__name__ for law in self.of if rigid_limit(law)]
        if len(rigid) > 1:
            words = f"{len(rigid)} parts are rigid ({', '.join(rigid)}), so the position between them is undetermined"
            raise InvalidInput(
                words, owner="Series", argument="of", advice=["replace all but one by Jenkins(stiffness, limit)"]
            )
        if len(self.remembers) > series_loop.MAX_MEMORY:
            words = f"its parts remember {len(self.remembers)} numbers, at most {series_loop.MAX_MEMORY}"
            raise InvalidInput(words, owner="Series", argument="of")

    # ---- the two parts of the local solve

    @cached_property
    def halves(self) -> tuple[Law, Law]:
        """The law as two in series, rigid friction in the second."""
        ordered = sorted(self.of, key=lambda law: rigid_limit(law) > 0.0)
        return ordered[0], ordered[1] if len(ordered) == 2 else Series(*ordered[1:])

    @cached_property
    def half_leaves(self) -> tuple[tuple[Leaf, ...], tuple[Leaf, ...]]:
        """The leaves of both halves, without rigid friction."""
        first, second = (tuple(e for e in h.leaves() if e.law.rigid_friction is None) for h in self.halves)
        return first, second

    @cached_property
    def remembers(self) -> tuple[str, ...]:  # type: ignore[override]
        names = [f"{i}.{name}" for i, e in enumerate(chain(*self.half_leaves)) for name in e.law.remembers]
        clock = ("time", "last_time") if self.needs_rate else ()
        return (*clock, "deflection_0", "deflection_1", *names)

    @property
    def keeps_time(self) -> bool:  # type: ignore[override]
        return self.needs_rate

    @property
    def _clock(self) -> int:
        """Count of numbers in the memory that hold the time."""
        return series_loop.CLOCK if self.needs_rate else 0

    @property
    def network(self) -> Array:
        """The packed parts for `slipstick.laws.series_loop`."""
        from slipstick.laws.law_kernels import tangent_kernel, value_kernel
        from slipstick.laws.law_packing import pack_parameters

        first, second = self.half_leaves
        head = [len(first), len(second), rigid_limit(self.halves[1]), len(self.remembers), self._clock]
        memory, rows, packed = self._clock + series_loop.INNER, list[float](), list[Array]()
        here = series_loop.HEAD + series_loop.ROW * (len(first) + len(second))
        for leaf in (*first, *second):
            kind, own = type(leaf.law), pack_parameters(leaf.law)
            rows += [value_kernel(kind).address, tangent_kernel(kind).address, here, memory]
            rows += [leaf.deflection, leaf.force, float(leaf.law.keeps_time)]
            memory, here = memory + len(leaf.law.remembers), here + own.size
            packed.append(own)
        return np.concatenate([head, rows, *packed])

    @classmethod
    def own_kernel(cls, entry: str) -> Native:
        return compile_functions(series_loop.series_value, series_loop.series_tangent)[f"series_{entry}"]

    # ---- force and memory

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        from slipstick.laws.law_kernels import pointer, value_kernel
        from slipstick.laws.law_packing import pack_parameters

        own = self.pack_memory(memory, 0)
        force = value_kernel(Series).call(pointer(pack_parameters(self)), u, v, pointer(own))
        return float(force), tuple(own.tolist())

    def start(self, u: float = 0.0) -> Memory:
        """At rest at u, so that dampers carry no force."""
        if not self.needs_rate:
            return self.update(float(u), 0.0, (0.0, 0.0, *self._part_memories(0.0, 0.0)))[1]
        resting = zip(self.of, self.rest_deflections(float(u)), strict=True)
        x = next(own for law, own in resting if law is self.halves[0])
        return (0.0, 0.0, x, float(u - x), *self._part_memories(x, u - x))

    def _part_memories(self, *x: float) -> Memory:
        """The memories of both halves after a monotone motion to their deflections."""
        found: list[float] = []
        for law, own in zip(self.halves, x, strict=True):
            each = zip(law.leaves(), split_memory(law, law.start(own)), strict=True)
            found += chain(*(memory for leaf, memory in each if leaf.law.rigid_friction is None))
        return tuple(found)

    def rest_deflections(self, u: float) -> tuple[float, ...]:
        at_rest: Any = self.at_rest
        return tuple(at_rest.part_deflections(at_rest.start(u)))

    def part_motion(self, u: Array, t: Array) -> Array:
        memory, parts, period = self.start(float(u[0])), list[Any](), float(t[-1] - t[0])
        for x, time in zip(2 * u.tolist(), [*t.tolist(), *(t + period).tolist()], strict=True):
            memory = self.update(x, 0.0, self.at_time(memory, time))[1]
            parts.append(self.part_deflections(memory))
        return np.array(parts[u.size :]).T

    def part_deflections(self, memory: Memory) -> tuple[float, ...]:
        """The deflections of the parts, in the order of ``of``."""
        found: dict[int, float] = {}
        self._collect(memory, found)
        return tuple(found[id(law)] for law in self.of)

    def _collect(self, memory: Memory, found: dict[int, float]) -> None:
        first, second = self.halves
        clock = self._clock
        found[id(first)], found[id(second)] = memory[clock], memory[clock + 1]
        if isinstance(second, Series) and len(self.of) > 2:
            second._collect(memory[clock + series_loop.INNER + self._sizes()[0] :], found)

    def _sizes(self) -> tuple[int, int]:
        first, second = (sum(len(leaf.law.remembers) for leaf in leaves) for leaves in self.half_leaves)
        return first, second

    def stored(self, u: float, memory: Memory) -> float | None:
        """The sum over the parts; rigid friction stores nothing."""
        total, here = 0.0, self._clock + series_loop.INNER
        for x, leaves in zip(memory[self._clock :], self.half_leaves, strict=False):
            for leaf in leaves:
                count = len(leaf.law.remembers)
                own = leaf.law.stored(leaf.deflection * x, tuple(memory[here : here + count]))
                if own is None:
                    return None
                total += leaf.force / leaf.deflection * own
                here += count
        return total

    def doubt_about(self, low: float, high: float) -> str:
        """The first doubt about a part; each part moves by less than the whole."""
        doubts = (e.law.doubt_about(*sorted((e.deflection * low, e.deflection * high))) for e in self._every_leaf())
        return next(filter(None, doubts), "")

    # ---- facts

    def _every_leaf(self) -> list[Leaf]:
        return [leaf for law in self.of for leaf in law.leaves()]

    @property
    def series_parts(self) -> tuple[Law, ...]:
        return self.of

    joint_parts = series_parts

    @cached_property
    def at_rest(self) -> Law:
        """The series without dampers: a damper alone then follows freely."""
        if not self.needs_rate:
            return self
        terms = (term._replace(law=_undamped(term.law)) for term in elementary_terms(self))
        return with_elementary_terms(self, terms)

    def with_series_parts(self, parts: tuple[Law, ...]) -> Law:
        return Series(*parts)

    @property
    def faces(self) -> frozenset[Face]:
        return frozenset() if self.needs_rate else frozenset({Face.VALUE})

    @property
    def needs_rate(self) -> bool:  # type: ignore[override]
        return any(law.needs_rate for law in self.of)

    @property
    def is_passive(self) -> bool:  # type: ignore[override]
        return all(e.law.is_passive or not (e.law.remembers or e.law.needs_rate) for e in self._every_leaf())

    @property
    def is_odd(self) -> bool:  # type: ignore[override]
        return all(law.is_odd for law in self.of)

    @property
    def state_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(name for law in self.of for name in law.state_names))

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """Stiffness and damping of slow motions; ``state`` holds for all parts that know it."""
        self.refuse_state(state)
        x = (0.0,) * len(self.of) if self.needs_rate else self.part_deflections(self.start(u))
        each = [
            law.linearised(state if state in law.state_names else None, own)
            for law, own in zip(self.of, x, strict=True)
        ]
        moving = [part for part in each if not part.sticks]
        slack = [part.damping for part in moving if part.stiffness == 0.0]
        if slack:  # a part without a spring: the dampers of these parts are in series
            return Linearised(0.0, 1.0 / sum(1.0 / c for c in slack) if all(slack) else 0.0)
        stiffness = 1.0 / sum(1.0 / part.stiffness for part in moving)
        return Linearised(stiffness, stiffness**2 * sum(part.damping / part.stiffness**2 for part in moving))

    # ---- words

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        return SERIES._replace(dissipates=any(law.diagram_symbol.dissipates for law in self.of))

    def units(self, system: str = "translation") -> dict[str, str]:
        every = ((i, name, unit) for i, law in enumerate(self.of) for name, unit in law.units(system).items())
        return {f"{i}.{name}": unit for i, name, unit in every}

    def equation(self) -> Any:
        import sympy as sp

        from slipstick.laws import law_symbols as s

        x = [sp.Function(f"x_{i}")(s.t) for i in range(1, len(self.of) + 1)]
        forces, rules = [], [s.equation(s.u, sp.Add(*x, evaluate=False))]
        for i, (law, own) in enumerate(zip(self.of, x, strict=True), start=1):
            force, further = s.term_equations(Leaf(law), str(i), own, own.diff(s.t))
            forces.append(force)
            rules += [s.equation(left, right) for left, right in further]
        equal = [s.equation(forces[0], force) for force in forces[1:]]
        return (s.equation(s.f, forces[0]), *equal, *rules)


def _undamped(law: Law) -> Law:
    """A law with its damper left out, if it has one."""
    if law.at_rest is not law:
        return law.at_rest
    return replace(law, damping=0.0) if "damping" in law.parameters() else law


def rigid_limit(law: Law) -> float:
    """[N or N m] the limit of rigid friction in a law; 0 without any."""
    each = ((leaf.force, leaf.law.rigid_friction) for leaf in law.leaves())
    return float(sum(force * friction.limit for force, friction in each if friction is not None))


def _obstacle(law: Any) -> str:
    """Why a law cannot be part of a series, in words; empty if it can."""
    if not isinstance(law, Law):
        return f"must be a law such as Linear(stiffness=...), got {short_repr(law)}"
    if law.directions:
        return "has several deflections; a series has one"
    for leaf in law.leaves():
        name, friction, linear = type(leaf.law).__name__, leaf.law.rigid_friction, leaf.law.linear_force
        if leaf.law.rigid_stop is not None:
            return f"is a rigid stop ({name}), which needs an inertia; use Contact for a stop with a spring"
        if leaf.modulation:
            return "varies in time; modulate the whole series"
        if leaf.law.has_stack:
            return f"remembers a stack of reversals ({name}); Iwan has loops of the same kind"
        if friction is not None and friction.static_limit is not None:
            return "has a static limit; leave static_limit out"
        if leaf.force * leaf.deflection < 0.0:
            return "has a negative factor, so its force falls; use factors > 0"
        if linear is not None and (linear.stiffness < 0.0 or linear.damping < 0.0):
            return "has a negative stiffness or damping, so its force falls; use values >= 0"
        if leaf.law.never_settles:
            return f"changes with every cycle ({name}); connect it to a coordinate of its own"
        if leaf.law.needs_rate and "damping" not in leaf.law.parameters():
            return f"needs the rate of its own deflection ({name}); a series takes linear dampers, Linear(damping=...)"
    return ""


# ---- words

Series.words = LawWords(
    title="series",
    force="the same force through all laws, deflections add up",
    summary="Laws in series: the same force acts in all of them, and their deflections add up.",
    symbols=(
        "$x_i$ is the deflection of part $i$; symbols of a part carry its number. The part that needs less force moves "
        "first: a gap closes before friction slides."
    ),
    use=(
        "Devices whose parts follow one another: a worn pin in front of a friction damper, backlash in front of a "
        "clutch disk, a mount on a flexible bracket. Give the laws one by one, `ss.Series(a, b)`; in files, "
        "`law: series` with a list `of:`. A part may be a sum or a series. Parts of straight pieces are exact in "
        "transients and in shooting. With linear dampers the force depends on time: `trace` and `identify` need "
        "times. At most one part may be rigid friction, and none may have a stack of reversals or vary in time."
    ),
    identify=(
        "By name, `series(freeplay, masing)`, start values come from the loop; any law with rough values is a "
        "template. Names count the parts from 0: `0.stiffness`, `1.limit`. A damper is fitted if the template has one, "
        "else held at 0. A spring in front of a `Masing` law is a `Masing` law with other numbers, so one of these "
        "stiffnesses cannot be determined: hold the one that is known best."
    ),
    memory="the deflections of its parts, and what they remember",
    example=(
        "ss.Freeplay(stiffness=5e6, half_gap=1e-4), ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5)"
    ),
    fit=(
        "ss.Series(ss.Freeplay(stiffness=5e6, half_gap=5e-5), ss.Masing(stiffness=3e5, limit=80.0)), "
        'fixed={"0.stiffness": 5e6, "preload": 0.0}'
    ),
    noise=2.0,
)
