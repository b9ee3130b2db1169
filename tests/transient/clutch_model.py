"""The clutch of the clutch paper in absolute angles (the consistent reading), as a plain model.

Six translations of two blocks and the angles theta_1 .. theta_5 (Fig. 1), with masses and inertias on the diagonal
instead of (2). Stiffnesses, dampings and loads of (3)-(6) act between the parts they connect: k_d on delta_1, c_34 on
delta_4, c_45 on delta_5, the motor's torque on theta_1, the driveline's against it on theta_5. The laws are the
square-root ones (14)-(17), (20)-(24) with the parameters of section 6.1; T_f acts on rates; w = N_e f_e = 120 rad/s.
"""

from __future__ import annotations

import slipstick as ss

DELTAS = (("theta1", "theta2"), ("theta2", "theta3"), ("theta1", "theta3"), ("theta3", "theta4"), ("theta4", "theta5"))


def clutch(frequency: float = 120.0) -> ss.Model:
    """The model at rest; connections "kd", "spring", "spline", "plate", "flywheel", "x", "y" and the bearings."""
    m = ss.Model("clutch", frequency=frequency)
    blocks = ((1, 10 + 1.17), (2, 0.8 + 0.2 + 9))
    for block, mass in blocks:
        for axis in "xyz":
            m.coordinate(f"{axis}{block}", inertia=mass)
    for i, inertia in enumerate((0.2, 12e-3, 83e-4, 2e-4, 18e-2), start=1):
        m.coordinate(f"theta{i}", inertia=inertia)
    for block, _ in blocks:
        for axis in "xyz":
            m.connect(m[f"{axis}{block}"], ss.Linear(stiffness=1e10, damping=0.1), name=f"bearing {axis}{block}")
    d1, d2, d3, d4, d5 = (m[a] - m[b] for a, b in DELTAS)
    m.connect(d1, ss.Linear(stiffness=8e5), name="kd")
    spring = ss.TwoStage(stiffness=17500.0, inner_ratio=0.167, half_gap=0.125).regularised("sqrt", rounding=1e-4)
    m.connect(d4, spring, name="spring")
    m.connect(d4, ss.Linear(damping=0.1), name="c34")
    m.connect(d5, ss.Freeplay(stiffness=3e5, half_gap=0.2).regularised("sqrt", rounding=1e-4), name="spline")
    m.connect(d5, ss.Linear(damping=0.1), name="c45")
    torque = ss.DryFriction(limit=350.0)
    m.connect(d2, torque.regularised("sqrt", rounding=1e-3, width=0.08), name="plate")
    m.connect(d3, torque.regularised("sqrt", rounding=1e-3, width=0.008), name="flywheel")
    tangential = ss.DryFriction(limit=0.75 * 0.3 * 5e5).regularised("sqrt", rounding=1e-2, width=8.0)
    for axis in "xy":
        m.connect(m[f"{axis}2"] - m[f"{axis}1"], tangential, name=axis)
    m.load(m["z1"], ss.Constant(5e5))
    m.load(m["theta1"], ss.Constant(300.0) + ss.Cosine(250.0, order=1))
    m.load(m["theta5"], ss.Constant(-300.0))
    return m
