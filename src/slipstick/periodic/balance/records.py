"""Layout of the arrays of the compiled loops, and of the table of leaves."""

# numbers: samples of a period, coefficients of a series, lines, leaves, frequency of the first harmonic [rad/s]
SAMPLES, WIDTH, LINES, LEAVES, OMEGA = range(5)
# addresses: table of leaves; cos and sin of the phases of all samples (SAMPLES, 2); scratch of the transforms;
# deflections and their slopes by tau, SAMPLES of the one and then of the other for each line; forces (LINES, SAMPLES)
# and their derivatives by coefficients and frequency (LINES, SAMPLES, columns); how far memories are from closing
TABLE, CIRCLE, TRANSFORM_ROOM, DEFLECTION, TURN, FORCE, BY_X, OPEN = range(5, 13)
# what is wanted beside the forces: ONLY_FORCES (nothing), BY_COEFFICIENTS (BY_X), ONLY_HARMONICS (HARMONICS_OF, and no
# BY_X), AT_SAMPLES (derivatives at each sample, and no more)
WANTED = 13
# addresses, of what the harmonics of derivatives are made from: samples to coefficients (SAMPLES, WIDTH + 1); waves of
# twice the harmonics (SAMPLES, 2 WIDTH); derivatives by deflections and by slopes by tau (LINES, SAMPLES), spectra of
# both (LINES, 2 WIDTH); 1 for a line that has rows in BY_X all the same (LINES,)
PROJECTION, DOUBLE_WAVES, BY_U, BY_SLOPE, SPECTRUM_U, SPECTRUM_SLOPE, HAS_ROWS = range(14, 21)
HARMONICS_OF = 21  # address: harmonics of the derivatives by coefficients and frequency (LINES, columns, columns)
ANY_RATE = 22  # 1 if a law asks for rates or slopes
# addresses: whole numbers from 0 on, 64 bits each; the numbers 1 and 0; the letters N and T, 8 bytes each; routines
COUNTS, ONE_ZERO, LETTERS, DGEMM, DGEMV = range(23, 28)
CORNERS = 28  # address: what corners between samples add to the harmonics of the forces (LINES, WIDTH + 1)
SIXTH = 29  # that of B2 of `corners_loop`, where deflections are curved between samples; 0: straight
# coefficients that forces are derived by: WIDTH, or those of the lowest harmonics and the mean; columns are one more
TANGENT_WIDTH = 30
BY_FREQUENCY = 31  # address: derivatives of the forces by the frequency of the first harmonic (LINES, SAMPLES)
TRANSFORMS = 32  # 1 if fast transforms take the place of PROJECTION, DOUBLE_WAVES and `FourierGrid.across`
PLAN_LENGTH = 33

ONLY_FORCES, BY_COEFFICIENTS, ONLY_HARMONICS, AT_SAMPLES = range(4)

# of a leaf: its line; addresses of its compiled force, its derivative and its parameters; how much it remembers (-1: a
# stack); its own deflection over that of the line; 1 if it asks for the rate, 2 if for the slope by tau in its place
LINE, VALUE, TANGENT, PARAMETERS, REMEMBERS, SCALE, RATE = range(7)
# addresses: factor of its force (SAMPLES,); memory of a virgin law, now, at a trial; its direction; room;
# derivatives at each sample: of force and memory by deflection, rate, memory (SAMPLES, 2 + memory, 1 + memory)
FACTOR, VIRGIN, MEMORY, TRIAL, DIRECTION, ROOM, LOCAL = range(7, 14)
LENGTH = 14  # of a memory, with the room a stack needs
JUMPS = 15  # 1 if its damper begins to act at once where it touches: its force jumps there
# where the force of a leaf without memory has corners: their number, address of their table
BREAKS, BREAK_TABLE = 16, 17
# of each: deflection, change of the stiffness, change of the damping, side: 0 for a corner in both directions, 1 or -1
# for a damped side that is met from below or above and never pulls
EDGE, STIFFER, DAMPED, SIDE = range(4)
BREAK_LENGTH = 4
LEAF = 18

MOST_CYCLES = 60
ITERATIONS = 12  # of Newton on the memory, before plain cycles
CLOSED = 1e-12  # of the largest force: what may be left of a cycle that closed
NEUTRAL = 1e-7  # a direction of the memory that a cycle changes less stays as the start led it
STALLED = 0.999  # a gap that a cycle shrinks no more than this never closes
SMALL = 1e-3  # of the typical size: least scale of a series
OFTEN = 8  # a memory that changes at more than one sample in so many is carried along them row by row
