"""The linear part of a nonlinear mode, solved harmonic by harmonic, with a border around the first one.

    D_h q_h + b sigma [h = 1] = right,    b' q_1 = given,    D_h = -(h omega)^2 M + s (C - 2 zeta omega M) + K

with s = -i h omega, but for the first harmonic of a motion that decays (see `decaying_harmonic`), where s = lambda.
On a mode that is nearly linear D_1 is nearly singular: its null vector is the mode itself. With the border b it is not,
and sigma = 0, a complex number, is what frequency and damping are found from.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import NotConverged
from slipstick.periodic.balance.compliance import LinearPart, ModalCompliance, unheld_motions
from slipstick.periodic.modes.decaying_harmonic import decay_exponent

MAX_INVERTED_COORDINATES = 60  # coordinates, up to which inverse matrices are the quickest
MIN_DIAGONAL_REL = 1e-3  # of a mode's own terms: what a diagonal is not allowed to fall below


class HarmonicOrders:
    """The harmonics that are solved for, of a series: the first one first, the mean last.

    numbers : (H+1,).   sustained : (H+1,) 1 for those on which the term 2 zeta omega M acts, else 0.
    decays : whether the first harmonic is that of a motion that decays.
    """

    def __init__(self, numbers: Array, sustain: str) -> None:
        self.numbers, self.decays = numbers, sustain == "first"
        self.sustained = np.where((numbers == 1.0) | (sustain == "all"), 1.0, 0.0)

    def exponents(self, omega: float, zeta: float) -> tuple[Complex, Complex]:
        """(H+1,) s, and what multiplies the mass; pairs go with exp(-i h tau)."""
        s = -1j * omega * self.numbers
        square = s * s
        if self.decays:
            s[0] = omega * decay_exponent(zeta)[0]
        return np.asarray(s), np.asarray(square - 2.0 * zeta * omega * self.sustained * s)

    def by_zeta(self, omega: float, zeta: float) -> tuple[Complex, Complex]:
        """(H+1,) slopes of both by zeta; by omega they are s / omega and twice the other over omega."""
        s, _ = self.exponents(omega, zeta)
        slope = np.zeros_like(s)
        if self.decays:
            slope[0] = omega * decay_exponent(zeta)[1]
        return slope, np.asarray(-2.0 * omega * self.sustained * (s + zeta * slope))


class Elimination(Protocol):
    """Solves for all harmonics at once, in coordinates of its own: the model's, or its modes."""

    def reading(self, rows: Array) -> Array:
        """(k, n) rows that read the model's coordinates, as they read its own."""
        ...

    def acting(self, columns: Array) -> Array:
        """(n, k) forces on the model's coordinates, as they act on its own."""
        ...

    def products(self, q: Complex) -> tuple[Complex, Complex]:
        """(k, n) mass and damping times q (k, n)."""
        ...

    def tune(self, omega: float, zeta: float) -> None:
        """Make ready for a frequency [rad/s] and a damping ratio."""
        ...

    def solve(self, right: Complex) -> Complex:
        """(H+1, n+1, k) of right sides (H+1, n+1, k); sigma, and what is given for b' q, are the last row."""
        ...

    def beyond(self, numbers: Array, moved: Array) -> Elimination:
        """The same without a border, for other harmonics and other stiffness and damping of the laws (2, m)."""
        ...


class DenseElimination:
    """By the matrices themselves: any damping, unsymmetric, massless coordinates.

    part : of the model.   border : (n,) b; None: no harmonic has one.
    rows (m, n), along (n, m), moved (2, m) : laws whose stiffness and damping are added.
    """

    def __init__(
        self, part: LinearPart, orders: HarmonicOrders, border: Array | None, rows: Array, along: Array, moved: Array
    ) -> None:
        self.plain, self.orders, self.rows, self.along = part, orders, rows, along
        self.part = part.stiffened(rows, along, *moved)
        n = part.mass.shape[0]
        self.matrix = np.zeros((orders.numbers.size, n + 1, n + 1), dtype=complex)
        self.matrix[:, n, n] = 1.0
        if border is not None:
            self.matrix[0, n, n] = 0.0
            self.matrix[0, :n, n], self.matrix[0, n, :n] = border, border
        self.anchor = np.zeros((n, n))
        if orders.numbers[-1] == 0.0:  # what nothing holds has a mean of zero
            motions, sums = unheld_motions(self.part.stiffness)
            held = float(np.abs(self.part.stiffness).max(initial=0.0)) or 1.0
            self.anchor = held * sums @ motions.T

    def reading(self, rows: Array) -> Array:
        return rows

    def acting(self, columns: Array) -> Array:
        return columns

    def products(self, q: Complex) -> tuple[Complex, Complex]:
        return q @ self.part.mass.T, q @ self.part.damping.T

    def beyond(self, numbers: Array, moved: Array) -> DenseElimination:
        return DenseElimination(self.plain, HarmonicOrders(numbers, "none"), None, self.rows, self.along, moved)

    def tune(self, omega: float, zeta: float) -> None:
        m, c, k = self.part
        s, square = self.orders.exponents(omega, zeta)
        n = m.shape[0]
        self.matrix[:, :n, :n] = square[:, None, None] * m + s[:, None, None] * c + k
        self.matrix[-1, :n, :n] += self.anchor
        try:
            if n <= MAX_INVERTED_COORDINATES:
                self.inverse = np.linalg.inv(self.matrix)
            else:
                from scipy.linalg import lu_factor

                self.factors = [lu_factor(each, check_finite=False) for each in self.matrix]
        except np.linalg.LinAlgError:
            raise NotConverged(f"the linear part is singular at {omega:g} rad/s") from None

    def solve(self, right: Complex) -> Complex:
        if self.part.mass.shape[0] <= MAX_INVERTED_COORDINATES:
            return np.asarray(self.inverse @ right)
        from scipy.linalg import lu_solve

        return np.array([lu_solve(lu, each, check_finite=False) for lu, each in zip(self.factors, right, strict=True)])


class CoupledElimination:
    """By modes of displacement and rate together, where damping couples the modes; the first harmonic by matrices.

    The others have plain exponents s, so that with G(s) from the modes

        q = G (p - L kappa t),     t = R q,     (1 + R G L kappa) t = R G p.

    first : solves the harmonic with a border; None: there is none.
    modal : of a linear part whose laws have stiffness and damping ``held`` (2, m); the rest as of `DenseElimination`.
    """

    def __init__(
        self,
        first: DenseElimination | None,
        modal: ModalCompliance,
        held: Array,
        orders: HarmonicOrders,
        rows: Array,
        along: Array,
        moved: Array,
    ) -> None:
        self.first, self.modal, self.held, self.rows, self.along = first, modal, held, rows, along
        self.orders, self.kappa = orders, moved - held
        self.seen, self.driven = rows @ modal.shapes, modal.left @ along

    def reading(self, rows: Array) -> Array:
        return rows

    def acting(self, columns: Array) -> Array:
        return columns

    def products(self, q: Complex) -> tuple[Complex, Complex]:
        assert self.first is not None
        return self.first.products(q)

    def beyond(self, numbers: Array, moved: Array) -> CoupledElimination:
        orders = HarmonicOrders(numbers, "none")
        return CoupledElimination(None, self.modal, self.held, orders, self.rows, self.along, moved)

    @property
    def _bare(self) -> int:
        """The first harmonic that modes solve."""
        return 0 if self.first is None else 1

    def tune(self, omega: float, zeta: float) -> None:
        if self.first is not None:
            self.first.tune(omega, zeta)
        s = self.orders.exponents(omega, zeta)[0][self._bare :, None]
        self.weights = self.modal.weights(s[:, 0])[:, :, None]
        kappa = (self.kappa[0] + s * self.kappa[1])[:, None, :]
        self.columns = self.weights * self.driven * kappa
        small = np.eye(kappa.shape[2]) + self.seen @ self.columns
        try:
            self.small = np.linalg.inv(small)
        except np.linalg.LinAlgError:
            raise NotConverged(f"the linear part is singular at {omega:g} rad/s") from None

    def solve(self, right: Complex) -> Complex:
        out, bare = right.copy(), self._bare
        if self.first is not None:
            out[:1] = self.first.solve(right[:1])
        p = self.weights * (self.modal.left @ right[bare:, :-1])
        t = self.small @ (self.seen @ p)
        out[bare:, :-1] = self.modal.shapes @ (p - self.columns @ t)
        return out


class AttachedSprings(NamedTuple):
    """Springs and dampers beside matrices whose damping does not couple modes: K = K0 + sum stiffness_i along_i rows_i.

    rows : (d, n) their deflections from the coordinates.   along : (n, d) directions of their forces.
    moved : (2, d) stiffness and damping.
    """

    rows: Array
    along: Array
    moved: Array


class ModalElimination:
    """By modes that damping does not couple: a diagonal d, and a few columns for border, laws and one more mode.

        d eta = p - L kappa (R eta) - b sigma - e (d_k - d~_k) eta_k,     t = (R eta, sigma, eta_k)

    leaves a system as small as t. Of each harmonic the mode k that is nearest to resonance has a guarded diagonal d~_k.
    Its own coordinates are eta. modal : of the linear part without what is attached, which is treated as laws of which
    all is moved; the rest as of `DenseElimination`.
    """

    def __init__(
        self,
        modal: ModalCompliance,
        orders: HarmonicOrders,
        border: Array | None,
        rows: Array,
        along: Array,
        moved: Array,
        attached: AttachedSprings,
    ) -> None:
        self.modal, self.orders, self.attached = modal, orders, attached
        self.moved = np.hstack([moved, attached.moved])
        self.shapes = np.asarray(modal.shapes.real)
        self.squares, self.dampings = modal.a.real, modal.b.real
        self.rows, self.along = rows, along
        self.border = None if border is None else self.shapes.T @ border
        self.seen = np.vstack([rows, attached.rows]) @ self.shapes
        self.driven = self.shapes.T @ np.hstack([along, attached.along])

    def reading(self, rows: Array) -> Array:
        return np.asarray(rows @ self.shapes)

    def acting(self, columns: Array) -> Array:
        return np.asarray(self.shapes.T @ columns)

    def products(self, q: Complex) -> tuple[Complex, Complex]:
        return q, q * self.dampings + (q @ self.seen.T * self.moved[1]) @ self.driven.T

    def beyond(self, numbers: Array, moved: Array) -> ModalElimination:
        return ModalElimination(
            self.modal, HarmonicOrders(numbers, "none"), None, self.rows, self.along, moved, self.attached
        )

    def tune(self, omega: float, zeta: float) -> None:
        count, modes, m = self.orders.numbers.size, self.squares.size, self.seen.shape[0]
        s, square = self.orders.exponents(omega, zeta)
        d = self.squares + s[:, None] * self.dampings + square[:, None]
        size = self.squares + np.abs(square)[:, None]
        every = np.arange(count)
        k = np.argmin(np.abs(d) / size, axis=1)
        own, least = d[every, k], MIN_DIAGONAL_REL * size[every, k]
        d[every, k] = np.where(np.abs(own) < least, least, own)
        self.inverse = 1.0 / d[:, :, None]
        self.columns = np.zeros((count, modes, m + 2), dtype=complex)
        self.columns[:, :, :m] = self.driven * (self.moved[0] + s[:, None] * self.moved[1])[:, None, :]
        self.columns[every, k, m + 1] = own - d[every, k]
        # complex as all the rest: a product of mixed kinds would first copy them
        self.readers = np.zeros((count, m + 2, modes), dtype=complex)
        self.readers[:, :m] = self.seen
        self.readers[every, m + 1, k] = 1.0
        if self.border is not None:
            self.columns[0, :, m], self.readers[0, m] = self.border, self.border
        small = self.readers @ (self.inverse * self.columns)
        for i in (*range(m), m + 1):
            small[:, i, i] += 1.0
        small[self._bare :, m, m] = 1.0
        try:
            self.small = np.linalg.inv(small)
        except np.linalg.LinAlgError:
            raise NotConverged(f"the linear part is singular at {omega:g} rad/s") from None

    @property
    def _bare(self) -> int:
        """The first harmonic without a border."""
        return 0 if self.border is None else 1

    def solve(self, right: Complex) -> Complex:
        m, bare = self.seen.shape[0], self._bare
        p = self.inverse * right[:, :-1]
        given = self.readers @ p
        given[:bare, m] -= right[:bare, -1]
        given[bare:, m] = right[bare:, -1]
        t = self.small @ given
        out = np.empty_like(right)
        out[:, :-1], out[:, -1] = p - self.inverse * (self.columns @ t), t[:, m]
        return out
