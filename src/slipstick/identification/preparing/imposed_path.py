"""The path that drives a law along a measured loop, and the law's state at its start.

A measurement seldom begins with a virgin sample. Three initial states are distinguished:

    virgin   the law comes from zero deflection along its virgin curve, as in `Law.trace`
    settled  the first cycle has been run before; lead cycles are added until the force repeats
    unknown  neither: a reversal before the first sample is fitted (`search.initial_states`)

Between reversals a path is monotone. A law whose update is exact for a step of any size therefore needs only the two
reversals of a lead cycle; a law with rate-dependent memory needs all samples of the cycle.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import SlipstickError
from slipstick.identification import tolerances as tol
from slipstick.identification.loop import Loop
from slipstick.laws.base import Law
from slipstick.laws.law_trace import Tracer, max_reversals, sample_rates

InitialState = Literal["virgin", "settled", "unknown"]

THINNED_SAMPLES = 300  # of a loop, while a search only chooses between starts
THINNED_SAMPLES_RATE_DEPENDENT = 3000  # ... for rate-dependent memory, which coarse steps would change
MAX_LEAD_CYCLES = 64  # until the memory repeats
LEAD_STEPS = 100  # from the previous reversal to the first sample, for rate-dependent memory


@dataclass(frozen=True)
class ImposedPath:
    """A loop as the imposed path of a law.

    u, rate : (n,) deflection that drives the law, and its rate (only the sign without times).
    f : (n,) measured force.   counts : (n,) mask of the samples that are compared.
    lead_corners : (2,) reversals of a lead cycle; empty for a virgin law.
    first_cycle : samples of the first cycle, for rate-dependent memory; empty if there is none.
    previous_reversal : deflection of a reversal before the first sample, reached from zero; NaN if there is none.
    time : (n,) after the first sample, for laws that relax in time; zeros by default.
    normal : (n,) normal load over its mean in all loops, to which the force of all terms but springs is proportional;
        or None.
    """

    u: Array
    rate: Array
    f: Array
    counts: NDArray[np.bool_]
    lead_corners: Array
    first_cycle: slice
    previous_reversal: float = float("nan")
    normal: Array | None = None
    time: Array = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if not self.time.size:
            object.__setattr__(self, "time", np.zeros_like(self.u))

    @cached_property
    def memory_capacity(self) -> int:
        """Largest number of reversals that a law may have to store along the path."""
        return max_reversals(self.u) + 2 * MAX_LEAD_CYCLES * (2 + max_reversals(self.u[self.first_cycle])) + 4

    def force(self, law: Law) -> Array:
        """(n,) force of a law along the path."""
        return forces_of(law, [self])[0]

    def warnings_of(self, law: Law) -> list[str]:
        """Warnings that a law gives along the path."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.trace_force(Tracer(law, self.memory_capacity))
        return list(dict.fromkeys(str(each.message) for each in caught))

    def trace_force(self, tracer: Tracer) -> Array:
        """(n,) force of a compiled law along the path, after its lead cycles."""
        if np.isfinite(self.previous_reversal):
            state, passed = self._state_after_previous_reversal(tracer)
            return tracer.follow(self.u, self.rate, self.time + passed, state)
        if not self.lead_corners.size:
            return tracer.follow(self.u, self.rate, self.time, tracer.begin(float(self.u[0])))
        lead, lead_rate, lead_time, period = self._lead_cycle(tracer.law)
        state, m, cycles, done = tracer.begin(float(lead[0])), lead.size, 2, 0
        while cycles <= MAX_LEAD_CYCLES:
            time = (lead_time + period * np.arange(done, done + cycles)[:, None]).ravel()
            lead_force = tracer.follow(np.tile(lead, cycles), np.tile(lead_rate, cycles), time, state)
            done += cycles
            settled = abs(lead_force[-1] - lead_force[-1 - m]) <= tol.SETTLED_FORCE_REL * np.ptp(lead_force)
            if settled or any(leaf.law.never_settles for leaf in tracer.law.leaves()):
                break
            cycles *= 2
        force = tracer.follow(self.u, self.rate, self.time + done * period, state)
        return force + self.offset(force) if self.free_force_offset(tracer.law) else force

    def _lead_cycle(self, law: Law) -> tuple[Array, Array, Array, float]:
        """Deflections, rates and times of a lead cycle, and its period."""
        end = self.first_cycle.stop
        if has_rate_dependent_memory(law) and end:
            period = float(self.time[end] - self.time[0]) if end < self.time.size else 0.0
            return self.u[:end], self.rate[:end], self.time[:end], period
        still = np.zeros(self.lead_corners.size)
        return self.lead_corners, still, still, 0.0

    def _state_after_previous_reversal(self, tracer: Tracer) -> tuple[Any, float]:
        """State of a law at the first sample, and the time since the previous reversal, at a constant rate."""
        steps = LEAD_STEPS if has_rate_dependent_memory(tracer.law) else 1
        lead = np.linspace(self.previous_reversal, float(self.u[0]), steps + 1)
        speed = float(np.median(np.abs(self.rate))) if steps > 1 else 0.0
        rate = np.full(lead.size, np.copysign(speed, self.u[0] - self.previous_reversal))
        way = abs(float(self.u[0]) - self.previous_reversal)
        passed = way / speed if speed else 0.0
        state = tracer.begin(self.previous_reversal)
        tracer.follow(lead, rate, passed * np.linspace(0.0, 1.0, lead.size), state)
        return state, passed

    def free_force_offset(self, law: Law) -> bool:
        """True if the lead cycles do not determine the mean force of a law: the data then do."""
        size = float(np.ptp(self.f)) or 1.0
        low, high = float(self.u.min()), float(self.u.max())
        return bool(self.lead_corners.size) and any(
            leaf.law.free_force_offset(leaf.deflection * low, leaf.deflection * high, abs(size / leaf.force))
            for leaf in law.leaves()
        )

    def offset(self, force: Array) -> float:
        """Mean difference of the measured force from another one."""
        return float(np.mean((self.f - force)[self.counts]))

    def thinned(self, turns: NDArray[np.intp], rate_dependent: bool = False, target: int | None = None) -> ImposedPath:
        """The path with fewer samples, with all reversals; unchanged if it has few.

        rate_dependent : for a law with rate-dependent memory, which coarse steps would change.
        target : number of samples to keep, beside reversals; by default few, to choose between starts.
        """
        n = self.u.size
        target = target or (THINNED_SAMPLES_RATE_DEPENDENT if rate_dependent else THINNED_SAMPLES)
        if n <= 2 * target:
            return self
        keep = np.union1d(np.linspace(0, n - 1, target).astype(np.intp), turns)
        first_cycle = slice(0, int(np.searchsorted(keep, self.first_cycle.stop)))
        return replace(
            self,
            u=self.u[keep],
            rate=self.rate[keep],
            f=self.f[keep],
            counts=self.counts[keep],
            time=self.time[keep],
            first_cycle=first_cycle,
            normal=None if self.normal is None else self.normal[keep],
        )

    def compared(self, values: Array) -> Array:
        """The values at the compared samples; where these are all, the array itself."""
        return values if self._counts_all else values[self.counts]

    @cached_property
    def _counts_all(self) -> bool:
        return bool(self.counts.all())

    def rms_residual(self, law: Law) -> float:
        """The rms residual of a law along the path; infinite if the law has no force there."""
        try:
            residuals = (self.force(law) - self.f)[self.counts]
        except SlipstickError:
            return inf
        rms = float(np.sqrt(np.mean(residuals**2)))
        return rms if isfinite(rms) else inf


def forces_of(law: Law, paths: Sequence[ImposedPath]) -> list[Array]:
    """Forces of a law along several paths; the law is compiled once.

    Warnings of trial laws are suppressed; those of the fitted law are reported with the fit.
    """
    capacity = max(path.memory_capacity for path in paths)
    springs = _spring_part(law) if any(path.normal is not None for path in paths) else None
    with warnings.catch_warnings(), np.errstate(over="ignore", invalid="ignore"):  # a trial law may overflow
        warnings.simplefilter("ignore", UserWarning)
        tracer = Tracer(law, capacity)
        forces = [path.trace_force(tracer) for path in paths]
        for k, path in enumerate(paths):
            if path.normal is not None:
                spring = 0.0 if springs is None else path.trace_force(Tracer(springs, capacity))
                forces[k] = spring + path.normal * (forces[k] - spring)
    return forces


def _spring_part(law: Law) -> Law | None:
    """The springs and dampers of a sum, which do not depend on the normal load; None without any."""
    springs = [term.law for term in law.as_terms() if term.law.identification.is_spring]
    return springs[0] if len(springs) == 1 and len(law.as_terms()) > 1 else None


def imposed_path_of(loop: Loop, u: Array, initial_state: InitialState) -> ImposedPath:
    """The path of a loop, with a smoothed deflection u and a constant normal load."""
    # without times only the direction of the rate is known
    rate = np.sign(np.diff(u, prepend=u[0])) if loop.t is None else sample_rates(u, loop.t)
    counts = np.ones(u.size, dtype=bool)
    time = np.zeros_like(u) if loop.t is None else loop.t - loop.t[0]
    if initial_state == "virgin":
        return ImposedPath(u, rate, loop.f, counts, np.empty(0), slice(0, 0), time=time)
    corners, first_cycle = lead_reversals(u, loop.turning.turns), _first_cycle(u, loop.turning.turns)
    return ImposedPath(u, rate, loop.f, counts, corners, first_cycle, time=time)


def covering_reversal(u: Array, turns: NDArray[np.intp]) -> int | None:
    """Sample of the reversal by which a path has covered its whole range; None if less than a cycle follows."""
    margin = tol.COVERED_RANGE_TOLERANCE * float(np.ptp(u))
    high, low = (np.flatnonzero(sign * u[turns] >= np.max(sign * u) - margin) for sign in (1.0, -1.0))
    later = max(int(high[0]), int(low[0])) if high.size and low.size else turns.size
    return int(turns[later]) if later + 2 < turns.size else None


def lead_reversals(u: Array, turns: NDArray[np.intp]) -> Array:
    """(2,) reversals of the first cycle, ordered so that the path from the second passes the first sample."""
    direction = np.sign(u[turns[1]] - u[turns[0]])
    far = u[turns[1]]
    near = u[turns[2]] if turns.size > 2 else u[0]
    return np.array([far, near if direction * near < direction * u[0] else u[0]])


def _first_cycle(u: Array, turns: NDArray[np.intp]) -> slice:
    """Samples from the first one to where the deflection passes it again in the same direction."""
    if turns.size < 4:
        return slice(0, 0)
    direction = np.sign(u[turns[1]] - u[turns[0]])
    branch = np.arange(turns[2], turns[3] + 1)
    passed = direction * u[branch] >= direction * u[0]
    return slice(0, int(branch[np.argmax(passed)])) if passed.any() else slice(0, 0)


def has_rate_dependent_memory(law: Law) -> bool:
    """True if the memory of a law depends on the rate; a parallel damper does not count."""
    return any(leaf.law.needs_rate and leaf.law.remembers for leaf in law.leaves())
