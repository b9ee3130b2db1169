"""A problem laid out in arrays for the compiled loops; see `records`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.forcing import Forcing, sum_functions
from slipstick.laws.base import Law
from slipstick.laws.law_kernels import tangent_kernel
from slipstick.laws.law_packing import LEAF_HEAD, pack_law
from slipstick.laws.reversal_stack_law import unpack_stack
from slipstick.native import Rows
from slipstick.transient.folded_matrices import fold, is_plain
from slipstick.transient.implicit.records import Counts, ElementaryLaw, SpringDamper, Step, WorkDone
from slipstick.transient.problem import Problem


@dataclass(frozen=True, eq=False)
class OrderedConnections:
    """Connections in the order of the loop: nonlinear groups, which a solver handles, then plain springs and dampers.

    connections : their numbers in the model.   groups : the number of nonlinear ones.
    leaves, springs : numbers of the elements of the first and of the second.
    rows, along : (lines, n) deflections and directions.   offsets : parts of prescribed motions in the deflections.
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


def ordered_connections(problem: Problem) -> OrderedConnections:
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
    return OrderedConnections(
        connections=tuple(order),
        groups=sum(not plain[c] for c in order),
        leaves=tuple(e for c in order if not plain[c] for e in own[c]),
        springs=tuple(e for c in order if plain[c] for e in own[c]),
        rows=np.array([e.deflection / e.scale for e in firsts]).reshape(-1, problem.n),
        along=np.array([e.along for e in firsts]).reshape(-1, problem.n),
        offsets=sum_functions(len(order), [], None).plus(share, problem.offsets),
    )


def _tangent_address(law: Law) -> int:
    return tangent_kernel(type(law.kernel_law)).address


def packed_sparse(matrix: Array) -> Array:
    """A matrix as the loop reads it: where each row begins, then pairs of column and value."""
    rows, columns = np.nonzero(matrix)
    begins = np.searchsorted(rows, np.arange(matrix.shape[0] + 1))
    pairs = np.column_stack([columns, matrix[rows, columns]]).ravel()
    return np.concatenate([begins, pairs, [0.0]]).astype(float)


class Layout:
    """The arrays of a run, and the laws of its groups packed beside them. Steps of all lengths share them.

    shared : fields of `Step` by name.   damping, stiffness : (n, n) with the plain springs and dampers in them.
    """

    def __init__(self, problem: Problem, times: Array) -> None:
        self.problem, self.lines = problem, ordered_connections(problem)
        self.shared: dict[str, Any] = {}
        folded = fold(problem, self.lines.springs)
        self.damping, self.stiffness = folded.damping, folded.stiffness
        self._put_springs()
        self._put_matrices()
        self._put_state(times)
        starts = problem.start_memories()
        self.place_laws([starts[e] for e in self.lines.leaves], spare=16)
        self.shared["q"][:-1], self.shared["v"][:-1] = problem.displacement, problem.velocity

    def _put_springs(self) -> None:
        springs = Rows(SpringDamper, len(self.lines.springs))
        for i, e in enumerate(self.lines.springs):
            element, row = self.problem.elements[e], springs[i]
            law: Any = element.law
            factor = element.force * element.scale
            row.line = self.lines.connections.index(element.connection)
            row.stiffness, row.damping = factor * law.stiffness, factor * law.damping
            row.force = element.force * law.preload
        self.shared["springs"] = springs

    def _put_matrices(self) -> None:
        p, lines = self.problem, self.lines
        conjugate = [p.system.connections[c].is_conjugate for c in lines.connections]
        self.shared |= {
            "mass": packed_sparse(p.mass), "damping": packed_sparse(self.damping),
            "stiffness": packed_sparse(self.stiffness),
            "model_damping": packed_sparse(p.damping), "model_stiffness": packed_sparse(p.stiffness),
            "rows": packed_sparse(lines.rows), "along": packed_sparse(lines.along),
            "null_projection": packed_sparse(p.null_space @ p.null_space.T),
            "loads": p.forcing.packed(), "offset_functions": lines.offsets.packed(),
            "offset_rate_functions": lines.offsets.rate().packed(),
            "conjugate": np.array([*conjugate, 0.0], dtype=float),
        }  # fmt: skip

    def _put_state(self, times: Array) -> None:
        p, lines = self.problem, self.lines
        n, m, groups, elements = p.n, len(lines.connections), lines.groups, len(p.elements)
        sizes = {
            ("q", "v", "a", "load", "matrix_force", "q_end", "v_end", "a_end", "matrix_force_end"): n,
            ("increment", "right_hand_side", "correction"): n,
            ("offset", "offset_rate_end"): m,
            ("force", "factor", "absorbed", "law_force"): elements,
            ("predicted_deflection", "predicted_rate", "deflection", "group_force", "group_stiffness"): groups,
            ("force_slope",): 1,
        }
        self.shared |= {name: np.zeros(size + 1) for several, size in sizes.items() for name in several}
        self.shared |= {
            "counts": Counts(), "work": WorkDone(), "sample_times": np.append(times, np.inf),
            "sample_q": np.zeros((times.size, n)), "sample_v": np.zeros((times.size, n)),
            "sample_force": np.zeros((times.size, elements)),
            "coordinate_count": n, "group_count": groups, "line_count": m, "leaf_count": len(lines.leaves),
            "spring_count": len(lines.springs), "sample_count": times.size, "massless": p.massless,
            "has_motions": not lines.offsets.is_zero,
        }  # fmt: skip

    def place_laws(self, memories: Sequence[Any], spare: int) -> None:
        """Pack the laws with their memories, with room for ``spare`` more reversals."""
        p = self.problem
        leaves = [p.elements[e].leaf for e in self.lines.leaves]
        laws, memory = pack_law(leaves, memories, p.base, spare)
        self.spare, rows = spare, Rows(ElementaryLaw, len(leaves))
        pairs: list[int] = []
        for i, e in enumerate(self.lines.leaves):
            element, row = p.elements[e], rows[i]
            kernel, parameters, begin, factors = (int(x) for x in laws[1 + LEAF_HEAD * i :][:4])
            row.group = self.lines.connections.index(element.connection)
            row.value_function, row.tangent_function = kernel, _tangent_address(element.law)
            row.parameters, row.memory_begin = laws[parameters:], begin
            row.memory_size = -1 if element.law.has_stack else len(element.law.remembers)
            row.deflection_scale, row.factor = float(laws[factors]), float(laws[factors + 1])
            row.modulation = factors + 2 if laws[factors + 2] else -1
            several = len(element.law.kernel_law.directions)
            row.directions = 1 if not several else several if element.law.direction_rank == 0 else 0
            row.pair_begin = len(pairs) // 2
            if row.directions > 1:
                groups = range(row.group, row.group + several)
                pairs += [k for a in groups for b in groups if a != b for k in (a, b)]
        # the end of a step, in one block
        sizes = (p.n + 1, len(self.lines.connections) + 1, len(p.elements) + 1, memory.size)
        end = np.zeros(sum(sizes))
        load, offset, force, trial = np.split(end, np.cumsum(sizes)[:-1])
        self.shared |= {
            "pair_count": len(pairs) // 2, "pair_groups": np.array([*pairs, 0.0], dtype=float),
            "pair_stiffness": np.zeros(len(pairs) // 2 + 1),
            "laws": laws, "memory": memory, "leaves": rows, "memory_slope": np.zeros_like(memory),
            "end_block": end, "saved_end": np.zeros_like(end), "end_size": end.size,
            "load_end": load, "offset_end": offset, "force_end": force, "memory_end": trial,
        }  # fmt: skip

    def memories(self) -> list[Any]:
        """The present memory of each leaf."""
        found: list[Any] = []
        leaves, memory = self.shared["leaves"], self.shared["memory"]
        for i in range(len(self.lines.leaves)):
            own = memory[leaves[i].memory_begin :]
            size = leaves[i].memory_size
            found.append(unpack_stack(own) if size < 0 else tuple(own[:size].tolist()))
        return found

    def fill(self, step: Step) -> None:
        """Set the shared fields of a step; arrays move when memory grows."""
        for name, value in self.shared.items():
            setattr(step, name, value)
