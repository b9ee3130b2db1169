"""Tolerances of the integrator."""

EVENT_ZERO = 1e-10  # of its scale: a smaller rate or distance to a corner is zero; its effect is the square
NO_CORNER = 1e300  # deflection of a missing corner
NO_EDGE = 1.0  # value of a missing edge; no force, so it must not set a scale of forces
FORGOTTEN = 1e-290  # effect of a memory on a force below which the memory counts as lost
DIVERGED_KINETIC = 1e200  # J: a motion beyond it grows without bound, and its energy soon overflows
SMALL_PART = 1e-4  # of the rate that all kinetic energy would give a coordinate: error scale of those that hardly move
LEAST_MOTION = 1e-6  # of the rate that loads give a coordinate in the fastest time: less does not count as motion
HOPELESS_ERROR = 1e10  # times the allowed error: the step has left the smooth piece
MAX_STEP_GROWTH = 5.0  # of the next step
MESH_MERGE = 1e-12  # of the span: a given time that is closer to the last one is skipped
MAX_HOPELESS_TRIES = 60  # shorter steps, before the run ends
MAX_LANDING_TRIES = 40  # attempts to land on an event; then the step is taken where it ends
RELEASE_ZERO = 1e-12  # of its scale: distance of a reaction from its limit below which a contact starts to slip
TIE_SIZE_REL = 1e2  # over rounding of accelerations: a reaction this near to its limit is at it
DIFFERENCE_STEP_REL = 1e-3  # of the fastest time: step of the differences that give Taylor coefficients
DIFFERENCE_ERROR_REL = 1e3  # over rounding: error of a Taylor coefficient by differences
SHORTEST_LANDING_REL = 1e-10  # of the longest step: the step ends at an event closer than this
STALL_TIME_REL = 1e-9  # of the longest step: decisions closer than this make no progress
MAX_STALLS = 200  # decisions without progress in time, before the run ends
NEAR_RELEASE_SHARE = 0.5  # of its range over a step: a distance from release below this is searched within the step
