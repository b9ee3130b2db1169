"""Layout of the packed arrays of the compiled exact flow.

There are two arrays of floats: the model (constant during a run) and the state (values that change, and workspace).
Each begins with a head of single numbers. A slot in the model's head holds where a section begins. Three further arrays
are the tables of modes (one for each state met), the record of segments and the list of events.
"""

from __future__ import annotations

# ---- head of the model: counts
(N, UNITS, WAVES, EPOCHS, CONTACTS, FULL_MASS, HAS_OFFSETS, REGULAR, ORDER, GUARDS_MOST) = range(10)
# ---- head of the model: where each section of the model begins
(OMEGA, EPOCH, F_COS, F_SIN, O_COS, O_SIN, MINV, K_AT, K_COLUMN, K_VALUE, C_VALUE) = range(10, 21)
(D_AT, D_COLUMN, D_VALUE, A_VALUE, CONTACT_OF, FIRST_PIECE, PIECES, GUARDS) = range(21, 29)
(UNIT_OF, GRAM, MINV_A, LIMIT, RATIO, VARIES, L_COS, L_SIN) = range(29, 37)
# ---- head of the model: where each section of the state begins
(X, PIECE, MEMORY, SCALE, WAVE_C, WAVE_S, Q_SERIES, Q_SIZE, U_SERIES, FORCE, FORCE_SIZE) = range(37, 48)
(STATUS, REACTION, BOUND, FACTOR, BASIS, RATES, RELEASED, PENDING) = range(48, 56)
(F_LINE, MODES_C, POLY, G_MODES, G_POLY, G_WAVES, G_INFO, G_NEXT, BASIS_E, WORK, L_SERIES) = range(56, 67)
(R_SERIES, G_SERIES, OLD_PIECE, WANDER, R_SIZE, NOISE, JUMP, SHIFT) = range(67, 75)
(MASS, DRIVEN, HEAVY) = range(75, 78)  # sections of the model
(TRIED, KEPT, IMMOBILE, ECHELON, RELEASE_ERROR) = range(78, 83)  # sections of the state
REDUNDANT = 83  # 1 where the deflections of contacts depend on each other
# sections of the state: velocities of modes at the begin of a segment; modes and their rates at the time at hand
(SPEEDS, NOW) = range(84, 86)
MODEL_HEAD = 86

# ---- head of the state
(TIME, UNTIL, EPOCH_NOW, BUDGET, RECORDS, EVENTS, STEPS, RECORDS_ROOM, EVENTS_ROOM, WANTED) = range(10)
(TRIGGER, TRIGGER_GUARD, STALLED, HASH, BY_SERIES, ZERO_RATE, UNDECIDED, ORDER_NOW, STEP_HINT, SOFT) = range(10, 20)
TIME_LOW = 20  # what rounding took from the time: late in a run an event is known better than its time can be
(FIRED, FIRED_GUARD) = range(21, 23)  # the unit and the guard that ended the last segment; -1: none did
# which of all states of contacts is tried; how often a corner changed in it; whether one met has no table
(SEARCH, SEARCH_FLIPS, MET_BARRED) = range(23, 26)
UNTOLD = 26  # [s] how long prescribed rates are zero to rounding where they turn, where no derivative told it better
LATENESS = 27  # [s] how well the instant is known at which a reaction has reached its limit
STATE_HEAD = 28

# ---- an epoch: its begin and end, then loads (n constants, n slopes) and offsets (m constants, m slopes)
(EPOCH_BEGIN, EPOCH_END, LOADS) = range(3)

# ---- of a mode in a motion: its amplitude c, and where it is slow c1 and c2, complex
AMPLITUDES = 6
# ---- of a mode in a reaction: factors of displacement, velocity and acceleration, complex
REACTION_ROW = 6

# ---- one piece of a unit: force = constant + u U + v V + w W; w follows u where it moves; its guards from.. to
(P_CONSTANT, P_U, P_V, P_W, P_MOVES, P_GUARD, P_GUARDS) = range(7)
PIECE_ROW = 7
# ---- one guard: value = constant + u U + v V + w W >= 0, then the piece it leads to
(G_CONSTANT, G_U, G_V, G_W, G_TO) = range(5)
GUARD_ROW = 5

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
