"""Floquet multipliers of an orbit of harmonic balance, from the tangents of the laws along its samples.

Between samples the linear part moves exactly under forces that are linear in time: a symmetric rule of second order,
so that smooth laws gain two orders from each doubling of the step (Romberg). Corners of laws without memory are
located between samples, and steps end there (`switching_instants_loop`). Rounded friction acts at samples, as exact
decays of the rates, and each step between them is divided, as stiff contacts oscillate within it. The memory of laws
is part of the state; of a stack of reversals the last one, as long as a period has no more than two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex, Flags
from slipstick.errors import Advice, Message
from slipstick.laws.base import Law
from slipstick.laws.closed_cycle import is_shift_invariant
from slipstick.native import Rows
from slipstick.periodic.balance.aft_forces import SampledLaws
from slipstick.periodic.balance.compiled import compiled
from slipstick.periodic.balance.compliance import LinearPart
from slipstick.periodic.balance.fourier_series import as_series, fourier_grid
from slipstick.periodic.balance.harmonic_balance import STABILITY_SAMPLES
from slipstick.periodic.balance.law_corners import all_corners_located, corners_located_or_rounded
from slipstick.periodic.balance.linear_propagators import LinearSteps, modal_form
from slipstick.periodic.balance.multiplier_records import (
    MOST_SWITCHES,
    TURN_ROUND,
    CarriedMemory,
    PeriodMapState,
    Switch,
)
from slipstick.periodic.balance.nonlinear_connections import ForceTerm, NonlinearConnections
from slipstick.periodic.curve_notes import STABILITY_UNKNOWN
from slipstick.periodic.methods import alternative_to_balance
from slipstick.periodic.shooting.period_map import without_unused_memory
from slipstick.units.number_format import format_percent

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance


MAX_MODES = 40  # coordinates beyond are reduced to their lowest modes for the multipliers
RELAXED_DECAY = 40.0  # e-folds in a period of what leaves the equation of a coordinate without inertia
MULTIPLIER_ROUNDING = 1e-6  # how far outside the unit circle a multiplier may be by error alone
MAX_KEPT_MAPS, MAX_MAP_NUMBERS = (
    24,
    2_000_000,
)  # maps of a step that are kept with their powers, and numbers that these may take
TYPICAL_SHORT_STEPS = 40  # steps of an orbit that begin or end at a switch, as a rule
FEW_HARMONICS = 3  # harmonics, with fewer of which switches are at quite other instants
LOCATED_SWITCH_ERROR = 1e-5  # the same where switches are found between samples
SAMPLED_SWITCH_ERROR = 3e-3  # the same where some are not, as those of sliders
# the largest multiplier: beyond it rounding of the period map moves those near the unit circle by more than that
MAX_MULTIPLIER = SAMPLED_SWITCH_ERROR / np.finfo(float).eps
# doublings of a step between samples, and steps so long in a period of the highest harmonic, beside laws with corners
MAX_LONG_STEPS, LONG_STEPS_PER_HARMONIC = 4, 16
SUBSTEPS = 64  # of a step beside rounded friction, by six squares: contacts oscillate within a step
MAX_INTEGRATION_ERROR = 0.05  # of a multiplier, or of one: beyond, multipliers are not stated
INTEGRATION_ADVICE = Advice("simulate from a state near the orbit, or use {method}", method="integration")
MANY_REVERSALS_MESSAGE = Message(
    "a law with memory has more than two reversals in a period", advice=[INTEGRATION_ADVICE]
)
OVERFLOW_MESSAGE = Message(
    "the derivative of the period map overflows",
    advice=[Advice("raise {harmonics}, or use {method}", method="shooting")],
)
COARSE_STEPS_MESSAGE = Message(
    f"steps that follow the period leave an error beyond {format_percent(MAX_INTEGRATION_ERROR)} in the multipliers",
    advice=[Advice("use {method}", method="shooting")],
)


class FloquetStability(NamedTuple):
    """multipliers : (k,) complex, largest first; none where they are not known.   stable : None where that is not."""

    multipliers: Complex
    stable: bool | None
    notes: list[str]


def floquet_stabilities(family: HarmonicBalance, series: Complex, p: Array) -> list[FloquetStability]:
    """The multipliers of orbits with deflections (P, m, H+1) of the lines, at frequencies p (P,) [rad/s]."""
    why = family.no_multipliers
    if why:
        return [_unknown(why)] * p.size
    period_maps, notes = family.period_maps, [*family.multiplier_notes]
    first = 2 * period_maps.n
    maps, known = period_maps.of(series, p)
    maps = np.array([without_unused_memory(own, first) for own in maps])
    finite: Flags = np.asarray(np.isfinite(maps).all(axis=(0, 2, 3)), dtype=bool)
    values, *coarse = _multipliers(np.where(finite[:, None, None], maps, 0.0))[..., : first + _memory(family)]
    errors = _integration_errors(values, coarse[0]) if coarse else np.zeros(p.size)
    notes += period_maps.notes
    outside = 1.0 + (
        (LOCATED_SWITCH_ERROR if all_corners_located(family.lines) else SAMPLED_SWITCH_ERROR)
        if family.lines.has_corners
        else MULTIPLIER_ROUNDING
    )
    stable = np.abs(values).max(axis=1, initial=0.0) <= outside
    found = [_stability(own, bool(good), notes) for own, good in zip(values, stable, strict=True)]
    for k in range(p.size):
        if not finite[k]:
            found[k] = _unknown(OVERFLOW_MESSAGE)
        elif not known[k]:
            found[k] = _unknown(MANY_REVERSALS_MESSAGE)
        elif errors[k] > MAX_INTEGRATION_ERROR:
            found[k] = _unknown(COARSE_STEPS_MESSAGE)
    return found


def _multipliers(maps: Array) -> Complex:
    """(..., k) eigenvalues of maps (..., k, k), largest first."""
    values: Complex = np.linalg.eigvals(maps).astype(np.complex128)
    return np.take_along_axis(values, np.argsort(-np.abs(values), axis=-1, kind="stable"), axis=-1)


def _integration_errors(values: Complex, coarse: Complex) -> Array:
    """(P,) the largest error of multipliers (P, k), from those with twice the step: the rule is of second order.

    An error is relative to the multiplier, or to one where that is larger.
    """
    apart = np.abs(values[:, :, None] - coarse[:, None, :]).min(axis=2) / np.maximum(np.abs(values), 1.0)
    return np.asarray(apart.max(axis=1, initial=0.0) / 3.0)


def _stability(values: Complex, stable: bool, notes: list[str]) -> FloquetStability:
    """The stability from multipliers, largest first; without these where rounding hides the unit circle."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest < MAX_MULTIPLIER:
        return FloquetStability(values.copy(), stable, notes)
    hidden = f"multipliers are not known: the largest is {largest:.1e}, and rounding hides those near the unit circle"
    return FloquetStability(np.zeros(0, complex), False, [*notes, hidden])


def _unknown(why: str) -> FloquetStability:
    return FloquetStability(np.zeros(0, complex), None, [Message.of(why).with_owner(STABILITY_UNKNOWN)])


def multiplier_doubts(family: HarmonicBalance) -> list[str]:
    """Why multipliers are not known, or may be far from those of the model, in words."""
    why = family.no_multipliers
    if why:
        return [Message.of(why).with_owner(STABILITY_UNKNOWN)]
    stacked = [type(member.law).__name__ for member in family.lines.members if member.law.has_stack]
    if stacked:
        return [offset_multiplier_note(stacked[0])]
    if family.lines.rounds:
        return [
            Message(
                "stability is that of smoothed friction: multipliers may be wrong by some tenths where dry "
                "friction reverses",
                advice=[Advice("compare with {method}", method=alternative_to_balance(family.problem))],
            )
        ]
    if family.harmonics < FEW_HARMONICS and family.lines.count:
        count = "one harmonic" if family.harmonics == 1 else f"{family.harmonics} harmonics"
        words = f"stability of an orbit of {count}, fewer than {FEW_HARMONICS}, may be wrong"
        return [Message(words, advice=[Advice("raise {harmonics}")])]
    return []


def why_no_multipliers(family: HarmonicBalance) -> str:
    """Why there are no multipliers, in words; nothing if there are."""
    if family.problem.massless and _with_relaxing_rows(family) is None:
        return "a coordinate has no inertia"
    stacked = [type(m.law).__name__ for m in family.lines.members if m.law.has_stack and not is_shift_invariant(m.law)]
    return no_multipliers_reason(stacked[0]) if stacked else ""


def offset_multiplier_note(name: str) -> str:
    """A note on the multiplier of one of a law with a stack of reversals."""
    return (
        f"one multiplier is 1, since the offset that {name} keeps depends on how the motion began; "
        "stability holds for disturbances within the largest reversals so far"
    )


def no_multipliers_reason(name: str) -> Message:
    """Why a law whose branches depend on where they begin has no multipliers."""
    return Message(
        f"loops of {name} do not close, since its branches depend on where they begin; whether a "
        "disturbance grows depends on its sign",
        advice=[INTEGRATION_ADVICE],
    )


def _with_relaxing_rows(family: HarmonicBalance) -> LinearPart | None:
    """The linear part with inertia in the rows of coordinates without any; None where there is no such form.

    A row g = C q' + K q = 0 becomes dg/dt + a g = 0, an equation of second order with the same motions. What leaves
    g = 0 decays within a period and adds a multiplier of zero, as the rate of that coordinate does in shooting.
    """
    part, problem = family.plain_part, family.problem
    massless = ~part.mass.any(axis=1) & ~part.mass.any(axis=0)
    if family.lines.rows[:, massless].any() or family.lines.along[massless].any() or problem.n > MAX_MODES:
        return None
    decay = RELAXED_DECAY * family.base / (2.0 * np.pi * family.order)
    mass, damping, stiffness = part.mass.copy(), part.damping.copy(), part.stiffness.copy()
    mass[massless], stiffness[massless] = part.damping[massless], decay * part.stiffness[massless]
    damping[massless] = part.stiffness[massless] + decay * part.damping[massless]
    size = np.abs(mass).max(axis=1, keepdims=True)
    if not size.all() or np.linalg.matrix_rank(mass / size) < problem.n:
        return None
    return LinearPart(mass, damping, stiffness)


def _reduced(family: HarmonicBalance) -> tuple[LinearPart, Array, Array, list[str]]:
    """The linear part, deflections and directions of the lines, in the lowest modes where there are many."""
    from scipy.linalg import eigh

    part, rows, along = family.plain_part, family.lines.rows, family.lines.along
    if family.problem.massless:
        relaxing = _with_relaxing_rows(family)
        assert relaxing is not None
        return relaxing, rows, along, []
    n = part.mass.shape[0]
    if n <= MAX_MODES:
        return *modal_form(part, rows, along), []
    stiffness = 0.5 * (family.part.stiffness + family.part.stiffness.T)
    _, shapes = eigh(stiffness, part.mass, subset_by_index=(0, MAX_MODES - 1))
    matrices = (shapes.T @ matrix @ shapes for matrix in part)
    lowest = modal_form(LinearPart(*matrices), rows @ shapes, shapes.T @ along)
    return *lowest, [f"stability from the lowest {MAX_MODES} modes"]


def _shared_forces(lines: NonlinearConnections) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of lines that see and push in different ways, and which of these each line shares."""
    return _first_of_each(np.hstack([lines.rows, lines.along.T]))


def _first_of_each(ways: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of rows that differ, and which of these each row is."""
    first, own = list[int](), np.empty(len(ways), dtype=np.intp)
    for line, way in enumerate(ways):
        same = [k for k, other in enumerate(first) if (ways[other] == way).all()]
        own[line] = same[0] if same else len(first)
        first += [] if same else [line]
    return np.array(first, dtype=np.intp), own


def _memory(family: HarmonicBalance) -> int:
    """Number of memory variables of all laws."""
    return sum(_carried_memory_size(member.law) for member in family.lines.members)


def _carried_memory_size(law: Law) -> int:
    """Number of memory variables that the multipliers see: of a stack those of the last reversal."""
    return 2 if law.has_stack else len(law.remembers)


class PeriodMaps:
    """What a period does to displacements, rates, memory and, where there is memory, to the forces of the lines.

    The latter follow from the rest after a step: as many multipliers are zero. whole : the family of the orbits; its
    laws are followed on samples close by.
    Corners of laws without memory are located between samples, and steps begin and end there. If a model has other
    corners, strides of one and of two samples would pass them differently, so only strides of one sample are used.
    notes : what a reader should know of how they are found.
    """

    def __init__(self, whole: HarmonicBalance) -> None:
        family = whole.stability_family
        part, rows, along, self.notes = _reduced(whole)
        first, force_of_line = _shared_forces(family.lines)
        self.family, self.part, self.along = family, part, along[:, first]
        self.rows = np.ascontiguousarray(rows[first])
        self.distinct, motion_of_line = _first_of_each(np.hstack([family.lines.rows, family.offsets]))
        self.n, self.m, self.memory = rows.shape[1], first.size, _memory(family)
        self.size = 2 * self.n + self.m + (self.m + self.memory if self.memory else 0)
        self.carried = 2 * self.n + self.memory + self.m if self.memory else 2 * self.n
        self.extrapolates, self.strides = _strides(family)
        self.kicks = self.strides > 1 and not self.extrapolates
        self.substeps = SUBSTEPS if self.kicks else 1
        smooth = any(_is_smooth(member) for member in family.lines.members)
        self.long_steps = _long_steps(family) if smooth and self.strides == 1 else 0
        self.stacked = len({member.line for member in family.lines.members if member.law.has_stack})
        self.linear = LinearSteps(part, self.along)
        self.at_rest = self.linear.blocks(self.rows, np.zeros(1))
        self.follower, factors = self._follower()
        self._last: OrbitWorkspace | None = None
        samples, size, m, leaves = family.waves.samples, self.size, self.m, len(family.lines.members)
        powers = samples.bit_length()
        maps = max(1, min(MAX_KEPT_MAPS, MAX_MAP_NUMBERS // (powers * size * size)))
        widest = m if any(member.law.kernel_law.directions for member in family.lines.members) else 1
        self.state = PeriodMapState(
            sample_count=samples, coordinate_count=self.n, line_count=family.lines.count, force_count=m,
            force_of_line=force_of_line.astype(float), leaf_count=leaves, memory_size=self.memory,
            carried_count=self.carried, map_capacity=maps, power_count=powers, stride_count=self.strides,
            extrapolates=self.extrapolates, kicks=self.kicks, substeps=self.substeps,
            long_steps=self.long_steps, kept=np.zeros(size * size + 1),
            changes=np.zeros(self.follower.waves.samples + 1), block_size=self.at_rest.shape[1],
            laws=self.follower.plan, deflection_rows=self.rows, slope_time=np.ones(leaves + 1),
            force_equations=np.zeros(m * m + 1), widest=widest, force_by_line=np.zeros(2 * m * widest + 1),
            motion_count=self.distinct.size, motion_of_line=motion_of_line.astype(float),
            carried=np.zeros(size * size + 1), packed=np.zeros(size * size + 1),
            packed_spare=np.zeros(size * size + 1), moved=np.zeros(size * size + 1), weights=np.zeros(self.n + 1),
            memory_force=np.zeros(m * size + 1), known_maps=np.zeros(2 * maps),
            map_powers=np.empty(maps * powers * size * size + 1), carried_memory=self._carried_memory(),
            leaf_factors=factors, acceleration_by_force=np.ascontiguousarray(np.linalg.solve(part.mass, self.along).T),
            instants=Rows(Switch, self.follower.waves.samples),
        )  # fmt: skip

    def _follower(self) -> tuple[SampledLaws, Array]:
        """The laws with room for switches among the samples, and the factors (leaves, samples) of their forces."""
        family, known = self.family, self.family.follower
        samples = family.waves.samples
        factors = np.zeros((len(family.lines.members) + 1, samples))
        for row, factor in zip(factors, known.factors, strict=False):
            row[:] = factor
        room = samples + (2 * MOST_SWITCHES if known.breaks or self.stacked else 0)
        follower = SampledLaws(family.lines, fourier_grid(0, room), np.zeros(room), family.base)
        follower.reserve_integers(2 * max(room, self.size + 1, family.waves.width + 1))
        return follower, factors

    def _carried_memory(self) -> Rows[CarriedMemory]:
        members, follower = self.family.lines.members, self.follower
        found = Rows(CarriedMemory, len(members) + 1)
        for e, (member, local) in enumerate(zip(members, follower.local, strict=False)):
            own = np.zeros((follower.waves.samples, 12)) if member.law.has_stack else local
            found[e].size, found[e].derivatives = _carried_memory_size(member.law), own
            found[e].has_stack, found[e].smooth = member.law.has_stack, _is_smooth(member)
        return found

    def of(self, series: Complex, p: Array) -> tuple[Array, Flags]:
        """(1 or 2, P, k, k) maps of orbits, with the second stride if it estimates the error, and (P,) which are known.

        A line with a stack that turns more than twice remembers more than its last reversal. Orbits are evaluated in
        groups, for which the steps to and from switches have room."""
        some = max(1, MAX_MAP_NUMBERS // (TYPICAL_SHORT_STEPS * self.size**2))
        groups = [slice(k, k + some) for k in range(0, p.size, some)]
        found = [self._of(series[own], p[own]) for own in groups]
        return np.concatenate([maps for maps, _ in found], axis=1), np.concatenate([known for _, known in found])

    def _workspace(self, count: int) -> OrbitWorkspace:
        """Storage of so many orbits in the state; the last one if it is as large."""
        if self._last is None or self._last.omegas.size != count:
            strides, state = self.strides, self.state
            self._last = own = OrbitWorkspace(
                np.empty((count, self.distinct.size, 2 * self.family.waves.samples)),
                np.empty(count),
                np.empty(((strides + self.long_steps) * count, self.at_rest.shape[1])),
                Rows(Switch, count * MOST_SWITCHES),
                np.zeros((1 + strides, count)),
                np.zeros((strides, count, 2 * MOST_SWITCHES)),
                np.empty((strides, count, self.carried, self.carried)),
            )
            state.orbit_count, state.motions, state.omegas, state.blocks = count, own.motions, own.omegas, own.blocks
            state.switches, state.switch_counts = own.switches, own.counts
            state.short_steps, state.end_maps = own.lengths, own.ends
        return self._last

    def _of(self, deflections: Complex, p: Array) -> tuple[Array, Flags]:
        family, strides, state = self.family, self.strides, self.state
        count, most = p.size, 2 * MOST_SWITCHES
        step = 2.0 * np.pi * family.order / p / family.waves.samples
        workspace = self._workspace(count)
        switches, counts, lengths = workspace.switches, workspace.counts, workspace.lengths
        state.next_short = 1
        switches.numbers[:] = 0.0
        workspace.motions[:] = family.waves.motion_of((as_series(deflections) + family.offsets)[:, self.distinct])
        workspace.omegas[:] = p / family.order
        regular = (step * 2.0 ** np.arange(strides + self.long_steps)[:, None]).ravel() / self.substeps
        workspace.blocks[:] = self.linear.blocks(self.rows, regular)
        compiled("find_switches").call(state.pointer)
        # in the order in which they are met: all strides of an orbit before the next
        short = (np.arange(most) < counts[1:, :, None]).swapaxes(0, 1)
        taken = (lengths * step[:, None]).swapaxes(0, 1)[short]
        lengths = np.append(0.0, taken) / self.substeps
        if taken.size or state.short_blocks is not self.at_rest:
            state.short_blocks = self.linear.blocks(self.rows, lengths) if taken.size else self.at_rest
        compiled("period_maps").call(state.pointer)
        found = workspace.ends.copy()
        if self.extrapolates:  # a symmetric rule of second order gains two orders from each halving of the step
            for order in range(1, strides):
                found = (4.0**order * found[:-1] - found[1:]) / (4.0**order - 1.0)
        kinds = switches.numbers[:, 3].reshape(count, MOST_SWITCHES)
        turns = np.count_nonzero(kinds == TURN_ROUND, axis=1)
        return found, turns == 2 * self.stacked


class OrbitWorkspace(NamedTuple):
    """Arrays of so many orbits, see `PeriodMapState`."""

    motions: Array
    omegas: Array
    blocks: Array
    switches: Rows[Switch]
    counts: Array
    lengths: Array
    ends: Array


def _is_smooth(member: ForceTerm) -> bool:
    """Whether the tangents of a law change without corners along an orbit."""
    return not (member.has_corners or member.modulation)


def _long_steps(family: HarmonicBalance) -> int:
    """Doublings of a step between samples that smooth laws alone allow."""
    samples = family.waves.samples
    most = min(samples // (STABILITY_SAMPLES * family.order), samples // (LONG_STEPS_PER_HARMONIC * family.index))
    return min(MAX_LONG_STEPS, max(0, most.bit_length() - 1))


def _strides(family: HarmonicBalance) -> tuple[bool, int]:
    """Whether strides are extrapolated from, and how many there are.

    Extrapolation needs every corner located, or none. Beside rounded friction a second stride estimates the error.
    """
    lines = family.lines
    if not family.waves.samples % 4:
        if all_corners_located(lines):
            return True, 2 if lines.has_corners else 3
        if corners_located_or_rounded(lines):
            return False, 2
    return False, 1
