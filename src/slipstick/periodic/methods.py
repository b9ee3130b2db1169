"""The methods for periodic responses, and which of them a model can be given to."""

from __future__ import annotations

from slipstick.errors import InvalidInput, MissingFace, did_you_mean, shown
from slipstick.transient.methods import refusal
from slipstick.transient.problem import Problem

METHODS = ("shooting", "harmonic-balance", "integration")  # in the order in which "auto" prefers them


def choose(problem: Problem, method: str) -> tuple[str, str]:
    """The method to use, and why it was picked (in words; nothing if it was asked for)."""
    if not isinstance(method, str) or method not in ("auto", *METHODS):
        hint = did_you_mean(method, ("auto", *METHODS)) if isinstance(method, str) else ""
        raise InvalidInput(f"unknown method {shown(method)}{hint}; methods: auto, {', '.join(METHODS)}").about("method")
    words = refusal(problem, "exact")
    words = words and words.replace('"exact"', '"shooting"')  # which is made of it
    if method == "auto":
        if words is None:
            return "shooting", "every law is made of straight pieces, so orbits are exact"
        return "harmonic-balance", words
    if method == "shooting" and words is not None:
        raise MissingFace(f'{words}; use method="harmonic-balance"')
    return method, ""
