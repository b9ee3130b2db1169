"""Which elimination of the linear part of a nonlinear mode is the quickest, and how long it takes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, Message
from slipstick.laws.elastic import Linear as LinearLaw
from slipstick.periodic.balance import HarmonicBalance
from slipstick.periodic.balance.compliance import LinearPart, ModalCompliance, uncoupled_modes
from slipstick.periodic.modes.bordered_elimination import (
    MAX_INVERTED_COORDINATES,
    AttachedSprings,
    CoupledElimination,
    DenseElimination,
    Elimination,
    HarmonicOrders,
    ModalElimination,
)
from slipstick.periodic.modes.single_dampers import single_dampers

MIN_MODAL_COORDINATES = 16  # coordinates, from which on modes are quicker than matrices
SLOW_POINT, FACTORED = 0.3, 2e8  # [s] of a point that takes long; n^3 times harmonics of a point in a second
COORDINATES_PER_SPRING = 8  # coordinates for each spring or damper, from which on these are few


def choose_elimination(
    balance: HarmonicBalance, frequency: float, orders: HarmonicOrders, border: Array, moved: Array
) -> Elimination:
    """The quickest elimination: by uncoupled modes, by modes of displacement and rate, or by matrices.

    frequency : [rad/s] of the linear mode.   border, moved : as of `DenseElimination`.
    """
    part, lines = balance.plain_part, balance.lines
    n = part.mass.shape[0]
    if n >= MIN_MODAL_COORDINATES:
        for attached in _attached_springs(balance):
            stiffness, damping = ((attached.along * own) @ attached.rows for own in attached.moved)
            rest = LinearPart(part.mass, part.damping - damping, part.stiffness - stiffness)
            modal = uncoupled_modes(rest, frequency)
            if modal is not None:
                return ModalElimination(modal, orders, border, lines.rows, lines.along, moved, attached)
    coupled, many = balance.compliance, n > MAX_INVERTED_COORDINATES
    if many and orders.decays and isinstance(coupled, ModalCompliance) and not coupled.free.any():
        _warn_of_work(n, 1)
        only = HarmonicOrders(orders.numbers[:1], "first")
        first = DenseElimination(part, only, border, lines.rows, lines.along, moved)
        held = np.array([balance.moved_stiffness, balance.moved_damping])
        return CoupledElimination(first, coupled, held, orders, lines.rows, lines.along, moved)
    _warn_of_work(n, balance.index + 1)
    return DenseElimination(part, orders, border, lines.rows, lines.along, moved)


def _warn_of_work(coordinates: int, harmonics: int) -> None:
    """Warn before the work how long it takes to factor the matrices of some harmonics."""
    seconds = harmonics * coordinates**3 / FACTORED
    if seconds >= SLOW_POINT:
        words = Message(
            f"nonlinear_mode: the damping matrix couples the modes of {coordinates} coordinates, so that each point "
            f"takes about {seconds:.1g} s",
            advice=[Advice("condense the model first: {condense}")],
        )
        warnings.warn(words, stacklevel=9)  # where the mode is asked for


def _attached_springs(balance: HarmonicBalance) -> Iterator[AttachedSprings]:
    """What may couple the modes of the rest: a few springs and dampers; nothing; a few dampers in the matrix."""
    n, elements = balance.problem.n, balance.problem.elements
    plain = [(elements[e], elements[e].law) for e in sorted(balance.folded)]
    for own in [plain, []] if plain and COORDINATES_PER_SPRING * len(plain) <= n else [[]]:
        yield AttachedSprings(
            np.array([e.deflection for e, _ in own]).reshape(-1, n),
            np.array([e.force * e.along for e, _ in own]).reshape(-1, n).T,
            np.array([(k.stiffness, k.damping) for _, k in own if isinstance(k, LinearLaw)]).reshape(-1, 2).T,
        )
    dampers = single_dampers(balance.plain_part)
    if dampers is not None and COORDINATES_PER_SPRING * dampers.rows.shape[0] <= n:
        yield dampers
