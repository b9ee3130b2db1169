"""Where numbers and addresses stand in the plan of the loops that find multipliers."""

# numbers: samples, from sample to sample in one step, coordinates, lines, leaves, memory, rows that are carried
STEPS_OF_PERIOD, STRIDE, COORDINATES, LINES_COUNT, LEAVES_COUNT, MEMORY_SIZE, CARRIED = range(7)
# addresses: plan of the laws; deflections of the lines (m, n); a step of the linear part: state to state (2n, 2n), what
# forces at its begin (m, 2n) and at its end (m, size) add to it, all transposed; what lines see of these, displacements
# and rates (2, m, 2n + 2m); time of a slope over that of a rate for each leaf
LAWS_PLAN, SEEN_ROWS, FLOW, AT_START, AT_END, SEEN_FLOW, RATE_UNITS = range(7, 14)
# addresses: carried rows (CARRIED, size), room for them; equations of the forces (m, m + size), derivatives of forces
# by deflections and rates (2, m)
WHOLE, SPARE, EQUATIONS, BY_LINE = range(14, 18)
# maps of steps that are kept: how many there is room for, powers of each, those in use; address of the instant that
# each ends at and how many of its powers are known (maps, 2), and of the powers 1, 2, 4, ... (maps, powers, size, size)
MAPS, POWERS, MAPS_KNOWN, KNOWN_MAPS, POWERS_OF_MAPS = range(18, 23)
# of many orbits: their number, how many strides 1, 2, 4, ... are taken of each; addresses: motion (orbits, m, twice the
# samples), frequency of the first harmonic (orbits,); FLOW, AT_START, AT_END, SEEN_FLOW of each stride and orbit, one
# behind the other; numbers of one such block; address of the rows at the end (strides, orbits, CARRIED, size)
ORBITS, STRIDES, MOTIONS, OMEGAS, BLOCKS, BLOCK, ENDS = range(23, 30)
# addresses, of switches: each (orbits, MOST_SWITCHES, SWITCH_LENGTH); how many there are, and how many steps begin or
# end at one, for each stride (1 + strides, orbits); lengths of these in samples (strides, orbits, 2 MOST_SWITCHES)
SWITCHES, SWITCH_COUNTS, LENGTHS = range(30, 33)
# addresses: factors of the leaves (leaves, samples); accelerations by the forces of the lines (m, n); blocks of steps
# of no length, and then of those lengths in order; numbers: the next of these
FACTORS, ANSWERS, SHORT_BLOCKS, NEXT_SHORT = range(33, 37)
# address of the instants of an orbit: its samples and both sides of its switches, in order; their number
INSTANTS, INSTANT = range(37, 39)
# address, of each leaf: how much of its memory counts, where its derivatives at each instant are, and 1 if it has a
# stack of reversals, of which the last one counts: its deflection and force (leaves, 3)
CARRIES = 39
STABILITY_LENGTH = 40

# of a switch, and of an instant: its place in samples, impulse over deflection, its line, and what it is
PLACE, KICK, KICK_LINE, KIND = range(4)
SWITCH_LENGTH, INSTANT_LENGTH = 4, 4
# a switch is BEHIND, or TURN_ROUND where its line turns round; an instant also a sample, or just before a switch
REGULAR, UP_TO, BEHIND, TURN_ROUND = range(4)
CARRY_LENGTH = 3
MOST_SWITCHES = 96  # of a period; what switches more often is taken as it is at samples
