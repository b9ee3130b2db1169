"""The equations of harmonic balance, as a family of orbits over frequency.

Unknowns are the series of the deflections that carry laws, or of the coordinates they touch where those are fewer:

    y_h + G_h g_h - G_h p_h = 0,    g = f(u, u') - k u - c u',    u = U y + offsets

at each harmonic h, with G the compliance of the linear part. k and c move from the laws into the linear part, only
where that would otherwise be singular or undamped. The solutions do not depend on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import InvalidInput, NotConverged, short_repr
from slipstick.periodic.balance.aft_forces import SampledLaws
from slipstick.periodic.balance.compiled_equations import CompiledEquations
from slipstick.periodic.balance.compliance import LinearPart, ModalCompliance
from slipstick.periodic.balance.fourier_series import FourierGrid, as_pairs, as_series, fourier_grid, sample_count_for
from slipstick.periodic.balance.law_corners import all_corners_located, corners_located_or_rounded, shortest_contact
from slipstick.periodic.balance.linear_split import linear_split_of, plain_part, typical_size
from slipstick.periodic.balance.load_harmonics import harmonic_pairs_of, highest_order, load_harmonics_of, period_order
from slipstick.periodic.balance.motion_recovery import sticking_terms
from slipstick.periodic.balance.nonlinear_connections import (
    NonlinearConnections,
    folded_of,
    nonlinear_connections_of,
)
from slipstick.periodic.balance.records import MIN_SERIES_SCALE_REL
from slipstick.periodic.balance.rest_state import RestState, rest_state_of
from slipstick.periodic.common_period import period_of
from slipstick.periodic.continuation.corrector import CurvePoint, Plane
from slipstick.periodic.continuation.family import Family, Linearisation, SofterFamily
from slipstick.periodic.shooting.period_map import loose_directions
from slipstick.transient.problem import Problem, pose
from slipstick.transient.series_joints import with_rate_joints
from slipstick.units.scales import frequency_scale

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.periodic.balance.multipliers import PeriodMaps
    from slipstick.periodic.balance.orbit_solver import BalanceSolution
    from slipstick.results.orbit import OrbitPoint


DEFAULT_HARMONICS = 7  # that are balanced, where nothing else is asked for
# times the samples of smooth laws serve to find the largest displacement, before Newton's method does
EXTREME_SAMPLES_FACTOR = 8
# samples of a base period for multipliers, at least: of smooth laws, and of laws whose corners are located
STABILITY_SAMPLES, STABILITY_SAMPLES_CORNERS = 256, 1024
# the same where corners are not located, as those of sliders: multipliers err in proportion to the distance of samples
STABILITY_SAMPLES_SLIDERS = 4096
STABILITY_SAMPLES_FRICTION = 2048  # beside rounded friction: half as many give the estimate of the error
SAMPLE_SHIFTS_REL = (
    0.25,
    0.5,
    0.75,
)  # of the distance of samples: with these, any one switch lies better or worse than it did
# samples of a harmonic and a base period for rounded friction, and of a period, at the most: it turns over so quickly
# that with fewer it does so between two of them, and the curve wavers so much that it takes five times the points
ROUNDED_FRICTION_SAMPLES, MAX_ROUNDED_SAMPLES = 64, 4096
MIN_CONTACT_SAMPLES = 4.0  # samples in a contact: in a shorter one they cannot tell how the motion is curved
FRICTION_WIDTH_REL = 0.1  # over which dry friction is rounded, of the typical size of the motion, over the harmonics


class HarmonicBalance(Family):
    """Orbits of a system by harmonic balance; p is the base frequency [rad/s].

    system : the model.   frequency : [rad/s] about where it will be used.
    harmonics : multiples of the base frequency that are balanced; default 7, or the highest order of the loads, or
        twice that with dry friction, whose error is estimated with half of the harmonics.
    subharmonic : base periods in a period of the response; default: as many as loads and factors need.
    samples : of a period; default a power of two, at least 16 a harmonic for laws with corners, 64 for each
        base period of a period where dry friction is rounded, and 4 for others.
    width : over which dry friction is rounded, in parts of the typical size of the motion; default 0.1 / harmonics, or
        the distance of samples [rad] where that is more.
    curved : whether deflections are curved between samples, where a corner of a force lies; default: where the shortest
        contact lasts four samples or more.
    problem : the system posed at that frequency, if it has been; what is found of its linear part is kept with it.
    """

    tolerance = 1e-10
    apart = True
    stability_refinement = 1  # times the usual samples for multipliers: more for a family that another is judged by

    def __init__(
        self,
        system: System,
        *,
        frequency: float,
        harmonics: int | None = None,
        subharmonic: int | None = None,
        samples: int | None = None,
        width: float | None = None,
        curved: bool | None = None,
        problem: Problem | None = None,
    ) -> None:
        _check(frequency, harmonics, subharmonic, samples)
        self.highest_order = highest_order(system, frequency)
        self.problem = with_rate_joints(problem or pose(system, 0.0, frequency))
        lines = nonlinear_connections_of(self.problem, 1.0)
        if harmonics is None:
            harmonics = max(DEFAULT_HARMONICS, (2 if lines.rounds else 1) * self.highest_order)
        self.options: dict[str, Any] = {
            "frequency": frequency, "harmonics": harmonics, "subharmonic": subharmonic, "samples": samples,
            "width": width, "curved": curved,
        }  # fmt: skip
        self.base, self.harmonics = frequency, harmonics
        self.order = period_order(system, frequency) if subharmonic is None else subharmonic
        self.index = harmonics * self.order
        self.loads = load_harmonics_of(self.problem, self.order, self.index)
        self.length = typical_size(self.problem, lines, self.loads, frequency)
        count = samples or self._samples_for(lines)
        closest = 2.0 * np.pi / count if samples is None else 0.0  # what turns over between two samples turns at one
        self.width = max(FRICTION_WIDTH_REL / harmonics, closest) if width is None else width
        self.lines = nonlinear_connections_of(self.problem, self.width * self.length) if lines.rounds else lines
        self._choose_samples(count, curved)
        self._choose_unknowns()
        linear = linear_split_of(self.problem, self.lines, self.loads, self.length, self.order)
        self.moved_stiffness, self.moved_mean, self.moved_damping, self.part, self.compliance, self.drift = linear
        if self.drift.any():
            self.loads = self.loads.less_mean(self.plain_part.damping @ self.drift)
        self.equations = CompiledEquations(self)
        self._at: float | None = None

    def change_loads(self, powers: Complex) -> None:
        """Other loads, as `LoadHarmonics.powers`; lengths and widths remain those of the first ones."""
        self.loads, self._at = replace(self.loads, powers=powers), None
        self.equations.place_loads(self)

    # ---- what is fixed

    @cached_property
    def plain_part(self) -> LinearPart:
        """The linear part with plain springs and dampers, and nothing moved into it."""
        return plain_part(self.problem)

    @cached_property
    def folded(self) -> frozenset[int]:
        """Numbers of the elements that are part of the matrices."""
        return frozenset(range(len(self.problem.elements))) - frozenset(folded_of(self.problem).others)

    @cached_property
    def fine_grid(self) -> FourierGrid:
        """The same harmonics on samples that are close enough to find the largest of what is a series."""
        return fourier_grid(self.index, sample_count_for(EXTREME_SAMPLES_FACTOR * self.index, corners=False))

    @cached_property
    def coarse_grid(self) -> FourierGrid:
        """The same on so few samples that they find the largest within a twelfth."""
        return fourier_grid(self.index, sample_count_for(2 * self.index, corners=False))

    @cached_property
    def sticking_terms(self) -> dict[int, list[int]]:
        """Numbers of the connections that can stick, and of their leaves that do."""
        return sticking_terms(self.lines)

    @cached_property
    def shifted(self) -> tuple[tuple[float, SampledLaws], ...]:
        """The laws on samples that lie later by some parts of their distance."""
        if not any(member.modulation for member in self.lines.members):
            return tuple((later, self.follower) for later in SAMPLE_SHIFTS_REL)
        period, n = 2.0 * np.pi * self.order / self.base, self.waves.samples
        times = [np.asarray(period / n * (np.arange(n) + later), dtype=np.float64) for later in SAMPLE_SHIFTS_REL]
        followers = (SampledLaws(self.lines, self.waves, own, self.base, self.curved) for own in times)
        return tuple(zip(SAMPLE_SHIFTS_REL, followers, strict=True))

    @cached_property
    def compared(self) -> HarmonicBalance:
        """The same with half of the harmonics and friction rounded twice as widely, or with twice the harmonics and
        half of the width where the loads need more than half."""
        half = self.harmonics // 2
        harmonics, width = (half, 2.0) if half >= max(self.highest_order, 1) else (2 * self.harmonics, 0.5)
        return self.changed(harmonics=harmonics, width=width * self.width, samples=None)

    def _samples_for(self, lines: NonlinearConnections) -> int:
        """How many samples of a period serve its laws."""
        count = sample_count_for(self.index, lines.has_corners)
        if lines.rounds:
            count = max(
                count,
                min(
                    sample_count_for(ROUNDED_FRICTION_SAMPLES // 16 * self.order * self.index, corners=True),
                    MAX_ROUNDED_SAMPLES,
                ),
            )
        return count

    def _choose_samples(self, count: int, curved: bool | None) -> None:
        """Instants of a period, and the laws on them."""
        self.sampled = self.lines.has_corners
        if count < 2 * self.index + 1:
            raise InvalidInput(f"samples must be more than twice the highest harmonic ({self.index}), got {count}")
        self.waves = fourier_grid(self.index, count)
        times = 2.0 * np.pi * self.order / self.base * np.arange(count) / count
        shortest = shortest_contact(self.problem, self.lines)
        self.curved = shortest >= MIN_CONTACT_SAMPLES * float(times[1]) if curved is None else curved
        self.follower = SampledLaws(self.lines, self.waves, times, self.base, self.curved)

    def _choose_unknowns(self) -> None:
        """S (r, n) what is solved for, and U (m, r) the lines' deflections from it."""
        lines, m = self.lines, self.lines.count
        touched = np.flatnonzero(lines.rows.any(axis=0))
        if m <= touched.size:
            self.seen, self.into = lines.rows, np.eye(m)
        else:
            self.seen, self.into = np.eye(self.problem.n)[touched], lines.rows[:, touched].copy(order="C")
        self.direct = m <= touched.size
        self.size = self.seen.shape[0] * self.waves.width
        share = harmonic_pairs_of(self.problem.offsets, self.base / self.order, self.index)[:, list(lines.firsts)]
        series = as_series((share / lines.scales).T.copy()) if m else np.zeros((0, self.waves.width))
        self.offsets = np.ascontiguousarray(series)

    @cached_property
    def resting(self) -> RestState | None:
        """Where the model would rest, as it begins; None where it begins at zero or that does not tell."""
        return rest_state_of(self)

    @cached_property
    def stability_family(self) -> HarmonicBalance:
        """The same family on samples close enough to compute multipliers with a linear rule between them."""
        wanted, refinement = STABILITY_SAMPLES, self.stability_refinement
        if self.lines.has_corners:
            located, rounded = all_corners_located(self.lines), corners_located_or_rounded(self.lines)
            wanted = STABILITY_SAMPLES_FRICTION if rounded else STABILITY_SAMPLES_SLIDERS
            wanted = STABILITY_SAMPLES_CORNERS if located else wanted
        if any(member.law.has_stack for member in self.lines.members):
            # with 4096 samples, stacks of reversals gave a multiplier of 0.935 that shooting has at 1
            wanted, refinement = STABILITY_SAMPLES_CORNERS, 1
        wanted *= self.order * refinement
        return self if self.waves.samples >= wanted else self.changed(samples=wanted)

    @cached_property
    def period_maps(self) -> PeriodMaps:
        """What a period does to a small change of an orbit: made once, as its tables take as long as one orbit."""
        from slipstick.periodic.balance.multipliers import PeriodMaps

        return PeriodMaps(self)

    @cached_property
    def is_loose(self) -> bool:
        """True if the model has motions that change no force."""
        return bool(loose_directions(self.problem).size)

    @cached_property
    def no_multipliers(self) -> str:
        """Why there are no multipliers, in words; empty if there are."""
        from slipstick.periodic.balance.multipliers import why_no_multipliers

        return why_no_multipliers(self)

    @cached_property
    def multiplier_notes(self) -> list[str]:
        """Why multipliers may be far from those of the model, in words."""
        from slipstick.periodic.balance.multipliers import multiplier_doubts

        return multiplier_doubts(self)

    # ---- what depends on the frequency

    def _tune(self, p: float) -> None:
        """Check a frequency, and find compliances and the answer to the loads there where there are no modes."""
        if not 0.0 < p < np.inf:
            raise NotConverged("the frequency must be > 0", value=p, got=self._frequency_text(p))
        self.loads.check(p)
        compliance = self.compliance
        if isinstance(compliance, ModalCompliance) or p == self._at:
            return
        m = self.lines.count
        right = np.empty((self.index + 1, self.problem.n, m + 1), dtype=complex)
        right[:, :, :m], right[:, :, m] = self.lines.along, self.loads.at(p)
        value, slope = compliance.solve(self.s_at(p), self.seen, right)
        slope *= (-1j * self.waves.orders / self.order)[:, None, None]
        if self.loads.moves:
            more, _ = compliance.solve(self.s_at(p), self.seen, self.loads.rate_at(p)[:, :, None])
            slope[:, :, m] += more[:, :, 0]
        own = self.equations
        own.g[:] = value.transpose(2, 1, 0).reshape(own.g.shape)
        own.g_slope[:] = slope.transpose(2, 1, 0).reshape(own.g.shape)
        own.shift[:] = self.moved_at(self.s_at(p))
        self._at = p

    @property
    def compliances(self) -> Complex:
        """(lines, unknown series, H+1) at the frequency that was evaluated last."""
        m = self.lines.count
        return self.equations.g.reshape(m + 1, -1, self.index + 1)[:m]

    def s_at(self, p: float) -> Complex:
        """(H+1,) the exponents of the harmonics; pairs go with exp(-i h tau)."""
        return -1j * p / self.order * self.waves.orders

    def moved_at(self, s: Complex) -> Complex:
        """(..., lines, H+1) what was moved into the linear part, at exponents (..., H+1)."""
        s = s[..., None, :]
        stiffness = np.where(s == 0.0, self.moved_mean[:, None], self.moved_stiffness[:, None])
        return np.asarray(stiffness + s * self.moved_damping[:, None])

    # ---- the family

    def deflections_of(self, x: Array) -> Array:
        """(lines, width) series of the lines' deflections, without what motions add."""
        own = x.reshape(-1, self.waves.width)
        return own if self.direct else np.asarray(self.into @ own)

    def follow(self, x: Array, p: float, extra: tuple[Array, FourierGrid] | None = None) -> None:
        """Run the laws along the orbit x; extra : (lines, width) series beside it, of other harmonics."""
        series = self.deflections_of(x) + self.offsets
        self.follower.motion[:] = self.waves.motion_of(series)
        if extra is not None:
            self.follower.motion += extra[1].motion_of(extra[0])
        self.follower.run(p / self.order)

    def linearise(self, x: Array, p: float) -> Linearisation:
        self.evaluate(x, p)
        size, own = self.size, self.equations
        return Linearisation(
            own.residual[:size].copy(), own.matrix[:size, :size].copy(), own.matrix[:size, size].copy()
        )

    def residual(self, x: Array, p: float) -> Array:
        """(size,) what is left of the equations, as of `linearise`."""
        self.evaluate(x, p, derived=False)
        return self.equations.residual[: self.size].copy()

    def evaluate(self, x: Array, p: float, derived: bool = True) -> None:
        """Evaluate the equations at an orbit, with their derivatives if they are wanted: see ``equations``."""
        self._tune(p)
        if not self.equations.evaluate(x, p, derived):
            if not np.isfinite(self.equations.g.view(float)).all():
                words = f"the linear part has an undamped resonance at a harmonic of {self._frequency_text(p)}"
                raise NotConverged(words)
            raise NotConverged("the forces along the orbit are not finite")

    def corrected(self, guess: Array, plane: Plane, rough: bool = False) -> CurvePoint | None:
        return self.equations.correct(guess, plane, rough) if self.equations.steps and guess[-1] > 0.0 else None

    def scales(self, x: Array, p: float) -> Array:
        """(..., size) of one orbit, or of several."""
        own = x.reshape(*x.shape[:-1], -1, self.waves.width) if x.size else np.zeros((*x.shape[:-1], 0, 1))
        least = MIN_SERIES_SCALE_REL * self.length
        each = np.maximum(np.sqrt((own * own).sum(axis=-1)), least) * math.sqrt(max(own.shape[-2], 1))
        return np.repeat(each, self.waves.width, axis=-1)

    def half_period_later(self, x: Array, p: float) -> Array | None:
        """Harmonics of odd index of the whole period change their sign."""
        if not self._is_even:
            return None
        signs = np.append(np.repeat((-1.0) ** self.waves.orders[:-1], 2), 1.0)
        return np.asarray((x.reshape(-1, self.waves.width) * signs).ravel())

    @cached_property
    def _is_even(self) -> bool:
        """True if all that varies repeats after half of the period too."""
        half = 0.5 * self.order / period_of(self.problem).turns
        return abs(half - round(half)) < 1e-6

    def start(self, p: float) -> Array:
        from slipstick.periodic.balance.orbit_solver import first_start

        return first_start(self, p)

    def point(self, x: Array, p: float) -> OrbitPoint:
        from slipstick.periodic.balance.balance_points import balance_points

        return balance_points(self, x[None], np.array([p]))[0]

    def check_measurable(self, x: Array, p: float) -> None:
        from slipstick.periodic.balance.balance_points import refuse_drift
        from slipstick.periodic.balance.orbit_batch import evaluate_batch

        refuse_drift(evaluate_batch(self, x[None], np.array([p])))

    def multipliers_at(self, x: Array, p: float) -> Complex:
        from slipstick.periodic.balance.multipliers import floquet_stabilities

        series = as_pairs(self.deflections_of(x))
        return floquet_stabilities(self, series[None], np.array([p]))[0].multipliers

    def points(self, x: Sequence[Array], p: Sequence[float]) -> Iterator[OrbitPoint | NotConverged]:
        from slipstick.periodic.balance.balance_points import balance_points
        from slipstick.periodic.balance.orbit_batch import batch_size

        each = batch_size(self)
        for begin in range(0, len(p), each):
            own = slice(begin, begin + each)
            try:
                yield from balance_points(self, np.array(x[own]).reshape(len(p[own]), self.size), np.array(p[own]))
            except NotConverged:  # one of them: the others are as good as they are
                for one, value in zip(x[own], p[own], strict=True):
                    try:
                        yield self.point(one, value)
                    except NotConverged as failure:
                        yield failure

    def solve(self, p: float, start: Array | None = None) -> BalanceSolution:
        """The orbit at the frequency p [rad/s], by Newton from a start (size,) or from the linear stand-in.

        Where that fails, it is tried again from rest, and through softened families.
        """
        from slipstick.periodic.balance.orbit_solver import solve

        return solve(self, p, start)

    def starts(self, p: float) -> tuple[tuple[str, Callable[[], Array]], ...]:
        from slipstick.periodic.balance.orbit_solver import other_starts

        return other_starts(self, p)

    def softened(self) -> tuple[SofterFamily, ...]:
        return self._softened

    @cached_property
    def _softened(self) -> tuple[SofterFamily, ...]:
        from slipstick.periodic.balance.orbit_solver import softer_families

        return softer_families(self)

    def refined(self) -> SofterFamily | None:
        return self._refined

    @cached_property
    def _refined(self) -> SofterFamily:
        from slipstick.periodic.balance.orbit_solver import refined_family

        return refined_family(self)

    def unknowns_of(self, point: OrbitPoint) -> Array:
        """(size,) the unknowns of an orbit that any method has found: a start for `solve`."""
        return as_series(np.asarray(self.seen @ self.pairs_of(point), dtype=np.complex128)).ravel()

    def pairs_of(self, point: OrbitPoint) -> Complex:
        """(n, H+1) pairs of the free coordinates of an orbit that any method has found."""
        pairs = np.zeros((self.problem.n, self.index + 1), dtype=complex)
        joints = len(self.problem.assembly.names) - point.harmonics.shape[1]  # linear, or found by Newton's method
        free = np.pad(point.harmonics, ((0, 0), (0, joints)))[:, self.problem.assembly.free].conj()
        pairs[:, -1] = free[0].real
        ratio = Fraction(2.0 * np.pi * self.order / (point.frequency * point.period)).limit_denominator(1000)
        for h in range(1, free.shape[0]):
            at = h * ratio
            if at.denominator == 1 and at.numerator <= self.index:
                pairs[:, at.numerator - 1] = free[h]
        return pairs

    def doubled(self, x: Array) -> Array:
        """The unknowns of the orbit x in the family with twice the period, in which it is run through twice."""
        series = x.reshape(-1, self.waves.width)
        twice = np.zeros((series.shape[0], 2 * self.waves.width - 1))
        for part in (0, 1):
            twice[:, 2 + part : -1 : 4] = series[:, part:-1:2]
        twice[:, -1] = series[:, -1]
        return twice.ravel()

    def halved(self, x: Array) -> Array:
        """The unknowns, in the family with half the period, of an orbit x that repeats after that."""
        series = x.reshape(-1, self.waves.width)
        once = np.empty((series.shape[0], (self.waves.width + 1) // 2))
        for part in (0, 1):
            once[:, part:-1:2] = series[:, 2 + part : -1 : 4]
        once[:, -1] = series[:, -1]
        return once.ravel()

    def _frequency_text(self, p: float) -> str:
        return frequency_scale(self.problem.system.stated_units.frequency).words(p)

    def changed(self, **options: Any) -> HarmonicBalance:
        """The same equations with other options."""
        return HarmonicBalance(self.problem.system, **(self.options | options), problem=self.problem)


def _check(frequency: float, harmonics: int | None, subharmonic: int | None, samples: int | None) -> None:
    if not (isinstance(frequency, (int, float)) and 0.0 < frequency < np.inf):
        got = f"{short_repr(frequency)} rad/s"
        raise InvalidInput("must be finite and > 0", subject="frequency", value=frequency, got=got, bound="> 0")
    for name, value in (("harmonics", harmonics), ("subharmonic", subharmonic), ("samples", samples)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1):
            raise InvalidInput(f"{name} must be a whole number >= 1, got {short_repr(value)}").about(name)
