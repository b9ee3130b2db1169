"""Steps of the linear part under forces that go straight from their start to their end, for many lengths at once.

In modes that damping does not couple they are closed forms, of every mode by itself. Else they are exponentials of one
matrix, which a stiff part makes long: its series is squared once for each power of two of the fastest rate.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.native import Native, compile_functions
from slipstick.periodic.balance.compliance import LinearPart, accurate_slow_modes
from slipstick.periodic.balance.linear_propagators_loop import (
    SERIES_TERMS,
    SMALL_NORM,
    ModalSteps,
    modal_steps,
)

# of the geometric mean of two modes' own: with n modes it changes no decay by more than n times that
COUPLING_REL = 1e-7
COUPLING_ROUNDING_REL = 1e-14  # the same of the largest one


class LinearPropagator(NamedTuple):
    """Steps (P,) of a linear part with n coordinates and m lines.

    flow : (P, 2n, 2n) displacements and rates behind a step by those before.
    first, last : (P, 2n, m) what forces of the lines at its start and at its end add, which resist.
    """

    flow: Array
    first: Array
    last: Array


def modal_form(part: LinearPart, rows: Array, along: Array) -> tuple[LinearPart, Array, Array]:
    """A linear part, deflections (m, n) and directions (n, m) of its lines, in its modes where it is symmetric."""
    found = accurate_slow_modes(part)
    if found is None:
        return part, rows, along
    squares, shapes = found
    damping = shapes.T @ part.damping @ shapes
    return LinearPart(np.eye(squares.size), damping, np.diag(squares)), rows @ shapes, shapes.T @ along


class LinearSteps:
    """Steps of a linear part with directions along (n, m) of its lines, for many lengths at once."""

    def __init__(self, part: LinearPart, along: Array) -> None:
        self.part, self.along = part, np.ascontiguousarray(along)
        self.modes: ModalSteps | None = None
        if _is_unit(part.mass) and _is_diagonal(part.stiffness) and _is_diagonal(part.damping):
            n, m = along.shape
            self.modes = ModalSteps(
                mode_count=n, line_count=m, squares=part.stiffness.diagonal().copy(),
                dampings=part.damping.diagonal().copy(), along=self.along, response=np.zeros(6),
            )  # fmt: skip

    def of(self, h: Array) -> LinearPropagator:
        """Steps of lengths h (P,) [s]."""
        n, m = self.along.shape
        if self.modes is not None:
            flow, first = np.zeros((h.size, 2 * n, 2 * n)), np.empty((h.size, 2 * n, m))
            last, modes = np.empty_like(first), self.modes
            modes.step_count, modes.steps, modes.flow = h.size, np.ascontiguousarray(h), flow
            modes.first, modes.last = first, last
            if compiled_steps("modal_steps").call(modes.pointer):
                return LinearPropagator(flow, first, last)
        e = self._flows(h)
        return LinearPropagator(e[:, :, : 2 * n], e[:, :, 2 * n : 2 * n + m], e[:, :, 2 * n + m :])

    def blocks(self, rows: Array, h: Array) -> Array:
        """(P, k) steps of lengths h (P,) as `period_step_loop` reads them, side by side: flow and both force maps
        transposed, then what the lines with deflection rows (m, n) see of the last as deflections and as rates."""
        own = self.of(h)
        n, m = self.along.shape
        seen = rows @ own.last.reshape(h.size, 2, n, m)
        parts = (own.flow.swapaxes(1, 2), own.first.swapaxes(1, 2), own.last.swapaxes(1, 2), seen)
        return np.concatenate([each.reshape(h.size, -1) for each in parts], axis=1)

    @cached_property
    def _rates(self) -> tuple[Array, float, float]:
        """Rates of state and forces; the unit of displacements, and the rate of forces, for which its series is short.

        In that unit stiffness is no larger than it must be, and forces are as fast as the rest.
        """
        (n, m), part = self.along.shape, self.part
        solved = np.linalg.solve(part.mass, np.concatenate([part.stiffness, part.damping, self.along], axis=1))
        unit = float(np.sqrt(np.abs(solved[:, :n]).sum(axis=1).max(initial=0.0))) or 1.0
        a = np.zeros((2 * n + 2 * m, 2 * n + 2 * m))
        a[:n, n : 2 * n] = unit * np.eye(n)
        a[n : 2 * n, : 2 * n + m] = -solved
        a[n : 2 * n, :n] /= unit
        rate = float(np.abs(a).sum(axis=1).max(initial=0.0)) or 1.0
        a[2 * n : 2 * n + m, 2 * n + m :] = rate * np.eye(m)
        return a, unit, rate

    def _flows(self, h: Array) -> Array:
        """(P, 2n, 2n + 2m) steps h (P,): state to state, and what forces at their start and end add."""
        n, m = self.along.shape
        a, unit, rate = self._rates
        e = _exponentials(a, h)[:, : 2 * n]
        e[:, :n, n:] /= unit
        e[:, n:, :n] *= unit
        e[:, :, 2 * n + m :] /= np.where(h > 0.0, rate * h, 1.0)[:, None, None]
        e[:, :, 2 * n : 2 * n + m] -= e[:, :, 2 * n + m :]
        return e


def compiled_steps(entry: str) -> Native:
    """A loop over steps, compiled."""
    return compile_functions(modal_steps)[entry]


def _is_unit(matrix: Array) -> bool:
    return bool((matrix == np.eye(matrix.shape[0])).all())


def _is_diagonal(matrix: Array) -> bool:
    """But for what is nothing beside both of the entries that it couples."""
    own = np.abs(matrix.diagonal())
    beside = np.abs(matrix - np.diag(matrix.diagonal()))
    return bool(
        (beside <= COUPLING_REL * np.sqrt(np.outer(own, own)) + COUPLING_ROUNDING_REL * own.max(initial=0.0)).all()
    )


def _exponentials(a: Array, h: Array) -> Array:
    """(P, k, k) of a matrix (k, k) times each h (P,): by the series of small parts of it, squared."""
    longest = float(np.abs(a).sum(axis=1).max(initial=0.0)) * float(h.max(initial=0.0))
    halvings = max(0, int(np.ceil(np.log2(max(longest, 1e-300) / SMALL_NORM))))
    unit = float(h.max(initial=0.0)) / 2.0**halvings or 1.0
    powers = np.empty((SERIES_TERMS + 1, *a.shape))
    powers[0] = np.eye(a.shape[0])
    for k in range(1, SERIES_TERMS + 1):
        powers[k] = powers[k - 1] @ a * (unit / k)
    weights = (h / (2.0**halvings * unit))[:, None] ** np.arange(SERIES_TERMS + 1)
    found = np.tensordot(weights, powers, 1)
    for _ in range(halvings):
        found = found @ found
    return np.asarray(found)
