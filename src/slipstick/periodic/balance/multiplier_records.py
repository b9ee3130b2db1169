"""Records of the compiled loops that find Floquet multipliers.

n coordinates, m forces (lines that see the same deflection share one); size, see `period_step_loop`.
Maps of the linear part are stored transposed.
"""

from __future__ import annotations

from slipstick.native import Array, NativeRecord, Rows
from slipstick.periodic.balance.records import LawPlan

# a switch is BEHIND, or TURN_ROUND where its line turns round; an instant also a sample, or just before a switch
REGULAR, UP_TO, BEHIND, TURN_ROUND = range(4)
# of tangents from one instant to the next: nothing changes; only those of laws without corners; others, or at a switch
UNCHANGED, SMOOTH_CHANGE, OTHER_CHANGE = range(3)
MOST_SWITCHES = 96  # of a period; laws that switch more often are taken at samples


class Switch(NativeRecord):
    """A switch of a law along an orbit, or an instant. All fields are numbers: Python reads many as one array."""

    place: float  # in samples
    impulse: float  # over deflection, where a force jumps
    line: float
    kind: float


class CarriedMemory(NativeRecord):
    """The part of a leaf's memory that the multipliers see."""

    size: int
    column: int  # of its first change among those carried; -1: it follows from the motion at the first instant
    derivatives: Array  # at each instant
    has_stack: bool  # of reversals, of which the last one counts: its deflection and force
    change: int  # what becomes of it in a step: CONSTANT, SLAVED or DYNAMIC
    smooth: bool  # the law has no corners


class PeriodMapState(NativeRecord):
    """Many orbits, and the effect of a period on perturbations of each."""

    sample_count: int
    stride: int  # samples in one step
    coordinate_count: int  # n
    line_count: int
    force_count: int  # m
    force_of_line: Array  # (lines,) number
    leaf_count: int
    memory_size: int  # of all laws
    carried_count: int  # changes that a map is of: 2n + memory + m, or 2n without memory
    column_count: int  # of those, what is carried: forces may follow from the rest
    first_instant: int  # where the period begins
    changes: Array  # (instants,) of tangents since the instant before: UNCHANGED, SMOOTH_CHANGE or OTHER_CHANGE
    laws: LawPlan
    deflection_rows: Array  # (m, n)
    flow: Array  # (2n, 2n) step of the linear part, transposed; points into a block
    force_at_start: Array  # (m, 2n) what forces at its start add
    force_at_end: Array  # (m, 2n) what forces at its end add
    deflection_at_end: Array  # (2, m, m) what lines see of these: deflections, rates
    slope_time: Array  # (leaves,) time of a slope over that of a rate
    carried: Array  # (size, column_count) the changes
    packed: Array  # (packed_size, column_count) in a run of steps that are the same
    packed_spare: Array  # the same, to work on
    packed_size: int  # 2n + 2m and the memories that develop; at most size
    moved: Array  # (size, size) room of a step
    weights: Array  # (n,) likewise
    memory_force: Array  # (m, size)
    force_equations: Array  # (m, m)
    widest: int  # forces whose lines one force may depend on: 1, its own; m where laws have several deflections
    force_by_line: Array  # (2, m, widest) by their deflections and rates
    map_capacity: int  # step maps that are kept
    power_count: int  # of each
    map_count: int  # in use
    known_maps: Array  # (map_capacity, 2) instant it ends at, powers known
    map_powers: Array  # (map_capacity, power_count, size, size)
    orbit_count: int
    stride_count: int  # 1, 2, 4, ... for the extrapolation, or for an estimate of the error
    extrapolates: bool
    kicks: bool  # rounded friction acts at instants, and laws without memory between them
    substeps: int  # of each step, all alike
    long_steps: int  # doublings of a step that smooth laws allow, at most; 0: none is longer than a stride
    longest: int  # the same, as far as this orbit allows it
    kept: Array  # (size, column_count) the changes before a long step
    motions: Array  # (orbits, motion_count, 2 samples)
    motion_count: int  # lines may move alike
    motion_of_line: Array  # (lines,) number
    omegas: Array  # (orbits,) [rad/s] first harmonic
    blocks: Array  # (strides + long_steps, orbits, block_size) flow, force_at_start, force_at_end, deflection_at_end
    block_size: int
    end_maps: Array  # (strides, orbits, carried_count, carried_count) out
    switches: Rows[Switch]  # (orbits, MOST_SWITCHES, 4)
    switch_counts: Array  # (1 + strides, orbits) switches, then short steps of each stride
    short_steps: Array  # (strides, orbits, 2 MOST_SWITCHES) lengths in samples
    leaf_factors: Array  # (leaves, samples)
    acceleration_by_force: Array  # (m, n)
    short_blocks: Array  # blocks of no length and of the short steps, in order
    next_short: int
    instants: Rows[Switch]  # (samples + 2 MOST_SWITCHES, 4)
    instant_count: int
    carried_memory: Rows[CarriedMemory]  # of each leaf
