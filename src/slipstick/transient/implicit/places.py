"""Where things stand in the plan of a compiled run of implicit steps.

All that a step reads and writes lies in arrays whose addresses stand in one list, the plan. A sparse matrix of r rows
is one array: where each row begins (r + 1), then pairs of column and value. A line is a connection: first the groups,
whose laws a solver has to meet, then the springs, which are part of the matrices.
"""

from __future__ import annotations

# numbers of the plan
FREE, GROUPS, LINES, LEAVES, SPRINGS, SAMPLES, MOVING, MASSLESS, STEP, C1, C2, LAST = range(12)
# addresses: the linear part, the matrices of the model alone, deflections and directions of lines, the null space
MASS, DAMPING, STIFFNESS, OWN_DAMPING, OWN_STIFFNESS, ROWS, ALONG, NULL = range(12, 20)
# what acts: loads, offsets of lines and their rates; leaves as `laws.program` packs them, a table of four a leaf
# (group, tangent kernel, begin and size of the memory), springs (line, stiffness, damping, force), conjugate lines
LOADS, OFFSETS, OFFSET_RATES, LAWS, TABLE, SPRING_TABLE, CONJUGATE = range(20, 27)
# the state with the loads, offsets and forces that act in it, and the same at the end of the step
Q, V, A, P, MOVED, Z, FORCE, MEMORY = range(27, 35)
Q1, V1, A1, P1, MOVED1, Z1, FORCE1, TRIAL = range(35, 43)
# within a step: offset rates, factors of leaves, increment, prediction of rates and lines, right-hand side, correction,
# deflections of groups beyond their prediction, their forces and slopes
RATE1, FACTOR, INCREMENT, XHAT, VHAT, RIGHT, D, X, GROUP_FORCE, GROUP_SLOPE, SLOPE, ONE = range(43, 55)
# what is kept: work absorbed by leaves and springs; of loads, by matrices, the most exchanged so far; counts, samples;
# forces of laws alone
ABSORBED, WORK, COUNTS, TIMES, AT_Q, AT_V, AT_F, RAW = range(55, 63)
# the end of the step as one piece (P1, MOVED1, FORCE1, TRIAL) with its length, and room to put it aside
NEW, NEW_LENGTH, ASIDE = range(63, 66)
SOLVER = 66  # from here on the plan belongs to what solves a step

STEPS, FACTORISATIONS, SOLVES, SAMPLE, ENDED = range(5)  # in COUNTS
JUST = 1e-9  # of a step: a sample so little later belongs to it
DONE, FAILED, FULL = 0, 1, 2  # how a step ends
