"""Records of the compiled exact flow: the model, the state of a run, modal tables, and named constants.

n coordinates, m units, h waves, c contacts, r modes. The model does not change during a run. Sections of a model or a
state lie in one block, so a state is copied as a whole.
"""

from __future__ import annotations

from slipstick.native import Array, NativeRecord, Rows, Section, view


class PackedPiece(NativeRecord):
    """One piece of a unit: force = constant + u U + v V + w W + partner P + partner_rate P', P of the partner."""

    constant: float
    u: float
    v: float
    w: float
    partner: float
    partner_rate: float
    moves: bool  # the stretch w follows u
    given: bool  # the stretch is given_constant + given_partner P
    given_constant: float
    given_partner: float
    first_guard: int
    guard_count: int


class PackedGuard(NativeRecord):
    """One guard of a piece: it ends where constant + u U + v V + w W + partner P + partner_rate P' < 0."""

    constant: float
    u: float
    v: float
    w: float
    partner: float
    partner_rate: float
    to: int  # the piece that it leads to


class FlowModel(NativeRecord):
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
    swept: bool  # a frequency varies, or a limit follows a line: Taylor steps only
    has_stops: bool  # a contact is a rigid stop
    has_pairs: bool  # there are rigid contacts with friction, each a pair of a tangential and a normal contact
    unique: bool  # the states of pairs that satisfy their law are known to be unique
    pieces: Rows[PackedPiece]  # unit by unit
    guards: Rows[PackedGuard]  # piece by piece
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
    limit_constant: Section  # (epochs, c) beside the constant part
    limit_slope: Section
    # waves of varying frequency, times powers of their speed and acceleration
    wave_swept: Section  # (h)
    speed_power: Section  # (h)
    acceleration_power: Section
    sweep_angle: Section  # (epochs, h) where an epoch begins
    sweep_speed: Section
    sweep_acceleration: Section
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
    partner: Section  # (m) the unit whose deflection P it reads too, and which takes its piece; -1: none
    leader: Section  # (m) the unit whose piece it takes; -1: it has guards of its own
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
    stop: Section  # (c) 1 for a rigid stop
    gap: Section  # (c) of a rigid stop
    restitution: Section  # (c)
    normal_of: Section  # (c) of a tangential contact of a pair: its normal one; -1: none
    tangential_of: Section  # (c) of a normal contact of a pair: its tangential one; -1: none
    friction: Section  # (c) of the contacts of a pair


class State(NativeRecord):
    """The state of a run at one time, and workspace."""

    time: float
    time_low: float  # rounding of the time: late in a run an event is known to more digits than a float holds
    until: float
    epoch: int
    budget: float  # segments and guard evaluations until the flow pauses
    started: bool  # the first segment has begun
    look_count: int  # Taylor steps, and points at which guards were evaluated
    steps_before_table: float  # Taylor steps in a state before a table of modes is built for it
    # the guard that ended the last segment (-1: none did), and the same until it is processed
    fired: int
    fired_guard: int
    trigger: int
    trigger_guard: int
    saved_trigger_guard: int
    stalled: int  # events without progress in time
    key: float  # hash of the pieces
    by_series: bool  # the last segment was a Taylor step
    order: int  # of the present Taylor series
    step_hint: float
    zero_rate: float  # rates below it count as zero
    softening: float  # of the Delassus matrix, relative
    # the search for a state where coordinates have no inertia
    undecided: float  # a measure of states tried; 0: decided
    combination: int  # which of all states of contacts is tried
    corner_flips: int  # how often a corner changed in it
    met_refused: bool  # a state without a table occurred
    turn_uncertainty: float  # [s] for which a prescribed rate that turns is zero to rounding
    release_uncertainty: float  # [s] of the instant at which a reaction has reached its limit
    # impacts
    start_slack: float  # of the sizes of terms: a stop this near is closed at the start of a run
    struck: bool  # velocities have jumped at this instant
    short_flight: bool  # a stop has just made a small rebound
    failure: int  # why no state was found (NO_CONTACT_STATE, GAINS_ENERGY, TOO_MANY_CONTACTS); 0: by rounding
    several_count: int  # instants at which several states of rigid contacts satisfy their law
    several_time: float  # [s] the first of them
    unchecked_count: int  # instants with too many contacts closed or at rest to look for other states
    settled_count: int  # sequences of impacts that ended at rest
    settled_rate: float  # the largest rate after which such a sequence was summed in closed form
    settled_height: float  # the largest deflection that was left out with it
    settled_delay: float  # [s] the largest error of its end
    # the motion
    motion: Section  # (2n) displacements, velocities
    piece: Section  # (m)
    memory: Section  # (m) stretch, or where it was zero while it moves
    old_piece: Section  # (m) before the last event
    scale: Section  # (2n) the largest sums of terms so far, the sizes that rounding refers to
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
    delassus: Section  # (c, c) that of the model, with the friction of sliding pairs in their normal columns
    inverse_mass_along: Section  # (n, c) the same
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
    mode_speeds: Section  # (2n) at the start of a segment
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
    # impacts at rigid stops
    touch: Section  # (c) OPEN, CLOSED or REBOUNDING at this instant
    impulse: Section  # (c) at this instant
    arrival: Section  # (c) the rate just before this instant
    settling: Section  # (c) [s] when impacts that accumulate end; 0: none do
    # rigid contacts with friction (`pair_states`)
    choice: Section  # (c) state of each pair that is tried, at its normal contact
    options: Section  # (c) which states it may take at this instant
    best_choice: Section  # (c)
    tried_series: Section  # (n) accelerations of the state that was found
    tried_size: Section  # (n) the size of the terms of accelerations
    rest: Section  # (2n) what is left of the motion while it is expanded in modes; then amplitudes of zero modes
    work: Section


class Segment(NativeRecord):
    """Where a segment of a run begins."""

    time: float
    time_low: float
    epoch: int
    by_series: bool  # Taylor steps were taken in it
    fired: int  # the guard that ended the segment before: its unit, -1: none did
    fired_guard: int
    motion: Section  # (2n)
    piece: Section  # (m)
    memory: Section  # (m)
    impulse: Section  # (c) of rigid stops at its start; empty without stops


class PieceChange(NativeRecord):
    """A unit that changes its piece. All fields are numbers, so that Python reads all events as one array."""

    time: float
    unit: float
    before: float
    after: float


class Recording(NativeRecord):
    """The segments and events of a run."""

    segment_count: int
    segment_capacity: int
    segment_size: int  # numbers of a segment
    event_count: int
    event_capacity: int
    segments: Section
    events: Section


class ModalTable(NativeRecord):
    """The modes of one state of all units; complex numbers take two places."""

    kind: int
    has_modes: bool
    mode_count: int
    zero_count: int  # modes that nothing pulls back
    stuck_count: int
    loose_count: int  # directions without inertia that nothing holds
    pieces: Section  # (m) the state
    eigenvalues: Section  # (r, LAMBDA_ROW)
    shapes: Section  # (n, r) displacements of each mode, with its conjugate
    left: Section  # (r, 2n) amplitudes of a motion
    left_force: Section  # (r, n) amplitudes of a force
    # zero modes
    zero_shapes: Section  # (n, z)
    zero_left: Section  # (z, 2n)
    zero_force: Section  # (z, n)
    nilpotent: Section  # (z, z)
    # steady response to waves (`steady_response`): of coordinates; its slope over the logarithm of the frequency;
    # of deflections, with and without offsets
    response: Section  # (h, n)
    response_slopes: Section
    unit_shapes: Section  # (m, r)
    unit_response: Section  # (m, h, 2)
    # contacts that stick: displacements for a unit deflection, and the forces of these
    stuck_units: Section
    stuck_shapes: Section  # (n, stuck)
    stuck_stiffness: Section
    stuck_damping: Section
    # their reactions: of modes; of waves; of forces, displacements, velocities and accelerations
    reaction_modes: Section  # (stuck, r, REACTION_ROW)
    reaction_response: Section  # (stuck, h)
    reaction_force: Section  # (stuck, n)
    reaction_stiffness: Section
    reaction_damping: Section
    reaction_mass: Section
    # without inertia: displacements that follow forces at once; directions that nothing holds; of each unit, 1 if
    # contacts that stick prescribe its rate, and how
    feed: Section  # (n, n)
    loose: Section  # (loose, n)
    span: Section  # (m, 1 + stuck)


class TableEntry(NativeRecord):
    """One state in the directory of tables."""

    key: float  # hash of the pieces
    place: int  # where its table begins, or NO_TABLE
    steps: int  # Taylor steps taken in it


class ModalTables(NativeRecord):
    """All tables, one behind the other, and their directory."""

    count: int  # of entries
    end: int  # of the last table
    entries: Section
    numbers: Section


class Variation(NativeRecord):
    """Sensitivities along a recorded run, and their storage."""

    model: FlowModel
    tangent: FlowModel  # the model of perturbations
    turned: FlowModel  # the model of changes by the base frequency (`frequency_sensitivity`)
    state: State  # workspace: the state of the run
    near: State  # workspace: a change as a state
    tables: ModalTables
    recording: Recording
    end: float  # [s] of the run
    changes: Array  # (count, 2n + m) displacements, velocities, memories


class Measurement(NativeRecord):
    """Meters that are read over a run, and where `output_measures` works on a panel of it."""

    meters: Array  # (count, numbers)
    count: int
    rule: Array  # points on (0, 1), then weights
    points: int
    harmonics: int
    heard: int  # the first meters, of which harmonics are wanted
    begin: float  # [s] of the run
    turn: float  # [rad/s] of the first harmonic
    guards: int  # of the segment at hand; -1 where Taylor steps were taken
    times: Array  # (samples) of a panel, from the start of its segment
    values: Array  # (count, samples)
    row: Array  # (2n + c + 1) motion and reactions at one of them
    results: Array  # (count, numbers)


def segment_at(recording: Recording, k: int) -> Segment:
    """Segment k of a run."""
    return Segment.over(view(recording.segments, recording.segment_size * k))


def event_at(recording: Recording, k: int) -> PieceChange:
    """Event k of a run."""
    return PieceChange.over(view(recording.events, EVENT_SLOTS * k))


def entry_at(tables: ModalTables, i: int) -> TableEntry:
    """Entry i of the directory."""
    return TableEntry.over(view(tables.entries, ENTRY_SLOTS * i))


def table_at(tables: ModalTables, place: int) -> ModalTable:
    """The table that begins at a place."""
    return ModalTable.over(view(tables.numbers, place))


EVENT_SLOTS, ENTRY_SLOTS = len(PieceChange.fields), len(TableEntry.fields)

# ---- of a mode in a motion: its amplitude c, and where it is slow c1 and c2, complex
AMPLITUDES = 6
# ---- of a mode in a reaction: factors of displacement, velocity and acceleration, complex
REACTION_ROW = 6

# ---- pieces of a friction contact; held: at its limit, while others that stick leave it no way to move;
# at rest: what is prescribed does not move, and nothing determines the force of a contact on it alone
(SLIP_DOWN, STICK, SLIP_UP, UNLOADED, HELD_UP, HELD_DOWN, AT_REST) = range(7)
# ---- a rigid stop is unloaded while it is open, and sticks in contact; impacts are events, and no piece
IMPACT = 7
OPEN, CLOSED, REBOUNDING = 0.0, 1.0, 2.0  # rebounding: just left the stop after an impact

# ---- why the flow comes back to Python
(DONE, NEED_TABLE, SEGMENTS_FULL, EVENTS_FULL, PAUSE, STALL, NOT_FINITE, NO_STATE, TOO_MANY, UNSETTLED, LOST) = range(
    11
)
REFUSED = 11
NO_CONTACT_STATE, GAINS_ENERGY, TOO_MANY_CONTACTS = 12, 13, 14

MODAL, SERIES_ONLY = 1, 2  # kinds of tables: modes; no modes, Taylor steps serve
NO_TABLE = -1  # in place of where a table begins
MAX_ENTRIES = 2048  # states in the directory

SLOW, SLOW_DRIFT = (
    3e-3,
    0.1,
)  # of the fastest eigenvalue: modes below it (the second: those that do not oscillate) would
# lose digits if their steady part were split off

DEGREE = 3  # of the polynomial part of a motion: ramps on rigid modes
LEVELS, DEEP = 6, 24  # derivatives of the acceleration that are looked at: at first, and where a corner is still tied
