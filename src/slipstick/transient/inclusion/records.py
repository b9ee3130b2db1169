"""Records of the compiled scheme.

n coordinates, c contacts: first the sliders, then the frictions, then both directions of rigid contacts. The vector x
is (q, v, w, 1, cos and sin of each frequency, sampled signals, and t where there is a ramp), w the stretches of
sliders.
"""

from __future__ import annotations

from slipstick.native import Array, NativeRecord, Rows


class Wave(NativeRecord):
    """A frequency [rad/s] of loads and motions, with the cosine and sine of its angle over one step."""

    omega: float
    step_cos: float
    step_sin: float


class ActingElement(NativeRecord):
    """A law without memory and without a graph: it acts explicitly."""

    value_function: int
    parameters: Array
    modulation: int  # begin within the modulations; -1: none
    deflection: Array  # (x,) rows that give deflection and rate from x
    rate: Array
    response: Array  # (n,) change of v by its force


class FrictionConstraint(NativeRecord):
    """A dry friction contact."""

    limit: float
    modulation: int


class ContactPair(NativeRecord):
    """A rigid contact with friction, and rows that give deflections and rates from x; ``moves``: of motions alone."""

    friction: float
    gap: float
    restitution: float
    normal_stiffness: float  # of a spring that presses and acts elsewhere; 0: rigid
    normal: Array  # (x,) deflection
    rates: Array  # (2, x) of the tangential and the normal deflection
    moves: Array  # (2, x)


class SideChange(NativeRecord):
    """An event: a contact changes its side (see `slipstick.transient.limit_sides`). All fields are numbers."""

    time: float
    contact: float
    before: float
    after: float


class SchemeState(NativeRecord):
    """A run of the scheme."""

    coordinate_count: int
    slider_count: int
    friction_count: int  # contacts whose force depends on a rate; the last ones are two for each pair
    pair_count: int
    element_count: int
    wave_count: int
    signal_count: int
    width: int  # of x
    implicit: bool
    final_step: int
    start: float
    h: float
    theta: float
    # tables
    waves: Rows[Wave]
    signals: Array
    rows: Array  # (n + c, width) in blocks of rows, column by column
    elements: Rows[ActingElement]
    modulations: Array
    contact_rows: Array  # E (c, n)
    contact_response: Array  # R (n, c)
    contact_matrix: Array  # A (c, c)
    slider_limits: Array  # largest stretches
    frictions: Rows[FrictionConstraint]
    pairs: Rows[ContactPair]
    # state
    x: Array
    held: Array  # stretch or force of each contact
    side: Array  # of each contact
    change: Array  # of v, of stretches, rates of frictions; n + c numbers in whole blocks
    right_hand_side: Array  # (c,) of the contact problem, with its bounds and its matrix
    low: Array
    high: Array
    matrix: Array
    workspace: Array
    settled: bool  # the last contact problem with pairs was solved
    pair_work: Array  # (pairs, 3) work on the tangential and normal direction so far, and that of motions
    # output
    sample_times: Array
    sample_count: int
    next_sample: int
    samples: Array  # (k, 2n + 2c) q, v, w, friction forces, sides
    events: Rows[SideChange]
    event_samples: Array
    event_count: int
    event_capacity: int
