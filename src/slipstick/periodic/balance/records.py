"""Records of the compiled loops of harmonic balance, and their limits.

Rows of harmonics are pairs: (cos, sin) of each harmonic, then the mean and a zero. n samples, m lines.
"""

from __future__ import annotations

from slipstick.native import Array, NativeRecord, Rows

# values of `LawPlan.wanted`, besides forces: nothing; by_coefficients; only tangent_harmonics; derivatives at samples
ONLY_FORCES, BY_COEFFICIENTS, ONLY_HARMONICS, AT_SAMPLES = range(4)
# input of a leaf besides its deflection: nothing; its rate; its slope by the phase tau
NO_RATE, RATE_BY_TIME, RATE_BY_PHASE = range(3)

MAX_CYCLES = 60  # until the memory is periodic
MAX_NEWTON_CYCLES = 12  # Newton steps on the memory, before plain cycles
CLOSURE_REL = 1e-12  # of the largest force: closure gap of a periodic memory
NEUTRAL_CHANGE = 1e-7  # a direction of the memory that a cycle changes by less keeps its start value
STALLED_RATIO = 0.999  # a closure gap that a cycle reduces by less never closes
MIN_SERIES_SCALE_REL = 1e-3  # of the typical size: least scale of a series
SPARSE_CHANGE_SPACING = 8  # samples between changes of a memory; below it, derivatives are carried row by row


class LawCorner(NativeRecord):
    """A deflection at which the force of a law without memory has a corner. All fields are numbers."""

    deflection: float
    stiffness_change: float
    damping_change: float
    side: float  # 0: a corner in both directions; 1 or -1: a damped side, met from below or above, that never pulls


class SampledLeaf(NativeRecord):
    """One law of a line."""

    line: int
    value_function: int  # address of its compiled force
    tangent_function: int  # address of the derivative
    parameters: Array
    memory_size: int  # memory variables; -1: a stack of reversals
    memory_length: int  # storage of the memory
    directions: int  # 1; of a law with several deflections their count at its first leaf, 0 at the others
    pair_begin: int  # of the first leaf: where its pairs of lines begin
    scale: float  # its own deflection over that of the line
    rate_kind: int  # NO_RATE, RATE_BY_TIME or RATE_BY_PHASE
    factor: Array  # (n,) of its force
    virgin: Array  # memory of a virgin law
    memory: Array
    trial: Array  # memory at a trial
    direction: Array  # change of the memory
    slope: Array  # (1,) of the force
    room: Array
    local: Array  # (n, 2 + memory, 1 + memory) force and memory by deflection, rate, memory
    corner_count: int
    corners: Rows[LawCorner]


class LawPlan(NativeRecord):
    """The laws of all lines on the samples of a period."""

    sample_count: int  # n
    width: int  # coefficients of a series
    line_count: int  # m
    leaf_count: int
    omega: float  # [rad/s] of the first harmonic
    wanted: int  # see ONLY_FORCES
    any_rate: bool  # a law asks for rates or slopes
    transforms: bool  # fast transforms take the place of projection, double_waves and `FourierGrid.across`
    sixth: float  # of B2 in `corners_loop`, where deflections are curved between samples; 0: straight
    tangent_width: int  # coefficients that forces are derived by: width, or those of the lowest harmonics and the mean
    leaves: Rows[SampledLeaf]
    circle: Array  # (n, 2) cos and sin of the phases of all samples
    transform_room: Array
    deflection: Array  # n deflections, then n slopes by tau, of each line
    slope: Array  # the first slope in these
    force: Array  # (m, n)
    by_coefficients: Array  # (m, n, columns) forces by coefficients and frequency; columns = tangent_width + 1
    by_deflection: Array  # (m, n)
    by_slope: Array  # (m, n) by slopes by tau
    by_frequency: Array  # (m, n)
    has_rows: Array  # (m,) 1 for a line that has rows in by_coefficients all the same
    tangent_harmonics: Array  # (m, columns, columns) harmonics of the derivatives by coefficients and frequency
    # forces by deflections of other lines, of laws with several: pairs of lines, rows of samples, their harmonics
    pair_count: int
    pair_lines: Array  # (pairs, 2) force, deflection
    pair_rows: Array  # (pairs, n, columns)
    pair_has_rows: Array  # (pairs,) 1 for a pair that has rows
    pair_by_deflection: Array  # (pairs, n) what forces owe to deflections at the same sample
    pair_spectrum: Array  # (pairs, 2 width) of these
    pair_harmonics: Array  # (pairs, columns, columns)
    corner_harmonics: Array  # (m, width + 1) what corners between samples add to the harmonics of the forces
    closure_gaps: Array  # (leaves,) how far memories are from closing
    projection: Array  # (n, width + 1) samples to coefficients
    double_waves: Array  # (n, 2 width) waves of twice the harmonics
    deflection_spectrum: Array  # (m, 2 width) of by_deflection
    slope_spectrum: Array  # (m, 2 width) of by_slope
    integers: Array  # 0, 1, ... as 64 bits each, for BLAS
    one_zero: Array  # 1 and 0
    letters: Array  # N and T, 8 bytes each
    dgemm: int  # address
    dgemv: int  # address


class BalancePlan(NativeRecord):
    """Equations of harmonic balance, and a plane across the curve of their solutions.   size : series_count width."""

    line_count: int  # m
    series_count: int  # unknown series, s
    width: int  # coefficients of a series
    order: float  # base periods in a period
    unit: float  # 1 / typical size
    laws: LawPlan
    unknowns: Array  # (size + 1,) with the base frequency
    line_series: Array  # (m, width) deflections of the lines without what motions add
    moved_series: Array  # (m, width) with it
    offsets: Array  # (m, width) what motions add
    lines_by_unknowns: Array  # (m, s)
    waves: Array  # (width, 2 n) by harmonics
    force_harmonics: Array  # (m, pairs)
    compliance: Array  # (m, s, pairs), behind it the answer to the loads (s, pairs)
    compliance_slope: Array  # the same by the frequency
    moved_stiffness: Array  # (2, m) in the linear part: of harmonics and of the mean
    moved_damping: Array  # (m,)
    shift: Array  # (m, pairs) both at each harmonic
    law_stiffness: Array  # (2, m) estimates of stiffness and damping of the laws
    mode_count: int  # 0 where compliances are found without modes
    mode_row_count: int  # rows that stand for modes: twice as many if they are complex
    mode_constant: Array  # (modes,) complex a of a + b s + c s^2
    mode_linear: Array  # (modes,) complex b
    mode_square: float  # c
    loose_modes: Array  # (modes,) 1 for those without a part in the mean
    mode_response: Array  # (m, s, rows) what lines do to unknowns through each mode
    mode_seen: Array  # (s, rows) what unknowns see of each
    mode_loads: Array  # (3 powers of the frequency, harmonics, modes) complex
    loads_move: bool  # these depend on the frequency
    mode_weights: Array  # (4, rows, pairs) room
    residual: Array  # (size + 1,) the last is that of the plane
    matrix: Array  # (size + 1, size + 1) derivatives by columns, the last by the frequency; the last row is the plane's
    partial: bool  # the matrix may have the lowest harmonics and the mean alone
    matrix_width: int  # coefficients of a series in it
    plane: Array  # (3, size + 1) origin, normal, scale
    room: Array  # (5, size + 1) tangent, the plane's row, right side, its part in a partial Jacobian, guess
    pivots: Array
    distance: float  # of the plane from its origin
    rough: bool  # the last Jacobian may give the tangent
    tolerance: float
    dgetrf: int  # address
    dgetrs: int  # address
    jacobians: int  # out: Newton steps that it counts as
    largest: float  # out: largest residual
    turn: float  # [rad] out: between tangent and normal
