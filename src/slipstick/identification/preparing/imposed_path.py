"""The path that drives a law along a measured loop, and the law's state at its start.

A measurement seldom begins with a virgin sample. Three initial states are distinguished:

    virgin   the law comes from zero deflection on its virgin curve, as `Law.trace` does by itself
    settled  the first cycle has been run through before; the law is led around it until its force repeats
    unknown  neither: the law turned somewhere before the first sample; where is fitted (`previous_reversal`)

Between reversals a path is monotone, so for laws whose update is exact for a step of any size the two reversals of a
cycle are enough to lead it around; a law that looks at the rate is led through all samples of the cycle.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slipstick.identification.loop import Loop
from slipstick.laws.base import Law
from slipstick.laws.law_trace import Tracer, max_reversals, sample_rates

Array = NDArray[np.float64]
InitialState = Literal["virgin", "settled", "unknown"]

THINNED_SAMPLES = 300  # samples of a loop where a search only chooses
THINNED_SAMPLES_RATE_DEPENDENT = 3000  # ... of a law whose memory looks at the rate
MAX_LEAD_CYCLES = 64  # at once, at most, until the memory repeats
LEAD_STEPS = 100  # steps to the first sample, for a law that looks at the rate
COVERED_RANGE_TOLERANCE = 0.05  # of the range of deflection: a path that comes so near to an end has been there
SETTLED_FORCE_REL = 1e-11  # of the range of force: rounds that differ by less are the same


@dataclass(frozen=True)
class ImposedPath:
    """A loop as the path of a law.

    u, rate : (n,) the deflection that drives the law and its rate (only its sign where there are no times).
    f : (n,) the measured force.   counts : (n,) the samples that are compared.
    corners : (2,) the reversals that lead a law around once; empty for a virgin one.
    around : samples of the first cycle, for laws that look at the rate; empty where there is none.
    before : deflection of the reversal before the first sample, to which the law goes from zero; NaN if there is none.
    """

    u: Array
    rate: Array
    f: Array
    counts: NDArray[np.bool_]
    corners: Array
    around: slice
    before: float = float("nan")

    @cached_property
    def spare(self) -> int:
        """The most reversals that a law which keeps them has to remember on the way."""
        return max_reversals(self.u) + 2 * MAX_LEAD_CYCLES * (2 + max_reversals(self.u[self.around])) + 4

    def force(self, law: Law) -> Array:
        """(n,) the force of a law along the loop."""
        return forces_of(law, [self])[0]

    def warnings_of(self, law: Law) -> list[str]:
        """What a law warns of along the loop."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.along(Tracer(law, self.spare))
        return list(dict.fromkeys(str(each.message) for each in caught))

    def along(self, tracer: Tracer) -> Array:
        """(n,) the force of a law that was made ready for this and other loops."""
        if np.isfinite(self.before):
            return tracer.follow(self.u, self.rate, self.rate, self._state_after_previous_reversal(tracer))
        if not self.corners.size:
            return tracer.follow(self.u, self.rate, self.rate, tracer.begin(float(self.u[0])))
        if has_rate_dependent_memory(tracer.law) and self.around.stop:
            lead, lead_rate = self.u[self.around], self.rate[self.around]
        else:
            lead, lead_rate = self.corners, np.zeros(self.corners.size)
        state, m, rounds = tracer.begin(float(lead[0])), lead.size, 2
        while rounds <= MAX_LEAD_CYCLES:
            led = tracer.follow(np.tile(lead, rounds), np.tile(lead_rate, rounds), np.tile(lead_rate, rounds), state)
            if abs(led[-1] - led[-1 - m]) <= SETTLED_FORCE_REL * np.ptp(led):
                break
            rounds *= 2
        force = tracer.follow(self.u, self.rate, self.rate, state)
        return force + self.offset(force) if self.free_force_offset(tracer.law) else force

    def _state_after_previous_reversal(self, tracer: Tracer) -> Any:
        """The state of a law at the first sample that turned before it; one that looks at the rate moves steadily."""
        steps = LEAD_STEPS if has_rate_dependent_memory(tracer.law) else 1
        lead = np.linspace(self.before, float(self.u[0]), steps + 1)
        speed = float(np.median(np.abs(self.rate))) if steps > 1 else 0.0
        rate = np.full(lead.size, np.copysign(speed, self.u[0] - self.before))
        state = tracer.begin(self.before)
        tracer.follow(lead, rate, rate, state)
        return state

    def free_force_offset(self, law: Law) -> bool:
        """True if what a law has been led around does not tell at which force its loop is: that is then of the data."""
        size = float(np.ptp(self.f)) or 1.0
        low, high = float(self.u.min()), float(self.u.max())
        return bool(self.corners.size) and any(
            own.law.free_force_offset(own.deflection * low, own.deflection * high, abs(size / own.force))
            for own in law.leaves()
        )

    def offset(self, force: Array) -> float:
        """What the measured force is above another, on the mean."""
        return float(np.mean((self.f - force)[self.counts]))

    def thinned(self, turns: NDArray[np.intp], rates: bool = False) -> ImposedPath:
        """With a part of its samples, all reversals included; itself where it has few.

        rates : for a law whose memory looks at the rate, which coarse steps would change.
        """
        n, most = self.u.size, THINNED_SAMPLES_RATE_DEPENDENT if rates else THINNED_SAMPLES
        if n <= 2 * most:
            return self
        keep = np.union1d(np.linspace(0, n - 1, most).astype(np.intp), turns)
        around = slice(0, int(np.searchsorted(keep, self.around.stop)))
        return replace(
            self, u=self.u[keep], rate=self.rate[keep], f=self.f[keep], counts=self.counts[keep], around=around
        )

    def misses(self, law: Law) -> float:
        """The rms difference of its force from that of a law."""
        left = (self.force(law) - self.f)[self.counts]
        return float(np.sqrt(np.mean(left**2)))


def forces_of(law: Law, drives: Sequence[ImposedPath]) -> list[Array]:
    """The forces of a law along several loops; it is made ready once for all of them.

    Laws on trial warn of nothing: what the one that is found warns of is told with the fit.
    """
    tracer = Tracer(law, max(drive.spare for drive in drives))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return [drive.along(tracer) for drive in drives]


def imposed_path_of(loop: Loop, u: Array, beginning: InitialState) -> ImposedPath:
    """Of a loop, with a deflection u that is fit to drive a law."""
    # without times no size is known, but the way in which each sample was reached is
    rate = np.sign(np.diff(u, prepend=u[0])) if loop.t is None else sample_rates(u, loop.t)
    counts = np.ones(u.size, dtype=bool)
    if beginning == "virgin":
        return ImposedPath(u, rate, loop.f, counts, np.empty(0), slice(0, 0))
    return ImposedPath(
        u, rate, loop.f, counts, lead_reversals(u, loop.turning.turns), _first_cycle(u, loop.turning.turns)
    )


def covering_reversal(u: Array, turns: NDArray[np.intp]) -> int | None:
    """The reversal by which a path has covered its whole range; None if less than a cycle is left after it."""
    reach = COVERED_RANGE_TOLERANCE * float(np.ptp(u))
    high, low = (np.flatnonzero(way * u[turns] >= np.max(way * u) - reach) for way in (1.0, -1.0))
    later = max(int(high[0]), int(low[0])) if high.size and low.size else turns.size
    return int(turns[later]) if later + 2 < turns.size else None


def lead_reversals(u: Array, turns: NDArray[np.intp]) -> Array:
    """(2,) the reversals of the first cycle, so ordered that the second leads over the first sample to the first."""
    way = np.sign(u[turns[1]] - u[turns[0]])
    far = u[turns[1]]
    near = u[turns[2]] if turns.size > 2 else u[0]
    return np.array([far, near if way * near < way * u[0] else u[0]])


def _first_cycle(u: Array, turns: NDArray[np.intp]) -> slice:
    """Samples from the first one to where the deflection passes it again the same way."""
    if turns.size < 4:
        return slice(0, 0)
    way = np.sign(u[turns[1]] - u[turns[0]])
    branch = np.arange(turns[2], turns[3] + 1)
    passed = way * u[branch] >= way * u[0]
    return slice(0, int(branch[np.argmax(passed)])) if passed.any() else slice(0, 0)


def has_rate_dependent_memory(law: Law) -> bool:
    """True if what a law remembers depends on the rate; a damper beside it does not count."""
    return any(leaf.law.needs_rate and leaf.law.remembers for leaf in law.leaves())
