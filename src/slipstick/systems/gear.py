"""The four-body gear train of the gear paper, section 4.1: two bodies, two shafts with play, a pair of gears.

    psi --(input shaft)-- delta ==(teeth, ratio p)== gamma --(output shaft)-- phi

Each body turns in a bearing with dry and viscous friction; torques drive psi and phi. The angle gamma counts backwards,
so that meshing wheels turn the same way: delta = p gamma without play, p = r_gamma/r_delta. The paper gives no numbers:
those here are ours, of the size of a small steering gear's. Where the print is wrong: the third equation of the primary
model holds I_gamma gamma'', the last I_phi phi'' and mu_phi, and the reduced spring has the sum of all half gaps.
"""

from __future__ import annotations

from slipstick.api import Model
from slipstick.model.elements import bearing, gear_pair, shaft
from slipstick.signals import Constant, Cosine
from slipstick.systems.keyword_checks import check_number, known_keywords
from slipstick.systems.system_units import with_si_units


@known_keywords()
def gear(
    amplitude: float = 2.0,
    frequency: float = 8.0,
    mean: float = 0.0,
    resisting: float = 0.0,
    *,
    inertia_psi: float = 0.05,
    inertia_delta: float = 1e-4,
    inertia_gamma: float = 1e-4,
    inertia_phi: float = 0.1,
    input_stiffness: float = 40.0,
    input_half_gap: float = 0.02,
    output_stiffness: float = 120.0,
    output_half_gap: float = 0.02,
    radius_delta: float = 0.04,
    radius_gamma: float = 0.08,
    tooth_stiffness: float = 1e5,
    tooth_half_gap: float = 4e-4,
    limit_psi: float = 0.05,
    limit_delta: float = 0.01,
    limit_gamma: float = 0.01,
    limit_phi: float = 0.05,
    damping_psi: float = 0.05,
    damping_delta: float = 0.005,
    damping_gamma: float = 0.005,
    damping_phi: float = 0.05,
) -> Model:
    """The primary model: coordinates psi, delta, gamma, phi; connections "input", "mesh", "output", "bearing psi" ...

    amplitude, frequency, mean : of the torque on psi [N m], [rad/s], [N m].   resisting : torque against phi [N m].
    inertia_... : [kg m^2].   input_..., output_... : shafts with play in their mounting [N m/rad], [rad].
    radius_..., tooth_stiffness, tooth_half_gap : of the wheels [m], [N/m], [m]; half of the clearance between teeth.
    limit_..., damping_... : dry and viscous friction of the bearings [N m], [N m s/rad].
    """
    m = Model("gear train", frequency=frequency)
    psi = m.coordinate("psi", inertia=inertia_psi)
    delta = m.coordinate("delta", inertia=inertia_delta)
    gamma = m.coordinate("gamma", inertia=inertia_gamma)
    phi = m.coordinate("phi", inertia=inertia_phi)
    radii = (radius_delta, radius_gamma)
    shaft(m, psi, delta, stiffness=input_stiffness, half_gap=input_half_gap, name="input")
    gear_pair(m, delta, gamma, radii=radii, tooth_stiffness=tooth_stiffness, half_gap=tooth_half_gap, name="mesh")
    shaft(m, gamma, phi, stiffness=output_stiffness, half_gap=output_half_gap, name="output")
    bearing(m, psi, limit=limit_psi, damping=damping_psi, name="bearing psi")
    bearing(m, delta, limit=limit_delta, damping=damping_delta, name="bearing delta")
    bearing(m, gamma, limit=limit_gamma, damping=damping_gamma, name="bearing gamma")
    bearing(m, phi, limit=limit_phi, damping=damping_phi, name="bearing phi")
    m.load(psi, Constant(mean) + Cosine(amplitude, order=1))
    if check_number("gear", "resisting", resisting):
        m.load(phi, Constant(-resisting))
    return with_si_units(m, "rad")
