"""The balance of a model at rest whose prescribed coordinates move at constant speeds.

    K q + C_p v_p + sum over elements of along_e f_e(u_e, r_e) + sum over sticking contacts of along_s l_s = loads
    u_s = held place of each sticking contact

r_e is the rate that the prescribed speeds give element e. Contacts of dry friction slide where it is not zero, and
stick where it is. Perturbations obey M x'' + C x' + K x = 0 with the tangents of the laws at these rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import eig

from slipstick.arrays import Array, Complex
from slipstick.errors import InvalidInput, SlipstickError
from slipstick.laws.faces import Face
from slipstick.model.modal_algebra import null_basis
from slipstick.transient.problem import Element, Problem

INFINITE_EIGENVALUE = 1e12  # times the typical one: of a coordinate without inertia


class ElementTangent(NamedTuple):
    """force, and its derivatives by deflection and rate."""

    force: float
    stiffness: float
    damping: float


class Balance(NamedTuple):
    """residual : (n + s,) unbalanced forces, then the displacement of sticking contacts from their places.

    stiffness, damping : (n, n) tangents.   forces : (m,) of the elements, reactions included.
    """

    residual: Array
    stiffness: Array
    damping: Array
    forces: Array


@dataclass(frozen=True, eq=False)
class SlidingBalance:
    """problem : posed without forcing.   stuck : numbers of the elements that stick.   held : (s,) where they do."""

    problem: Problem
    stuck: tuple[int, ...]
    held: Array

    @classmethod
    def of(cls, problem: Problem, like: SlidingBalance | None = None) -> SlidingBalance:
        """like : the balance at another value of a parameter, whose contacts stick where they did."""
        rates = problem.rates_at(0.0, np.zeros(problem.n))
        stuck = tuple(
            e for e, element in enumerate(problem.elements) if element.law.rigid_friction is not None and not rates[e]
        )
        if like is not None and like.stuck == stuck:
            return cls(problem, stuck, like.held)
        for e, element in enumerate(problem.elements):
            _refuse_unknown(problem, element, float(rates[e]))
        start = problem.deflections_at(0.0, problem.displacement)
        return cls(problem, stuck, np.array([start[e] for e in stuck]))

    @property
    def size(self) -> int:
        return self.problem.n + len(self.stuck)

    @property
    def rates(self) -> Array:
        """(m,) of the elements."""
        return self.problem.rates_at(0.0, np.zeros(self.problem.n))

    def at(self, x: Array) -> Balance:
        """The balance at displacements and reactions x (n + s,)."""
        p, n = self.problem, self.problem.n
        q, reactions = x[:n], x[n:]
        u, rates = p.deflections_at(0.0, q), self.rates
        forces, k, c = np.zeros(len(p.elements)), p.stiffness.copy(), p.damping.copy()
        for e, element in enumerate(p.elements):
            if e in self.stuck:
                forces[e] = reactions[self.stuck.index(e)]
                continue
            own = tangent_of(element, float(u[e]), float(rates[e]))
            forces[e] = own.force
            k += own.stiffness * np.outer(element.along, element.deflection)
            c += own.damping * np.outer(element.along, element.deflection)
        along = np.array([element.along for element in p.elements]).reshape(-1, n)
        left = p.stiffness @ q + along.T @ forces - p.forcing.at(0.0)
        places = u[list(self.stuck)] - self.held
        return Balance(np.concatenate([left, places]), k, c, forces)

    def derivative(self, balance: Balance) -> Array:
        """(n + s, n + s) of the residual by x."""
        p, n = self.problem, self.problem.n
        found = np.zeros((self.size, self.size))
        found[:n, :n] = balance.stiffness
        for k, e in enumerate(self.stuck):
            found[:n, n + k], found[n + k, :n] = p.elements[e].along, p.elements[e].deflection
        return found

    def eigenvalues(self, balance: Balance) -> tuple[Complex, Complex]:
        """(k,) eigenvalues [rad/s], the largest real part first; (n, k) shapes, columns of the free coordinates."""
        p = self.problem
        b = np.array([p.elements[e].deflection for e in self.stuck]).reshape(-1, p.n).T
        w = np.array([p.elements[e].along for e in self.stuck]).reshape(-1, p.n).T
        motion, reaction = (np.eye(p.n) if not self.stuck else np.asarray(null_basis(own)) for own in (b, w))
        mass, c, k = (reaction.T @ own @ motion for own in (p.mass, balance.damping, balance.stiffness))
        r = mass.shape[0]
        if not r:
            return np.zeros(0, dtype=complex), np.zeros((p.n, 0), dtype=complex)
        one, none = np.eye(r), np.zeros((r, r))
        found = eig(np.block([[none, one], [-k, -c]]), np.block([[one, none], [none, mass]]))
        values, vectors = np.asarray(found[0], dtype=complex), found[1]
        size = np.abs(values[np.isfinite(values)])
        typical = float(np.median(size)) if size.size else 1.0
        good = np.isfinite(values) & (np.abs(values) <= INFINITE_EIGENVALUE * max(typical, 1e-300))
        values, shapes = values[good], motion @ vectors[:r, good]
        order = np.lexsort((-values.imag, -values.real))
        return values[order], np.asarray(shapes[:, order], dtype=np.complex128)

    def held_margins(self, balance: Balance) -> Array:
        """(s,) what each sticking contact could hold more, as a part of its static limit."""
        found = []
        for e in self.stuck:
            friction = self.problem.elements[e].law.rigid_friction
            assert friction is not None
            most = abs(self.problem.elements[e].force) * max(friction.limit, friction.static_limit or 0.0)
            found.append(1.0 - abs(balance.forces[e]) / most if most else 0.0)
        return np.array(found)


def tangent_of(element: Element, u: float, rate: float) -> ElementTangent:
    """Force and derivatives of an element at rest (rate 0) or sliding at a rate."""
    law = element.law
    memory = law.start(u)
    if law.rigid_friction is not None:
        memory = (u, float(np.sign(rate)))  # which way it slides
    force, k, c = law.tangent(u, rate, memory)
    if law.rigid_friction is not None:
        k = 0.0  # it slides on, wherever it is
    return ElementTangent(element.force * force, element.force * k, element.force * c)


def _refuse_unknown(problem: Problem, element: Element, rate: float) -> None:
    """Refuse laws whose sliding force is not a function of deflection and rate."""
    law, name = element.law, problem.system.connections[element.connection].name
    if law.rigid_stop is not None:
        raise InvalidInput(f'equilibria do not follow the rigid stop of "{name}"; use Contact for a stop with a spring')
    if law.rigid_friction is None and rate and (law.remembers or law.has_stack or Face.RATE in law.faces):
        raise InvalidInput(
            f'"{name}" ({type(law).__name__}) slides at {abs(rate):.3g} m/s or rad/s, and equilibria follow no law '
            "with memory that slides; DryFriction with a stribeck_velocity has one state for each rate"
        )
    try:
        law.tangent(0.0, rate or 1.0, law.start(0.0))
    except SlipstickError as refusal:
        raise InvalidInput(f'equilibria need a tangent of "{name}": {refusal.problem}') from None
