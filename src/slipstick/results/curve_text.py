"""Stability and special points of a curve in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from slipstick.results.orbit import OrbitPoint
from slipstick.units.number_format import significant_digits
from slipstick.units.scales import Scale

MAX_REPR_SPECIALS = 6  # of one kind, in the repr


def describe_stability(points: tuple[OrbitPoint, ...]) -> str:
    """``"2 unstable"``; with the number of points where it is not known."""
    count = sum(p.stable is False for p in points)
    unknown = sum(p.stable is None for p in points)
    if unknown == len(points):
        return "stability not known"
    return f"{count} unstable" if count else "all stable" if not unknown else f"stability of {unknown} not known"


def describe_specials(special: list[dict[str, Any]], scale: Scale) -> str:
    """ "fold at 1.62, 1.31; period-doubling at 0.8"; counts only if there are many."""
    named = [f"{s['kind']} of {s['connection']}" if s.get("connection") else s["kind"] for s in special]
    kinds = Counter(named)
    words = []
    for kind, count in kinds.items():
        own = (s for s, name in zip(special, named, strict=True) if name == kind)
        places = Counter(
            (f"{s['parameter']:.6g}", format_special_place(s, scale)) for s in own
        )  # a gap opens at both sides
        listed = ", ".join(place if many == 1 else f"{place} ({many} x)" for (_, place), many in places.items())
        words.append(f"{kind} at {listed}" if count <= MAX_REPR_SPECIALS else f"{count} x {kind}")
    return "; ".join(words)


def format_special_place(special: Mapping[str, Any], scale: Scale) -> str:
    """Value of the parameter at a special point, in a unit, with the digits that its error allows."""
    digits = significant_digits(special["parameter"], special.get("error", 0.0))
    return f"{scale.factor * special['parameter']:.{digits}g}"
