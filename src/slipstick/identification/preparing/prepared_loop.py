"""`PreparedLoop`: a measured loop ready for a fit, with notes on all findings and changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, InvalidInput, Message, short_repr
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.declipping import declip_deflection
from slipstick.identification.preparing.imposed_path import (
    ImposedPath,
    InitialState,
    covering_reversal,
    imposed_path_of,
)
from slipstick.identification.preparing.initial_state import InitialStateGuess, guess_initial_state
from slipstick.identification.preparing.loop_geometry import LoopGeometry, measure_geometry
from slipstick.identification.preparing.sensor_faults import Mask, find_clipped_force, find_strays, refuse_extreme_sizes
from slipstick.identification.preparing.smoothing import Filter, identity_filter, smooth_deflection

Array = NDArray[np.float64]

MAX_AMPLITUDE_RATIO = 200.0  # of amplitudes of loops in one fit, before units are doubted
AREA_SIGNIFICANCE = 4.0  # standard deviations: an area that noise alone does not make
TIME_GAP_STEPS = 20.0  # times the usual step, and
TIME_GAP_BRANCH_SHARE = 0.1  # of the time of a branch: in a longer step without samples a reversal may be lost
MIN_COMPARED_SHARE = 0.25  # of all samples must be left to compare
NEGATED_NOTE = " times -"  # in the notes of a loop that was multiplied by a number below zero
NEGATIVE_AREA_REL = 0.02  # of range times range: an area below minus this is no rounding


@dataclass(frozen=True)
class PreparedLoop:
    """loop : as given.   drive : the path of a law.   geometry : of its branches, over that path.
    judged : how it begins.   filter : what smoothing left of noise in the deflection.   deflection_noise_level : that
    noise [m].
    is_clipped : the sensor of deflection was at its end where the motion turned, and nobody knows where that was.
    left_out : why samples are not compared, in words.   spikes : (n,) samples of force far off their neighbours.
    """

    loop: Loop
    drive: ImposedPath
    geometry: LoopGeometry
    judged: InitialStateGuess
    notes: tuple[Message, ...]
    filter: Filter = identity_filter
    deflection_noise_level: float = 0.0
    is_clipped: bool = False
    left_out: tuple[str, ...] = ()
    spikes: Mask | None = None

    @property
    def without_times(self) -> bool:
        return self.loop.t is None

    @property
    def turned(self) -> PreparedLoop:
        """The same with the other beginning."""
        other: InitialState = "virgin" if self.judged.beginning == "settled" else "settled"
        drive = imposed_path_of(self.loop, self.drive.u, other)
        return replace(self, drive=replace(drive, counts=self.drive.counts), judged=InitialStateGuess(other, sure=True))

    @property
    def covered(self) -> ImposedPath | None:
        """The path with only those samples compared whose force does not depend on how it began; None if too few."""
        begin = covering_reversal(self.drive.u, self.loop.turning.turns)
        if begin is None:
            return None
        late = np.arange(self.drive.u.size) >= begin
        return replace(imposed_path_of(self.loop, self.drive.u, "settled"), counts=self.drive.counts & late)

    def started_from_reversal(self, before: float) -> PreparedLoop:
        """The same with a reversal before the first sample."""
        drive = replace(self.drive, corners=np.empty(0), around=slice(0, 0), before=before)
        return replace(self, drive=drive, judged=InitialStateGuess("unknown", sure=True))

    @cached_property
    def encloses(self) -> bool:
        """True if the branches enclose an area beyond what noise makes of two lines that are one."""
        g, (low, high) = self.geometry, self.geometry.tips
        straight = g.without(lambda u: 0.5 * (low + high) + g.secant * (u - g.middle))  # ends differ by a sample
        area = variance = 0.0
        for own, sign in ((straight.rising, 1.0), (straight.falling, -1.0)):
            within = own.within(float(g.u[0]), float(g.u[-1]))
            area += sign * float(np.trapezoid(within.f, within.u))
            variance += float(np.sum((np.convolve(np.diff(within.u), (0.5, 0.5))) ** 2))
        noise = np.hypot(self.loop.noise, abs(g.secant) * self.loop.turning.noise)
        return abs(area) > AREA_SIGNIFICANCE * float(noise * np.sqrt(variance))

    def without(self, samples: Mask, words: str) -> PreparedLoop:
        """The same without some samples in what is compared: never because of a fit, and always with a warning."""
        drive = replace(self.drive, counts=self.drive.counts & ~samples)
        return replace(self, drive=drive, left_out=(*self.left_out, words)).said(words)

    def said(self, words: str, *advice: Advice) -> PreparedLoop:
        """The same loop with one more note."""
        return replace(self, notes=(*self.notes, Message(words, owner=self.loop.name, advice=advice)))


def prepare_loops(loops: Any) -> list[PreparedLoop]:
    """Loops made ready; a refusal for what cannot be a loop."""
    given = [loops] if isinstance(loops, Loop) else list(loops) if isinstance(loops, Sequence) else None
    if not given or not all(isinstance(loop, Loop) for loop in given):
        first = given[0] if given and not isinstance(loops, str) else loops
        is_file = isinstance(first, (str, PathLike))
        way = f"; ss.Loop.read_csv({short_repr(str(first))}) reads one from a file" if is_file else ""
        raise InvalidInput(f"identify needs a Loop or a list of them, got {short_repr(loops)}{way}").about("loops")
    found = [_prepare_one(loop) for loop in given]
    other = next((loop for loop in given if loop.system != given[0].system), None)
    if other is not None:
        words = f"{given[0].name} is of {given[0].system}, {other.name} of {other.system}"
        raise InvalidInput(f"identify: {words}: fit loops of one kind").about("loops")
    _refuse_mixed_units(found)
    return found


def _prepare_one(given: Loop) -> PreparedLoop:
    refuse_extreme_sizes(given)
    loop, off = _repair_strays(given)
    whole = declip_deflection(loop)
    loop = whole.loop
    if loop.turning.reversals == 0:
        raise InvalidInput(f"{loop.name}: the deflection does not turn; a loop needs at least one reversal")
    if np.ptp(loop.f) == 0.0:
        force = loop.units.force.words(float(loop.f[0]), 4)
        raise InvalidInput(f"{loop.name}: the force is {force} throughout, so no law resists; take another column")
    geometry = measure_geometry(loop)
    _refuse_energy_source(loop, geometry)
    smooth = smooth_deflection(loop)
    judged = guess_initial_state(loop)
    drive = imposed_path_of(loop, smooth.u, judged.beginning)
    notes = (*loop.notes, smooth.words) if smooth.words else loop.notes
    made = PreparedLoop(
        loop, drive, geometry, judged, tuple(Message(words, owner=loop.name) for words in notes), smooth.filter
    )
    if off.any():
        count = int(off.sum())
        made = made.without(
            off, f"the deflection of {count} of {off.size} samples stands far off its neighbours; left out"
        )
    clipped = find_clipped_force(loop)
    if clipped.words:
        made = made.without(clipped.samples, clipped.words)
    if not whole.known:
        made = replace(made.without(whole.hidden, whole.words), is_clipped=True)
    keep = made.drive.counts
    if (smooth.words or not keep.all()) and np.mean(keep) > 0.5:
        made = replace(made, geometry=measure_geometry(_with_deflection(loop, smooth.u, keep)))
    if whole.words and whole.known:  # not before: branches have their ends there
        made = made.without(whole.hidden, whole.words)
    return _exclude_after_gaps(made)


def _exclude_after_gaps(r: PreparedLoop) -> PreparedLoop:
    """Without what follows on a gap in time, until what happened in it is forgotten: a reversal may be in it."""
    t, u, turns = r.loop.clock, r.drive.u, r.loop.turning.turns
    steps = np.diff(t)
    branch = float(np.median(np.diff(t[turns])))
    for i in np.flatnonzero(
        steps > max(TIME_GAP_STEPS * float(np.median(steps)), TIME_GAP_BRANCH_SHARE * branch)
    ).tolist():
        if i == 0:
            continue  # nothing is known of what was before the second sample, as of what was before the first
        later = np.concatenate(([0], turns[turns > i + 1] - (i + 1)))
        covered = covering_reversal(u[i + 1 :], later) if later.size > 1 else None
        end = u.size if covered is None else i + 1 + covered
        dark = (np.arange(u.size) > i) & (np.arange(u.size) < end) & r.drive.counts
        if r.drive.counts.sum() - dark.sum() < MIN_COMPARED_SHARE * u.size:
            return r.said(f"no samples for {steps[i]:.3g} s after {t[i]:.4g} s: what happened there is not known")
        r = r.without(
            dark,
            f"no samples for {steps[i]:.3g} s after {t[i]:.4g} s: what happened there is not known, so the next "
            f"{int(dark.sum())} samples, until the whole range is covered, are left out",
        )
    return r


def _repair_strays(loop: Loop) -> tuple[Loop, Mask]:
    """With strays of the deflection put between their neighbours, where they lead no law astray; and which they are."""
    off = find_strays(loop.u, loop.turning.noise)
    if not off.any():
        return loop, off
    samples = np.arange(off.size)
    u = np.interp(samples, samples[~off], loop.u[~off])
    return Loop(
        u, loop.f, loop.t, name=loop.name, notes=loop.notes, frequency=loop.frequency, system=loop.system,
        file=loop.file, units=loop.units,
    ), off  # fmt: skip


def _with_deflection(loop: Loop, u: Array, keep: Mask) -> Loop:
    """With another deflection, and some of the samples."""
    t = None if loop.t is None else loop.t[keep]
    return Loop(u[keep], loop.f[keep], t, name=loop.name, system=loop.system)


def _refuse_energy_source(loop: Loop, geometry: LoopGeometry) -> None:
    """Refuse a loop that gives energy: no law of friction does, so a column is swapped or has the wrong sign."""
    force = float(np.ptp(np.concatenate((geometry.up, geometry.down))))
    if geometry.area >= -NEGATIVE_AREA_REL * force * 2.0 * geometry.amplitude:
        return
    given = loop.units.of((1, 1, 0)).words(-geometry.area, 3)
    if any(NEGATED_NOTE in note for note in loop.notes):
        words = (
            f"a cycle gives {given} instead of taking it, as it was multiplied by a number below zero: it is right as "
            "it was"
        )
        raise InvalidInput(words, owner=loop.name, advice=[Advice("leave out {scaled}")])
    if geometry.secant < 0.0:
        words = (
            f"force falls as deflection grows, and a cycle gives {given} instead of taking it: one of them has the "
            "wrong sign"
        )
        raise InvalidInput(words, owner=loop.name, advice=[Advice("use {scale}", scale={"force": -1})])
    words = (
        f"a cycle gives {given} instead of taking it: deflection and force seem to be swapped, or time runs backwards"
    )
    raise InvalidInput(words, owner=loop.name, advice=[Advice("{swapped_columns}")])


def _refuse_mixed_units(found: list[PreparedLoop]) -> None:
    """Refuse loops whose amplitudes are more than two hundred times apart: one is in mm, the other in m."""
    sizes = [r.geometry.amplitude for r in found]
    small, large = int(np.argmin(sizes)), int(np.argmax(sizes))
    if sizes[large] > MAX_AMPLITUDE_RATIO * sizes[small]:
        big, little = (found[i].loop.units.deflection.words(sizes[i], 3) for i in (large, small))
        words = (
            f"{found[large].loop.name} has an amplitude of {big}, {found[small].loop.name} one of {little}: "
            "are their units mixed (mm and m)?"
        )
        raise InvalidInput(words, advice=[Advice("{scale_one_loop}")])
