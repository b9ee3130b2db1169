"""Where things stand in the arrays of the compiled scheme."""

from __future__ import annotations

# shape: free coordinates, sliders, frictions, elements that act without memory, frequencies, sampled signals,
# length of x, implicit or not, steps of the whole run
FREE, SLIDERS, FRICTIONS, ACTING, HARMONICS, SIGNALS, WIDTH, IMPLICIT, FINAL = range(9)
# and what is kept between calls: samples wanted and written, room for events, events written
SAMPLES, CURSOR, EVENT_ROOM, EVENTS = range(9, 13)

# clock: start and length of the steps, theta; then WAVE numbers of each frequency: omega, cos and sin of omega h
START, STEP, THETA, WAVES = range(4)
OMEGA, TURN_COS, TURN_SIN = range(3)
WAVE = 3

# laws: HEAD numbers of each acting element, as `slipstick.transient.kernels.act` packs them
KERNEL, PARAMETERS, MODULATION = range(3)
HEAD = 3

# an event: its time, which contact, its side before and after (see `slipstick.transient.sides`); then a sample
EVENT_TIME, CONTACT, BEFORE, AFTER = range(4)
EVENT_HEAD = 4

ANEW = 64  # steps over which cosines are turned on before they are found by themselves again
BLOCK = 4  # rows of the matrix that are summed side by side: one sum alone waits for its own last addition
NEVER = 1e300  # s
