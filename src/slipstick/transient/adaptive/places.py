"""Where things stand in the plan that the compiled loop reads: counts and numbers first, then addresses of arrays."""

from __future__ import annotations

# n free coordinates, m elements, z inner states; energy is booked or not; steps are fixed or not; motions or none
FREE, ELEMENTS, INNER, LEDGER, FIXED, MOVED = range(6)
# tolerance; time since the start, next step, end, largest step; the logarithm of the error of the last step
TOLERANCE, TIME, STEP, UNTIL, LARGEST, LAST_ERROR = range(6, 12)
# counts: accepted, rejected, evaluations, events, room for events, samples, samples written, breaks, breaks passed
ACCEPTED, REJECTED, EVALUATIONS, EVENTS, EVENT_ROOM, SAMPLES, CURSOR, BREAKS, BREAK = range(12, 21)
# 1 where the first stage, directions and corners must be found anew; largest kinetic energy so far
FRESH, KINETIC = 21, 22
# matrices by rows: M^-1 (-K, -C) (n, 2n); -M^-1 along (n, m); deflections (m, n)
LINEAR, RESPONSE, ROWS = range(23, 26)
# functions of time: accelerations (n), offsets of deflections and their rates (m)
FORCING, OFFSETS, OFFSET_RATES = range(26, 29)
# elements: HEAD numbers each; modulations; memories; a place to work on them
HEADS, MODULATIONS, MEMORY, SCRATCH = range(29, 33)
# state (2n + z), stages (7 of them), state after the step, a state to work on, its scale, the floor of that
Y, STAGES, Y1, WORK, SCALE, FLOOR = range(33, 39)
# of each element: direction, next corner, scale of deflection and rate, offset, its rate, deflection, rate, force
DIRECTION, CORNER, U_SCALE, V_SCALE, OFFSET, OFFSET_RATE, U, V, FORCE = range(39, 48)
# energy absorbed by each element, work done, absorbed by matrices; the same for the step at hand; what that needs
BOOK, TRIAL_BOOK, LOADS, DAMPING, STIFFNESS, ALONG, MASS = range(48, 55)
TIMES, OUT, EVENT_OUT, BREAK_TIMES = range(55, 59)
# the time at which cosines were last found by themselves, and they: cos, sin of each frequency of the forcing
WAVE_TIME, WAVES = 59, 60
# of each element: the corner behind it
BEHIND = 61
# the time of the last stages: at a break, just before it
END = 62
# the error of the energies of the step at hand
BOOK_ERROR = 63
# of each element: 1 as long as its rate has been zero since its direction was found
QUIET = 64
# of each element: the sign of its edge, and its scale
EDGE_SIDE, EDGE_SCALE = 65, 66
# 1 while the place to work on has the memories at the end of the step
READY = 67
# of the step at hand: how long it would be without an event, how much longer the next one may be, how often it was
# tried, and the element and the kind of event that it is to land on (-1: none)
WHOLE, GROW, TRIES, TARGET, TARGET_KIND = range(68, 73)
PLAN = 73

# of an element: kind, kernel, parameters, memory, its size (-1: a stack), modulation, corner, inner rate, inner force,
# settle, turn, inner state, factor of the force, scale of the deflection, conjugate or not, edge,
# and between which coordinates its deflection, and what its force accelerates, are not zero
KIND, VALUE, PARAMETERS, PLACE, SIZE, MODULATION, CORNERS, RATE, INNER_FORCE, SETTLE, TURN, STATE = range(12)
FACTOR, SHARE, CONJUGATE, EDGE, ROW_FROM, ROW_TO, PUSH_FROM, PUSH_TO = range(12, 20)
HEAD = 20
FOLDED, PLAIN, CLOSED, BY_RATE = range(4)

# events: the rate is zero; a corner in the deflection; one in deflection and rate
REVERSAL, AT_CORNER, AT_EDGE = range(3)

# why the loop came back
GOES_ON, NEEDS_EVENT_ROOM, NEEDS_MEMORY, STUCK, NOT_FINITE = range(5)

FAR = 1e300
NO_EDGE = 1.0  # what a law says where it has none: no force, so it must not set a scale of forces
ASTRAY = 1e200  # J, kinetic: a motion beyond is on its way to infinity, and its energy soon overflows
ZERO = 1e-10  # of its scale: a rate or a distance to a corner below this is zero; what that does is its square
HOPELESS = 1e10  # times the error that is allowed: a step that has left what is smooth
MOST_GROWTH = 5.0  # of the next step
MOST_TRIES = 60  # of a step that is hopeless
MOST_LANDINGS = 40  # tries to land on an event; then the step is taken where it ends
