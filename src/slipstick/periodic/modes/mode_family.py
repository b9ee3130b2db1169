"""The equations of a nonlinear mode by harmonic balance, as a family over the logarithm of its amplitude.

    M q'' + (C - 2 zeta omega M) q' + K q + f(q, q', memory) = constant loads

The term with zeta sustains what would decay; it acts on the first harmonic, or on all of them (``sustain``). If on the
first one only, that harmonic is one of a motion that decays, as `decaying_harmonic` has it.

Unknowns are the series of the deflections that carry laws, over the amplitude; the part alpha of the first harmonic
along the linear mode, over the amplitude; the frequency omega, over that of the linear mode; and zeta. Equations are

    y_h - S q_h = 0 of each harmonic,     sigma = 0 (two),     the amplitude of q_1, or of all harmonics (``norm``),

where q_h follows from the forces by `bordered_elimination`, which also makes alpha real: that is the phase condition.
Stiffness and damping are moved from the laws into the linear part, as in `harmonic_balance`; solutions do not depend on
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, NotConverged
from slipstick.periodic.balance import HarmonicBalance
from slipstick.periodic.balance.fourier_series import FourierGrid, as_pairs, as_series, resized_series
from slipstick.periodic.balance.harmonic_balance import FRICTION_WIDTH_REL
from slipstick.periodic.balance.nonlinear_connections import stiffest_estimates
from slipstick.periodic.continuation.family import Family, Linearisation, SofterFamily
from slipstick.periodic.modes.bordered_elimination import HarmonicOrders
from slipstick.periodic.modes.decaying_harmonic import DecayingForces
from slipstick.periodic.modes.elimination_choice import choose_elimination
from slipstick.periodic.modes.mode_motion import EvaluationBudget, LinearMode, ModeMotion
from slipstick.periodic.modes.neutral_means import hold_neutral_means
from slipstick.periodic.modes.pair_slopes import pair_slopes
from slipstick.results.orbit import OrbitPoint

LN10 = math.log(10.0)
# a change of the damping ratio that counts like one of the mode's own size; and the ratio that is moved
DAMPING_SCALE = 0.2
MIN_FREQUENCY_REL = 1e-3  # of the frequency of the linear mode: below it a motion is at rest
MAX_DECADES = 100.0  # of an amplitude; its square is a number still
MAX_CACHED_BALANCES = 4  # balances with different roundings
CONSERVATIVE_RESIDUAL_REL = 1e-12  # of what is left of equations: rounding in their sines where nothing dissipates
# about the typical size: amplitudes at which it is checked whether a model dissipates
DISSIPATION_SCAN_DECADES = range(-6, 7)
# of the largest displacement: a line whose first harmonic is smaller has no damper of its own
MIN_FIRST_HARMONIC_REL = 1e-9


class ModeFamily(Family):
    """Motions of one mode; p is log10 of the amplitude.

    balance : the model without what varies in time, at the frequency of the linear mode.
    coordinate : number among the free ones whose first harmonic is the amplitude; None: the modal amplitude, the root
        of q_1' M q_1.
    sustain : "first" or "all", harmonics on which the term with zeta acts.
    norm : "first" or "all", harmonics whose squares add up to that of the amplitude; the mean is none of them.
    effort : what may be spent, shared by all families made from this one.
    """

    tolerance = 1e-10

    def __init__(
        self,
        balance: HarmonicBalance,
        linear: LinearMode,
        coordinate: int | None,
        sustain: str = "first",
        effort: EvaluationBudget | None = None,
        norm: str = "first",
    ) -> None:
        self.effort, self.norm = effort or EvaluationBudget(), norm
        self.balance, self.linear, self.coordinate, self.sustain = balance, linear, coordinate, sustain
        problem, lines = balance.problem, balance.lines
        n, m = problem.n, lines.count
        self.size, self.rounds = balance.size + 3, lines.rounds
        largest = float(np.abs(linear.shape).max())
        # over the amplitude: alpha, and the largest displacement
        self.modal = 1.0 if coordinate is None else 1.0 / max(abs(complex(linear.shape[coordinate])), 1e-9 * largest)
        self.moved_size = largest * self.modal
        self.orders = HarmonicOrders(balance.waves.orders, sustain)
        self.moved = self._moved()
        real = linear.shape.real
        self.border = linear.frequency**2 / float(real @ problem.mass @ real) * (problem.mass @ real)
        self.elimination = choose_elimination(balance, linear.frequency, self.orders, self.border, self.moved)
        # what reads and acts on the coordinates of the elimination
        self.reader = self.elimination.reading(balance.seen).astype(complex)
        self.amplitude_row = None if coordinate is None else self.elimination.reading(np.eye(n)[coordinate])
        self.along = self.elimination.acting(lines.along).astype(complex)
        self._right = np.zeros((balance.index + 1, n + 1, m + 1), dtype=complex)
        self._right[:, :n, :m] = self.along
        self._right[0, n, m] = linear.frequency**2
        self._right[-1, :n, m] = self.elimination.acting(balance.loads.at(balance.base)[-1].real)
        self._kept: dict[float, HarmonicBalance] = {}

    def _moved(self) -> Array:
        """(2, m) stiffness and damping that are moved from the laws into the linear part."""
        lines = self.balance.lines
        stiffness, damping = stiffest_estimates(lines, 0.0)
        inertia = self.balance.plain_part.inertia_along(lines.rows, lines.along)
        stiffness = np.where(stiffness > 0.0, stiffness, inertia * self.linear.frequency**2)
        damping = np.maximum(damping, 2.0 * DAMPING_SCALE * np.sqrt(stiffness * inertia))
        return np.array([stiffness, damping]).reshape(2, lines.count)

    def free_pairs(self, z: Complex) -> Complex:
        """(n, H+1) pairs of the free coordinates of the model, of z (H+1, n+1)."""
        return np.ascontiguousarray((z[:, :-1] @ self.elimination.reading(np.eye(z.shape[1] - 1)).T).T)

    # ---- what is followed

    def amplitude(self, p: float) -> float:
        if not abs(p) < MAX_DECADES:
            raise NotConverged(f"the search led to {self.format_parameter(p)}")
        return float(10.0**p)

    def format_parameter(self, p: float, digits: int = 4) -> str:
        """What a user knows is the amplitude, not its logarithm."""
        return f"amplitude {10.0**p:.{digits}g}" if abs(p) < MAX_DECADES else f"an amplitude of 1e{p:.3g}"

    def other_end_advice(self, begin: float, end: float) -> Advice:
        amplitudes = [float(f"{self.amplitude(end):.4g}")]
        if self.norm == "all":
            return Advice("{amplitudes} looks for it there", amplitudes=amplitudes)
        words = "{norm} follows it through an internal resonance, {amplitudes} looks for it there"
        return Advice(words, norm="all", amplitudes=amplitudes)

    def balance_at(self, p: float) -> HarmonicBalance:
        """Laws to follow; dry friction is rounded in proportion to the amplitude, as a response is to its size."""
        if not self.rounds:
            return self.balance
        if p not in self._kept:
            while len(self._kept) >= MAX_CACHED_BALANCES:
                del self._kept[next(iter(self._kept))]
            width = FRICTION_WIDTH_REL / self.balance.harmonics * self.amplitude(p) * self.moved_size
            self._kept[p] = self.balance.changed(width=width / self.balance.length)
        return self._kept[p]

    def split(self, x: Array, p: float) -> tuple[Array, float, float, float]:
        """y (size,) of the balance, alpha, omega [rad/s] and zeta."""
        a = self.amplitude(p)
        omega = float(x[-2]) * self.linear.frequency
        if not MIN_FREQUENCY_REL < x[-2] < math.inf:
            raise NotConverged(f"at amplitude {a:.4g} the frequency falls to {omega:.1g} rad/s: nothing holds the mode")
        return a * self.moved_size * x[:-3], a * self.modal * float(x[-3]), omega, float(x[-1])

    def motion(self, x: Array, p: float, extra: tuple[Array, FourierGrid] | None = None) -> ModeMotion:
        """Follow the laws, and eliminate the linear part.

        extra : (lines, width) series of deflections beside those balanced, of other harmonics.
        """
        y, alpha, omega, zeta = self.split(x, p)
        balance, m = self.balance_at(p), self.balance.lines.count
        follower, waves, series = balance.follower, balance.waves, balance.deflections_of(y)
        follower.motion[:] = waves.motion_of(series + balance.offsets)
        if extra is not None:
            follower.motion += extra[1].motion_of(extra[0])
        follower.run_harmonics(omega)
        forces, slopes = follower.harmonics_of_forces().view(complex), follower.harmonics.view(complex)
        s, _ = self.orders.exponents(omega, zeta)
        shift = self.moved[0][:, None] + s * self.moved[1][:, None]
        pairs = as_pairs(series)
        least = MIN_FIRST_HARMONIC_REL * self.amplitude(p) * self.moved_size
        decaying = DecayingForces(forces[:, 0].copy(), pairs[:, 0], zeta, least, self.orders.decays)
        rest, own = forces - shift * pairs, slopes[:, :-1].copy()
        rest[:, 0] += decaying.of(forces[:, 0]) - forces[:, 0]
        along = np.zeros((balance.waves.width, m), dtype=complex)
        along[0], along[1] = 1.0, 1j
        own[:, :, 0] = decaying.by(own[:, :, 0].T, along).T
        h = np.arange(balance.index)
        own[:, 2 * h, h] -= shift[:, :-1]
        own[:, 2 * h + 1, h] -= 1j * shift[:, :-1]
        own[:, -1, -1] -= shift[:, -1]
        damped = self.moved[1][:, None] * pairs
        by_rates = np.array([slopes[:, -1] - s / omega * damped, -self.orders.by_zeta(omega, zeta)[0] * damped])
        by_rates[0, :, 0] += decaying.of(slopes[:, -1, 0]) - slopes[:, -1, 0]
        by_rates[1, :, 0] += decaying.by_zeta
        self.elimination.tune(omega, zeta)
        answers = self.elimination.solve(self._right)
        given = np.zeros((balance.index + 1, m + 1), dtype=complex)
        given[:, :m] = -rest.T
        given[0, m], given[-1, m] = alpha, 1.0
        z = (answers @ given[:, :, None])[:, :, 0]
        return ModeMotion(z, answers, forces, own, by_rates, decaying, pair_slopes(balance, decaying))

    # ---- the family

    def linearise(self, x: Array, p: float) -> Linearisation:
        self.effort.spend()
        return self.at(x, p, self.motion(x, p))

    @cached_property
    def reversible(self) -> bool:
        """True for a model without dissipation: a motion of cosines and no damping ratio is left so by the equations,
        but for what the moved damping makes of them."""
        balance = self.balance
        if self.rounds or not balance.lines.count or any(member.law.remembers for member in balance.lines.members):
            return False
        middle = math.log10(balance.length / self.moved_size)
        return all(self._is_reversible(middle + decade) for decade in DISSIPATION_SCAN_DECADES)

    def _is_reversible(self, p: float) -> bool:
        """The same, of a motion of some size."""
        x = self.start(p)
        x[:-3] += 0.1 * np.random.default_rng(0).standard_normal(x.size - 3)
        x[self._sines], x[-1] = 0.0, 0.0
        try:
            motion = self.motion(x, p)
            rows = as_pairs(self._residual(x, motion, p)[:-3].reshape(-1, self.balance.waves.width))
            left = np.linalg.solve(self._blurred(x, motion), rows.T[:, :, None])
        except (NotConverged, ArithmeticError, np.linalg.LinAlgError):
            return False
        return float(np.abs(left.imag).max()) <= CONSERVATIVE_RESIDUAL_REL * float(np.abs(left).max())

    @cached_property
    def _sines(self) -> NDArray[np.int_]:
        """Numbers of the unknowns that are coefficients of sines."""
        width = self.balance.waves.width
        return np.add.outer(np.arange(self.balance.seen.shape[0]) * width, np.arange(1, width - 1, 2)).ravel()

    def _blurred(self, x: Array, found: ModeMotion) -> Complex:
        """(H+1, r, r) what the moved stiffness and damping make of equations without them, at each harmonic."""
        n, m = self.balance.problem.n, self.balance.lines.count
        s, _ = self.orders.exponents(float(x[-2]) * self.linear.frequency, float(x[-1]))
        shift = self.moved[0] + s[:, None] * self.moved[1]
        into = self.balance.into
        return np.asarray(np.eye(into.shape[1]) - (self.reader @ found.answers[:, :n, :m]) @ (shift[:, :, None] * into))

    def _in_phase(self, x: Array, motion: ModeMotion, columns: Array) -> Array:
        """Residual and derivatives, as columns, with sines and the damping ratio held at zero: within a thin tongue of
        an internal resonance the phase between its harmonics is all but free, and Newton's method is lost in it."""
        blurred = np.diagonal(self._blurred(x, motion)[:-1], axis1=1, axis2=2).T  # (r, H)
        turned = (blurred.conj() / np.abs(blurred)).ravel()[:, None]
        sines = self._sines
        rows, held = np.append(sines, self.size - 2), np.append(sines, self.size - 1)
        out = columns.copy()
        out[sines - 1] = turned.real * columns[sines - 1] - turned.imag * columns[sines]
        out[rows], out[rows, 0] = 0.0, x[held]
        if out.shape[1] > 1:
            out[rows, 1 + held] = 1.0
        return out

    def at(self, x: Array, p: float, found: ModeMotion) -> Linearisation:
        """The equations at a motion."""
        y, alpha, omega, zeta = self.split(x, p)
        if not np.isfinite(found.z.view(float)).all():
            raise NotConverged("the forces along the motion are not finite")
        balance, a = self.balance_at(p), self.amplitude(p)
        m, length, modal = balance.lines.count, a * self.moved_size, a * self.modal
        # by columns: each answer to the forces of a line, alpha, omega, zeta, the amplitude
        by_rates = self._by_rates(found, omega, zeta)
        scaled = found.force_change(balance.deflections_of(y)) - self._rounded(balance, found)
        by_p = -LN10 * (found.answers[:, :, :m] @ scaled.T[:, :, None])[:, :, 0]
        by_p[0] += LN10 * alpha * found.answers[0, :, m]
        columns = np.concatenate([-found.answers, by_rates, by_p[:, :, None]], axis=2)
        columns[1:, :, m] = 0.0
        columns[:, :, m] *= -modal
        columns[:, :, m + 1] *= self.linear.frequency
        raw = self._assembled(self._residual(x, found, p), found, columns, length, modal)
        if not self.reversible:
            return raw
        own = self._in_phase(x, found, np.column_stack(raw))
        return Linearisation(own[:, 0].copy(), own[:, 1:-1].copy(), own[:, -1].copy())

    def _weights(self, q: Complex, a: float) -> Complex:
        """(H+1, n) w with d(amplitude^2)/a^2 = Re of the sum of w_h dq_h, of q (H+1, n)."""
        row = self.amplitude_row
        if row is None:
            found = 2.0 / a**2 * self.elimination.products(q)[0].conj()
        else:
            found = 2.0 / a**2 * (q @ row).conj()[:, None] * row
        found[-1 if self.norm == "all" else 1 :] = 0.0
        return np.asarray(found)

    def _by_rates(self, found: ModeMotion, omega: float, zeta: float) -> Complex:
        """(H+1, n+1, 2) derivatives of z by omega and zeta."""
        inertia, damped = self.elimination.products(found.z[:, :-1])
        right = np.zeros((*found.z.shape, 2), dtype=complex)
        s, square = self.orders.exponents(omega, zeta)
        slopes = ((s / omega, 2.0 * square / omega), self.orders.by_zeta(omega, zeta))
        for k, ((by_s, by_square), forces) in enumerate(zip(slopes, found.by_rates, strict=True)):
            right[:, :-1, k] = -by_square[:, None] * inertia - by_s[:, None] * damped - forces.T @ self.along.T
        return self.elimination.solve(right)

    def _rounded(self, balance: HarmonicBalance, found: ModeMotion) -> Complex | float:
        """(m, H+1) what rounded friction would change as the motion grows, if its rounding did not grow too."""
        if not self.rounds:
            return 0.0
        follower = balance.follower
        samples = np.zeros_like(follower.force)
        for member, local, factor in zip(balance.lines.members, follower.local, follower.factors, strict=True):
            if member.rounds:
                samples[member.line] += factor * local[:, 1, 0] * follower.turn[member.line]
        change = np.asarray((samples @ balance.waves.projection).view(complex))
        change[:, 0] = found.decaying.of(change[:, 0])
        return change

    def residual(self, x: Array, found: ModeMotion, p: float) -> Array:
        """(size,) of the equations at a motion."""
        own = self._residual(x, found, p)
        return self._in_phase(x, found, own[:, None])[:, 0] if self.reversible else own

    def _residual(self, x: Array, found: ModeMotion, p: float) -> Array:
        n, a = self.balance.problem.n, self.amplitude(p)
        out = np.empty(self.size)
        out[:-3] = x[:-3] - self._seen(found.z) / (a * self.moved_size)
        sigma = found.z[0, n] / (a * self.modal)
        q = found.z[:, :n]
        out[-3:] = sigma.real, sigma.imag, 0.5 * (self._weights(q, a) * q).sum().real - 1.0
        return out

    def _seen(self, z: Complex) -> Array:
        """(size of the balance,) what the unknowns see of a motion."""
        return as_series((z[:, :-1] @ self.reader.T).T.copy()).ravel()

    def motion_change(self, x: Array, p: float, found: ModeMotion, step: Array) -> Complex:
        """(H+1, n+1) how a step of the unknowns moves z."""
        _, _, omega, zeta = self.split(x, p)
        balance, m = self.balance_at(p), self.balance.lines.count
        series = balance.deflections_of(self.amplitude(p) * self.moved_size * step[:-3])
        z = -(found.answers[:, :, :m] @ found.force_change(series).T[:, :, None])[:, :, 0]
        z[0] += found.answers[0, :, m] * self.amplitude(p) * self.modal * step[-3]
        rates = self._by_rates(found, omega, zeta)
        return np.asarray(z + rates @ np.array([self.linear.frequency * step[-2], step[-1]]))

    def _assembled(
        self, residual: Array, found: ModeMotion, columns: Complex, length: float, modal: float
    ) -> Linearisation:
        """Rows: series, sigma, amplitude. Columns of z: forces of lines, alpha, omega, zeta, and p."""
        balance, n, m = self.balance, self.balance.problem.n, self.balance.lines.count
        r, width, size = balance.seen.shape[0], balance.waves.width, self.size
        read = self.reader @ columns[:, :n]  # (H+1, r, m + 4)
        matrix = np.zeros((size, size + 1))
        # (i, j, h, c): unknown series i, coefficient c; equation j, pair h
        body = read[:, :, :m].transpose(2, 1, 0)[..., None] * found.slopes.transpose(0, 2, 1)[:, None]
        for pair in found.pairs:
            body[pair.other] += read[:, :, pair.line].T[..., None] * pair.slopes.T
        if not balance.direct:
            body = np.tensordot(balance.into, body, (0, 0))
        rows = np.empty((r, width + 1, r, width))
        rows[:, 0::2], rows[:, 1::2] = body.real.transpose(1, 2, 0, 3), body.imag.transpose(1, 2, 0, 3)
        np.negative(rows[:, :-1].reshape(size - 3, size - 3), out=matrix[:-3, :-4])
        matrix.ravel()[: (size - 3) * (size + 1) : size + 2] += 1.0  # the diagonal
        series = as_series(read[:, :, m:].transpose(2, 1, 0).copy())  # (4, r, width)
        matrix[:-3, -4:] = -series.reshape(4, -1).T / length
        weights = self._weights(found.z[:, :n], length / self.moved_size)
        sigma, amplitude = columns[0, n], np.einsum("hn,hnc->hc", weights, columns[:, :n])
        by_line = np.array([
            sigma[:m, None] * found.slopes[:, :, 0], np.einsum("hl,lch->lc", amplitude[:, :m], found.slopes)
        ])  # fmt: skip
        for pair in found.pairs:
            by_line[0, pair.other] += sigma[pair.line] * pair.slopes[:, 0]
            by_line[1, pair.other] += pair.slopes @ amplitude[:, pair.line]
        by_y = (balance.into.T @ by_line).reshape(2, -1)
        for k, row in enumerate((by_y[0].real, by_y[0].imag, by_y[1].real)):
            matrix[size - 3 + k, :-4] = row * length
        matrix[-3:, -4:] = sigma[m:].real, sigma[m:].imag, amplitude[:, m:].sum(axis=0).real
        matrix[-3:-1] /= modal
        # equations are over the amplitude, which grows with p
        by_p = matrix[:, -1]
        by_p[:-3] += LN10 * self._seen(found.z) / length
        by_p[-3:-1] -= LN10 * residual[-3:-1]
        by_p[-1] -= 2.0 * LN10 * (residual[-1] + 1.0)
        hold_neutral_means(matrix, slice(width - 1, size - 3, width))
        return Linearisation(residual, matrix[:, :-1], by_p)

    def point(self, x: Array, p: float) -> OrbitPoint:
        """The motion as an orbit: periodic, since it is sustained; no stability, no error."""
        from slipstick.periodic.modes.mode_point import mode_orbit

        return mode_orbit(self, x, p)

    def scales(self, x: Array, p: float) -> Array:
        own = x[:-3]
        size = max(math.sqrt(own @ own), 1e-3)
        return np.concatenate([np.full(own.size, size), [1.0, 1.0, DAMPING_SCALE]])

    def start(self, p: float) -> Array:
        """The linear mode."""
        balance, a = self.balance, self.amplitude(p)
        pairs = np.zeros((balance.problem.n, balance.index + 1), dtype=complex)
        pairs[:, 0], pairs[:, -1] = a * self.modal * self.linear.shape, self.linear.mean
        y = as_series(np.asarray(balance.seen @ pairs, dtype=np.complex128)).ravel()
        return np.append(y / (a * self.moved_size), [1.0, 1.0, self.linear.damping_ratio])

    def changed(self, harmonics: int) -> ModeFamily:
        """The same with other harmonics."""
        return self.over(self.balance.changed(harmonics=harmonics, samples=None))

    def over(self, balance: HarmonicBalance) -> ModeFamily:
        """The same on another balance of the same model."""
        return ModeFamily(balance, self.linear, self.coordinate, self.sustain, self.effort, self.norm)

    def stretched(self, x: Array, other: ModeFamily) -> Array:
        """Unknowns as those of the same mode with more or fewer harmonics."""
        series = resized_series(x[:-3].reshape(-1, self.balance.waves.width), other.balance.index)
        return np.append(series.ravel(), x[-3:])

    def softened(self) -> tuple[SofterFamily, ...]:
        """Fewer harmonics, the fewest last."""
        found, count = list[SofterFamily](), self.balance.harmonics
        while count > 1:
            count = max(1, count // 2)
            fewer = self.changed(count)
            words = f"{count} harmonics instead of {self.balance.harmonics}"
            found.append(SofterFamily(words, fewer, _to(self, fewer), _to(fewer, self)))
        return tuple(found)


def _to(one: ModeFamily, other: ModeFamily) -> Callable[[Array], Array]:
    return lambda x: one.stretched(x, other)
