"""A problem laid out in arrays for the compiled loops; `places` says what lies where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.compile import tangent_kernel
from slipstick.laws.memory import unpacked
from slipstick.laws.program import pack
from slipstick.transient.folded import fold, is_plain
from slipstick.transient.forcing import Forcing, gather
from slipstick.transient.implicit import places as at
from slipstick.transient.problem import Problem

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lines:
    """Connections in the order of the loop: those a solver has to meet, then plain springs and dampers.

    connections : their numbers in the model.   groups : how many a solver has to meet.
    leaves, springs : numbers of the elements of the first and of the second.
    rows, along : (lines, n) deflections and directions.   offsets : what motions add to the deflections.
    """

    connections: tuple[int, ...]
    groups: int
    leaves: tuple[int, ...]
    springs: tuple[int, ...]
    rows: Array
    along: Array
    offsets: Forcing

    @property
    def elements(self) -> tuple[int, ...]:
        return (*self.leaves, *self.springs)


def lines_of(problem: Problem) -> Lines:
    """The connections of a problem, sorted for the loop."""
    own: dict[int, list[int]] = {}
    for e, element in enumerate(problem.elements):
        own.setdefault(element.connection, []).append(e)
    plain = {c: all(is_plain(problem.elements[e]) for e in own[c]) for c in own}
    order = sorted(own, key=lambda c: plain[c])
    firsts = [problem.elements[own[c][0]] for c in order]
    share = np.zeros((len(order), len(problem.elements)))
    for j, c in enumerate(order):
        share[j, own[c][0]] = 1.0 / firsts[j].scale
    return Lines(
        connections=tuple(order),
        groups=sum(not plain[c] for c in order),
        leaves=tuple(e for c in order if not plain[c] for e in own[c]),
        springs=tuple(e for c in order if plain[c] for e in own[c]),
        rows=np.array([e.deflection / e.scale for e in firsts]).reshape(-1, problem.n),
        along=np.array([e.along for e in firsts]).reshape(-1, problem.n),
        offsets=gather(len(order), [], None).plus(share, problem.offsets),
    )


def sparse(matrix: Array) -> Array:
    """A matrix as the loop reads it: where each row begins, then pairs of column and value."""
    rows, columns = np.nonzero(matrix)
    begins = np.searchsorted(rows, np.arange(matrix.shape[0] + 1))
    pairs = np.column_stack([columns, matrix[rows, columns]]).ravel()
    return np.concatenate([begins, pairs, [0.0]]).astype(float)


class Layout:
    """The arrays of a run by their places in the plan, and the laws of its groups packed beside them.

    damping, stiffness : (n, n) with the plain springs and dampers in them.
    """

    def __init__(self, problem: Problem, times: Array) -> None:
        self.problem, self.lines = problem, lines_of(problem)
        self.arrays: dict[int, Array] = {}
        self.numbers: dict[int, float] = {}
        folded = fold(problem, self.lines.springs)
        self.damping, self.stiffness = folded.damping, folded.stiffness
        self.arrays[at.SPRING_TABLE] = self._springs()
        self._put_matrices()
        self._put_state(times)
        starts = problem.start_memories()
        self.place_laws([starts[e] for e in self.lines.leaves], spare=16)
        self.arrays[at.Q][:-1], self.arrays[at.V][:-1] = problem.displacement, problem.velocity

    def _springs(self) -> Array:
        """(line, stiffness, damping, force) of each plain spring."""
        table: list[float] = []
        for e in self.lines.springs:
            element = self.problem.elements[e]
            law: Any = element.law
            j = self.lines.connections.index(element.connection)
            factor = element.force * element.scale
            table += [j, factor * law.stiffness, factor * law.damping, element.force * law.preload]
        return np.array([*table, 0.0])

    def _put_matrices(self) -> None:
        p, lines, put = self.problem, self.lines, self.arrays
        put[at.MASS], put[at.DAMPING], put[at.STIFFNESS] = (sparse(m) for m in (p.mass, self.damping, self.stiffness))
        put[at.OWN_DAMPING], put[at.OWN_STIFFNESS] = sparse(p.damping), sparse(p.stiffness)
        put[at.ROWS], put[at.ALONG] = sparse(lines.rows), sparse(lines.along)
        put[at.NULL] = sparse(p.null_space @ p.null_space.T)
        put[at.LOADS] = p.forcing.packed()
        put[at.OFFSETS], put[at.OFFSET_RATES] = lines.offsets.packed(), lines.offsets.rate().packed()
        conjugate = [p.system.connections[c].is_conjugate for c in lines.connections]
        put[at.CONJUGATE] = np.array([*conjugate, 0.0], dtype=float)

    def _put_state(self, times: Array) -> None:
        p, lines, put = self.problem, self.lines, self.arrays
        n, m, groups, elements = p.n, len(lines.connections), lines.groups, len(p.elements)
        sizes = {
            (at.Q, at.V, at.A, at.P, at.Z, at.Q1, at.V1, at.A1, at.Z1): n,
            (at.INCREMENT, at.RIGHT, at.D): n,
            (at.MOVED, at.RATE1): m,
            (at.FORCE, at.FACTOR, at.ABSORBED, at.RAW): elements,
            (at.XHAT, at.VHAT, at.X, at.GROUP_FORCE, at.GROUP_SLOPE): groups,
            (at.ONE, at.WORK, at.COUNTS): 8,
        }
        for several, size in sizes.items():
            for place in several:
                put[place] = np.zeros(size + 1)
        put[at.TIMES] = np.append(times, np.inf)
        for place, size in ((at.AT_Q, n), (at.AT_V, n), (at.AT_F, elements)):
            put[place] = np.zeros((times.size, size))
        self.numbers |= {
            at.FREE: n, at.GROUPS: groups, at.LINES: m, at.LEAVES: len(lines.leaves),
            at.SPRINGS: len(lines.springs), at.SAMPLES: times.size, at.MOVING: float(not lines.offsets.is_zero),
            at.MASSLESS: float(p.massless), at.LAST: np.inf,
        }  # fmt: skip

    def place_laws(self, memories: Sequence[Any], spare: int) -> None:
        """Pack the laws with their memories, with room for ``spare`` more reversals."""
        p, put = self.problem, self.arrays
        leaves = [p.elements[e].leaf for e in self.lines.leaves]
        put[at.LAWS], put[at.MEMORY] = pack(leaves, memories, p.frequency, spare)
        self.spare, table = spare, []
        for i, e in enumerate(self.lines.leaves):
            element = p.elements[e]
            size = -1 if element.law.has_stack else len(element.law.remembers)
            group = self.lines.connections.index(element.connection)
            table += [group, tangent_kernel(type(element.law)).address, put[at.LAWS][3 + 4 * i], size]
        put[at.TABLE] = np.array([*table, 0.0], dtype=float)
        # the end of a step, in one piece
        sizes = (p.n + 1, len(self.lines.connections) + 1, len(p.elements) + 1, put[at.MEMORY].size)
        new = np.zeros(sum(sizes))
        cuts = np.split(new, np.cumsum(sizes)[:-1])
        put[at.NEW], put[at.ASIDE] = new, np.zeros_like(new)
        put[at.P1], put[at.MOVED1], put[at.FORCE1], put[at.TRIAL] = cuts
        put[at.SLOPE] = np.zeros_like(put[at.MEMORY])
        self.numbers[at.NEW_LENGTH] = new.size

    def memories(self) -> list[Any]:
        """What each leaf remembers now."""
        found: list[Any] = []
        table, memory = self.arrays[at.TABLE], self.arrays[at.MEMORY]
        for i in range(len(self.lines.leaves)):
            begin, size = int(table[4 * i + 2]), int(table[4 * i + 3])
            own = memory[begin:]
            found.append(unpacked(own) if size < 0 else tuple(own[:size].tolist()))
        return found

    def plan(self, extra: Sequence[Any]) -> Array:
        """The plan of the loop, with the solver's own entries: numbers, and arrays for their addresses."""
        plan = np.zeros(at.SOLVER + len(extra))
        for place, number in self.numbers.items():
            plan[place] = number
        for i, entry in enumerate(extra, start=at.SOLVER):
            plan[i] = entry.ctypes.data if isinstance(entry, np.ndarray) else entry
        self.address(plan)
        return plan

    def address(self, plan: Array) -> None:
        """Write where the arrays lie into a plan; they move when memory grows."""
        for place, array in self.arrays.items():
            plan[place] = array.ctypes.data
        plan[at.NEW_LENGTH] = self.numbers[at.NEW_LENGTH]
