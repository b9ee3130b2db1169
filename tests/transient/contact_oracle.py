"""Friction contacts by matrix exponentials from event to event, written apart from the exact engine.

The state is (q, v, sliders, 1, cos, sin); in each combination of stick, slip and separation it obeys one linear
equation. Steps of a fixed length are products with its exponential; events are bracketed by guards that change sign
within a step, and refined with exponentials of parts of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

import slipstick as ss

APART, STICK, UP, DOWN = "separated", "stick", "slip+", "slip-"


class Contact(NamedTuple):
    """Forms (n,) of both deflections, and the parameters of the law."""

    tangential: np.ndarray
    normal: np.ndarray
    kn: float
    kt: float
    mu: float
    preload: float

    @property
    def law(self):
        return ss.FrictionContact(
            normal_stiffness=self.kn, tangential_stiffness=self.kt, friction=self.mu, preload=self.preload
        )


class ContactModel(NamedTuple):
    """Unit masses: q'' + C q' + K q + contacts = load cos(omega t + phase)."""

    stiffness: np.ndarray
    damping: np.ndarray
    load: np.ndarray
    phase: np.ndarray
    omega: float
    contacts: list[Contact]

    def build(self, **options):
        """The same in slipstick."""
        n = len(self.load)
        m = ss.Model("contacts", frequency=self.omega, **options)
        q = [m.coordinate(f"x{i}", inertia=1.0) for i in range(n)]
        for i in range(n):
            row = self.stiffness[i].sum(), self.damping[i].sum()
            m.connect(q[i], ss.Linear(stiffness=row[0], damping=row[1]))
            m.load(q[i], ss.Cosine(self.load[i], order=1, phase=self.phase[i]))
            for j in range(i):
                if self.stiffness[i, j]:
                    m.connect(q[i] - q[j], ss.Linear(stiffness=-self.stiffness[i, j], damping=-self.damping[i, j]))
        for k, contact in enumerate(self.contacts):
            forms = [
                sum(float(a) * own for a, own in zip(row, q, strict=True) if a)
                for row in (contact.tangential, contact.normal)
            ]
            m.connect(tuple(forms), contact.law, name=f"pad{k}")
        return m


def random_model(seed):
    """2 to 8 unit masses in a chain, 1 to 4 contacts between them, all of which slip and open."""
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    stiffness = np.diag(rng.uniform(50.0, 200.0, n))
    for i in range(1, n):
        k = rng.uniform(20.0, 200.0)
        stiffness[[i, i - 1], [i, i - 1]] += k
        stiffness[[i, i - 1], [i - 1, i]] -= k
    damping = 0.005 * stiffness + 0.3 * np.eye(n)
    contacts = []
    for _ in range(count):
        i, j = rng.choice(n, 2, replace=False)
        tangential, normal = np.zeros(n), np.zeros(n)
        tangential[i], normal[j] = 1.0, rng.choice([-1.0, 1.0])
        normal[i] = rng.uniform(-0.4, 0.4)
        kn, kt, mu, preload = rng.uniform([50, 30, 0.1, -0.3], [400, 300, 0.8, 1.5])
        contacts.append(Contact(tangential, normal, *map(float, (kn, kt, mu, preload))))
    load, phase = rng.uniform(1.0, 4.0, n), rng.uniform(0.0, 6.0, n)
    return ContactModel(stiffness, damping, load, phase, float(rng.uniform(4.0, 12.0)), contacts)


class Oracle:
    """One run of a model from rest."""

    def __init__(self, model, step):
        self.model, self.step = model, step
        n, c = len(model.load), len(model.contacts)
        self.n, self.c, self.size = n, c, 2 * n + c + 3
        self.known = {}

    def rows(self, contact):
        """Rows (size,) of t, t', N and N' of a contact while it touches."""
        n = self.n
        t, tv, pressure, pv = np.zeros((4, self.size))
        t[:n] = tv[n : 2 * n] = contact.tangential
        pressure[:n] = pv[n : 2 * n] = contact.kn * contact.normal
        pressure[2 * n + self.c] = contact.preload
        return t, tv, pressure, pv

    def force_rows(self, i, state):
        """Rows of the tangential and normal force, and of the rate of the slider."""
        contact = self.model.contacts[i]
        t, tv, pressure, pv = self.rows(contact)
        if state == APART:
            return 0.0 * t, 0.0 * t, tv
        if state == STICK:
            own = contact.kt * t
            own[2 * self.n + i] -= contact.kt
            return own, pressure, 0.0 * t
        sign = 1.0 if state == UP else -1.0
        return sign * contact.mu * pressure, pressure, tv - sign * contact.mu / contact.kt * pv

    def matrix(self, states):
        model, n, c = self.model, self.n, self.c
        a = np.zeros((self.size, self.size))
        a[:n, n : 2 * n] = np.eye(n)
        a[n : 2 * n, :n], a[n : 2 * n, n : 2 * n] = -model.stiffness, -model.damping
        cos, sin = 2 * n + c + 1, 2 * n + c + 2
        a[n : 2 * n, cos] = model.load * np.cos(model.phase)
        a[n : 2 * n, sin] = -model.load * np.sin(model.phase)
        a[cos, sin], a[sin, cos] = -model.omega, model.omega
        for i, (contact, state) in enumerate(zip(model.contacts, states, strict=True)):
            tangential, pressure, slider = self.force_rows(i, state)
            a[n : 2 * n] -= np.outer(contact.tangential, tangential) + np.outer(contact.normal, pressure)
            a[2 * n + i] = slider
        return a

    def guards(self, i, state):
        """Rows that are positive while a state lasts, and the state that follows."""
        contact = self.model.contacts[i]
        tangential, pressure, slider = self.force_rows(i, state)
        if state == APART:
            return [(-self.rows(contact)[2], STICK)]
        if state == STICK:
            return [
                (pressure, APART),
                (contact.mu * pressure - tangential, UP),
                (contact.mu * pressure + tangential, DOWN),
            ]
        return [(pressure, APART), (slider if state == UP else -slider, STICK)]

    def settle(self, y, i, state):
        """The state in which a contact goes on; where it is made, rates decide."""
        if state != STICK:
            return state
        contact = self.model.contacts[i]
        _, tv, pressure, pv = self.rows(contact)
        if abs(pressure @ y) > 1e-9:
            return state
        growth, rate = contact.mu * (pv @ y), contact.kt * (tv @ y)
        return STICK if abs(rate) <= growth else UP if rate > 0.0 else DOWN

    def go(self, until):
        """(k,) event times, names "pad state", states met, and the state (size,) at the end."""
        y = np.zeros(self.size)
        y[2 * self.n + self.c] = y[2 * self.n + self.c + 1] = 1.0
        states = [STICK if contact.preload > 0.0 else APART for contact in self.model.contacts]
        time, events = 0.0, []
        while True:
            key = tuple(states)
            if key not in self.known:
                a = self.matrix(states)
                rows = [(i, *own) for i, state in enumerate(states) for own in self.guards(i, state)]
                self.known[key] = a, expm(a * self.step), rows, np.array([row for _, row, _ in rows])
            a, power, rows, stacked = self.known[key]
            left = min(self.step, until - time)
            ahead = power @ y if left == self.step else expm(a * left) @ y
            crossed = np.flatnonzero((stacked @ ahead < 0.0) & (stacked @ y > -1e-9))
            found = [(first_root(rows[k][1], a, y, left, self.step), k) for k in crossed.tolist()]
            if not found:
                y, time = ahead, time + left
                if time >= until - 1e-12:
                    return events, y
                continue
            s, k = min(found)
            i, _, new = rows[k]
            y, time = expm(a * s) @ y, time + s
            if states[i] == APART:
                y[2 * self.n + i] = self.model.contacts[i].tangential @ y[: self.n]
            states[i] = self.settle(y, i, new)
            events.append((time, f"pad{i}", states[i].rstrip("+-")))


def first_root(row, a, y, left, step):
    """The time within ``left`` at which row . expm(a s) y falls through zero."""
    low = 0.0
    if row @ y <= 1e-12:  # it begins at zero: where it is positive for a moment first
        low = 1e-4 * step
        if row @ expm(a * low) @ y <= 0.0:
            return 0.0
    return float(brentq(lambda s: row @ expm(a * s) @ y, low, left, xtol=1e-15, rtol=1e-14))
