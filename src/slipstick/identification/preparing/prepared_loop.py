"""`PreparedLoop`: a measured loop ready for a fit, with notes on all findings and changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, Message, short_repr
from slipstick.identification import tolerances as tol
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.declipping import declip_deflection
from slipstick.identification.preparing.imposed_path import (
    ImposedPath,
    InitialState,
    covering_reversal,
    imposed_path_of,
)
from slipstick.identification.preparing.loop_geometry import LoopGeometry, interpolate_branch, measure_geometry
from slipstick.identification.preparing.record_kind import refuse_other_records
from slipstick.identification.preparing.sensor_faults import Mask, find_clipped_force, find_strays, refuse_extreme_sizes
from slipstick.identification.preparing.signal_conditioning import is_swapped
from slipstick.identification.preparing.smoothing import Filter, identity_filter, smooth_deflection

NEGATED_NOTE = " times -"  # marks a note on a negative factor


class InitialStateGuess(NamedTuple):
    """state : of the law at the first sample.   certain : the data show it; else a fit tries both."""

    state: InitialState
    certain: bool


@dataclass(frozen=True)
class PreparedLoop:
    """A loop with everything that a fit needs.

    loop : as given.   path : the imposed path of a law.   geometry : of the branches along that path.
    initial_state : virgin or settled, as guessed.   filter : the smoothing of the deflection, applied to noise.
    deflection_noise_level : [m] standard deviation of the noise of the deflection.
    is_clipped : the deflection sensor was out of range at the reversals, so they are unknown.
    exclusions : why samples are excluded, in words.   spikes : (n,) outliers of the force.
    """

    loop: Loop
    path: ImposedPath
    geometry: LoopGeometry
    initial_state: InitialStateGuess
    notes: tuple[Message, ...]
    filter: Filter = identity_filter
    deflection_noise_level: float = 0.0
    is_clipped: bool = False
    exclusions: tuple[str, ...] = ()
    spikes: Mask | None = None

    @property
    def without_times(self) -> bool:
        return self.loop.t is None

    @property
    def with_other_state(self) -> PreparedLoop:
        """A copy with the other initial state: settled for virgin, virgin for settled."""
        other: InitialState = "virgin" if self.initial_state.state == "settled" else "settled"
        path = replace(self.path_along(self.path.u, other), counts=self.path.counts)
        return replace(self, path=path, initial_state=InitialStateGuess(other, certain=True))

    def path_along(self, u: Array, initial_state: InitialState) -> ImposedPath:
        """The path of the loop along another deflection, with all samples compared."""
        return replace(imposed_path_of(self.loop, u, initial_state), normal=self.path.normal)

    @property
    def state_free_path(self) -> ImposedPath | None:
        """The path with only samples whose force does not depend on the initial state; None if too few remain."""
        begin = covering_reversal(self.path.u, self.loop.turning.turns)
        if begin is None:
            return None
        late = np.arange(self.path.u.size) >= begin
        return replace(self.path_along(self.path.u, "settled"), counts=self.path.counts & late)

    def started_from_reversal(self, previous_reversal: float) -> PreparedLoop:
        """A copy that starts from a reversal before the first sample."""
        path = replace(
            self.path, lead_corners=np.empty(0), first_cycle=slice(0, 0), previous_reversal=previous_reversal
        )
        return replace(self, path=path, initial_state=InitialStateGuess("unknown", certain=True))

    @cached_property
    def encloses_area(self) -> bool:
        """True if the branches enclose an area that noise alone does not explain."""
        g, (low, high) = self.geometry, self.geometry.tips
        straight = g.without(lambda u: 0.5 * (low + high) + g.secant * (u - g.middle))  # branch ends differ by a sample
        area = variance = 0.0
        for branch, sign in ((straight.rising, 1.0), (straight.falling, -1.0)):
            common = branch.within(float(g.u[0]), float(g.u[-1]))
            area += sign * float(np.trapezoid(common.f, common.u))
            variance += float(np.sum((np.convolve(np.diff(common.u), (0.5, 0.5))) ** 2))
        noise = np.hypot(self.loop.noise, abs(g.secant) * self.loop.turning.noise)
        return abs(area) > tol.AREA_SIGNIFICANCE * float(noise * np.sqrt(variance))

    def excluding(self, samples: Mask, reason: str) -> PreparedLoop:
        """A copy without some samples in the comparison. The reason is known before any fit, and becomes a warning."""
        path = replace(self.path, counts=self.path.counts & ~samples)
        return replace(self, path=path, exclusions=(*self.exclusions, reason)).with_note(reason)

    def with_note(self, text: str, *advice: Advice) -> PreparedLoop:
        """A copy with one more note."""
        return replace(self, notes=(*self.notes, Message(text, owner=self.loop.name, advice=advice)))


def prepare_loops(loops: Any) -> list[PreparedLoop]:
    """Loops prepared for a fit; an error for anything else."""
    given = [loops] if isinstance(loops, Loop) else list(loops) if isinstance(loops, Sequence) else None
    if not given or not all(isinstance(loop, Loop) for loop in given):
        first = given[0] if given and not isinstance(loops, str) else loops
        is_file = isinstance(first, (str, PathLike))
        way = f"; ss.Loop.read_csv({short_repr(str(first))}) reads one from a file" if is_file else ""
        raise InvalidInput(f"identify needs a Loop or a list of them, got {short_repr(loops)}{way}").about("loops")
    prepared = [_prepare_one(loop) for loop in given]
    other = next((loop for loop in given if loop.system != given[0].system), None)
    if other is not None:
        words = f"{given[0].name} is of {given[0].system}, {other.name} of {other.system}"
        raise InvalidInput(f"identify: {words}: fit loops of one kind").about("loops")
    _refuse_mixed_units(prepared)
    return _with_normal_loads(prepared)


def _with_normal_loads(prepared: list[PreparedLoop]) -> list[PreparedLoop]:
    """Loops with their normal loads over the mean of all: one friction coefficient holds for all loops."""
    loads = [r.loop.normal for r in prepared if r.loop.normal is not None]
    if not loads:
        return prepared
    if len(loads) < len(prepared):
        other = next(r.loop.name for r in prepared if r.loop.normal is None)
        words = f"{other} has no normal load, other loops have one; give it for all loops or for none"
        raise InvalidInput(f"identify: {words}").about("loops")
    mean = float(np.mean([load.mean() for load in loads]))
    return [replace(r, path=replace(r.path, normal=load / mean)) for r, load in zip(prepared, loads, strict=True)]


def _prepare_one(given: Loop) -> PreparedLoop:
    refuse_extreme_sizes(given)
    loop, strays = _repair_strays(given)
    declipped = declip_deflection(loop)
    loop = declipped.loop
    if np.ptp(loop.f) == 0.0:
        force = loop.units.force.words(float(loop.f[0]), 4)
        raise InvalidInput(f"{loop.name}: the force is {force} at all samples; choose another force column")
    refuse_other_records(loop)
    geometry = measure_geometry(loop)
    _refuse_energy_source(loop, geometry)
    smooth = smooth_deflection(loop)
    initial_state = guess_initial_state(loop)
    path = imposed_path_of(loop, smooth.u, initial_state.state)
    notes = tuple(Message(text, owner=loop.name) for text in (*loop.notes, smooth.note) if text)
    prepared = PreparedLoop(loop, path, geometry, initial_state, notes, smooth.filter)
    if strays.any():
        count = f"{int(strays.sum())} of {strays.size}"
        prepared = prepared.excluding(strays, f"the deflection of {count} samples is far from its neighbours; excluded")
    clipped = find_clipped_force(loop)
    if clipped.note:
        prepared = prepared.excluding(clipped.samples, clipped.note)
    if not declipped.restored:
        prepared = replace(prepared.excluding(declipped.clipped, declipped.note), is_clipped=True)
    keep = prepared.path.counts
    if (smooth.note or not keep.all()) and np.mean(keep) > 0.5:
        prepared = replace(prepared, geometry=measure_geometry(_with_deflection(loop, smooth.u, keep)))
    if declipped.note and declipped.restored:  # after the geometry, as branches end in the restored part
        prepared = prepared.excluding(declipped.clipped, declipped.note)
    return _exclude_after_gaps(prepared)


def guess_initial_state(loop: Loop) -> InitialStateGuess:
    """Compare the first branch with the next one in the same direction, over the same deflections.

    In a settled loop they coincide. A virgin curve starts inside the loop that later branches draw.
    """
    turns, u = loop.turning.turns, loop.u
    if turns.size < 4:  # no second branch in this direction
        return InitialStateGuess("settled", certain=False)
    first, later = slice(turns[0], turns[1] + 1), slice(turns[2], turns[3] + 1)
    direction = np.sign(u[turns[1]] - u[turns[0]])
    low = max(direction * u[turns[0]], direction * u[turns[2]])
    high = min(direction * u[turns[1]], direction * u[turns[3]])
    if high - low < tol.MIN_COMMON_RANGE_SHARE * np.ptp(u):
        return InitialStateGuess("settled", certain=False)
    grid = np.linspace(low, high, 41)[:-4]  # all branches meet near the tip
    one, other = (interpolate_branch(grid, direction * u[part], loop.f[part]) for part in (first, later))
    gap = float(np.max(np.abs(np.convolve(one - other, np.full(5, 0.2), mode="valid"))))
    limit = tol.SAME_PASS_REL * measure_geometry(loop).half_width
    certain = limit > tol.MIN_RELIABLE_PASS_NOISE_RATIO * loop.noise
    return InitialStateGuess("virgin" if gap > limit else "settled", certain)


def _exclude_after_gaps(prepared: PreparedLoop) -> PreparedLoop:
    """Exclude the samples after a gap in time until the law has forgotten it: the gap may hide a reversal."""
    t, u, turns = prepared.loop.clock, prepared.path.u, prepared.loop.turning.turns
    steps = np.diff(t)
    branch = float(np.median(np.diff(t[turns])))
    for i in np.flatnonzero(
        steps > max(tol.TIME_GAP_STEPS * float(np.median(steps)), tol.TIME_GAP_BRANCH_SHARE * branch)
    ).tolist():
        if i == 0:
            continue  # a gap after the first sample is like an unknown start
        later = np.concatenate(([0], turns[turns > i + 1] - (i + 1)))
        covered = covering_reversal(u[i + 1 :], later) if later.size > 1 else None
        end = u.size if covered is None else i + 1 + covered
        after_gap = (np.arange(u.size) > i) & (np.arange(u.size) < end) & prepared.path.counts
        gap = f"no samples for {steps[i]:.3g} s after {t[i]:.4g} s: a reversal may be missing"
        if prepared.path.counts.sum() - after_gap.sum() < tol.MIN_COMPARED_SHARE * u.size:
            return prepared.with_note(gap)
        prepared = prepared.excluding(
            after_gap, f"{gap}, so the next {int(after_gap.sum())} samples, up to the full range, are excluded"
        )
    return prepared


def _repair_strays(loop: Loop) -> tuple[Loop, Mask]:
    """Replace stray samples of the deflection by interpolation; returns the loop and the mask of strays."""
    strays = find_strays(loop.u, loop.turning.noise)
    if not strays.any():
        return loop, strays
    samples = np.arange(strays.size)
    u = np.interp(samples, samples[~strays], loop.u[~strays])
    return replace_deflection(loop, u), strays


def replace_deflection(loop: Loop, u: Array) -> Loop:
    """A copy with another deflection, without a note."""
    return Loop(
        u, loop.f, loop.t, name=loop.name, notes=loop.notes, frequency=loop.frequency, system=loop.system,
        file=loop.file, units=loop.units, normal=loop.normal,
    )  # fmt: skip


def _with_deflection(loop: Loop, u: Array, keep: Mask) -> Loop:
    """The kept samples with another deflection."""
    t = None if loop.t is None else loop.t[keep]
    return Loop(u[keep], loop.f[keep], t, name=loop.name, system=loop.system)


def _refuse_energy_source(loop: Loop, geometry: LoopGeometry) -> None:
    """Refuse a loop that generates energy: no friction law does, so columns are swapped or a sign is wrong."""
    force = float(np.ptp(np.concatenate((geometry.up, geometry.down))))
    if geometry.area >= -tol.NEGATIVE_AREA_REL * force * 2.0 * geometry.amplitude:
        return
    given = loop.units.of((1, 1, 0)).words(-geometry.area, 3)
    if any(NEGATED_NOTE in note for note in loop.notes):
        words = (
            f"a cycle gives {given} instead of taking it, because a factor below zero turned the sign of a loop that "
            "was right"
        )
        raise InvalidInput(words, owner=loop.name, advice=[Advice("leave out {scaled}")])
    if is_swapped(loop, geometry):
        words = (
            f"a cycle gives {given} instead of taking it: deflection and force seem to be swapped, or time runs "
            "backwards"
        )
        raise InvalidInput(words, owner=loop.name, advice=[Advice("{swapped_columns}")])
    falls = "force falls as deflection grows, and " if geometry.secant < 0.0 else ""
    words = f"{falls}a cycle gives {given} instead of taking it: one of them has the wrong sign"
    way = Advice("use {scale}, or {sign}", scale={"force": -1}, sign="auto")
    raise InvalidInput(words, owner=loop.name, advice=[way])


def _refuse_mixed_units(prepared: list[PreparedLoop]) -> None:
    """Refuse loops with very different amplitudes: one is probably in mm, another in m."""
    sizes = [r.geometry.amplitude for r in prepared]
    small, large = int(np.argmin(sizes)), int(np.argmax(sizes))
    if sizes[large] > tol.MAX_AMPLITUDE_RATIO * sizes[small]:
        big, little = (prepared[i].loop.units.deflection.words(sizes[i], 3) for i in (large, small))
        words = (
            f"{prepared[large].loop.name} has an amplitude of {big}, {prepared[small].loop.name} one of {little}: "
            "are their units mixed (mm and m)?"
        )
        raise InvalidInput(words, advice=[Advice("{scale_one_loop}")])
