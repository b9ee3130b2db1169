"""Records of a compiled run of implicit steps.

n coordinates. A line is a connection: first the groups, whose laws need a solver, then the springs, which are part of
the matrices. A sparse matrix of r rows is one array: where each row begins (r + 1), then pairs of column and value.
"""

from __future__ import annotations

from slipstick.native import Array, NativeRecord, Rows

DONE, FAILED, FULL = 0, 1, 2  # status of a step: solved, not solved, a stack of reversals needs more room


class Counts(NativeRecord):
    """Counts of a run so far."""

    steps: int
    factorisations: int
    solves: int
    next_sample: int
    status: int  # of the last step


class WorkDone(NativeRecord):
    """[J] done by loads and motions, absorbed by the matrices, and the most exchanged so far."""

    loads: float
    matrices: float
    exchanged: float


class ElementaryLaw(NativeRecord):
    """One law on a group."""

    group: int
    value_function: int  # addresses
    tangent_function: int
    parameters: Array
    deflection_scale: float
    factor: float
    modulation: int  # begin of its modulation within the packed laws; -1: none
    memory_begin: int
    memory_size: int  # -1: a stack
    directions: int  # 1; of a law with several deflections their count at the first leaf, 0 at the others
    pair_begin: int  # of the first leaf: where its pairs begin


class SpringDamper(NativeRecord):
    """A plain spring and damper: force = stiffness u + damping v + force."""

    line: int
    stiffness: float
    damping: float
    force: float


class Step(NativeRecord):
    """One step: the states at its start and end, and its equation."""

    coordinate_count: int
    group_count: int
    line_count: int
    leaf_count: int
    spring_count: int
    sample_count: int
    has_motions: bool
    massless: bool
    h: float
    c1: float
    c2: float
    last_time: float  # up to which functions of time are read: a jump there belongs to the next step
    counts: Counts
    work: WorkDone
    absorbed: Array  # [J] by leaves and springs
    # matrices with springs and without, deflections and directions of lines, projection on motions without inertia
    mass: Array
    damping: Array
    stiffness: Array
    model_damping: Array
    model_stiffness: Array
    rows: Array
    along: Array
    null_projection: Array
    # functions of time
    loads: Array
    offset_functions: Array
    offset_rate_functions: Array
    # laws
    laws: Array  # as `slipstick.laws.law_packing` packs them
    leaves: Rows[ElementaryLaw]
    springs: Rows[SpringDamper]
    conjugate: Array  # 1 for a line whose force acts along its deflection
    # the state, with its loads, offsets and forces
    q: Array
    v: Array
    a: Array
    load: Array
    offset: Array
    matrix_force: Array
    force: Array
    memory: Array
    # the same at the end of the step; the last four lie in one block, which is saved while samples are taken
    q_end: Array
    v_end: Array
    a_end: Array
    matrix_force_end: Array
    offset_rate_end: Array
    load_end: Array
    offset_end: Array
    force_end: Array
    memory_end: Array
    end_block: Array
    saved_end: Array
    end_size: int
    # the equation of the step
    factor: Array  # of the leaves' forces
    increment: Array
    predicted_deflection: Array
    predicted_rate: Array
    right_hand_side: Array
    correction: Array
    deflection: Array  # of groups, beyond the predicted one
    group_force: Array
    group_stiffness: Array
    # forces by the deflections of other groups, of laws with several deflections
    pair_count: int
    pair_groups: Array  # (2 pairs) force, deflection
    pair_stiffness: Array
    memory_slope: Array
    force_slope: Array
    law_force: Array  # without factors
    # samples
    sample_times: Array
    sample_q: Array
    sample_v: Array
    sample_force: Array


class NewtonStep(Step):
    """A step solved by Newton's method: L y + R (f(x) - s x) = b, x = W y; see `newton_loop`."""

    size: int
    condensed: bool
    full_newton: bool
    tolerance: float
    left: Array  # L
    deflection_matrix: Array  # W
    direction_matrix: Array  # R
    shift: Array  # s
    inverse: Array  # of the linear part, and its product with the directions (condensed)
    response: Array
    factored: bool
    factors: Array
    pivots: Array
    factored_stiffness: Array
    factored_pairs: Array
    y: Array
    dy: Array
    y_trial: Array
    dy_trial: Array
    reduced_right_hand_side: Array
    linear_correction: Array
    scale: Array
    diagonal: Array  # sizes on the diagonal of L
    measure: Array  # scales of corrections


class RecurrenceTerm(NativeRecord):
    """A law's recurrence for Taylor coefficients."""

    function: int
    workspace: Array


class SeriesStep(Step):
    """A step solved by Taylor series; see `taylor_loop`."""

    order: int
    kappa: float
    tolerance: float
    inverse: Array  # of the linear part
    response: Array
    compliance: Array
    terms: Rows[RecurrenceTerm]
    leaf_deflections: Array  # series
    leaf_rates: Array
    factored: bool
    start_stiffness: Array  # of K*
    solution: Array  # inverse of 1 + s G
    factors: Array
    pivots: Array
    scale: Array
    linear_correction: Array
    linear_deflection: Array
    phi: Array
    x_series: Array
    f_series: Array
    p_series: Array
    slope_force: Array
    new_stiffness: Array
    column: Array
    other: Array
    p_begin: Array
