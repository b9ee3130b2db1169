"""Records of the compiled exact flow: the model, the state of a run, and the numbers that name things in them.

n coordinates, m units, h waves, c contacts, r modes. The model does not change during a run. Sections of a model or a
state lie in one block, so a state is copied as a whole.
"""

from __future__ import annotations

from slipstick.native import Record, Rows, Section


class Piece(Record):
    """One piece of a unit: force = constant + u U + v V + w W."""

    constant: float
    u: float
    v: float
    w: float
    moves: bool  # the stretch w follows u
    first_guard: int
    guard_count: int


class Guard(Record):
    """One guard of a piece: it ends where constant + u U + v V + w W < 0."""

    constant: float
    u: float
    v: float
    w: float
    to: int  # the piece that it leads to


class Model(Record):
    """A packed problem."""

    coordinate_count: int
    unit_count: int
    wave_count: int
    contact_count: int
    max_guards: int  # of all units together
    taylor_order: int
    full_mass: bool  # else the mass matrix and its inverse are diagonals
    regular: bool  # the mass matrix has an inverse
    has_offsets: bool  # a deflection has a prescribed part
    redundant: bool  # the deflections of contacts depend on each other
    pieces: Rows[Piece]  # unit by unit
    guards: Rows[Guard]  # piece by piece
    # loads and offsets: c cos + s sin of each wave, and a straight line in time in each epoch
    frequencies: Section  # (h)
    load_cos: Section  # (n, h)
    load_sin: Section
    offset_cos: Section  # (m, h)
    offset_sin: Section
    epoch_begin: Section
    epoch_end: Section
    load_constant: Section  # (epochs, n)
    load_slope: Section
    offset_constant: Section  # (epochs, m)
    offset_slope: Section
    # matrices: mass dense or a diagonal; stiffness and damping by rows, on one pattern
    mass: Section
    inverse_mass: Section
    row_begin: Section  # (n + 1)
    column: Section
    stiffness: Section
    damping: Section
    # units: where entries of deflection and force begin, their coordinates and values
    unit_begin: Section  # (m + 1)
    unit_coordinate: Section
    deflection: Section
    along: Section
    contact_of: Section  # (m) the contact of a unit; -1: a piecewise-linear unit
    first_piece: Section  # (m + 1)
    # contacts
    unit_of: Section  # (c)
    delassus: Section  # (c, c) D M^-1 A
    inverse_mass_along: Section  # (n, c) M^-1 A
    limit: Section  # (c) constant part of the sliding limit
    static_ratio: Section  # (c) static over sliding limit
    limit_varies: Section  # (c) 1 if waves are part of the limit
    limit_cos: Section  # (c, h)
    limit_sin: Section
    driven: Section  # (c) 1 if the deflection is prescribed
    massive: Section  # (c) 1 if its rate holds no velocity of a coordinate without inertia


class State(Record):
    """The state of a run at one time, and workspace."""

    time: float
    time_low: float  # what rounding took from the time: late in a run an event is known better than its time can be
    until: float
    epoch: int
    budget: float  # segments and looks until the flow pauses
    segment_count: int
    segment_capacity: int
    event_count: int
    event_capacity: int
    look_count: int  # Taylor steps, and points at which guards were evaluated
    steps_before_table: float  # Taylor steps in a state before a table of modes is built for it
    # the guard that ended the last segment (-1: none did), and the same until it has been dealt with
    fired: int
    fired_guard: int
    trigger: int
    trigger_guard: int
    stalled: int  # events without time passing
    key: float  # hash of the pieces
    by_series: bool  # the last segment was a Taylor step
    order: int  # of the Taylor series at hand
    step_hint: float
    zero_rate: float  # rates below it count as zero
    softening: float  # of the Delassus matrix, relative
    # the search for a state where coordinates have no inertia
    undecided: float  # a measure of states tried; 0: decided
    combination: int  # which of all states of contacts is tried
    corner_flips: int  # how often a corner changed in it
    met_refused: bool  # a state without a table was met
    turn_uncertainty: float  # [s] for which a prescribed rate that turns is zero to rounding
    release_uncertainty: float  # [s] of the instant at which a reaction has reached its limit
    # the motion
    motion: Section  # (2n) displacements, velocities
    piece: Section  # (m)
    memory: Section  # (m) stretch, or where it was zero while it moves
    old_piece: Section  # (m) before the last event
    scale: Section  # (2n) the largest sums of terms so far, by which rounding is measured
    phase_rounding: Section  # (n) what rounding of exponents does to the motion, in units of rounding
    release_error: Section  # (2n) what rounding makes of the motion where static friction lets go
    # Taylor series, a row an order
    wave_cos: Section  # (orders, h)
    wave_sin: Section
    displacement_series: Section  # (orders, n)
    displacement_size: Section
    deflection_series: Section  # (orders, m)
    limit_series: Section  # (orders, c)
    reaction_series: Section
    guard_series: Section  # (orders)
    force: Section  # (n) of one order; then accelerations
    force_size: Section
    reaction_size: Section  # (c)
    # contacts at rest
    status: Section  # (c)
    reaction: Section
    lower_bound: Section
    upper_bound: Section
    tie: Section
    rates: Section
    released: Section
    factor: Section  # (c, c) of the Delassus matrix
    basis: Section  # (c)
    pending: Section  # (m)
    immobile: Section  # (n, 1 + c)
    echelon: Section  # (c, n + c)
    # the motion in modes
    line_force: Section  # (2n) constant and slope of forces that do not depend on the motion
    amplitudes: Section  # (2n, AMPLITUDES)
    amplitude_size: Section  # (2n) by which rounding of amplitudes is measured
    polynomial: Section  # (DEGREE + 1, n)
    mode_basis: Section  # (2n, BASIS_ROW) at the time at hand
    wave_basis: Section  # (h, 2)
    mode_step: Section  # the same of a step (`recurrence`)
    wave_step: Section
    mode_speeds: Section  # (2n) at the begin of a segment
    mode_motion: Section  # (2n, 4) modes and their rates at the time at hand
    # guards in modes
    guard_modes: Section  # (guards, r, MODE_ROW)
    guard_polynomials: Section  # (guards, DEGREE + 1)
    guard_waves: Section  # (guards, h, 2)
    guard_info: Section  # (guards, INFO_ROW)
    guard_looks: Section  # (guards, NEXT_ROW)
    # states that are tried, where coordinates have no inertia
    tried: Section  # (2n) the motion that a state begins with
    tried_slack: Section  # (2n) what it is known to
    saved_piece: Section  # (m)
    saved_memory: Section
    # sensitivities
    jump: Section  # (3n)
    guard_changes: Section  # of the guard that ends a segment, for each column
    stuck_line: Section  # (c, 2) constant and slope of what sticking contacts take from the coordinates
    rest: Section  # (2n) what is left of the motion while it is expanded in modes; then amplitudes of zero modes
    work: Section


# ---- of a mode in a motion: its amplitude c, and where it is slow c1 and c2, complex
AMPLITUDES = 6
# ---- of a mode in a reaction: factors of displacement, velocity and acceleration, complex
REACTION_ROW = 6

# ---- pieces of a friction contact; held: at its limit, while others that stick leave it no way to move;
# at rest: what is prescribed does not move, and nothing determines the force of a contact on it alone
(SLIP_DOWN, STICK, SLIP_UP, UNLOADED, HELD_UP, HELD_DOWN, AT_REST) = range(7)

# ---- a record: where a segment begins: time, epoch, whether Taylor steps were taken, the time's low part, what
# ended the segment before; then X, pieces, memories
(R_TIME, R_EPOCH, R_SERIES_USED, R_TIME_LOW, R_FIRED, R_FIRED_GUARD) = range(6)
RECORD_HEAD = 6

# ---- why the flow comes back to Python
(DONE, NEED_TABLE, RECORDS_FULL, EVENTS_FULL, PAUSE, STALL, NOT_FINITE, NO_STATE, TOO_MANY, UNSETTLED, LOST) = range(11)
REFUSED = 11

# ---- directory of tables: hash of the state, where its table stands (0: none yet), Taylor steps spent in it
(E_HASH, E_AT, E_STEPS) = range(3)
ENTRY_ROW = 3
MOST_ENTRIES = 2048
TABLES_HEAD = 2 + ENTRY_ROW * MOST_ENTRIES  # count of entries, end of the last table, entries

# ---- a table: counts, then where its sections begin, counted from the table
(T_MODES, T_ZERO, T_STUCK, T_KIND, T_LAMBDA, T_LX, T_LF, T_XQ, T_LZ, T_LZF, T_NZ, T_XZ, T_WAVES) = range(13)
(T_Y, T_KY, T_CY, T_UNITS, T_U, T_UW, T_R, T_RW, T_RF, T_RK, T_RC, T_RM, T_PIECES, T_FEED) = range(13, 27)
T_SLOPES = 27  # of the steady response to waves, by the logarithm of their frequency
# without inertia: directions that nothing holds; of each unit, whether contacts that stick prescribe its rate, and how
(T_LOOSES, T_LOOSE, T_SPAN) = range(28, 31)
TABLE_HEAD = 31
MODAL, SERIES_ONLY = 1.0, 2.0

SLOW, SLOW_DRIFT = (
    3e-3,
    0.1,
)  # of the fastest eigenvalue: modes below it (the second: those that do not oscillate) would
# lose digits if their steady part were split off

DEGREE = 3  # of the polynomial part of a motion: ramps on rigid modes
LEVELS, DEEP = 6, 24  # derivatives of the acceleration that are looked at: at first, and where a corner is still tied
