"""Laws on the grid of a motion with two frequencies: forces and their derivatives by the series of the deflection.

A law with memory is followed along the lines of the grid. What it remembers at the start of a line is what it
remembers where another line ends, interpolated between lines. From the virgin law this is repeated until it settles;
the derivative of the settled memory follows from the same map.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import MissingFace
from slipstick.laws.base import Law
from slipstick.laws.faces import Face
from slipstick.laws.law_kernels import tangent_kernel, value_kernel
from slipstick.periodic.balance.nonlinear_connections import ForceTerm
from slipstick.periodic.two_tones.torus_grid import TorusGrid
from slipstick.periodic.two_tones.torus_laws_loop import TorusLeaf, follow_lines_kernel
from slipstick.transient.loop_kernels import parameters_of

MAX_PASSES = 400  # along all lines until a memory has settled
SETTLED_REL = 1e-11  # of the largest number in the memory
CHANGED_PASSES = 3  # at least, as interpolation may hide a change in one


class LeafForce(NamedTuple):
    """force : (lines, samples).   by_series : (lines, samples, width), or empty.
    memory_change : relative, in the last pass along all lines."""

    force: Array
    by_series: Array
    memory_change: float


def refuse_unknown_law(term: ForceTerm) -> None:
    """Refuse laws whose memory cannot be interpolated between lines, and set-valued friction and rigid stops."""
    law = term.law
    other = bool(law.kernel_law.directions) or law.has_stack or law.rigid_stop is not None or term.rounds
    known = not law.remembers or law.elastic_slider is not None or _memory_is_state(law)
    if known and not other:
        return
    name = "DryFriction" if term.rounds else type(law).__name__
    if law.kernel_law.directions:
        name = "laws with several deflections"
    raise MissingFace(
        f"harmonic balance of two tones does not take {name}: it takes laws without memory, Jenkins, Masing, Iwan "
        "with elements, and Bouc-Wen",
        advice=["use one of these, or simulate"],
    )


def _memory_is_state(law: Law) -> bool:
    """True if deflection, rate and inner state are the whole memory, without the last reversal."""
    if not law.has_local_memory or law.by_rate or Face.RATE not in law.faces:
        return False
    one, other = law.start(0.0), law.start(1.0)
    return bool(law.settled(0.5, 1.0, 0.0, one) == law.settled(0.5, 1.0, 0.0, other))


def evaluate(term: ForceTerm, grid: TorusGrid, u: Array, v: Array, with_derivatives: bool) -> LeafForce:
    """The force of one law.   u, v : (lines, samples) deflection and rate of its line."""
    law, m = term.law, len(term.law.remembers)
    lines, samples = u.shape
    start = [law.start(float(x)) if m else () for x in term.scale * u[:, 0]]
    memory = np.array([law.pack_memory(own, 0) for own in start]).reshape(lines, m) if m else np.zeros((lines, 0))
    leaf = TorusLeaf(
        value_function=value_kernel(type(law)).address, tangent_function=tangent_kernel(type(law)).address,
        lines=lines, samples=samples, memory_size=m, wants_rate=law.needs_rate, parameters=parameters_of(law),
        deflection=np.ascontiguousarray(term.scale * u), rate=np.ascontiguousarray(term.scale * v),
        memory=np.append(memory.ravel(), 0.0), trial=np.zeros(m + 1), force=np.zeros((lines, samples)),
        local=np.zeros((lines, samples, 2 + m, 1 + m) if with_derivatives else (1,)),
    )  # fmt: skip
    call = follow_lines_kernel().call
    memory_change = 0.0
    for passes in range(MAX_PASSES if m else 0):
        call(leaf.pointer)
        new = grid.advance @ leaf.memory[:-1].reshape(lines, m)
        memory_change = float(np.abs(new - memory).max() / max(float(np.abs(new).max()), 1e-300))
        memory = new
        leaf.memory[:-1] = memory.ravel()
        if memory_change <= SETTLED_REL and passes >= CHANGED_PASSES:
            break
    leaf.wants_local = with_derivatives
    call(leaf.pointer)
    by_series = _derivatives(term, grid, np.asarray(leaf.local), m) if with_derivatives else np.zeros(0)
    return LeafForce(np.asarray(leaf.force).reshape(lines, samples).copy(), by_series, memory_change)


def _derivatives(term: ForceTerm, grid: TorusGrid, local: Array, m: int) -> Array:
    """(lines, samples, width) derivatives of the force by the series of the line."""
    b, b_t = term.scale * grid.basis, term.scale * grid.rate_basis if term.law.needs_rate else np.zeros(0)
    by_u, by_v, by_memory = local[..., 0, :], local[..., 1, :], local[..., 2:, :]
    found = by_u[..., :1] * b
    if term.law.needs_rate:
        found = found + by_v[..., :1] * b_t
    if not m:
        return np.asarray(found)
    lines, samples = local.shape[:2]

    def change(k: int, carried: Array) -> Array:
        """(lines, m, columns) derivatives of the memory behind sample k, from those before it."""
        return np.asarray(np.einsum("pij,pic->pjc", by_memory[:, k, :, 1:], carried))

    def source(k: int) -> Array:
        own: Array = by_u[:, k, 1:, None] * b[:, k, None, :]
        return own + by_v[:, k, 1:, None] * b_t[:, k, None, :] if term.law.needs_rate else own

    carried, through = np.zeros((lines, m, grid.width)), np.tile(np.eye(m), (lines, 1, 1))
    for k in range(samples):
        carried, through = change(k, carried) + source(k), change(k, through)
    whole = np.einsum("ip,pjc->ijpc", grid.advance, through).reshape(lines * m, lines * m)
    right = np.einsum("ip,pjc->ijc", grid.advance, carried).reshape(lines * m, -1)
    carried = np.linalg.lstsq(np.eye(lines * m) - whole, right, rcond=1e-9)[0].reshape(lines, m, -1)
    for k in range(samples):
        found[:, k] += np.einsum("pi,pic->pc", by_memory[:, k, :, 0], carried)
        carried = change(k, carried) + source(k)
    return np.asarray(found)
