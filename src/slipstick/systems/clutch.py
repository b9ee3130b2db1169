"""The clutch of the clutch paper: two blocks on bearings, five rotors, springs of two stages, a spline, dry friction.

Rotors: flywheel and cover (1), diaphragm and pressing plate (2), friction shoes (3), hub (4), driveline (5), with
delta_1 = theta_1 - theta_2, delta_2 = theta_2 - theta_3, delta_3 = theta_1 - theta_3, delta_4 = theta_3 - theta_4,
delta_5 = theta_4 - theta_5. Three readings of the print:

- "consistent": absolute angles with inertias on the diagonal, every spring and friction between the rotors it connects;
- "paper": the equations (1)-(12) in relative angles, mended where they could not run: the k_d of rows 8 and 9 of (4)
  stand in column 7, phi_dss and phi_sc of (7) have one zero less, phi_Tx and phi_Ty brake, the second in y. Its sums of
  inertias (2) do not keep delta_3 = delta_1 + delta_2, and its forces are not conjugate to the deflections;
- "printed": the same with only the count of zeros corrected. It runs away from rest.

In all of them friction follows rates, as (9) says and (20) does not. Table 1 gives P in N/m^2 and uses it as a force.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from slipstick.api import Model
from slipstick.errors import Advice, InvalidInput, short_repr
from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear
from slipstick.laws.friction import DryFriction
from slipstick.laws.piecewise_linear import Freeplay, TwoStage
from slipstick.model.linear_forms import Form
from slipstick.name_hints import did_you_mean
from slipstick.signals import Constant, Cosine, TimeFunction
from slipstick.systems.keyword_checks import check_number, check_numbers, known_keywords
from slipstick.systems.system_units import with_si_units

READINGS = ("consistent", "paper", "printed")
LAWS = ("sqrt", "tanh", "exact")
ROTOR_PAIRS = ((1, 2), (2, 3), (1, 3), (3, 4), (4, 5))  # the rotors of delta_1 .. delta_5
FIVE_NUMBERS_TEXT = "five numbers, one for each rotor,"
STATIC_COEFFICIENT, KINETIC_RATIO = 0.3, 0.75  # mu_s, and mu_k over it, Table 1
DEFAULT_CYLINDERS, DEFAULT_ENGINE_FREQUENCY = 4, 30.0  # N_e and F_e of Table 1


@dataclass(frozen=True)
class Smoothing:
    """Rounding eta and width eps of a square-root law, sharpness sigma of a tanh one (section 6.1)."""

    rounding: float
    sharpness: float
    width: float | None = None

    def of(self, law: Law, laws: str) -> Law:
        if laws == "exact":
            return law
        if laws == "tanh":
            return law.regularised("tanh", sharpness=self.sharpness)
        given = {"rounding": self.rounding} if self.width is None else {"rounding": self.rounding, "width": self.width}
        return law.regularised("sqrt", **given)


SMOOTHING = {
    "springs": Smoothing(1e-4, 100.0),
    "spline": Smoothing(1e-4, 100.0),
    "plate": Smoothing(1e-3, 50.0, 0.08),
    "flywheel": Smoothing(1e-3, 50.0, 0.008),
    "tangential": Smoothing(1e-2, 50.0, 8.0),
}
LAW_OF_KEYWORD = {"rounding": "sqrt", "width": "sqrt", "sharpness": "tanh"}


@known_keywords()
def clutch(
    reading: str = "consistent",
    laws: str = "sqrt",
    frequency: float | None = None,
    *,
    cylinders: float = DEFAULT_CYLINDERS,
    engine_frequency: float = DEFAULT_ENGINE_FREQUENCY,
    inertias: Sequence[float] = (0.2, 12e-3, 83e-4, 2e-4, 18e-2),
    masses: Sequence[float] = (10.0, 1.17, 0.8, 0.2, 9.0),
    hub_damping: float = 0.1,
    spline_damping: float = 0.1,
    bearing_damping: float = 0.1,
    bearing_stiffness: float = 1e10,
    diaphragm_stiffness: float = 8e5,
    spring_stiffness: float = 17500.0,
    spring_ratio: float = 0.167,
    spring_half_gap: float = 0.125,
    spline_stiffness: float = 3e5,
    spline_half_gap: float = 0.2,
    friction_torque: float = 350.0,
    static_coefficient: float = STATIC_COEFFICIENT,
    friction_coefficient: float | None = None,
    clamp_force: float = 5e5,
    mean_torque: float = 300.0,
    torque_amplitudes: Sequence[float] = (250.0,),
    torque_phases: Sequence[float] = (0.0,),
    resisting_torque: float | None = None,
    rounding: Mapping[str, float] | None = None,
    width: Mapping[str, float] | None = None,
    sharpness: Mapping[str, float] | None = None,
) -> Model:
    """The clutch at rest. Coordinates x1 .. z2 and theta1 .. theta5, in the other readings delta1 .. delta5.

    Connections "springs" (delta_4), "spline" (delta_5), "plate" (delta_2), "flywheel" (delta_3), "tangential x" and
    "tangential y"; in the consistent reading also "diaphragm", "hub damping", "spline damping" and the bearings.

    reading : "consistent", "paper" or "printed".   laws : "sqrt", "tanh" (section 6.1), or "exact" (9)-(12).
    frequency : [rad/s] of the torque's first harmonic; 120 if left out, cylinders times engine_frequency.
    cylinders, engine_frequency : N_e and F_e of (6); the paper has 30 "Hz" and no 2 pi, so that it is in rad/s.
    inertias, masses : of the five rotors [kg m^2], [kg].   ..._damping : c_34, c_45 [N m s/rad], c_x .. [N s/m].
    bearing_stiffness : [N/m].   diaphragm_stiffness, spring_stiffness, spline_stiffness : k_d, K_dss, K_sc [N m/rad].
    spring_ratio, spring_half_gap, spline_half_gap : alpha_dss, b_dss, b_sc [1], [rad], [rad].
    friction_torque, clamp_force : T_s [N m], P [N].
    static_coefficient : mu_s, which the paper only uses for mu_k = 0.75 mu_s.
    friction_coefficient : mu_k in place of that.
    mean_torque, torque_amplitudes, torque_phases : of (6), one amplitude [N m] and phase [rad] for each harmonic.
    resisting_torque : T_D [N m]; the mean torque if left out.
    rounding, width, sharpness : eta, eps [rad/s or m/s] and sigma of section 6.1, by contact ("springs", "spline",
        "plate", "flywheel", "tangential"); the others are as printed.
    """
    _one_of("reading", reading, READINGS)
    _one_of("laws", laws, LAWS)
    clamp = check_number("clutch", "clamp_force", clamp_force, low=0.0)
    kinetic = _kinetic(static_coefficient, friction_coefficient)
    exact: dict[str, Law] = {
        "springs": TwoStage(stiffness=spring_stiffness, inner_ratio=spring_ratio, half_gap=spring_half_gap),
        "spline": Freeplay(stiffness=spline_stiffness, half_gap=spline_half_gap),
        "plate": DryFriction(limit=friction_torque),
        "flywheel": DryFriction(limit=friction_torque),
        "tangential": DryFriction(limit=kinetic * clamp),
    }
    smoothing = _smoothing(laws, {"rounding": rounding, "width": width, "sharpness": sharpness})
    weights = check_numbers("clutch", "masses", masses, FIVE_NUMBERS_TEXT, 5, above=0.0)
    machine = _ClutchParts(
        frequency=_base_frequency(frequency, cylinders, engine_frequency),
        blocks=(sum(weights[:2]), sum(weights[2:])),
        inertias=check_numbers("clutch", "inertias", inertias, FIVE_NUMBERS_TEXT, 5, above=0.0),
        bearing=Linear(stiffness=bearing_stiffness, damping=bearing_damping),
        diaphragm=check_number("clutch", "diaphragm_stiffness", diaphragm_stiffness),
        hub_damping=check_number("clutch", "hub_damping", hub_damping),
        spline_damping=check_number("clutch", "spline_damping", spline_damping),
        laws={name: smoothing[name].of(law, laws) for name, law in exact.items()},
    )
    drive = _torque(mean_torque, torque_amplitudes, torque_phases)
    held = check_number("clutch", "mean_torque", mean_torque)
    if resisting_torque is not None:
        held = check_number("clutch", "resisting_torque", resisting_torque)
    m = _consistent(machine, drive, held) if reading == "consistent" else _relative(machine, reading, drive, held)
    m.load(m["z1"], Constant(clamp))
    return with_si_units(m, "rad", sliding=("x", "y", "z", "bearing", "tangential"))


@dataclass(frozen=True)
class _ClutchParts:
    """What both ways to write the equations are made of.

    blocks : (2,) masses [kg].   inertias : (5,) of the rotors.   laws : of the contacts, by name.
    """

    frequency: float
    blocks: tuple[float, float]
    inertias: tuple[float, ...]
    bearing: Linear
    diaphragm: float
    hub_damping: float
    spline_damping: float
    laws: dict[str, Law]


def _consistent(machine: _ClutchParts, drive: TimeFunction, held: float) -> Model:
    """Absolute angles; every law between the bodies it connects."""
    m = Model("clutch", frequency=machine.frequency)
    for block, mass in enumerate(machine.blocks, start=1):
        for axis in "xyz":
            m.coordinate(f"{axis}{block}", inertia=mass)
    for i, inertia in enumerate(machine.inertias, start=1):
        m.coordinate(f"theta{i}", inertia=inertia)
    for block in (1, 2):
        for axis in "xyz":
            m.connect(m[f"{axis}{block}"], machine.bearing, name=f"bearing {axis}{block}")
    d1, d2, d3, d4, d5 = (m[f"theta{a}"] - m[f"theta{b}"] for a, b in ROTOR_PAIRS)
    m.connect(d1, Linear(stiffness=machine.diaphragm), name="diaphragm")
    m.connect(d4, machine.laws["springs"], name="springs")
    m.connect(d4, Linear(damping=machine.hub_damping), name="hub damping")
    m.connect(d5, machine.laws["spline"], name="spline")
    m.connect(d5, Linear(damping=machine.spline_damping), name="spline damping")
    m.connect(d2, machine.laws["plate"], name="plate")
    m.connect(d3, machine.laws["flywheel"], name="flywheel")
    for axis in "xy":
        m.connect(m[f"{axis}2"] - m[f"{axis}1"], machine.laws["tangential"], name=f"tangential {axis}")
    m.load(m["theta1"], drive)
    m.load(m["theta5"], Constant(-held))
    return m


def _relative(machine: _ClutchParts, reading: str, drive: TimeFunction, held: float) -> Model:
    """The matrices (2)-(4) on the coordinates (8)."""
    hub, spline, bearing = machine.hub_damping, machine.spline_damping, machine.bearing
    sums = [machine.inertias[a - 1] + machine.inertias[b - 1] for a, b in ROTOR_PAIRS]
    mass = np.diag([machine.blocks[0]] * 3 + [machine.blocks[1]] * 3 + sums)
    damping = np.diag([bearing.damping] * 6 + [0.0] * 5)
    damping[[7, 8, 10], [9, 9, 9]] = -hub
    damping[9, 9], damping[10, 10], damping[9, 10] = 2.0 * hub, 2.0 * spline, -spline
    stiffness = np.diag([bearing.stiffness] * 6 + [0.0] * 5)
    columns = [6, 7, 8] if reading == "printed" else [6, 6, 6]
    stiffness[[6, 7, 8], columns] = 2.0 * machine.diaphragm, -machine.diaphragm, machine.diaphragm
    names = ["x1", "y1", "z1", "x2", "y2", "z2", *(f"delta{i}" for i in range(1, 6))]
    name = f"{reading} clutch"
    m = Model.from_matrices(mass, damping, stiffness, names, name=name, frequency=machine.frequency)
    _connect_relative(m, reading, machine.laws)
    for i, load in ((1, drive), (3, drive), (5, Constant(held))):
        m.load(m[f"delta{i}"], load)
    return m


def _connect_relative(m: Model, reading: str, parts: dict[str, Law]) -> None:
    """The contact actions of (1), along the vectors (7)."""
    d1, d2, d3, d4, d5 = (m[f"delta{i}"] for i in range(1, 6))
    m.connect(d4, parts["springs"], along=2 * d4 - d2 - d3 - d5, name="springs")
    m.connect(d5, parts["spline"], along=2 * d5 - d4, name="spline")
    m.connect(d2, parts["plate"], along=2 * d2 - d1 + d3 - d4, name="plate")
    m.connect(d3, parts["flywheel"], along=2 * d3 + d1 + d2 - d4, name="flywheel")
    x, y = m["x2"] - m["x1"], m["y2"] - m["y1"]
    along: tuple[Form, Form] = (-2 * x, 2 * x) if reading == "printed" else (2 * x, 2 * y)
    m.connect(x, parts["tangential"], along=along[0], name="tangential x")
    m.connect(y, parts["tangential"], along=along[1], name="tangential y")


def _torque(mean: float, amplitudes: Sequence[float], phases: Sequence[float]) -> TimeFunction:
    """(6): a mean and harmonics 1 .. n_max."""
    sizes = check_numbers("clutch", "torque_amplitudes", amplitudes, "numbers, one for each harmonic")
    lags = check_numbers("clutch", "torque_phases", phases, "numbers, one for each harmonic")
    if len(sizes) != len(lags):
        raise InvalidInput(
            f"torque_phases must have one phase for each of the {len(sizes)} torque_amplitudes, "
            f"got {short_repr(phases)}",
            owner="clutch",
        ).about("torque_phases")
    torque: TimeFunction = Constant(mean)
    for n, (amplitude, phase) in enumerate(zip(sizes, lags, strict=True), start=1):
        torque = torque + Cosine(amplitude, order=n, phase=phase)
    return torque


def _kinetic(static: float, kinetic: float | None) -> float:
    if kinetic is None:
        return KINETIC_RATIO * check_number("clutch", "static_coefficient", static, low=0.0)
    if static != STATIC_COEFFICIENT:
        words = "clutch: static_coefficient only sets friction_coefficient, to 0.75 of it; leave one out"
        raise InvalidInput(words).about("static_coefficient")
    return check_number("clutch", "friction_coefficient", kinetic, low=0.0)


def _base_frequency(frequency: float | None, cylinders: float, engine: float) -> float:
    """N_e F_e of (6), or the given torque."""
    if frequency is None:
        each = {"cylinders": cylinders, "engine_frequency": engine}
        return math.prod(check_number("clutch", name, value, above=0.0) for name, value in each.items())
    if (cylinders, engine) != (DEFAULT_CYLINDERS, DEFAULT_ENGINE_FREQUENCY):
        words = "clutch: frequency is that of the first harmonic, leave out cylinders and engine_frequency beside it"
        raise InvalidInput(words).about("frequency")
    return frequency


def _smoothing(laws: str, given: Mapping[str, Mapping[str, float] | None]) -> dict[str, Smoothing]:
    """The loads of section 6.1, with given values in their place."""
    found = dict(SMOOTHING)
    for name, values in given.items():
        if values is None:
            continue
        if LAW_OF_KEYWORD[name] != laws:
            way = Advice("leave it out, or set {laws}", laws=LAW_OF_KEYWORD[name])
            raise InvalidInput(f'{name} does not belong to laws "{laws}"', owner="clutch", argument=name, advice=[way])
        if not isinstance(values, Mapping):
            words = f'clutch: {name} is a number for each contact, such as {{"plate": 0.01}}, got {short_repr(values)}'
            raise InvalidInput(words).about(name)
        known = [one for one in SMOOTHING if getattr(SMOOTHING[one], name) is not None]
        for contact, value in values.items():
            if contact not in known:
                words = f"clutch: {name} of {short_repr(contact)} is not in the paper, only of {', '.join(known)}"
                raise InvalidInput(words).about(name)
            found[contact] = replace(found[contact], **{name: value})
    return found


def _one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        words = ", ".join(f'"{one}"' for one in known)
        raise InvalidInput(f"{name} must be one of {words}, got {short_repr(value)}{hint}", owner="clutch").about(name)
