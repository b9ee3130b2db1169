"""Records of the compiled integrator: the run, its elements, and data for sensitivities.

n coordinates, m elements, z inner states of laws by rate. A state y is (q, v, inner states), (2n + z,).
"""

from __future__ import annotations

from slipstick.native import Array, NativeRecord, Rows
from slipstick.transient.exact.records import FlowModel, State

# ---- kinds of elements: part of the matrices; force of (u, v); closed-form memory; inner state with a rate; set-valued
# friction
# an elastic contact, by its first direction, and its other directions
FOLDED, PLAIN, CLOSED, BY_RATE, RIGID, ELASTIC, PARTNER = range(7)
# ---- kinds of events: the rate is zero; a corner in the deflection; one in deflection and rate; a contact that sticks
# reaches its limit; a contact changes its state; an elastic contact does (`elastic_contacts` has further kinds)
REVERSAL, AT_CORNER, AT_EDGE, RELEASE, CONTACT_CHANGE, ELASTIC_CHANGE = range(6)
PIECE_CODE = 16  # way of a contact's change: piece before + PIECE_CODE * piece after
# ---- why the loop returns
CONTINUE, EVENTS_FULL, MEMORY_FULL, STEP_TOO_SMALL, NOT_FINITE, TAPE_FULL, UNDECIDED = range(7)


class ElementRecord(NativeRecord):
    """One law on one deflection."""

    kind: int
    value_function: int  # address, as those below; 0: there is none
    parameters: Array
    memory_begin: int  # within all memories
    memory_size: int  # -1: a stack, which holds its own size
    modulation: int  # begin of its factors within all modulations; -1: none
    corner_function: int
    rate_function: int
    inner_force_function: int
    settle_function: int
    turn_function: int
    inner_index: int  # among the inner states
    factor: float  # of the force
    deflection_scale: float  # of the law's deflection over the connection's
    conjugate: bool  # the force acts along the deflection
    edge_function: int
    row_begin: int  # coordinates between which its deflection is not zero
    row_end: int
    push_begin: int  # coordinates between which its force accelerates something
    push_end: int
    contact: int  # index of the contact; -1: none
    elastic: int  # index of the elastic contact; -1: none


class ElasticContactRecord(NativeRecord):
    """An elastic contact; see `elastic_contacts`."""

    element: int  # of its first direction; the others follow
    tangential: int  # directions, before the normal one
    inner_index: int  # of its sliding force among the inner states, with two tangential directions
    normal_stiffness: float
    normal_damping: float
    touches_at: float
    tangential_stiffness: float
    friction: float
    state: int
    first_state: int  # in the first instant
    slider: float
    second_slider: float
    sign: float  # of the sliding force, with one tangential direction
    pressing_scale: float
    rate_scale: float
    reached: int  # the guard that the step ended at; 0: none


class EventRecord(NativeRecord):
    """One event. All fields are numbers, so that Python reads all events as one array."""

    time: float  # [s] since the start
    element: float
    kind: float
    way: float  # direction; at an edge, the side after the event; of a contact, its states
    deflection: float


class ElementDerivatives(NativeRecord):
    """Derivatives of an element at a stage."""

    factor: float  # of the force
    force_u: float
    force_v: float
    force_z: float
    rate_u: float  # of the rate of the inner state
    rate_v: float
    rate_z: float
    u_begin: float  # deflection at the start of the step


class Tangent(NativeRecord):
    """How an element is differentiated."""

    function: int  # address of its tangent
    needs_rate: bool
    one_number: bool  # its memory acts on the force like a single number


class Integration(NativeRecord):
    """A run of the integrator. Times are counted from its start."""

    # sizes and options
    coordinate_count: int
    element_count: int
    inner_count: int
    track_energy: bool
    track_max: bool  # the largest |y| and |memory| so far
    fixed_step: bool
    has_motions: bool
    tolerance: float
    # time and step control
    time: float
    step: float  # the next one to try
    until: float
    max_step: float
    last_log_error: float
    accepted: int
    rejected: int
    restart: bool  # first stage, directions and corners must be found again
    max_kinetic: float  # [J], twice, so far
    step_end: float  # time of the last stages: at a break, just before it
    full_step: float  # length of the step without an event
    max_growth: float  # of the next step
    attempts: int
    target: int  # element whose event the step is to land on; -1: none
    target_kind: int
    missed: bool  # that event is not where the step ended
    mesh: Array  # times at which steps end, if they are given
    mesh_count: int
    next_mesh: int
    break_times: Array
    break_count: int
    next_break: int
    # equations: M^-1 (-K, -C) (n, 2n); -M^-1 along (n, m); deflections (m, n)
    linear: Array
    response: Array
    deflection_rows: Array
    mass: Array
    damping: Array
    stiffness: Array
    along: Array
    # functions of time: accelerations (n), offsets of deflections and their rates (m), loads (n)
    forcing: Array
    offset_functions: Array
    offset_rate_functions: Array
    loads: Array
    wave_time: float  # when cosines were last found
    waves: Array  # cos, sin of each frequency of the forcing, then
    # elements, with arrays of one number each
    elements: Rows[ElementRecord]
    modulations: Array
    memory: Array
    memory_trial: Array
    trial_at_end: bool  # memory_trial is that at the end of the step
    direction: Array
    next_corner: Array
    previous_corner: Array
    u_scale: Array
    v_scale: Array
    offset: Array
    offset_rate: Array
    u: Array
    v: Array
    force: Array
    force_begin: Array  # at the start of the step
    at_rest: Array  # 1 as long as the rate has been zero since the direction was found
    edge_side: Array
    edge_scale: Array
    # state: at the start and the end of the step, a trial; seven stages; scales of errors
    y: Array
    y_end: Array
    y_trial: Array
    stages: Array
    scale: Array
    rate_floor: Array
    y_max: Array
    memory_max: Array
    # set-valued friction: c contacts
    contact_count: int
    contacts: FlowModel
    resting: State  # pieces, reactions and the workspace of decisions
    contact_elements: Array  # (c)
    first_pieces: Array  # (c) in the first instant
    contact_limits: Array  # (c) sliding force at vanishing rate, before factors in time
    independent: int  # number of independent sticking contacts
    decide: bool  # states must be decided before the next step
    rates_jump: bool  # prescribed rates may have jumped at this instant
    landed: int  # element at whose reversal the last step ended; -1: none
    offset_acceleration_functions: Array
    offset_acceleration: Array  # (m)
    stick_place: Array  # (c) deflection at which a contact sticks
    reaction_scale: Array  # (c)
    release_near: Array  # (c) the smallest distance from release over the stages of a step, and the largest
    release_far: Array
    release_time: float  # [s] of the last reactions
    difference_step: float  # [s] of differences in decisions
    series: Array  # (orders, 2n + z) Taylor coefficients of the rates of y
    force_sizes: Array  # (n) sums of absolute accelerations, the scale of rounding
    rate_trial: Array  # (2n + z)
    force_kept: Array  # (m)
    elastic_count: int
    elastic: Rows[ElasticContactRecord]
    # energy: absorbed by each element, work done, absorbed by matrices, the most exchanged
    energy: Array
    step_energy: Array
    energy_error: Array
    # output
    sample_times: Array
    samples: Array  # (samples, 2n + m) q, v, forces
    sample_count: int
    next_sample: int
    events: Rows[EventRecord]
    event_states: Array  # (events, 2n + m) q, v, forces
    event_count: int
    event_capacity: int
    tape_time: Array  # end of each step; 1 if an event ends it
    tape_event: Array
    tape: Array  # (steps, 3 (2n + z) + 2 m) y at the end, dy/dt and forces at the start and at the end of each step
    tape_count: int
    tape_capacity: int  # 0: steps are not recorded
    # sensitivities (`variations`): columns of state, memory and force, their stages and trials
    column_count: int
    vary_function: int
    shift_function: int
    tangents: Rows[Tangent]
    slopes: Rows[ElementDerivatives]
    variations: Array
    variation_stages: Array
    variation_trial: Array
    memory_variations: Array
    memory_variation_trial: Array
    memory_size: int
    force_variations: Array
    memory_shares: Array  # of each element and column: effect of memory on the force, over that in the reference column
    reference_column: Array
    butcher_table: Array
    jumped_element: int  # that met a corner at the start of the step; -1: none
    acceleration_before: Array  # that corner, or a change of contacts
    contacts_changed: bool  # contacts were decided at the start of the step
    event_shifts: Array  # (columns) [s] shift of that decision by each perturbation
    frequency_column: int  # -1: none
    pace: float  # -1 / frequency
