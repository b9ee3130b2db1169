"""The clutch of the clutch paper in absolute angles (the consistent reading), as a plain model.

Six translations of two blocks and the angles theta_1 .. theta_5 (Fig. 1), with masses and inertias on the diagonal
instead of (2). Stiffnesses, dampings and loads of (3)-(6) act between the parts they connect: k_d on delta_1, c_34 on
delta_4, c_45 on delta_5, the motor's torque on theta_1, the driveline's against it on theta_5. The laws are the
square-root ones (14)-(17), (20)-(24) with the parameters of section 6.1; T_f acts on rates; w = N_e f_e = 120 rad/s.
"""

from __future__ import annotations

import numpy as np

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


def paper_clutch(frequency: float = 120.0) -> ss.Model:
    """The clutch as the paper prints it, (1)-(12), with the sums of inertias (2) on relative angles.

    Corrected: the k_d of rows 8 and 9 of (4) stand in column 7; phi_dss and phi_sc of (7) have one zero less; phi_Tx
    and phi_Ty brake, the second in y; friction acts on rates. Not power-conjugate: delta_3 is not delta_1 + delta_2.
    """
    inertia = [0.2, 12e-3, 83e-4, 2e-4, 18e-2]
    pairs = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)]
    mass = np.diag([11.17] * 3 + [10.0] * 3 + [inertia[i] + inertia[j] for i, j in pairs])
    damping, stiffness = np.diag([0.1] * 6 + [0.0] * 5), np.diag([1e10] * 6 + [0.0] * 5)
    damping[[7, 8, 10], [9, 9, 9]] = -0.1
    damping[[9, 10], [9, 10]] = 0.2
    damping[9, 10] = -0.1
    stiffness[[6, 7, 8], [6, 6, 6]] = 16e5, -8e5, 8e5
    names = ["x1", "y1", "z1", "x2", "y2", "z2", "d1", "d2", "d3", "d4", "d5"]
    m = ss.Model.from_matrices(mass, damping, stiffness, names, name="paper clutch", frequency=frequency)
    d1, d2, d3, d4, d5 = (m[f"d{i}"] for i in range(1, 6))
    spring = ss.TwoStage(stiffness=17500.0, inner_ratio=0.167, half_gap=0.125).regularised("sqrt", rounding=1e-4)
    m.connect(d4, spring, along=2 * d4 - d2 - d3 - d5, name="spring")
    spline = ss.Freeplay(stiffness=3e5, half_gap=0.2).regularised("sqrt", rounding=1e-4)
    m.connect(d5, spline, along=2 * d5 - d4, name="spline")
    torque = ss.DryFriction(limit=350.0)
    m.connect(d2, torque.regularised("sqrt", rounding=1e-3, width=0.08), along=2 * d2 - d1 + d3 - d4, name="plate")
    m.connect(d3, torque.regularised("sqrt", rounding=1e-3, width=0.008), along=2 * d3 + d1 + d2 - d4, name="flywheel")
    tangential = ss.DryFriction(limit=0.75 * 0.3 * 5e5).regularised("sqrt", rounding=1e-2, width=8.0)
    for axis in "xy":
        between = m[f"{axis}2"] - m[f"{axis}1"]
        m.connect(between, tangential, along=2 * between, name=axis)
    motor = ss.Constant(300.0) + ss.Cosine(250.0, order=1)
    for form, load in ((m["z1"], ss.Constant(5e5)), (d1, motor), (d3, motor), (d5, ss.Constant(300.0))):
        m.load(form, load)
    return m
