"""The gear train of the gear paper, section 4.1: as a model, and its Simplification 1 by SciPy from its equations.

    I_psi psi'' + mu_psi psi' + M_psi Sgn(psi') + k_1 luz(psi - delta, a_1) = T_psi(t)
    mu_delta delta' = luz(k_1 luz(psi - delta, a_1) - k_2 luz(delta - p gamma, a_2), M_delta)
    mu_gamma gamma' = luz(p k_2 luz(delta - p gamma, a_2) - k_3 luz(gamma - phi, a_3), M_gamma)
    I_phi phi'' + mu_phi phi' + M_phi Sgn(phi') - k_3 luz(gamma - phi, a_3) = T_phi(t)

The sign of the delta equation is corrected: as printed it runs away.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import slipstick as ss

P = -0.6
INERTIA = (1.0, 2.0)  # psi, phi
VISCOUS = {"psi": 0.05, "delta": 0.3, "gamma": 0.4, "phi": 0.08}
DRY = {"psi": 0.10, "delta": 0.05, "gamma": 0.04, "phi": 0.15}
STIFF, GAP = (5.0, 20.0, 4.0), (0.10, 0.05, 0.08)


def train(gears: float = 0.0) -> ss.Model:
    """The model; ``gears`` is the inertia of both wheels."""
    m = ss.Model("gear train")
    inertia = {"psi": INERTIA[0], "delta": gears, "gamma": gears, "phi": INERTIA[1]}
    q: dict[str, Any] = {name: m.coordinate(name, inertia=value) for name, value in inertia.items()}
    for name in q:
        m.connect(q[name], ss.DryFriction(limit=DRY[name], damping=VISCOUS[name]), name=f"bearing {name}")
    forms = (q["psi"] - q["delta"], q["delta"] - P * q["gamma"], q["gamma"] - q["phi"])
    for i, form in enumerate(forms):
        m.connect(form, ss.Freeplay(stiffness=STIFF[i], half_gap=GAP[i]), name=f"gap {i}")
    m.load(q["psi"], ss.Sine(1.2, frequency=0.9))
    m.load(q["phi"], ss.Cosine(0.3, frequency=0.4))
    return m


def luz(x: float, a: float) -> float:
    return x - min(max(x, -a), a)


def simplification_1(times: np.ndarray) -> np.ndarray:
    """(k, 4) psi, delta, gamma, phi from rest, by an adaptive method between the stops of psi and phi."""
    y, t, found = np.zeros(6), 0.0, [np.zeros((1, 4))]
    end = float(times[-1])
    while t < end:
        signs = [_direction(t, y, i) for i in range(2)]
        hits = [_guard(i, signs[i]) for i in range(2)]
        inside = times[(times > t) & (times <= end)]
        s = solve_ivp(
            _rates, (t, end), y, "DOP853", inside, args=(signs,), events=hits, rtol=1e-11, atol=1e-13, max_step=0.02
        )
        if len(s.t):
            found.append(s.y[[0, 4, 5, 2]].T)
        stops = [(float(e[0]), i) for i, e in enumerate(s.t_events) if e.size]
        if not stops:
            break
        t, i = min(stops)
        y = s.y_events[i][0].copy()
        if signs[i]:
            y[2 * i + 1] = 0.0
    return np.vstack(found)


def _pull(t: float, y: np.ndarray, i: int) -> float:
    """The moment on psi or phi without its dry friction."""
    psi, _, phi, _, delta, gamma = y
    if i == 0:
        return 1.2 * math.sin(0.9 * t) - STIFF[0] * luz(psi - delta, GAP[0]) - VISCOUS["psi"] * y[1]
    return 0.3 * math.cos(0.4 * t) + STIFF[2] * luz(gamma - phi, GAP[2]) - VISCOUS["phi"] * y[3]


def _direction(t: float, y: np.ndarray, i: int) -> float:
    """Which way a body slides: by its velocity, at rest by its pull; 0 where it sticks."""
    limit = DRY["psi" if i == 0 else "phi"]
    v = y[2 * i + 1]
    if v:
        return math.copysign(1.0, v)
    pull = _pull(t, y, i)
    return math.copysign(1.0, pull) if abs(pull) >= limit * (1.0 - 1e-9) else 0.0


def _guard(i: int, sign: float) -> Any:
    limit = DRY["psi" if i == 0 else "phi"]

    def stops(t: float, y: np.ndarray, _: Any) -> float:
        return sign * y[2 * i + 1] if sign else limit - abs(_pull(t, y, i))

    stops.terminal = True  # type: ignore[attr-defined]
    stops.direction = -1.0  # type: ignore[attr-defined]
    return stops


def _rates(t: float, y: np.ndarray, signs: list[float]) -> list[float]:
    psi, v_psi, phi, v_phi, delta, gamma = y
    first, mesh, last = (
        k * luz(x, a) for k, x, a in zip(STIFF, (psi - delta, delta - P * gamma, gamma - phi), GAP, strict=True)
    )
    a_psi = (_pull(t, y, 0) - signs[0] * DRY["psi"]) / INERTIA[0] if signs[0] else 0.0
    a_phi = (_pull(t, y, 1) - signs[1] * DRY["phi"]) / INERTIA[1] if signs[1] else 0.0
    return [
        v_psi, a_psi, v_phi, a_phi,
        luz(first - mesh, DRY["delta"]) / VISCOUS["delta"], luz(P * mesh - last, DRY["gamma"]) / VISCOUS["gamma"],
    ]  # fmt: skip
