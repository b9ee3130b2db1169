"""Start values of laws with a different force in each direction of motion, and their names: "asymmetric(masing)".

A constant force shifts a settled loop as a difference of its limits does. So the constant force of a start moves into
the two limits, and is zero in the law.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from slipstick.errors import InvalidInput
from slipstick.laws.base import Law
from slipstick.laws.identification_traits import LoopView

ASYMMETRIC_NAME = re.compile(r"\s*asymmetric\s*\(([^()]*)\)\s*", re.IGNORECASE)
FACTORS = ((1.0, 1.0), (1.5, 0.5), (0.5, 1.5))  # of both directions, with the same mean
LEAST_SHARE = 0.02  # of a sliding force, in a start
CONSTANT_FORCE = "preload"  # the parameter that a difference of the limits replaces


def asymmetric_law_name(name: str) -> str:
    """The name of the law in "asymmetric(masing)"; empty if the name is of another kind."""
    found = ASYMMETRIC_NAME.fullmatch(name)
    return found[1].strip() if found else ""


def refuse_without_senses(kind: type[Law], name: str) -> None:
    """Refuse a law without a parameter for each direction of motion."""
    if kind.identification.both_senses is None:
        raise InvalidInput(
            f"{name} has no parameter for each direction of motion; use asymmetric(masing), asymmetric(power-damper), "
            "or modified-dahl, which has an envelope for each direction"
        ).about("law")


def asymmetric_start_values(kind: type[Law], loops: LoopView) -> Iterator[Law]:
    """Start values of a search: laws of a kind with one parameter for each direction of motion."""
    assert kind.identification.both_senses is not None
    forward, reverse = kind.identification.both_senses
    for start in kind.start_values(loops):
        size, offset = getattr(start, forward), getattr(start, CONSTANT_FORCE, 0.0)
        if offset:
            least = LEAST_SHARE * size
            limits = {forward: max(size + offset, least), reverse: max(size - offset, least)}
            yield replace(start, **limits, **{CONSTANT_FORCE: 0.0})
            continue
        for positive, negative in FACTORS:
            yield replace(start, **{forward: positive * size, reverse: negative * size})


def replaced_by_senses(law: Law) -> tuple[str, ...]:
    """Parameters that stay at zero in an asymmetric law, as a difference of its limits replaces them."""
    both = law.identification.both_senses
    if both is None or getattr(law, both[1]) is None:
        return ()
    return (CONSTANT_FORCE,) if getattr(law, CONSTANT_FORCE, None) == 0.0 else ()
