"""The methods for periodic responses, and the choice between them."""

from __future__ import annotations

from slipstick.errors import Advice, AnyOf, InvalidInput, MissingFace, did_you_mean, short_repr
from slipstick.laws.faces import Face
from slipstick.transient.methods import reason_against
from slipstick.transient.problem import Problem

METHODS = ("shooting", "harmonic-balance", "integration")  # in the order in which "auto" prefers them
# what methods are called elsewhere, in small letters
METHOD_SYNONYMS = {
    "harmonic-balance": ("hb", "hbm", "mhb", "mhbm", "aft", "balance"),
    "integration": ("sweep", "time", "transient", "simulate"),
}
# coordinates: with more, carrying derivatives through an integration takes longer than balancing
MAX_ADAPTIVE_COORDINATES = 20


def choose(problem: Problem, method: str, harmonics: object = None) -> tuple[str, str]:
    """The method to use, and why it was picked (in words; nothing if it was asked for)."""
    if not isinstance(method, str) or method not in ("auto", *METHODS):
        told = f"unknown method {short_repr(method)}{_meant(method)}; methods: auto, {', '.join(METHODS)}"
        raise InvalidInput(told).about("method")
    if method == "auto" and harmonics is not None and _no_balance(problem) is None:
        without, why = _picked(problem)
        rather = "" if without == "harmonic-balance" else f" (without harmonics it would be {without}: {why})"
        return "harmonic-balance", f"harmonics were asked for{rather}"
    if method == "auto":
        return _picked(problem)
    refusals = {"shooting": _no_shooting(problem), "harmonic-balance": _no_balance(problem), "integration": None}
    if refusals[method] is not None:
        able = AnyOf(name for name, words in refusals.items() if words is None)
        raise MissingFace(refusals[method] or "", advice=[Advice("use {method}", method=able)])
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


def _picked(problem: Problem) -> tuple[str, str]:
    if is_exact(problem):
        return "shooting", "every law is piecewise linear, so orbits are exact"
    why = f"{reason_against(problem, 'exact')}"
    if _no_shooting(problem) is None and problem.n <= MAX_ADAPTIVE_COORDINATES and not has_stack(problem):
        return "shooting", f"{why}, so the error of the integration is controlled"
    if _no_balance(problem) is None:
        shoots = _no_shooting(problem) is None and problem.n > MAX_ADAPTIVE_COORDINATES
        return "harmonic-balance", f"{problem.n} coordinates are many to integrate" if shoots else why
    return "integration", f"{why}, and {_no_balance(problem)}"


def alternative_to_balance(problem: Problem) -> str:
    """The method that a problem can be given to instead of harmonic balance."""
    return "shooting" if _no_shooting(problem) is None else "integration"


def falls_back_to_balance(problem: Problem, method: str, reason: str) -> bool:
    """True if harmonic balance may go on where shooting fails: shooting was chosen by itself, and integrates."""
    return method == "shooting" and bool(reason) and not is_exact(problem) and _no_balance(problem) is None


def _no_shooting(problem: Problem) -> str | None:
    """Why there is no shooting, in words; None if there is."""
    words = reason_against(problem, "adaptive", called="shooting")
    if is_exact(problem):
        return None
    return words


def has_stack(problem: Problem) -> bool:
    """True if a law remembers every reversal that still matters: shooting follows its simplest cycles only."""
    return any(element.law.has_stack for element in problem.elements)


def _no_balance(problem: Problem) -> str | None:
    """Why there is no harmonic balance, in words; None if there is."""
    for element in problem.elements:
        law, name = element.law, problem.system.connections[element.connection].name
        friction = law.rigid_friction
        if friction is not None and friction.static_limit is not None:
            return f'connection "{name}" has a static_limit, which method "harmonic-balance" cannot follow'
        if friction is None and Face.VALUE not in law.faces:
            return f'connection "{name}" ({type(law).__name__}) has no value and tangent for method "harmonic-balance"'
    return None
