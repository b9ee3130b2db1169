"""The four-body gear train of the gear paper (4.1), with symbols or numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

import slipstick as ss


class Numbers(NamedTuple):
    """Inertias, viscous and dry friction of psi, delta, gamma, phi; stiffnesses and half gaps of the three springs."""

    inertia: tuple[Any, ...]
    viscous: tuple[Any, ...]
    dry: tuple[Any, ...]
    stiffness: tuple[Any, ...]
    gap: tuple[Any, ...]
    ratio: Any


BODIES = ("psi", "delta", "gamma", "phi")

SYMBOLS = Numbers(
    sp.symbols("I_psi I_delta I_gamma I_phi", positive=True),
    sp.symbols("mu_psi mu_delta mu_gamma mu_phi", positive=True),
    sp.symbols("M_psi M_delta M_gamma M_phi", positive=True),
    sp.symbols("k_psidelta k_deltagamma k_gammaphi", positive=True),
    sp.symbols("a_psidelta a_deltagamma a_gammaphi", positive=True),
    sp.Symbol("p", positive=True),
)


def train(n: Numbers) -> ss.Model:
    """psi - delta, delta - p gamma, gamma - phi, a bearing each, a torque on both ends."""
    m = ss.Model("gear train")
    q = [m.coordinate(name, inertia=i) for name, i in zip(BODIES, n.inertia, strict=True)]
    for name, body, c, f in zip(BODIES, q, n.viscous, n.dry, strict=True):
        m.connect(body, ss.DryFriction(limit=f, damping=c), name=f"bearing {name}")
    psi, delta, gamma, phi = q
    for name, form, k, a in zip(
        ("input", "mesh", "output"),
        (psi - delta, delta - n.ratio * gamma, gamma - phi),
        n.stiffness,
        n.gap,
        strict=True,
    ):
        m.connect(form, ss.Freeplay(stiffness=k, half_gap=a), name=name)
    m.load(psi, ss.Cosine(5.0, frequency=3.0))
    m.load(phi, ss.Cosine(1.0, frequency=2.0, phase=0.7))
    return m


def numbers(inertia: float, friction: float = 1.0, ratio: float = 2.0) -> Numbers:
    """A train whose wheels have this inertia, and this share of the friction of its ends."""
    return Numbers(
        (1.0, inertia, inertia, 2.0),
        (0.05, 0.05 * friction, 0.05 * friction, 0.05),
        (0.1, 0.1 * friction, 0.1 * friction, 0.1),
        (100.0, 400.0, 300.0),
        (0.01, 0.02, 0.01),
        ratio,
    )
