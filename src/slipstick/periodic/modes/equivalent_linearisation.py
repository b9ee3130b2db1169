"""Equivalent linear models: what laws do to the first harmonic of a sine, by the size of the deflection.

They give a nonlinear mode its number and its first guess, and tell over which amplitudes it changes at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.model.modal_algebra import is_symmetric
from slipstick.model.quadratic_eigenproblem import dense_modes
from slipstick.periodic.balance import HarmonicBalance
from slipstick.periodic.balance.compliance import LinearPart
from slipstick.periodic.balance.harmonic_balance import FRICTION_WIDTH_REL
from slipstick.periodic.modes.mode_motion import LinearMode

MAX_ROUNDS = 40  # of shape and stiffness, until they belong together
EIGENVALUE_CHANGE_REL = 1e-9  # relative change of the eigenvalue
RIGID_MODE_REL = 1e-12  # of the largest square of a frequency
COUPLING_REL = 0.05  # of the difference of squares of frequencies: more damping than that between two modes mixes them
LARGE_MODEL_COORDINATES, SLOWEST_MODES = (
    80,
    60,
)  # coordinates beyond which a guess is made in a few shapes, and modes among those
REDUCED_CACHE_KEY = "few shapes"  # under which these are kept with their problem
MIN_DEFLECTION_REL = 1e-9  # of the largest deflection: where a line has none, it is given this one

SCANNED_DECADES = np.linspace(-12.0, 12.0, 97)  # of the largest deflection [m or rad], over which a mode is looked at
CHANGE_BEGUN, CHANGE_ENDED = (
    1e-3,
    0.02,
)  # parts of a mode's change at which it has begun; and that are left, or of its last stiffness
LEAST_CHANGE = 1e-9  # relative, of a mode that changes at all
MIN_DISPLACEMENT_REL = 1e-5  # of the largest mean: the smallest displacement that is looked at
CALM_REL, NOISE_REL = (
    0.1,
    0.1,
)  # of BEGUN, of the whole change: how little values differ that begin it, and how much noise may
SHOWN_BELOW_FACTOR = 3.0  # how far below its start a mode is shown
MAX_STIFFENING = 10.0  # times the stiffness at which a mode that grows for ever is left
MIN_STIFFNESS_REL, MAX_DAMPING_RATIO = (
    1e-2,
    0.5,
)  # part of the largest stiffness, damping ratio: beyond them it is hardly a mode
DEFAULT_AMPLITUDES = (0.1, 10.0)  # amplitudes of a mode that does not change


class EquivalentModes(NamedTuple):
    """Modes of an equivalent linear model, in order of |lambda|: values (k,) and shapes (n, k)."""

    values: Complex
    shapes: Complex

    def oscillates(self, k: int) -> bool:
        """Whether mode k swings to and fro, and is not a creep or a rigid motion."""
        value = self.values[k]
        return bool(abs(value) > 0.0 and abs(value.imag) > 1e-3 * abs(value))


def equivalent_stiffness(balance: HarmonicBalance, sizes: Array, omega: float, mean: Array) -> Complex:
    """(m,) force over deflection, k + i omega c, of each line for sizes cos(tau) about a mean (m,)."""
    largest = float(sizes.max(initial=0.0)) or 1.0
    if balance.lines.rounds:
        balance = balance.changed(width=FRICTION_WIDTH_REL / balance.harmonics * largest / balance.length)
    own = np.maximum(sizes, MIN_DEFLECTION_REL * largest)
    tau = 2.0 * np.pi * np.arange(balance.waves.samples) / balance.waves.samples
    follower = balance.follower
    follower.deflection[:] = own[:, None] * np.cos(tau) + (mean + balance.offsets[:, -1])[:, None]
    follower.turn[:] = -own[:, None] * np.sin(tau)
    follower.run(omega)
    return np.asarray(2.0 * (follower.force @ np.exp(-1j * tau)) / tau.size / own)


def equivalent_modes(balance: HarmonicBalance, stiffness: Complex, omega: float, number: int = 0) -> EquivalentModes:
    """The modes with laws as springs and dampers; number : from 0, the one that is wanted of a large model."""
    plain, rows, along, basis = _reduced_model(balance, number)
    part = plain.stiffened(rows, along, stiffness.real, stiffness.imag / omega)
    if not all(np.isfinite(x).all() for x in part):
        raise NotConverged("the forces of the laws are not finite")
    values, shapes = _lightly_damped(part) or dense_modes(*part)[:2]
    order = np.argsort(np.abs(values), kind="stable")
    shapes = shapes[:, order]
    return EquivalentModes(values[order], shapes if basis is None else np.asarray(basis @ shapes))


class ReducedModel(NamedTuple):
    """The linear part with its lines; of a large model in a few shapes alone, ``basis`` (n, k), else None."""

    part: LinearPart
    rows: Array
    along: Array
    basis: Array | None


def _reduced_model(balance: HarmonicBalance, number: int) -> ReducedModel:
    """A large model in its slowest modes, and in what constant forces of its laws make of it: enough for a guess.

    It is found once, and kept with the problem.
    """
    kept = balance.problem.kept
    if number > SLOWEST_MODES // 2:
        return ReducedModel(balance.plain_part, balance.lines.rows, balance.lines.along, None)
    if REDUCED_CACHE_KEY not in kept:
        kept[REDUCED_CACHE_KEY] = _in_few_shapes(balance)
    found = kept[REDUCED_CACHE_KEY]
    assert isinstance(found, ReducedModel)
    return found


def _in_few_shapes(balance: HarmonicBalance) -> ReducedModel:
    part, lines = balance.plain_part, balance.lines
    whole = ReducedModel(part, lines.rows, lines.along, None)
    n = part.mass.shape[0]
    if n <= LARGE_MODEL_COORDINATES or SLOWEST_MODES + lines.count >= n:
        return whole
    try:
        squares, shapes = eigh(0.5 * (part.stiffness + part.stiffness.T), 0.5 * (part.mass + part.mass.T))
        held = part.stiffness + float(np.abs(squares[: lines.count + 1]).max()) * part.mass
        moved = np.linalg.solve(held, lines.along)
    except np.linalg.LinAlgError:  # massless coordinates
        return whole
    half = 0.5 * np.einsum("ik,ij,jk->k", shapes, part.damping, shapes, optimize=True)
    slowest = np.argsort(np.abs(-half + np.emath.sqrt(half**2 - squares)), kind="stable")[:SLOWEST_MODES]
    basis = np.linalg.qr(np.column_stack([shapes[:, slowest], moved]))[0]
    own = LinearPart(*(basis.T @ matrix @ basis for matrix in part))
    return ReducedModel(own, lines.rows @ basis, basis.T @ lines.along, basis)


def _lightly_damped(part: LinearPart) -> tuple[Complex, Complex] | None:
    """Modes of symmetric matrices, each with its own damping alone: a guess, and a quick one.

    None where damping couples modes by more than a little.
    """
    if not (is_symmetric(part.mass) and is_symmetric(part.stiffness)):
        return None
    try:
        squares, shapes = eigh(part.stiffness, part.mass)
    except np.linalg.LinAlgError:  # massless coordinates
        return None
    size = np.abs(squares).max(initial=0.0)
    squares = np.where(np.abs(squares) < RIGID_MODE_REL * size, 0.0, squares)
    damping = shapes.T @ part.damping @ shapes
    half = 0.5 * np.diagonal(damping)
    if _coupled(damping, squares):
        return None
    values = -half + np.emath.sqrt(
        half**2 - squares
    )  # of an over-damped pair the slow one, so that all are counted once
    return values.astype(np.complex128), shapes.astype(np.complex128)


def _coupled(damping: Array, squares: Array) -> bool:
    """Whether damping (k, k) of modes with the squares (k,) of frequencies couples any two of them."""
    frequency = np.sqrt(np.abs(squares))
    forces = np.abs(damping) * np.maximum.outer(frequency, frequency)
    np.fill_diagonal(forces, 0.0)
    return bool((forces > COUPLING_REL * np.abs(np.subtract.outer(squares, squares))).any())


def linear_mode(
    balance: HarmonicBalance, number: int, amplitude: float, mean: Array, place: int | None
) -> LinearMode | None:
    """Mode ``number`` (from 0) at an amplitude, modal or of a coordinate; None if it does not swing there."""
    lines, mass = balance.lines, balance.problem.mass
    seen = lines.rows @ mean
    size = amplitude if place is not None else amplitude / np.sqrt(max(np.trace(mass), 1e-300) / mass.shape[0])
    sizes = np.full(lines.count, size)
    omega, before = _undamped(balance, number, equivalent_stiffness(balance, sizes, 1.0, seen)), 0.0j
    stiffness = equivalent_stiffness(balance, sizes, omega, seen)
    for _ in range(MAX_ROUNDS):
        found = equivalent_modes(balance, stiffness, omega, number)
        if number >= found.values.size or not found.oscillates(number):
            return None
        value, shape = found.values[number], _turned(found.shapes[:, number], mass)
        omega = abs(value)
        if abs(value - before) <= EIGENVALUE_CHANGE_REL * omega:
            break
        before = value
        over = (
            1.0
            if place is None
            else 1.0 / max(abs(complex(shape[place])), MIN_DEFLECTION_REL * float(np.abs(shape).max()))
        )
        # halfway: a slider that sticks in one round and slips in the next would go on for ever
        new = equivalent_stiffness(balance, over * amplitude * np.abs(lines.rows @ shape), omega, seen)
        stiffness = 0.5 * (stiffness + new)
    return LinearMode(omega, float(-value.real / omega), shape, mean)


def _undamped(balance: HarmonicBalance, number: int, stiffness: Complex) -> float:
    """The frequency [rad/s] without damping; 1 where there is none.

    What a slider loses in a cycle does not depend on the frequency: as a damper at a frequency far too low it would be
    so strong that nothing swings.
    """
    found = equivalent_modes(balance, stiffness.real.astype(np.complex128), 1.0, number).values
    return float(abs(found[number].imag)) or 1.0 if number < found.size else 1.0


def _turned(shape: Complex, mass: Array) -> Complex:
    """A shape of unit modal mass, turned so that its real part is the larger and orthogonal to its imaginary part.

    Pairs go with exp(-i tau), so it is the conjugate of one that goes with exp(lambda t), Im lambda > 0.
    """
    own = (shape * np.exp(-0.5j * np.angle(shape @ mass @ shape))).conj()
    return np.asarray(own / np.sqrt((own.conj() @ mass @ own).real))


def changing_amplitudes(balance: HarmonicBalance, linear: LinearMode) -> tuple[float, float]:
    """Modal amplitudes between which a mode changes: from all at rest in their first state to all in their last."""
    lines, shape, mean = balance.lines, linear.shape, balance.lines.rows @ linear.mean
    largest = float(np.abs(shape).max())
    plain = complex(shape.conj() @ balance.plain_part.stiffness @ shape).real
    amplitudes = 10.0**SCANNED_DECADES / largest
    # beside a mean that is much larger, forces are known to fewer digits
    amplitudes = amplitudes[amplitudes * largest >= MIN_DISPLACEMENT_REL * float(np.abs(linear.mean).max(initial=0.0))]
    found = np.empty(amplitudes.size, dtype=complex)
    for i, a in enumerate(amplitudes):
        with np.errstate(all="ignore"):
            stiffness = equivalent_stiffness(balance, a * np.abs(lines.rows @ shape), linear.frequency, mean)
        found[i] = plain + (shape.conj() @ lines.along) @ (stiffness * (lines.rows @ shape))
    with np.errstate(all="ignore"):
        usual = np.abs(found) <= MAX_STIFFENING * linear.frequency**2
        held = found.real > MIN_STIFFNESS_REL * np.nanmax(np.where(usual, found.real, 0.0))
        able = np.flatnonzero(usual & held & (found.imag <= 2.0 * MAX_DAMPING_RATIO * found.real))
    if not able.size:
        return DEFAULT_AMPLITUDES
    own, a = found[able], amplitudes[able]
    change = float(np.abs(own - own[0]).max())
    if change <= LEAST_CHANGE * np.abs(own[0]):
        return DEFAULT_AMPLITUDES
    begin = _calm(own, change)
    first = begin + int(np.argmax(np.abs(own[begin:] - own[begin]) > CHANGE_BEGUN * change))
    left = CHANGE_ENDED * min(change, float(np.abs(own[-1])))
    last = int(np.flatnonzero(np.abs(own - own[-1]) > left)[-1]) + 1
    low = a[0] if first <= 1 else a[first - 1] / SHOWN_BELOW_FACTOR
    return float(low), float(a[min(last, a.size - 1)])


def _calm(values: Complex, change: float) -> int:
    """The first of values that the next two agree with: forces of tiny deflections may be mostly rounding."""
    small = np.abs(np.diff(values)) <= CALM_REL * CHANGE_BEGUN * change
    calm = np.flatnonzero(small[:-1] & small[1:] & (np.abs(values - values[0])[:-2] <= NOISE_REL * change))
    return int(calm[0]) if calm.size else 0
