"""Records of the compiled loops that find Floquet multipliers.

n coordinates, m lines; size = 2n + memory + m. Matrices are stored transposed.
"""

from __future__ import annotations

from slipstick.native import Array, Record, Rows
from slipstick.periodic.balance.records import LawPlan

# a switch is BEHIND, or TURN_ROUND where its line turns round; an instant also a sample, or just before a switch
REGULAR, UP_TO, BEHIND, TURN_ROUND = range(4)
MOST_SWITCHES = 96  # of a period; laws that switch more often are taken at samples


class Switch(Record):
    """A switch of a law along an orbit, or an instant. All fields are numbers: Python reads many as one array."""

    place: float  # in samples
    impulse: float  # over deflection, where a force jumps
    line: float
    kind: float


class CarriedMemory(Record):
    """The part of a leaf's memory that the multipliers see."""

    size: int
    derivatives: Array  # at each instant
    has_stack: bool  # of reversals, of which the last one counts: its deflection and force


class PeriodMapState(Record):
    """Many orbits, and the effect of a period on perturbations of each."""

    sample_count: int
    stride: int  # samples in one step
    coordinate_count: int  # n
    line_count: int  # m
    leaf_count: int
    memory_size: int  # of all laws
    carried_count: int  # rows that are carried: size, or 2n without memory
    laws: LawPlan
    deflection_rows: Array  # (m, n)
    flow: Array  # (2n, 2n) step of the linear part, transposed; points into a block
    force_at_start: Array  # (m, 2n) what forces at its start add
    force_at_end: Array  # (m, size) what forces at its end add
    deflection_flow: Array  # (2, m, 2n + 2m) what lines see of these: deflections, rates
    slope_time: Array  # (leaves,) time of a slope over that of a rate
    carried: Array  # (carried_count, size) rows carried through the period
    carried_spare: Array  # the same, to work on
    force_equations: Array  # (m, m + size)
    widest: int  # directions of a law
    line_first: Array  # (m,) the first line that the force of a line depends on
    line_width: Array  # (m,) number of these lines
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
    motions: Array  # (orbits, m, 2 samples)
    omegas: Array  # (orbits,) [rad/s] first harmonic
    blocks: Array  # (strides, orbits, block_size) flow, force_at_start, force_at_end, deflection_flow
    block_size: int
    end_maps: Array  # (strides, orbits, carried_count, size) out
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
