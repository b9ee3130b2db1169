"""The equations of harmonic balance, as a family of orbits.

Unknowns are the series of the deflections that carry laws, or of the coordinates they touch where those are fewer:

    y_h + G_h g_h - G_h p_h = 0,    g = f(u, u') - k u - c u',    u = U y + offsets

at each harmonic h, with G the compliance of the linear part. k and c are taken out of the laws, and put into the linear
part, only where it would be singular or undamped without; the solutions do not depend on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, NotConverged, shown
from slipstick.laws.compile import pointer
from slipstick.periodic.balance import assemble_loop as loop
from slipstick.periodic.balance import newton_loop as newton
from slipstick.periodic.balance import places as at
from slipstick.periodic.balance.compiled import compiled
from slipstick.periodic.balance.compliance import Compliance, LinearPart, Modal, compliance_of, least_damping, unheld
from slipstick.periodic.balance.follow import Follower
from slipstick.periodic.balance.lines import estimates, lines_of
from slipstick.periodic.balance.loads import gather_loads, highest_order, pairs_of, period_order
from slipstick.periodic.balance.motion import sticking_members
from slipstick.periodic.balance.routines import counts, routine
from slipstick.periodic.balance.waves import Waves, as_series, samples_for, waves
from slipstick.periodic.corrector import Located
from slipstick.periodic.family import Doubled, Family, Linearised, Softened, Stepped
from slipstick.transient.folded import fold
from slipstick.transient.problem import Problem, pose

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.periodic.balance.solve import Solution
    from slipstick.results.orbit import OrbitPoint

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

HARMONICS = 7
KEPT = "harmonic-balance"  # under which the linear part is kept with its problem
LIGHT = 1e-3  # damping ratio below which stiffness and damping are moved from the laws into the linear part
UNBALANCED = 1e-9  # of the largest mean load
MOVED = 0.2  # damping ratio that is moved
FINER = 8  # times the samples of smooth laws serve to find the largest displacement, before Newton's method does
CLOSE, CLOSER = 256, 1024  # samples of a base period for stability, at least: of smooth laws, of laws with corners
WIDTH = 0.1  # over which dry friction is rounded, of the typical size of the motion, over the harmonics


class Balance(Family):
    """Orbits of a system by harmonic balance; p is the base frequency [rad/s].

    system : the model.   frequency : [rad/s] about where it will be used.
    harmonics : multiples of the base frequency that are balanced; default 7, or as many as the loads have.
    subharmonic : base periods in a period of the response; default: as many as loads and factors need.
    samples : of a period; default a power of two, at least 16 a harmonic for laws with corners and 4 for others.
    width : over which dry friction is rounded, in parts of the typical size of the motion; default 0.1 / harmonics.
    strength : part of their forces that the laws have, for orbits on the way to that of the model.
    judges : whether points come with their error and multipliers, which take several times as long as the rest.
    problem : the system posed at that frequency, if it has been; what is found of its linear part is kept with it.
    """

    tolerance = 1e-10

    def __init__(
        self,
        system: System,
        *,
        frequency: float,
        harmonics: int | None = None,
        subharmonic: int | None = None,
        samples: int | None = None,
        width: float | None = None,
        strength: float = 1.0,
        judges: bool = True,
        problem: Problem | None = None,
    ) -> None:
        _check(frequency, harmonics, subharmonic, samples)
        if harmonics is None:
            harmonics = max(HARMONICS, highest_order(system, frequency))
        self.options: dict[str, Any] = {
            "frequency": frequency, "harmonics": harmonics, "subharmonic": subharmonic, "samples": samples,
            "width": width, "strength": strength, "judges": judges,
        }  # fmt: skip
        self.base, self.harmonics, self.judges = frequency, harmonics, judges
        self.strength = strength
        self.width = WIDTH / harmonics if width is None else width
        self.problem = problem or pose(system, 0.0, frequency)
        self.order = period_order(system, frequency) if subharmonic is None else subharmonic
        self.index = harmonics * self.order
        self.loads = gather_loads(self.problem, self.order, self.index)
        self.length = self._typical_size()
        self.lines = lines_of(self.problem, self.width * self.length, strength)
        self.sampled = self.lines.has_corners
        self.waves = waves(self.index, samples or samples_for(self.index, self.lines.has_corners))
        if self.waves.samples < 2 * self.index + 1:
            raise InvalidInput(
                f"samples must be more than twice the highest harmonic ({self.index}), got {self.waves.samples}"
            )
        times = 2.0 * np.pi * self.order / frequency * np.arange(self.waves.samples) / self.waves.samples
        self.follower = Follower(self.lines, self.waves, times, frequency)
        self._choose_unknowns()
        self._move_stiffness()
        self._lay_out()
        self._at: float | None = None

    # ---- what is fixed

    @cached_property
    def plain_part(self) -> LinearPart:
        """The linear part with plain springs and dampers, and nothing moved into it."""
        folded = fold(self.problem)
        return LinearPart(self.problem.mass, folded.damping, folded.stiffness)

    @cached_property
    def folded(self) -> frozenset[int]:
        """Numbers of the elements that are part of the matrices."""
        return frozenset(range(len(self.problem.elements))) - frozenset(fold(self.problem).others)

    @cached_property
    def fine_waves(self) -> Waves:
        """The same harmonics on samples that are close enough to find the largest of what is a series."""
        return waves(self.index, samples_for(FINER * self.index, corners=False))

    @cached_property
    def sticking_members(self) -> dict[int, list[int]]:
        """Numbers of the connections that can stick, and of their leaves that do."""
        return sticking_members(self.lines)

    @cached_property
    def finer(self) -> Balance:
        """The same with twice as many samples."""
        return self.changed(samples=2 * self.waves.samples)

    def _typical_size(self) -> float:
        """[m or rad] how far the loads alone would move the coordinates, with every connection at its stiffest."""
        lines = lines_of(self.problem, 1.0)
        k, _ = estimates(lines)
        loads = self.loads.at(self.base)
        stiffness = self.plain_part.stiffness + (lines.along * k) @ lines.rows
        moved = np.linalg.lstsq(stiffness, np.abs(loads).T, rcond=1e-12)[0] if loads.size else np.zeros(1)
        size = float(np.abs(moved).max(initial=0.0))
        offsets = np.abs(self.problem.offsets.cos).max(initial=0.0) + np.abs(self.problem.offsets.sin).max(initial=0.0)
        size = max(size, float(offsets))
        return size if 0.0 < size < np.inf else 1.0

    def _choose_unknowns(self) -> None:
        """S (r, n) what is solved for, and U (m, r) the lines' deflections from it."""
        lines, m = self.lines, self.lines.count
        touched = np.flatnonzero(lines.rows.any(axis=0))
        if m <= touched.size:
            self.seen, self.into = lines.rows, np.eye(m)
        else:
            self.seen, self.into = np.eye(self.problem.n)[touched], lines.rows[:, touched]
        self.direct = m <= touched.size
        self.size = self.seen.shape[0] * self.waves.width
        share = pairs_of(self.problem.offsets, self.base / self.order, self.index)[:, list(lines.firsts)]
        self.offset = bool(share.any())
        self.offsets = as_series((share / lines.scales).T.copy()) if m else np.zeros((0, self.waves.width))

    def _move_stiffness(self) -> None:
        """Put stiffness and damping from the laws into the linear part, if it needs them; once for a problem."""
        kept = self.problem.kept
        if KEPT not in kept:
            kept[KEPT] = self._moved()
        self.moved_stiffness, self.moved_damping, self.part, self.compliance = kept[KEPT]
        self.moves_stiffness = bool(self.moved_stiffness.any())

    def _moved(self) -> tuple[Array, Array, LinearPart, Compliance]:
        part, lines, m = self.plain_part, self.lines, self.lines.count
        stiffness, damping = np.zeros(m), np.zeros(m)
        if m and least_damping(part) < LIGHT:
            k, c = estimates(lines, self.length)
            inertia = part.inertia_along(lines.rows, lines.along)
            k = np.where(k > 0.0, k, inertia * self.base**2)
            stiffness, damping = k, np.maximum(c, 2.0 * MOVED * np.sqrt(k * inertia))
        part = part.stiffened(lines.rows, lines.along, stiffness, damping)
        self._check_balance(part)
        return stiffness, damping, part, compliance_of(part, self.base / self.order)

    def _check_balance(self, part: LinearPart) -> None:
        """Refuse mean loads on what nothing holds."""
        _, sums = unheld(part.stiffness)
        mean = self.loads.powers[0][-1].real
        left = np.abs(sums.T @ mean).max(initial=0.0)
        if left > UNBALANCED * max(float(np.abs(mean).max(initial=0.0)), 1e-300):
            raise InvalidInput(
                f"the mean loads leave {left:.3g} N (or N m) on a motion that nothing holds, so it runs away; "
                "balance them, or hold it by a spring"
            )

    def _lay_out(self) -> None:
        """Arrays of the compiled assembly, and their addresses."""
        m, r, width = self.lines.count, self.seen.shape[0], self.waves.width
        pairs, size = self.index + 1, self.size
        # the answer to the loads stands behind the compliances of the lines
        self.g, self.g_slope = np.zeros((m * r + r, pairs), complex), np.zeros((m * r + r, pairs), complex)
        self.shift = np.zeros((m, pairs), complex)
        self.tangents = self.follower.harmonics
        self._unknowns = np.zeros(size + 1)
        self._line_series, self._forces = np.zeros((m, width)), np.zeros((m, width + 1))
        self._residual, self._matrix = np.zeros(size + 1), np.zeros((size + 1, size + 1), order="F")
        self.into = np.ascontiguousarray(self.into)
        self._plan = np.zeros(newton.STEP_LENGTH)
        self._kept: list[Array] = []
        self._place_numbers({
            loop.ROWS: m, loop.SERIES: r, loop.COEFFICIENTS: width, loop.ORDER: self.order,
            loop.UNIT: 1.0 / self.length,
        })  # fmt: skip
        self._place({
            loop.LAWS: self.follower.plan, loop.UNKNOWNS: self._unknowns, loop.LINE_SERIES: self._line_series,
            loop.MOVED_SERIES: np.zeros((m, width)), loop.OFFSETS: self.offsets, loop.INTO: self.into,
            loop.ACROSS: self.waves.across, loop.FORCES: self._forces, loop.COMPLIANCE: self.g,
            loop.COMPLIANCE_SLOPE: self.g_slope, loop.STIFFNESS: self.moved_stiffness, loop.DAMPING: self.moved_damping,
            loop.SHIFT: self.shift, loop.RESIDUAL: self._residual, loop.MATRIX: self._matrix,
        })  # fmt: skip
        self._quick = isinstance(self.compliance, Modal) and self.loads.fixed is None and size > 0
        rows = self._place_modes() if isinstance(self.compliance, Modal) else 0
        self._points = np.zeros((9, size + 1))  # the last, the one before, the next: unknowns, tangent, scale
        self._place({
            newton.LAST: self._points, newton.BEFORE: self._points[3:], newton.NEW: self._points[6:],
            newton.TRIAL_ROWS: np.zeros((3, size + 1)), newton.PIVOTS: np.zeros(size + 2),
        })  # fmt: skip
        self._place_numbers({
            newton.TOLERANCE: self.tolerance, newton.DGETRF: routine("dgetrf"), newton.DGETRS: routine("dgetrs"),
        })  # fmt: skip
        numbers = counts(2 * max(self.waves.samples, size + 1, (m + 1) * r, rows, self.waves.width + 1))
        self.follower.plan[at.COUNTS] = numbers.ctypes.data
        self._evaluate, self._step_along = compiled("evaluate_all").call, compiled("step_along").call
        self._where = pointer(self._plan)

    def _place(self, arrays: dict[int, NDArray[Any]]) -> None:
        """Put addresses into the plan, and keep what lies behind them."""
        for place, array in arrays.items():
            self._kept.append(array)
            self._plan[place] = array.ctypes.data

    def _place_numbers(self, numbers: dict[int, float]) -> None:
        for place, number in numbers.items():
            self._plan[place] = number

    def _place_modes(self) -> int:
        """What the compiled compliance needs of the modes; how many rows stand for them."""
        own = self.compliance
        assert isinstance(own, Modal)
        seen, driven = self.seen @ own.shapes, own.left @ self.lines.along
        response = (driven.T[:, None, :] * seen).reshape(-1, own.a.size)
        tables = [response, seen]
        if np.iscomplexobj(response):
            tables = [np.concatenate([table.real, table.imag], axis=1) for table in tables]
        rows = int(tables[0].shape[1])
        self._place_numbers({
            loop.MODES: own.a.size, loop.MODE_ROWS: rows, loop.SQUARE: own.c, loop.LOADS_MOVE: self.loads.moves,
        })  # fmt: skip
        self._place({
            loop.CONSTANT: own.a, loop.LINEAR_TERM: own.b, loop.LOOSE_MODES: own.free,
            loop.RESPONSE: np.ascontiguousarray(tables[0]), loop.SEEN: np.ascontiguousarray(tables[1]),
            loop.LOADED: np.ascontiguousarray(self.loads.powers @ own.left.T.astype(complex)),
            loop.WEIGHTS: np.zeros((4, rows, self.waves.width + 1)),
        })  # fmt: skip
        return rows

    @cached_property
    def close_by(self) -> Balance:
        """The same with samples so close that a linear rule between them serves for stability."""
        wanted = (CLOSER if self.lines.has_corners else CLOSE) * self.order
        return self if self.waves.samples >= wanted else self.changed(samples=wanted)

    # ---- what depends on the frequency

    def _tune(self, p: float) -> None:
        """Check a frequency, and find compliances and the answer to the loads there where there are no modes."""
        if not 0.0 < p < np.inf:
            raise NotConverged(f"the frequency must be > 0, got {p:g} rad/s")
        self.loads.check(p)
        compliance = self.compliance
        if isinstance(compliance, Modal) or p == self._at:
            return
        m = self.lines.count
        right = np.empty((self.index + 1, self.problem.n, m + 1), dtype=complex)
        right[:, :, :m], right[:, :, m] = self.lines.along, self.loads.at(p)
        value, slope = compliance.solve(self.s_at(p), self.seen, right)
        slope *= (-1j * self.waves.orders / self.order)[:, None, None]
        if self.loads.moves:
            more, _ = compliance.solve(self.s_at(p), self.seen, self.loads.rate_at(p)[:, :, None])
            slope[:, :, m] += more[:, :, 0]
        self.g[:] = value.transpose(2, 1, 0).reshape(self.g.shape)
        self.g_slope[:] = slope.transpose(2, 1, 0).reshape(self.g.shape)
        self.shift[:] = self.moved_stiffness[:, None] + self.s_at(p) * self.moved_damping[:, None]
        self._at = p

    @property
    def compliances(self) -> Complex:
        """(lines, unknown series, H+1) at the frequency that was evaluated last."""
        m = self.lines.count
        return self.g.reshape(m + 1, -1, self.index + 1)[:m]

    def s_at(self, p: float) -> Complex:
        """(H+1,) the exponents of the harmonics; pairs go with exp(-i h tau)."""
        return -1j * p / self.order * self.waves.orders

    # ---- the family

    def deflections_of(self, x: Array) -> Array:
        """(lines, width) series of the lines' deflections, without what motions add."""
        own = x.reshape(-1, self.waves.width)
        return own if self.direct else np.asarray(self.into @ own)

    def follow(self, x: Array, p: float, extra: tuple[Array, Waves] | None = None) -> None:
        """Run the laws along the orbit x; extra : (lines, width) series beside it, of other harmonics."""
        series = self.deflections_of(x) + self.offsets
        np.matmul(series, self.waves.across, out=self.follower.motion)
        if extra is not None:
            self.follower.deflection += extra[0] @ extra[1].values_across
            self.follower.turn += extra[0] @ extra[1].slopes_across
        self.follower.run(p / self.order)

    def linearise(self, x: Array, p: float) -> Linearised:
        self._set(x, p, derived=True)
        size = self.size
        return Linearised(
            self._residual[:size].copy(), self._matrix[:size, :size].copy(), self._matrix[:size, size].copy()
        )

    def residual(self, x: Array, p: float) -> Array:
        """(size,) what is left of the equations, as of `linearise`."""
        self._set(x, p, derived=False)
        return self._residual[: self.size].copy()

    def _set(self, x: Array, p: float, derived: bool) -> None:
        """Evaluate the equations at an orbit."""
        self._tune(p)
        size = self.size
        self._unknowns[:size], self._unknowns[size] = x, p
        self._evaluate(self._where, derived)
        if not math.isfinite(self._residual[:size] @ self._residual[:size]):
            if not np.isfinite(self.g.view(float)).all():
                raise NotConverged(f"the linear part has an undamped resonance at a harmonic of {p:g} rad/s")
            raise NotConverged("the forces along the orbit are not finite")

    def stepped(self, last: Located, before: Located | None, step: float) -> Stepped | None:
        if not self._quick:
            return None
        plan, rows = self._plan, self._points
        rows[0], rows[1], rows[2] = last.z, last.tangent, last.scale
        if before is not None:
            rows[3], rows[4], rows[5] = before.z, before.tangent, before.scale
        plan[newton.BENDS], plan[newton.LENGTH_OF_STEP] = before is not None, step
        plan[newton.SPAN] = last.scale[-1]
        if self._step_along(self._where) == 0.0:
            return None
        z, tangent, scale = rows[6:].copy()
        steps, residual, turn, corrected, factorised = plan[newton.STEPS : newton.STEP_LENGTH].tolist()
        return Stepped(Located(z, scale, tangent, int(steps), residual, turn), corrected, factorised + 1.0)

    def scales(self, x: Array, p: float) -> Array:
        own = x.reshape(-1, self.waves.width)
        size = np.sqrt(np.einsum("ij,ij->i", own, own))
        return np.repeat(np.maximum(size, 1e-3 * self.length) * np.sqrt(max(own.shape[0], 1)), self.waves.width)

    def start(self, p: float) -> Array:
        """The answer of a linear stand-in: every law at its stiffest, friction as a damper."""
        k, c = estimates(self.lines, self.length)
        for member, factor in zip(self.lines.members, self.follower.factors, strict=True):
            if member.rounds:
                size = abs(float(factor.mean())) * abs(member.law.limit)  # type: ignore[attr-defined]
                c[member.line] += 4.0 / np.pi * size / (p * self.length)
        part, loads = self.plain_part.stiffened(self.lines.rows, self.lines.along, k, c), self.loads.at(p)
        found = np.zeros_like(loads)
        for h in np.flatnonzero(np.abs(loads).sum(axis=1)):
            s = self.s_at(p)[h]
            matrix = part.mass * s * s + part.damping * s + part.stiffness
            try:
                found[h] = np.linalg.solve(matrix, loads[h])
            except np.linalg.LinAlgError:  # nothing holds it: the shortest answer
                found[h] = np.linalg.lstsq(matrix, loads[h], rcond=1e-12)[0]
        return as_series((found @ self.seen.T).T.copy()).ravel()

    def point(self, x: Array, p: float) -> OrbitPoint:
        from slipstick.periodic.balance.point import points

        return points(self, x[None], np.array([p]), self.judges)[0]

    def points(self, x: Sequence[Array], p: Sequence[float]) -> Iterator[OrbitPoint | NotConverged]:
        from slipstick.periodic.balance.gathered import together
        from slipstick.periodic.balance.point import points

        each = together(self)
        for begin in range(0, len(p), each):
            own = slice(begin, begin + each)
            try:
                yield from points(self, np.array(x[own]).reshape(-1, self.size), np.array(p[own]), self.judges)
            except NotConverged:  # one of them: the others are as good as they are
                yield from super().points(x[own], p[own])

    def judged(self, point: OrbitPoint) -> OrbitPoint:
        """A point of a family that does not judge, with its error and its multipliers."""
        from slipstick.periodic.balance.point import points

        found = points(self, point.x[None], np.array([point.p]), True)[0]
        return replace(found, residual=point.residual, iterations=point.iterations)

    def solve(self, p: float, start: Array | None = None) -> Solution:
        """The orbit at the frequency p [rad/s], by Newton from a start (size,) or from the linear stand-in.

        Where that fails, it is tried again from rest, and through softened families.
        """
        from slipstick.periodic.balance.solve import solve

        return solve(self, p, start)

    def starts(self, p: float) -> tuple[tuple[str, Callable[[], Array]], ...]:
        from slipstick.periodic.balance.solve import starts

        return starts(self, p)

    def softened(self) -> tuple[Softened, ...]:
        return self._softened

    @cached_property
    def _softened(self) -> tuple[Softened, ...]:
        from slipstick.periodic.balance.solve import softened

        return softened(self)

    def unknowns_of(self, point: OrbitPoint) -> Array:
        """(size,) the unknowns of an orbit that any method has found: a start for `solve`."""
        pairs = np.zeros((self.problem.n, self.index + 1), dtype=complex)
        free = point.harmonics[:, self.problem.assembly.free].conj()
        pairs[:, -1] = free[0].real
        ratio = Fraction(2.0 * np.pi * self.order / (point.frequency * point.period)).limit_denominator(1000)
        for h in range(1, free.shape[0]):
            at = h * ratio
            if at.denominator == 1 and at.numerator <= self.index:
                pairs[:, at.numerator - 1] = free[h]
        return as_series(np.asarray(self.seen @ pairs, dtype=np.complex128)).ravel()

    def doubled(self, x: Array) -> Doubled:
        """The family with twice the period, and the orbit x in it."""
        family = self.changed(subharmonic=2 * self.order, samples=None)
        series = x.reshape(-1, self.waves.width)
        twice = np.zeros((series.shape[0], family.waves.width))
        for part in (0, 1):
            twice[:, 2 + part : -1 : 4] = series[:, part:-1:2]
        twice[:, -1] = series[:, -1]
        return Doubled(family, twice.ravel())

    def changed(self, **options: Any) -> Balance:
        """The same equations with other options."""
        return Balance(self.problem.system, **(self.options | options), problem=self.problem)


def _check(frequency: float, harmonics: int | None, subharmonic: int | None, samples: int | None) -> None:
    if not (isinstance(frequency, (int, float)) and 0.0 < frequency < np.inf):
        raise InvalidInput(f"frequency must be finite and > 0, got {shown(frequency)} rad/s").about("frequency")
    for name, value in (("harmonics", harmonics), ("subharmonic", subharmonic), ("samples", samples)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1):
            raise InvalidInput(f"{name} must be a whole number >= 1, got {shown(value)}").about(name)
