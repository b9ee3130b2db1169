"""One run from a state (q, v, w), with its derivatives, and what the corrector of shooting needs of it; compiled.

All data are in one array, the desk: a head of single numbers, then sections, whose start positions are in the head.
"""

from __future__ import annotations

from slipstick.laws.source_parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.complementarity import swap_entries
from slipstick.transient.exact.flow import advance
from slipstick.transient.exact.flow_map import flow_derivative, is_slider, put_state, read_state, state_rate
from slipstick.transient.exact.frequency_sensitivity import frequency_tangent_model
from slipstick.transient.exact.sampling import begin_run
from slipstick.transient.exact.slider_jumps import stretch_moves_in

# ---- head of the desk: numbers of a state (q, v, w), of a packed one, of the model
(Y_SIZE, Y_STATE_SIZE, Y_MODEL_SIZE) = range(3)
# ---- request: where the run ends; [rad/s] by which displacements and velocities compare; derivatives (0: none, 1: by
# the state, 2: by the base frequency too); the least size that displacements are measured by
(Y_UNTIL, Y_TURN, Y_DERIVED, Y_LEAST) = range(3, 7)
# ---- result: 1 where all contacts and sliders have slid both ways, so that none of them may rest elsewhere
Y_SLID = 7
# ---- sections, to be kept of a run: the state it begins with; that it ends with, and sizes; scales; the derivative by
# columns; the packed state at the end
(Y_GIVEN, Y_ENDED, Y_SCALES, Y_COLUMNS, Y_STATE) = range(8, 13)
# ---- further sections: segments, events; a packed state to begin with, two to work on; changes; the rate of the state;
# the turned model
(Y_RECORD, Y_EVENTS, Y_BLANK, Y_SPARE, Y_CHANGES, Y_RATE, Y_TURNED) = range(13, 20)
DESK_HEAD = 20

FULL_RANK_REL = 1e-11  # of the largest pivot: one below it belongs to a direction that is neutral
SMALLEST_SCALE = 1e-300


def run_state(model: Buffer, tangent: Buffer, tables: Buffer, desk: Buffer) -> int:
    """One run from the state given, with its derivatives: at.DONE, or why it stopped.

    After at.NEED_TABLE it may be called again.
    """
    why = run_once(model, tables, desk)
    if why == at.DONE:
        if desk[Y_DERIVED] > 0.0:
            differentiate_run(model, tangent, tables, desk)
        desk[Y_SLID] = 1.0 if all_slid(model, desk, 2) else 0.0
    return why


def run_once(model: Buffer, tables: Buffer, desk: Buffer) -> int:
    """One run from the state given; why it stopped. If it is done, what it ended with is there, and the scales."""
    blank = view(desk, int(desk[Y_BLANK]))
    state = view(desk, int(desk[Y_STATE]))
    record = view(desk, int(desk[Y_RECORD]))
    events = view(desk, int(desk[Y_EVENTS]))
    for i in range(int(desk[Y_STATE_SIZE])):
        state[i] = blank[i]
    put_state(model, state, view(desk, int(desk[Y_GIVEN])))
    state[at.UNTIL] = desk[Y_UNTIL]
    if begin_run(model, state, record, events) == 0:
        return at.UNSETTLED
    state[at.EVENTS] = 0.0  # how a run begins is no event
    why = advance(model, state, tables, record, events)
    if why == at.DONE:
        read_state(model, state, record, int(state[at.RECORDS]), view(desk, int(desk[Y_ENDED])))
        set_scales(desk, int(model[at.N]))
    return why


def set_scales(desk: Buffer, n: int) -> None:
    """The scales: sizes, alike for all displacements, all velocities and all stretches.

    Events may all lie where displacements, or velocities, are zero: each is at least what the other makes it.
    """
    size = int(desk[Y_SIZE])
    sizes = view(desk, int(desk[Y_ENDED]) + size)
    scales = view(desk, int(desk[Y_SCALES]))
    q = 0.0
    v = 0.0
    w = SMALLEST_SCALE
    for i in range(n):
        q = max(q, sizes[i])
        v = max(v, sizes[n + i])
    for i in range(2 * n, size):
        w = max(w, sizes[i])
    if max(q, v) > 0.0:
        q = max(q, desk[Y_LEAST])
    for i in range(n):
        scales[i] = max(max(q, v / desk[Y_TURN]), SMALLEST_SCALE)
        scales[n + i] = max(max(v, desk[Y_TURN] * q), SMALLEST_SCALE)
    for i in range(2 * n, size):
        scales[i] = w


def differentiate_run(model: Buffer, tangent: Buffer, tables: Buffer, desk: Buffer) -> None:
    """The derivative of the state at the end by that given; behind it by the logarithm of the base frequency, if that
    is wanted and the length of the run goes with it: not numbers where the run did not go by modes alone."""
    size = int(desk[Y_SIZE])
    numbers = int(desk[Y_STATE_SIZE])
    sweeps = 1 if desk[Y_DERIVED] > 1.0 else 0
    state = view(desk, int(desk[Y_STATE]))
    spare = view(desk, int(desk[Y_SPARE]))
    other = view(spare, numbers)
    columns = view(desk, int(desk[Y_COLUMNS]))
    turned = view(desk, int(desk[Y_TURNED]))
    if sweeps == 1:
        frequency_tangent_model(model, tangent, int(desk[Y_MODEL_SIZE]), turned)
    for i in range(numbers):
        spare[i] = state[i]
        other[i] = state[i]
    flow_derivative(
        model,
        tangent,
        spare,
        other,
        tables,
        view(desk, int(desk[Y_RECORD])),
        int(state[at.RECORDS]),
        desk[Y_UNTIL],
        view(desk, int(desk[Y_CHANGES])),
        size,
        turned,
        sweeps,
        columns,
    )
    if sweeps == 1:
        for i in range(numbers):
            spare[i] = state[i]
        rate = view(desk, int(desk[Y_RATE]))
        state_rate(model, spare, rate)
        for i in range(size):
            columns[size * size + i] -= (desk[Y_UNTIL] - desk[int(desk[Y_BLANK]) + at.TIME]) * rate[i]


def all_slid(model: Buffer, desk: Buffer, ways: int) -> bool:
    """True if all contacts and sliders have slid in so many ways at least: else the run may be one of a band.

    Contacts whose normal load goes, and those whose deflection is prescribed, do not count.
    """
    contact_of = view(model, int(model[at.CONTACT_OF]))
    for e in range(int(model[at.UNITS])):
        c = int(contact_of[e])
        if c >= 0:
            if model[int(model[at.DRIVEN]) + c] == 0.0 and ways_slid(model, desk, e) < ways:
                return False
        elif is_slider(model, e) and ways_slid(model, desk, e) < ways:
            return False
    return True


def ways_slid(model: Buffer, desk: Buffer, e: int) -> int:
    """In how many ways a contact or slider has slid in the last run, up to two; two where a contact was unloaded."""
    n = int(model[at.N])
    line = at.RECORD_HEAD + 2 * n + 2 * int(model[at.UNITS])
    pieces = view(desk, int(desk[Y_RECORD]) + at.RECORD_HEAD + 2 * n + e)
    is_contact = model[int(model[at.CONTACT_OF]) + e] >= 0.0
    first = -1.0
    count = 0
    for r in range(int(desk[int(desk[Y_STATE]) + at.RECORDS])):
        piece = pieces[r * line]
        slides = piece == float(at.SLIP_UP) or piece == float(at.SLIP_DOWN)
        if is_contact:
            if piece == float(at.UNLOADED):
                return 2
        else:
            slides = not stretch_moves_in(model, e, piece)
        if slides and piece != first:
            if count > 0:
                return 2
            first = piece
            count = 1
    return count


def solve_by_elimination(matrix: Buffer, right: Buffer, size: int) -> bool:
    """Solve matrix (size, size) x = right, in the place of both, by Gauss with pivots; False without full rank."""
    least = 1e300
    most = 0.0
    for k in range(size):
        best = k
        for i in range(k + 1, size):
            if abs(matrix[i * size + k]) > abs(matrix[best * size + k]):
                best = i
        pivot = matrix[best * size + k]
        least = min(least, abs(pivot))
        most = max(most, abs(pivot))
        if not least > FULL_RANK_REL * most:
            return False
        if best != k:
            for j in range(k, size):
                swap_entries(matrix, k, best, size, j)
            swap_entries(right, k, best, 1, 0)
        for i in range(k + 1, size):
            part = matrix[i * size + k] / pivot
            if part != 0.0:
                for j in range(k + 1, size):
                    matrix[i * size + j] -= part * matrix[k * size + j]
                right[i] -= part * right[k]
    for back in range(size):
        k = size - 1 - back
        for j in range(k + 1, size):
            right[k] -= matrix[k * size + j] * right[j]
        right[k] /= matrix[k * size + k]
    return True
