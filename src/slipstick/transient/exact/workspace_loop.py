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
from slipstick.transient.exact.records import ModalTables, Model, Recording, State, Variation, segment_at
from slipstick.transient.exact.sampling import begin_run
from slipstick.transient.exact.state_changes import stretch_moves_in

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
# ---- further sections: the recording of the run; a packed state to begin with, two to work on; changes; the rate of
# the state; the turned model; the record of the changes
(Y_RECORD, Y_BLANK, Y_SPARE, Y_CHANGES, Y_RATE, Y_TURNED, Y_VARIATION) = range(13, 20)
DESK_HEAD = 20

FULL_RANK_REL = 1e-11  # of the largest pivot: one below it belongs to a direction that is neutral
SMALLEST_SCALE = 1e-300


def run_state(model: Model, tangent: Model, tables: ModalTables, desk: Buffer) -> int:
    """One run from the state given, with its derivatives: at.DONE, or why it stopped.

    After at.NEED_TABLE it may be called again.
    """
    why = run_once(model, tables, desk)
    if why == at.DONE:
        if desk[Y_DERIVED] > 0.0:
            differentiate_run(model, tangent, tables, desk)
        desk[Y_SLID] = 1.0 if all_slid(model, desk, 2) else 0.0
    return why


def run_once(model: Model, tables: ModalTables, desk: Buffer) -> int:
    """One run from the state given; why it stopped. If it is done, what it ended with is there, and the scales."""
    blank = view(desk, int(desk[Y_BLANK]))
    state = State.over(view(desk, int(desk[Y_STATE])))
    recording = Recording.over(view(desk, int(desk[Y_RECORD])))
    for i in range(int(desk[Y_STATE_SIZE])):
        state.block[i] = blank[i]
    put_state(model, state, view(desk, int(desk[Y_GIVEN])))
    state.until = desk[Y_UNTIL]
    recording.segment_count = 0
    recording.event_count = 0
    if begin_run(model, state, recording) == 0:
        return at.UNSETTLED
    recording.event_count = 0  # how a run begins is no event
    why = advance(model, state, tables, recording)
    if why == at.DONE:
        read_state(model, state, recording, view(desk, int(desk[Y_ENDED])))
        set_scales(desk, model.coordinate_count)
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


def differentiate_run(model: Model, tangent: Model, tables: ModalTables, desk: Buffer) -> None:
    """The derivative of the state at the end by that given; behind it by the logarithm of the base frequency, if that
    is wanted and the length of the run goes with it: not numbers where the run did not go by modes alone."""
    size = int(desk[Y_SIZE])
    numbers = int(desk[Y_STATE_SIZE])
    sweeps = 1 if desk[Y_DERIVED] > 1.0 else 0
    state = State.over(view(desk, int(desk[Y_STATE])))
    spare = State.over(view(desk, int(desk[Y_SPARE])))
    other = State.over(view(desk, int(desk[Y_SPARE]) + numbers))
    columns = view(desk, int(desk[Y_COLUMNS]))
    turned = Model.over(view(desk, int(desk[Y_TURNED])))
    if sweeps == 1:
        frequency_tangent_model(model, tangent, int(desk[Y_MODEL_SIZE]), turned)
    for i in range(numbers):
        spare.block[i] = state.block[i]
        other.block[i] = state.block[i]
    variation = Variation.over(view(desk, int(desk[Y_VARIATION])))
    variation.model = model
    variation.tangent = tangent
    variation.turned = turned
    variation.state = spare
    variation.near = other
    variation.tables = tables
    variation.recording = Recording.over(view(desk, int(desk[Y_RECORD])))
    variation.end = desk[Y_UNTIL]
    variation.changes = view(desk, int(desk[Y_CHANGES]))
    flow_derivative(variation, size, sweeps, columns)
    if sweeps == 1:
        for i in range(numbers):
            spare.block[i] = state.block[i]
        rate = view(desk, int(desk[Y_RATE]))
        state_rate(model, spare, rate)
        for i in range(size):
            columns[size * size + i] -= (desk[Y_UNTIL] - State.over(view(desk, int(desk[Y_BLANK]))).time) * rate[i]


def all_slid(model: Model, desk: Buffer, ways: int) -> bool:
    """True if all contacts and sliders have slid in so many ways at least: else the run may be one of a band.

    Contacts whose normal load goes, and those whose deflection is prescribed, do not count.
    """
    contact_of = model.contact_of
    for e in range(model.unit_count):
        c = int(contact_of[e])
        if c >= 0:
            if model.driven[c] == 0.0 and ways_slid(model, desk, e) < ways:
                return False
        elif is_slider(model, e) and ways_slid(model, desk, e) < ways:
            return False
    return True


def ways_slid(model: Model, desk: Buffer, e: int) -> int:
    """In how many ways a contact or slider has slid in the last run, up to two; two where a contact was unloaded."""
    recording = Recording.over(view(desk, int(desk[Y_RECORD])))
    is_contact = model.contact_of[e] >= 0.0
    first = -1.0
    count = 0
    for r in range(recording.segment_count):
        piece = segment_at(recording, r).piece[e]
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
