"""The methods for periodic responses, and the choice between them."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from slipstick.errors import Advice, AnyOf, InvalidInput, MissingFace, NotConverged, short_repr
from slipstick.laws.faces import Face
from slipstick.name_hints import did_you_mean
from slipstick.transient.methods import element_obstacle, reason_against
from slipstick.transient.problem import Problem
from slipstick.units.scales import frequency_scale

METHODS = ("shooting", "harmonic-balance", "integration")  # in the order in which "auto" prefers them
# what methods are called elsewhere, in small letters
METHOD_SYNONYMS = {
    "harmonic-balance": ("hb", "hbm", "mhb", "mhbm", "aft", "balance"),
    "integration": ("sweep", "time", "transient", "simulate"),
}
# coordinates: with more, carrying derivatives through an integration takes longer than balancing
MAX_ADAPTIVE_COORDINATES = 20
FAST_MODE_RATIO = 20.0  # of the highest frequency of a range: modes beyond are fast
MIN_FAST_MODES = 3  # with fewer a curve passes its ripples
MAX_RESONANCES = 500  # in a range: a curve takes about ten points for each


def choose(
    problem: Problem, method: str, harmonics: object = None, between: tuple[float, float] | None = None
) -> tuple[str, str]:
    """The method to use, and the reason for an automatic choice (empty if the user named the method).

    between : [rad/s] the ends of a curve over frequency; None for single orbits.
    """
    if not isinstance(method, str) or method not in ("auto", *METHODS):
        words = f"unknown method {short_repr(method)}{_meant(method)}; methods: auto, {', '.join(METHODS)}"
        raise InvalidInput(words).about("method")
    if method == "auto" and harmonics is not None and _no_balance(problem) is None:
        without, why = _picked(problem, between)
        rather = "" if without == "harmonic-balance" else f" (without harmonics it would be {without}: {why})"
        return "harmonic-balance", f"harmonics were asked for{rather}"
    if method == "auto":
        return _picked(problem, between)
    refusals = {"shooting": _no_shooting(problem), "harmonic-balance": _no_balance(problem), "integration": None}
    if refusals[method] is not None:
        able = AnyOf(name for name, words in refusals.items() if words is None)
        raise MissingFace(refusals[method] or "", advice=[Advice("use {method}", method=able)])
    many = _too_many_resonances(problem, between) if method == "shooting" else None
    if many is not None:
        ways = "use {method}, condense the model, add damping proportional to the stiffness, or give {at}"
        raise NotConverged(many, owner=method, advice=[Advice(ways, method="harmonic-balance", at=[...])])
    return method, ""


def _meant(method: object) -> str:
    """The method that a word is likely to mean, as a question; nothing where it is like none."""
    for name, words in METHOD_SYNONYMS.items():
        if str(method).lower() in words:
            return f' (did you mean "{name}"?)'
    return did_you_mean(method, ("auto", *METHODS), lists=False) if isinstance(method, str) else ""


def is_exact(problem: Problem) -> bool:
    """True if shooting goes by the exact flow; else it goes by error-controlled integration."""
    return reason_against(problem, "exact") is None


def _picked(problem: Problem, between: tuple[float, float] | None) -> tuple[str, str]:
    many = _too_many_resonances(problem, between)
    if many is not None and _no_balance(problem) is None:
        return "harmonic-balance", f"{many}, and shooting would follow each"
    if is_exact(problem):
        return "shooting", "every law is piecewise linear, so orbits are exact"
    why = f"{reason_against(problem, 'exact')}"
    slow = has_stack(problem) or has_contact(problem)
    if _no_shooting(problem) is None and problem.n <= MAX_ADAPTIVE_COORDINATES and not slow:
        return "shooting", f"{why}, so the error of the integration is controlled"
    if _no_balance(problem) is None:
        shoots = _no_shooting(problem) is None and problem.n > MAX_ADAPTIVE_COORDINATES
        return "harmonic-balance", f"{problem.n} coordinates are many to integrate" if shoots else why
    return "integration", f"{why}, and {_no_balance(problem)}"


def _too_many_resonances(problem: Problem, between: tuple[float, float] | None) -> str | None:
    """In words, that shooting would follow more resonances of fast modes than a curve has points; None if not.

    Corners of a law excite every harmonic. A mode at w [rad/s] resonates with each, about w/2 (1/low - 1/high) times
    within a range, and the resonances are apart where it decays more slowly than the base frequency.
    """
    if between is None or problem.n < MIN_FAST_MODES or problem.massless or not problem.elements:
        return None
    if not is_exact(problem):
        return None
    low, high = sorted(between)
    try:
        squares, shapes = eigh(0.5 * (problem.stiffness + problem.stiffness.T), problem.mass)
    except np.linalg.LinAlgError:  # a mass matrix that is not positive definite
        return None
    rates = 0.5 * np.einsum("ij,ij->j", shapes, problem.damping @ shapes)
    fast = np.sqrt(squares[(squares > (FAST_MODE_RATIO * high) ** 2) & (rates < low)])
    count = 0.5 * float(fast.sum()) * (1.0 / low - 1.0 / high)
    if fast.size < MIN_FAST_MODES or count <= MAX_RESONANCES:
        return None
    scale = frequency_scale(problem.system.stated_units.frequency)
    return (
        f"{fast.size} modes above {scale.words(float(fast[0]), 3)} hardly decay within a period and have about "
        f"{count:.0e} resonances with harmonics of the load in this range (at most {MAX_RESONANCES})"
    )


def alternative_to_balance(problem: Problem) -> str:
    """The method that a problem can be given to instead of harmonic balance."""
    return "shooting" if _no_shooting(problem) is None else "integration"


def falls_back_to_balance(problem: Problem, method: str, reason: str) -> bool:
    """True if harmonic balance may go on where shooting fails: shooting was chosen by itself, and integrates."""
    return method == "shooting" and bool(reason) and not is_exact(problem) and _no_balance(problem) is None


def _no_shooting(problem: Problem) -> str | None:
    """Why there is no shooting, in words; None if there is."""
    if is_exact(problem):
        return None
    return reason_against(problem, "events", called="shooting")


def has_stack(problem: Problem) -> bool:
    """True if a law remembers every reversal that still matters: shooting follows its simplest cycles only."""
    return any(element.law.has_stack for element in problem.elements)


def has_contact(problem: Problem) -> bool:
    """True if a law has several deflections: the map of integrated motions is then differentiated by differences."""
    return any(element.law.kernel_law.directions for element in problem.elements)


def _no_balance(problem: Problem) -> str | None:
    """Why there is no harmonic balance, in words; None if there is."""
    for element in problem.elements:
        law, name = element.law, problem.system.connections[element.connection].name
        friction = law.rigid_friction
        if friction is not None and friction.static_limit is not None:
            return f'connection "{name}" has a static_limit, which method "harmonic-balance" cannot follow'
        if law.joint_parts and law.needs_rate:  # its parts act between joints
            words = element_obstacle("newmark", element, called="harmonic-balance")
            if words is not None:
                return f'connection "{name}" {words}'
        elif friction is None and Face.VALUE not in law.faces:
            own = type(law.kernel_law).__name__
            return f'connection "{name}" ({own}) has no value and tangent for method "harmonic-balance"'
    return None
