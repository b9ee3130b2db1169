"""Start values of laws in series, from measured loops, and the names of series: "series(freeplay, masing)".

Parts that are springs or gaps (`Law.series_start_values`) are read off the loop first. Their deflection is taken off
the loop, and the other parts share what remains, each with its own start values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.laws.base import Law
from slipstick.laws.identification_traits import LoopView, positive_or

SERIES_NAME = re.compile(r"\s*series\s*\((.*)\)\s*", re.IGNORECASE)
OTHER_STARTS = 6  # of the parts that share what remains, for each choice of springs and gaps
INVERSE_POINTS = 4001  # of an elastic law, to read its deflection off its force
SLOPE_SHARE = 0.05  # of a branch, for its slope after a reversal
END_SHARE = 0.25  # of a branch, for the line that it ends on


def split_law_names(text: str) -> list[str]:
    """The names in a list with commas; commas in parentheses belong to a name."""
    return [name.strip() for name in re.split(r",(?![^()]*\))", text) if name.strip()]


def series_part_names(name: str) -> tuple[str, ...]:
    """The names of the parts in "series(freeplay, masing)"; none if the name is of another kind."""
    found = SERIES_NAME.fullmatch(name)
    return tuple(split_law_names(found[1])) if found else ()


def series_start_values(kinds: Sequence[type[Law]], loops: LoopView) -> Iterator[Law]:
    """Series of these kinds of laws that a search may begin with."""
    from slipstick.laws.series import Series

    elastic = [i for i, kind in enumerate(kinds) if kind.series_start_values is not Law.series_start_values]
    elastic = elastic[:-1] if len(elastic) == len(kinds) else elastic
    others = [i for i in range(len(kinds)) if i not in elastic]
    for chosen in product(*(tuple(kinds[i].series_start_values(loops)) for i in elastic)):
        rest = loops
        for law in chosen:
            rest = without_part(rest, law)
        rest = with_deflection_share(rest, 1.0 / len(others))
        for starts in islice(zip(*(kinds[i].start_values(rest) for i in others), strict=False), OTHER_STARTS):
            parts = dict(zip(elastic, chosen, strict=True)) | dict(zip(others, starts, strict=True))
            try:
                yield Series(*(parts[i] for i in range(len(kinds))))
            except InvalidInput:  # a falling force, which a series does not take
                continue


def with_deflection_share(loops: LoopView, share: float) -> LoopView:
    """The loops over a share of their deflection."""
    return replace(
        loops,
        u=share * loops.u,
        amplitude=share * loops.amplitude,
        middle=share * loops.middle,
        first_slope=loops.first_slope / share,
        last_slope=loops.last_slope / share,
        upper=(loops.upper[0], loops.upper[1] / share),
        lower=(loops.lower[0], loops.lower[1] / share),
        secant=loops.secant / share,
        rule=loops.rule if share == 1.0 else lambda _: None,
    )


def without_part(loops: LoopView, law: Law) -> LoopView:
    """The loops less the deflection that an elastic part in series with them has at their force."""
    x = np.linspace(-3.0, 3.0, INVERSE_POINTS) * loops.amplitude
    force = law.trace(x)
    u = [_increasing(loops.u - np.interp(f, force, x)) for f in (loops.up, loops.down)]
    low, high = max(u[0][0], u[1][0]), min(u[0][-1], u[1][-1])
    if not low < high:
        return loops
    grid = np.linspace(low, high, loops.u.size)
    up, down = (np.interp(grid, own, f) for own, f in zip(u, (loops.up, loops.down), strict=True))
    upper, lower = _end_line(grid, up), _end_line(-grid[::-1], down[::-1])
    lower = lower[0], -lower[1]
    middle, secant = 0.5 * (low + high), float(up[-1] - down[0]) / float(high - low)
    return replace(
        loops,
        u=grid,
        up=up,
        down=down,
        amplitude=0.5 * float(high - low),
        middle=float(middle),
        first_slope=positive_or(0.5 * (_first_slope(grid, up) + _first_slope(-grid[::-1], -down[::-1])), secant),
        last_slope=0.5 * (upper[1] + lower[1]),
        upper=upper,
        lower=lower,
        line_distance=float(upper[0] - lower[0] + (upper[1] - lower[1]) * middle),
        secant=secant,
        rule=lambda _: None,
    )


def _increasing(u: Array) -> Array:
    """(m,) deflections that never fall, and rise by a little at least."""
    return np.asarray(np.maximum.accumulate(u) + 1e-12 * np.ptp(u) * np.arange(u.size))


def _first_slope(u: Array, f: Array) -> float:
    count = max(int(SLOPE_SHARE * u.size), 3)
    return float(np.polyfit(u[:count], f[:count], 1)[0])


def _end_line(u: Array, f: Array) -> tuple[float, float]:
    """(constant, slope) of the line through the end of a branch."""
    count = max(int(END_SHARE * u.size), 3)
    slope, constant = np.polyfit(u[-count:], f[-count:], 1)
    return float(constant), float(slope)
