"""Limits and tolerances of results, each with its reason."""

# ---- errors

ERROR_LIMIT_REL = 1e-2  # of the motion: a result with a larger error does not pass
ENERGY_RESIDUAL_LIMIT_REL = 1e-2  # of the energy exchanged: a stepping method that loses more does not pass
UNRESOLVED_ERROR_REL = 0.1  # of the motion: a larger error only says that the harmonics are too few
MAX_UNRESOLVED_SHARE = 0.5  # of the points: a curve with more unresolved ones is unreliable
RESTING_MOTION_REL = 1e-6  # of the displacement: motion of a coordinate that rests away from zero
ROUNDING_DISPLACEMENT_REL = 1e-12  # of the largest displacement: smaller ones are rounding
MAX_EAGER_SECONDS = 1.0  # of the solver: certificates of longer runs are computed on request only

# ---- times and frequencies

END_TIME_TOLERANCE_REL = 1e-9  # of the duration: a time this little outside a run is its end
SAME_FREQUENCY_REL = 1e-9  # orbits at one frequency

# ---- stability

NEUTRAL_MULTIPLIER_BAND = 2e-6  # distance from one of a neutral multiplier: the accuracy of computed multipliers
UNSTABLE_EIGENVALUE_REL = 1e-9  # of an eigenvalue: a larger positive real part is no rounding

# ---- curves

RIPPLE_REL = 1e-3  # of a value: smaller reversals of a sequence are ripple of its samples
VALLEY_PEAK_SHARE = 0.5  # of the highest peak: a lower point is on no higher hill
VISIBLE_PICTURE_SHARE = 5e-4  # of the picture: half the width of a line
CORNER_ANGLE = 0.3  # [rad]: a turn of a drawn line that may be a corner ...
CORNER_ANGLE_RATIO = 3.0  # ... if it is this many times those of its neighbours
SHORT_PIECE_ERROR_SHARE = 0.1  # of the distance between points: error of a piece too short for smooth lines

# ---- identified laws

CONFIDENCE_LEVEL = 0.95  # of all intervals
MAX_OUTLIER_SHARE = 0.005  # of the samples of a loop: so few outliers do not speak against a law
WITHIN_NOISE_RATIO = 1.25  # rms residual over noise: up to it, a loop is fitted within the noise
DECISIVE_BIC_DIFFERENCE = 10.0  # of the criterion: a smaller difference is a tie
MAX_LOST_LAWS_SHARE = 0.05  # of the drawn laws: if more have no curve, the others are no random choice
ZERO_DEVIATIONS = 3.0  # standard deviations: a smaller value may be zero
