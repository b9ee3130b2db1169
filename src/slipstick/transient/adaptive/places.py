"""Where things stand in the arrays of the compiled loop: the plan (numbers, and addresses of arrays), heads, events."""

from __future__ import annotations

# n free coordinates, m elements, z inner states; energy is booked or not; steps are fixed or not; motions or none
FREE, ELEMENTS, INNER, LEDGER, FIXED, MOVED = range(6)
# tolerance; time since the start, next step, end, largest step; the logarithm of the error of the last step
TOLERANCE, TIME, STEP, UNTIL, LARGEST, LAST_ERROR = range(6, 12)
# counts: accepted, rejected, events, room for events, samples, samples written, breaks, breaks passed
ACCEPTED, REJECTED, EVENTS, EVENT_ROOM, SAMPLES, CURSOR, BREAKS, BREAK = range(12, 20)
# 1 where the first stage, directions and corners must be found anew; largest kinetic energy so far
FRESH, KINETIC = 20, 21
# matrices by rows: M^-1 (-K, -C) (n, 2n); -M^-1 along (n, m); deflections (m, n)
LINEAR, RESPONSE, ROWS = range(22, 25)
# functions of time: accelerations (n), offsets of deflections and their rates (m)
FORCING, OFFSETS, OFFSET_RATES = range(25, 28)
# elements: HEAD numbers each; modulations; memories; a place to work on them
HEADS, MODULATIONS, MEMORY, SCRATCH = range(28, 32)
# state (2n + z), stages (7 of them), state after the step, a state to work on, its scale, the floor of that
Y, STAGES, Y1, WORK, SCALE, FLOOR = range(32, 38)
# of each element: direction, next corner, scale of deflection and rate, offset, its rate, deflection, rate, force
DIRECTION, CORNER, U_SCALE, V_SCALE, OFFSET, OFFSET_RATE, U, V, FORCE = range(38, 47)
# energy absorbed by each element, work done, absorbed by matrices, the most exchanged; the same for the step at hand;
# what that needs
BOOK, TRIAL_BOOK, LOADS, DAMPING, STIFFNESS, ALONG, MASS = range(47, 54)
TIMES, OUT, EVENT_OUT, BREAK_TIMES = range(54, 58)
# the time at which cosines were last found by themselves, and they: cos, sin of each frequency of the forcing
WAVE_TIME, WAVES = 58, 59
# of each element: the corner behind it
BEHIND = 60
# the time of the last stages: at a break, just before it
END = 61
# the error of the energies of the step at hand
BOOK_ERROR = 62
# of each element: 1 as long as its rate has been zero since its direction was found
QUIET = 63
# of each element: the sign of its edge, and its scale
EDGE_SIDE, EDGE_SCALE = 64, 65
# 1 while the place to work on has the memories at the end of the step
READY = 66
# of the step at hand: how long it would be without an event, how much longer the next one may be, how often it was
# tried, and the element and the kind of event that it is to land on (-1: none)
WHOLE, GROW, TRIES, TARGET, TARGET_KIND = range(67, 72)
# small changes carried along (`variations`): how many, the compiled step, TANGENT numbers of each element; the changes
# (2n + z each), their stages, those of memories and how many numbers these are; places to work on
COLUMNS, VARY, TANGENTS, CHANGES, CHANGE_STAGES, MEMORY_CHANGES, MEMORY_SIZE, CHANGE, MEMORY_WORK = range(72, 81)
# of each element and change: that of the force, and its share of what memory does to it in the change that is the
# reference of the element; Butcher's table; SLOPE numbers of each element at a stage; the element that met a corner
# (-1: none), accelerations before it
FORCE_CHANGES, SHARES, REFERENCE, TABLE, SLOPES, JUMPED, BEFORE = range(81, 88)
# the change by the frequency (-1: none), and minus one over that
PACED, PACE = 92, 93
# the times at which steps are to end (0: steps are as long as the error allows), how many, the next one
MESH, MESH_COUNT, MESH_NEXT = range(94, 97)
# one row for each step: where they are written (0: nowhere), room, count
TAPE, TAPE_ROOM, TAPED = range(88, 91)
# the largest size of each number of the memories so far (0: not wanted)
TOPS = 91
# the same of the state
Y_TOPS = 97
# forces of the elements at the begin of the step, where steps are written down: at an event they may jump
FORCE_BEGIN = 98
PLAN = 99

# a row of the tape: time at the end of the step, 1 if something happens there; then y, dy/dt at the begin of the step
# and at its end, forces of elements with all their factors at the begin and at the end
ROW_TIME, ROW_EVENT, ROW_HEAD = range(3)
# slopes of an element: factor of its force; of force and of inner rate by u, v, z; its deflection as the step begins
BY_FACTOR, FORCE_U, FORCE_V, FORCE_Z, RATE_U, RATE_V, RATE_Z, BEGIN = range(8)
SLOPE = 8
# tangent kernel of an element; 1 if the rate matters; 1 if what it remembers acts on the force as one number would
BY_TANGENT, BY_VELOCITY, LOCAL, TANGENT = range(4)

# of an element: kind, kernel, parameters, memory, its size (-1: a stack), modulation, corner, inner rate, inner force,
# settle, turn, inner state, factor of the force, scale of the deflection, conjugate or not, edge,
# and between which coordinates its deflection, and what its force accelerates, are not zero
KIND, VALUE, PARAMETERS, PLACE, SIZE, MODULATION, CORNERS, RATE, INNER_FORCE, SETTLE, TURN, STATE = range(12)
FACTOR, SHARE, CONJUGATE, EDGE, ROW_FROM, ROW_TO, PUSH_FROM, PUSH_TO = range(12, 20)
HEAD = 20
FOLDED, PLAIN, CLOSED, BY_RATE = range(4)

# an event: its time since the start, element, kind, way (direction; at an edge, the side of it on which the law is
# then) and deflection; then q, v and forces
EVENT_TIME, EVENT_ELEMENT, EVENT_KIND, EVENT_WAY, EVENT_DEFLECTION = range(5)
EVENT_HEAD = 5
# its kind: the rate is zero; a corner in the deflection; one in deflection and rate
REVERSAL, AT_CORNER, AT_EDGE = range(3)

# why the loop came back
GOES_ON, NEEDS_EVENT_ROOM, NEEDS_MEMORY, STUCK, NOT_FINITE, NEEDS_TAPE = range(6)

FAR = 1e300
NO_EDGE = 1.0  # what a law says where it has none: no force, so it must not set a scale of forces
NOTHING = 1e-290  # what memory does to a force, where it has forgotten all
ASTRAY = 1e200  # J, kinetic: a motion beyond is on its way to infinity, and its energy soon overflows
ZERO = 1e-10  # of its scale: a rate or a distance to a corner below this is zero; what that does is its square
HARDLY = 1e-4  # of the rate that all kinetic energy would give a coordinate: less hardly takes part
HOPELESS = 1e10  # times the error that is allowed: a step that has left what is smooth
LEAST = 1e-6  # of the rate that loads give a coordinate in the fastest time: less is no motion yet
MOST_GROWTH = 5.0  # of the next step
TOO_SHORT = 1e-12  # of the span: a step that given times leave aside
MOST_TRIES = 60  # of a step that is hopeless
MOST_LANDINGS = 40  # tries to land on an event; then the step is taken where it ends
