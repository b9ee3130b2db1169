"""The belt-tensioner-mass system of the tensioner paper, section 4: (38)-(57).

A mass m1 hangs from a belt (spring K, damper C) that runs over the idler pulley m2 of a tensioner. Displacements
u1, u2 count downwards; the belt pulls with T = K (u1 - u2) + C (u1' - u2') + T0, the tensioner holds with F:

    m1 u1'' + T = f(t) + m1 g,    m2 u2'' - T + F = m2 g,    f(t) = mean + amplitude cos(frequency t + phase)

Where the print is wrong: (51) gives T0 = 834.01 N and a Masing preload of 835.48 N for the case (53), not the 338 N
of (55); in our names the preload is added, so it is -F0 of (43c).
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from slipstick.api import Model
from slipstick.errors import InvalidInput, short_repr
from slipstick.laws import law_class
from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear
from slipstick.name_hints import did_you_mean
from slipstick.signals import Constant, Cosine
from slipstick.systems.keyword_checks import check_number, known_keywords
from slipstick.systems.system_units import with_si_units

IDENTIFIED_AT = 9.4  # rad/s, the frequency (32) at which the damping (36c) was identified

MASING_PARAMETERS = {"stiffness": 4.84e5, "limit": 163.0, "parallel_stiffness": 2.34e5, "damping": 1.93e4}  # (36)
MODIFIED_DAHL_PARAMETERS = {
    "rate": 117355.0,
    "exponent": 0.37,
    "upper": (959.6, 7.146e4),
    "lower": (397.2, 5.322e4),
}  # (33), (35)
LAW_NAMES = ("masing", "modified-dahl")


def _of_law(given: dict[str, Any]) -> list[str] | None:
    """The keywords of a named law; `_law` checks which may be combined."""
    name = given.get("law", "masing")
    return [own.name for own in fields(law_class(name))] if isinstance(name, str) and name in LAW_NAMES else None


@known_keywords(_of_law)
def tensioner(
    law: str | Law = "masing",
    amplitude: float = 122.1,
    frequency: float = 73.15,
    mean: float = 0.0,
    phase: float = 0.0,
    *,
    mass: float = 73.84,
    idler_mass: float = 0.15,
    belt_stiffness: float = 560e3,
    belt_damping: float = 160.0,
    gravity: float = 9.81,
    balanced_at: float = 0.0,
    **law_parameters: Any,
) -> Model:
    """The belt, the tensioner and the mass; coordinates u1, u2, connections "belt" and "tensioner".

    law : "masing" or "modified-dahl" with the identified parameters, or a law of your own, used as it is.
    amplitude, mean, phase : of the load f [N, N, rad] on u1, of order 1.
    mass, idler_mass : m1, m2 [kg].   belt_stiffness, belt_damping : K, C [N/m, N s/m].   gravity : [m/s^2].
    frequency : [rad/s] the base frequency; it also sets the Masing damper by (31): c0 = c * 9.4/frequency.
    balanced_at : [s] the instant at which the state at rest with u1 = u2 = 0 is in balance (51).
    law_parameters : of the named law instead of the identified ones. ``damping`` is that at 9.4 rad/s (36c);
        ``preload``, or ``start_force`` of the modified Dahl law, replaces the force of (51).
    """
    given = {"mass": mass, "idler_mass": idler_mass, "gravity": gravity, "balanced_at": balanced_at}
    mass, idler_mass, gravity, balanced_at = (check_number("tensioner", name, value) for name, value in given.items())
    m = Model("tensioner", frequency=frequency)
    shaker = Constant(mean) + Cosine(amplitude, order=1, phase=phase)  # (52)
    start = shaker.at(balanced_at, m.frequency)
    held = start + (mass + idler_mass) * gravity  # (51a)
    u1 = m.coordinate("u1", inertia=mass)
    u2 = m.coordinate("u2", inertia=idler_mass)
    belt = Linear(stiffness=belt_stiffness, damping=belt_damping, preload=start + mass * gravity)  # (51b)
    m.connect(u1 - u2, belt, name="belt")
    m.connect(u2, _law(law, frequency, held, law_parameters), name="tensioner")
    m.load(u1, shaker)
    m.load(u1, Constant(mass * gravity))
    m.load(u2, Constant(idler_mass * gravity))
    return with_si_units(m, "m")


def _law(law: str | Law, frequency: float, held: float, parameters: dict[str, Any]) -> Law:
    """The tensioner's law, with the force ``held`` at rest if the law has a parameter for it."""
    if isinstance(law, Law):
        if parameters:
            raise InvalidInput(
                f"a law of your own has its parameters; leave out {', '.join(parameters)} beside it",
                owner="tensioner",
            )
        return law
    name = law if isinstance(law, str) else ""
    if name == "masing":
        from slipstick.laws.masing import Masing

        identified = Masing(**{**MASING_PARAMETERS, "preload": held, **parameters})
        return replace(identified, damping=identified.damping * (IDENTIFIED_AT / frequency))  # (31)
    if name == "modified-dahl":
        from slipstick.laws.dahl import ModifiedDahl

        return ModifiedDahl(**{**MODIFIED_DAHL_PARAMETERS, "start_force": held, **parameters})
    hint = did_you_mean(name, LAW_NAMES) if name else ""
    words = f'tensioner: law must be "masing", "modified-dahl" or a law, got {short_repr(law)}{hint}'
    raise InvalidInput(words).about("law")
