"""Matrices of the loop of scheme (A.7): one for the linear part, and those of the contact problem.

With sliders (stretch w, graph: w in [-eta, eta]) and frictions (force l, graph: l in limit Sgn(rate)), a step is

    S (v+ - v) = h (forcing - K (q + h theta v) - C v - W_s k (w + theta (w+ - w)) - W_f l - W_r p - others)
    q+ - q = h (v + theta (v+ - v)),   w+ - w = the projection of h (D (v + theta (v+ - v)) + motion)
    S = M + h theta C + h^2 theta^2 K

Rigid contacts with friction (impulses h p, graph: Newton's and Coulomb's law) are those of Moreau's scheme.
theta = 0 is (A.7) as printed: explicit except for the graphs. The damping of a friction belongs to its graph, so it
is implicit there too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slipstick.angle import Angle
from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.forcing import Forcing, SweptWaves
from slipstick.signals import Signal
from slipstick.transient.folded_matrices import FoldedSystem, fold
from slipstick.transient.inclusion.loop import BLOCK
from slipstick.transient.problem import Problem


@dataclass(frozen=True, eq=False)
class SplitProblem:
    """A problem in parts: the linear part, sliders, frictions, rigid contacts, and elements without memory."""

    problem: Problem
    folded: FoldedSystem
    sliders: tuple[int, ...]
    frictions: tuple[int, ...]
    pairs: tuple[int, ...]  # tangential and normal elements of rigid contacts in turn
    others: tuple[int, ...]

    @cached_property
    def omega(self) -> Array:
        """(h,) every frequency of loads and motions."""
        every = [*self.folded.forcing.omega, *self.problem.offsets.omega]
        return np.array(list(dict.fromkeys(every)), dtype=float)

    @cached_property
    def signals(self) -> tuple[Signal, ...]:
        """Every sampled function of time."""
        offsets = self.problem.offsets
        every = [s for f in (self.folded.forcing, offsets, offsets.rate()) for s, column in f.signals if column.any()]
        return tuple(dict.fromkeys(every))

    @property
    def width(self) -> int:
        return self.first_time + 1 + 2 * self.omega.size + len(self.signals) + 2 * len(self.sweeps) + self.ramps

    @cached_property
    def sweeps(self) -> tuple[tuple[Angle, tuple[int, int]], ...]:
        """Angle and powers of every wave of varying frequency."""
        offsets = self.problem.offsets
        every = [s[:2] for f in (self.folded.forcing, offsets, offsets.rate()) for s in f.sweeps]
        return tuple(dict.fromkeys(every))

    def sampled_functions(self) -> Forcing:
        """All signals, then cosine and sine of all sweeps, a row each."""
        rows = len(self.signals) + 2 * len(self.sweeps)
        row, none, no_waves = np.eye(rows), np.zeros(rows), np.zeros((rows, 0))
        signals = tuple((s, row[i]) for i, s in enumerate(self.signals))
        first = len(signals)
        sweeps = (SweptWaves(*s, row[first + 2 * i], row[first + 2 * i + 1]) for i, s in enumerate(self.sweeps))
        return Forcing(none, none, np.zeros(0), no_waves, no_waves, signals, tuple(sweeps))

    @cached_property
    def ramps(self) -> bool:
        """True if a load or motion has a ramp."""
        return bool(self.folded.forcing.ramp.any() or self.problem.offsets.ramp.any())

    @property
    def first_time(self) -> int:
        """Index in x at which the functions of time begin."""
        return 2 * self.problem.n + len(self.sliders)

    @property
    def contacts(self) -> tuple[int, ...]:
        return self.sliders + self.velocity_contacts

    @property
    def velocity_contacts(self) -> tuple[int, ...]:
        """The elements whose force depends on a rate: frictions, then rigid contacts."""
        return self.frictions + self.pairs

    def along(self, e: int) -> Array:
        element = self.problem.elements[e]
        return element.force * element.along

    def in_time(self, forcing: Forcing, shift: float = 0.0) -> Array:
        """(r, X) rows that give functions of time, ``shift`` later, from x; signals and sweeps are not shifted."""
        rows = np.zeros((forcing.rows, self.width))
        at = self.first_time
        rows[:, at] = forcing.constant + shift * forcing.ramp
        if self.ramps:
            rows[:, -1] = forcing.ramp
        for k, w in enumerate(forcing.omega):
            c, s = np.cos(w * shift), np.sin(w * shift)
            place = at + 1 + 2 * int(np.flatnonzero(self.omega == w)[0])
            rows[:, place] += c * forcing.cos[:, k] + s * forcing.sin[:, k]
            rows[:, place + 1] += c * forcing.sin[:, k] - s * forcing.cos[:, k]
        for signal, column in forcing.signals:
            if column.any():
                rows[:, at + 1 + 2 * self.omega.size + self.signals.index(signal)] += column
        behind = at + 1 + 2 * self.omega.size + len(self.signals)
        for sweep in forcing.sweeps:
            place = behind + 2 * self.sweeps.index(sweep[:2])
            rows[:, place] += sweep.cos
            rows[:, place + 1] += sweep.sin
        return rows


def split_problem(problem: Problem) -> SplitProblem:
    """Sort the elements by their treatment in the scheme."""
    folded = fold(problem)
    sliders: list[int] = []
    frictions: list[int] = []
    pairs: list[int] = []
    others: list[int] = []
    for e in folded.others:
        law = problem.elements[e].law
        rigid = pairs if law.rigid_contact else frictions if law.rigid_friction else others
        kind = sliders if law.elastic_slider else rigid
        kind.append(e)
    return SplitProblem(problem, folded, tuple(sliders), tuple(frictions), tuple(pairs), tuple(others))


@dataclass(frozen=True, eq=False)
class StepTables:
    """The numbers of one scheme with one step; see `slipstick.transient.inclusion.records`."""

    parts: SplitProblem
    h: float
    theta: float
    rows: Array
    answer: Array
    e: Array
    r: Array
    a: Array


def step_tables(parts: SplitProblem, h: float, theta: float | None) -> StepTables:
    """The tables of a step h; theta None is the scheme as printed."""
    p, n = parts.problem, parts.problem.n
    damping, stiffness = parts.folded.damping.copy(), parts.folded.stiffness
    rubbing = np.zeros((n, n))
    rates = p.offsets.rate()
    forcing = parts.in_time(parts.folded.forcing)
    for e in parts.frictions:
        friction = p.elements[e].law.rigid_friction
        assert friction is not None
        rubbing += friction.damping * np.outer(parts.along(e), p.elements[e].deflection)
        forcing -= friction.damping * np.outer(parts.along(e), parts.in_time(rates)[e])
    damping += rubbing
    part = 0.0 if theta is None else theta
    s = p.mass + h * rubbing if theta is None else p.mass + h * part * damping + (h * part) ** 2 * stiffness
    k = [p.elements[e].law.stiffness for e in parts.sliders]  # type: ignore[attr-defined]
    w_s = np.array([k_ * parts.along(e) for k_, e in zip(k, parts.sliders, strict=True)]).reshape(len(k), n).T
    w_f = np.array([parts.along(e) for e in parts.velocity_contacts]).reshape(len(parts.velocity_contacts), n).T
    w_o = np.array([parts.along(e) for e in parts.others]).reshape(len(parts.others), n).T
    forcing[:, :n] -= stiffness
    forcing[:, n : 2 * n] -= damping + h * part * stiffness
    forcing[:, 2 * n : parts.first_time] -= w_s
    change = h * np.linalg.solve(s, forcing)
    r = h * np.linalg.solve(s, np.hstack([part * w_s, w_f]))
    d = np.array([p.elements[e].deflection for e in parts.contacts]).reshape(len(parts.contacts), n)
    count = len(parts.sliders)
    contact_rates = parts.in_time(rates)[list(parts.contacts)]
    contact_rates[count:] = parts.in_time(rates, h * (1.0 - part))[list(parts.velocity_contacts)]
    contact_rates[:, n : 2 * n] += d
    contact_rates[:count] *= h
    e_rows = d.copy()
    e_rows[:count] *= h * part
    a = e_rows @ r
    a[range(count), range(count)] += 1.0
    for i, f in enumerate(parts.frictions, start=count):
        if not a[i, i] > 0.0:
            name = p.system.connections[p.elements[f].connection].name
            raise InvalidInput(
                f'method "inclusion": the friction of connection "{name}" drives its own sliding (a negative '
                "scale, or a force along another form); change its sign"
            )
    return StepTables(parts, h, part, np.vstack([change, contact_rates]), -h * np.linalg.solve(s, w_o), e_rows, r, a)


def in_blocks(matrix: Array) -> Array:
    """A block of rows at a time, column by column; rows of zeros fill the last block."""
    rows, columns = matrix.shape
    full = np.zeros((-(-rows // BLOCK) * BLOCK, columns))
    full[:rows] = matrix
    return full.reshape(-1, BLOCK, columns).transpose(0, 2, 1).ravel()
