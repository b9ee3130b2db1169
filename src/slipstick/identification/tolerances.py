"""Thresholds and tolerances of identification, each with its reason.

The end of a name says what a value multiplies: REL a value or a range, SHARE a part of a whole, RATIO another figure
of the same kind, DEVIATIONS a standard deviation.
"""

# ---- rounding

AVOID_ZERO_DIVISION = 1e-300  # avoids 0/0
ROUNDING_REL = 1e-9  # of a value or a range: smaller differences are rounding
NOISE_FLOOR_REL = 1e-9  # of a range: smaller scatter is rounding, not noise
ROUNDING_FORCE_REL = 1e-12  # of the range of force: a residual of the last digits

# ---- equal amplitudes and frequencies

SAME_AMPLITUDE_REL = 0.05  # amplitudes of one level; rigs repeat an amplitude to a few per cent
SAME_TIP_AMPLITUDE_REL = 1e-3  # of the largest amplitude: two points of a backbone at one amplitude
SAME_FREQUENCY_FACTOR = 1.02  # frequencies of one group in a trend
DAMPING_FREQUENCY_RATIO = 1.5  # largest over smallest: below, viscous damping cannot be separated from friction

# ---- reversals and cycles

REVERSAL_NOISE_RATIO = 8.0  # a reversal goes back by more than this times the noise ...
REVERSAL_RANGE_SHARE = 1e-3  # ... and by more than this share of the range: no rig reverses over less
NEXT_STEP_GROWTH = 1.2  # the step beyond the first sample may exceed the largest of the first steps by this factor
SAME_REVERSAL_SHARE = 0.05  # of the range or of the longest branch: reversals at one place
SAME_TIP_RANGE_SHARE = 0.01  # of the range: one tip
CLOSED_CYCLE_FORCE_SHARE = 0.05  # of the range of force: gap of a cycle that counts as closed
FULL_CYCLE_AMPLITUDE_SHARE = 0.9  # of the amplitude of a loop: cycles below are run-in, not part of the loop
WHOLE_BRANCH_SHARE = 0.9  # of the longest branch: shorter branches are left out
ALIKE_BRANCHES_SHARE = 0.75  # of the whole branches: if this many agree, the others are left out
TIP_AMPLITUDE_SHARE = 0.01  # of an amplitude: samples this close to a reversal give its force; one alone is noise
COVERED_RANGE_TOLERANCE = 0.05  # of the range: a path this close to an end has covered it
SETTLED_FORCE_REL = 1e-11  # of the range of force: two lead cycles that differ by less have settled
SAME_PASS_REL = 0.25  # of the half width: passes that differ by less are one branch; a virgin curve starts mid-loop
MIN_COMMON_RANGE_SHARE = 0.05  # of the range: shorter overlaps of two branches are not compared

# ---- sensor faults

SPIKE_DEVIATIONS = 6.0  # distance from neighbours that noise does not reach
SPIKE_FORCE_SHARE = 0.3  # of the jump of the residual: the force of a spike jumps too, else the law misfits
STRAY_STEP_RATIO = 3.0  # times the steps of the neighbours, ...
STRAY_NOISE_RATIO = 10.0  # ... times the noise, ...
STRAY_RANGE_SHARE = 0.005  # ... and of the range: a deflection off by all three is a stray sample
MAX_STRAY_SHARE = 0.01  # of all samples: more strays are the motion itself
MAX_CLIPPED_SHARE = 0.4  # of all samples: more are a slipping law without noise
NOISELESS_FORCE_REL = 1e-7  # of the range of force: samples this close to a line are computed, not measured
SAMPLE_CHANGE_NOISE_RATIO = 20.0  # times the noise, plus ...
SAMPLE_CHANGE_RANGE_SHARE = 0.02  # ... of the range of force: single samples change beyond noise
MEDIAN_CHANGE_NOISE_RATIO = 8.0  # times the noise of a median, plus ...
MEDIAN_CHANGE_RANGE_SHARE = 0.01  # ... of the range of force: medians change beyond noise
FITTABLE_SIZES = 1e-30, 1e30  # SI: powers of sizes outside overflow in the parameters of some law
SERIES_MISFIT_REL = 1e-4  # of the range: a Fourier series this close to the seen samples is the motion
MIN_SHARE_BEYOND_CLIP = 0.9  # of the clipped samples: the restored motion must lie beyond the sensor's range
MIN_COMPARED_SHARE = 0.25  # of all samples: at least this many stay in the fit
TIME_GAP_STEPS = 20.0  # times the median step, ...
TIME_GAP_BRANCH_SHARE = 0.1  # ... and of a branch's duration: a reversal may be lost in a longer gap
NEGATIVE_AREA_REL = 0.02  # of force range times deflection range: a loop below minus this generates energy
MAX_AMPLITUDE_RATIO = 200.0  # between loops of one fit: beyond, units are mixed
MIN_RELIABLE_PASS_NOISE_RATIO = 3.0  # times the noise: the half width at which five averaged samples decide

# ---- noise

NOISE_OUTLIER_DEVIATIONS = 4.0  # robust deviations: larger differences are corners or outliers
MIN_REPEATED_SHARE = 0.5  # of a cycle: at least this much must repeat
PERIOD_TOLERANCE_REL = 0.02  # of the mean cycle time: a fitted period farther off is rejected
OTHER_PERIOD_GAIN = 0.5  # of the mean square: gain that another period must bring
MAX_LOCAL_STIFFNESS_RATIO = 3.0  # times the secant: slope that turns deflection scatter into force scatter
MAX_CYCLE_CHANGE_REL = 0.03  # of the range of deflection, rms: a motion that changes by more does not repeat
CONVERGED_NOISE_GROWTH = 1.2  # growth from one lag to its double below which filtered noise is fully seen
LAG_GROWTH = 1.4  # times the last lag: the farthest lag is worth a look
MAX_LAG_BRANCH_SHARE = 1.0 / 12.0  # of a branch: farthest samples compared; beyond, the loop's shape shows
REPEAT_SIGNIFICANCE = 4.0  # standard deviations: a repeating residual beyond chance
QUANTISED_REPEATS = 1.5  # occurrences of each value: above, values are levels of a converter
WINDOW_BRANCH_SHARE = 0.2  # of the shortest branch: width of a local polynomial
SERIES_NOISE_RATIO = 1.3  # times the noise: a Fourier series with this residual is complete
FREQUENCY_CONVERGED_REL = 1e-12  # last Gauss-Newton step of the base frequency
AREA_SIGNIFICANCE = 4.0  # standard deviations: an enclosed area beyond noise
SAME_LOOP_TIME_STEPS = 3.0  # time steps: blocks of a file that follow this closely are one loop

# ---- search

POOR_FIT_NOISE_RATIO = 3.0  # rms over noise: above, other initial states may improve the fit
MISFIT_NOISE_RATIO = 10.0  # rms over noise: above, the law does not fit ...
MISFIT_COST_TOLERANCE_REL = 1e-6  # ... and its search ends at this gain: further digits mean nothing
NO_BETTER_START_NOISE_RATIO = 1.02  # rms over noise: below, no other start can be better
SAME_MINIMUM_RMS_RATIO = 1.03  # starts that end within this ratio reached one minimum
BETTER_MINIMUM_RMS_RATIO = 0.995  # of the rms: gain that a random start must bring
VANISHED_SIZE_REL = 1e-6  # of its natural size: a smaller parameter has vanished
HELD_COST_RATIO = 1.001  # of the cost: a parameter at a bound is held if the cost stays within it
OTHER_STATE_COST_RATIO = 0.98  # of the cost: gain that another initial state must bring
UNIFORM_STATE_RMS_RATIO = 0.98  # of the rms: gain that one initial state for all loops must bring
PREVIOUS_REVERSAL_RMS_RATIO = 0.5  # of the rms: gain that a fitted reversal must bring where it still misfits
OTHER_STATE_THINNED_RMS_RATIO = 1.1  # of the rms on thinned samples: above, a state is not tried on all samples
SAME_VALUE_REL = 1e-3  # parameters that differ by less need no remark
HOPELESS_START_RATIO = 20.0  # times worse before the search: an initial state is not tried
DRIFT_VARIANCE_SHARE = 0.5  # of the residual variance on a line over time: a drift
STEADY_GROWTH_SHARE = 0.02  # of the amplitude: a larger bend of a growing amplitude is a step
MOVING_MIDDLE_SHARE = 0.5  # of the growth: in a one-sided motion, the middle moves by as much as the amplitude grows
UNSURE_DRIFT_SHARE = 0.015  # of the range: a drift that changes by more without a tenth of the midpoints is unsure
FAR_FROM_ZERO_SWINGS = 3.0  # times the swing: a loop far from zero
HUBER_KNEE_DEVIATIONS = 3.0  # robust deviations: beyond, a sample pulls with constant strength
MAX_SPIKE_SHARE = 0.3  # of a loop's samples: more are no spikes
WEIGHT_NOISE_FLOOR_REL = 1e-6  # of the range of force: no loop weighs as if it had less noise
TYPICAL_SIZE_SHARE = 0.1  # of the size that the loop's units give: scale of a parameter that starts near zero
DERIVATIVE_STEP = 1e-5  # of a scaled unknown: central differences at the end of a search leave errors of 1e-10
SEARCH_DERIVATIVE_STEP = 1e-7  # of an unknown: one-sided differences that only guide the search
FINE_COST_TOLERANCE_REL = 1e-12  # of the cost: a smaller gain ends the search
MANY_SAMPLES_COST_GAIN = 1e-3  # of the cost, half a chi square: it moves a parameter by 0.05 standard deviations
NOISY_RATIO = 0.5  # rms over noise: below, the residual is not noise, and every digit counts
DECIMATED_COST_TOLERANCE_REL = 1e-8  # ... of a search on decimated loops, before one on all samples
ROUGH_COST_TOLERANCE_REL = 1e-4  # ... of a search that only chooses between starts
STEP_TOLERANCE_REL = 1e-12  # of the unknowns: a smaller step ends the search
MAX_LOG_VALUE = 700.0  # logarithm of the largest floating-point value
NO_FORCE_RESIDUAL = 1e8  # times the noise: residual where a law has no force
NO_LAW_RESIDUAL = 1e6  # in typical units: residual where parameters make no law
EXPONENT_RANGE = (0.05, 20.0)  # beyond, a branch is a line or a corner, and no data separate them
OFFSET_AMPLITUDE_SHARE = 0.02  # of the amplitude: a loop whose middle is farther from zero has an offset
OFFSET_NOISE_RATIO = 3.0  # times the noise: the same for the force
CENTRED_RESIDUAL_RATIO = 0.5  # of the residual: gain from centring that proves a missing offset
ODD_SYMMETRY_REL = 1e-6  # of the range of force: a law this symmetric is odd
PREVIOUS_REVERSAL_RANGE_SHARE = 0.5  # of the range: how far outside the previous reversal may lie
PREVIOUS_REVERSAL_TOLERANCE_REL = 1e-5  # of the range: accuracy of its position
START_SPREAD_FACTOR = 30.0  # times a start value or typical size: range of drawn envelope parameters
LOG_RANGE_FACTOR = 30.0  # high over low: a wider range is drawn on a logarithmic scale ...
LOG_LOWER_BOUND_REL = 1e-4  # ... from this share of the upper bound, where the lower one is zero
EXPONENT_SEARCH_RANGE = (0.3, 3.0)

# ---- intervals and warnings

ZERO_RESIDUAL_REL = 1e-9  # of the noise: smaller residuals are zero
ZERO_CURVATURE_REL = 1e-13  # of the largest curvature, in scaled unknowns: a flat direction
MIN_FORCE_NOISE_SHARE = 0.05  # of the residual variance: at least this much is noise of the force
DIRECTION_PART_MIN = 1e-6  # of a unit vector: smaller components are zero
UNDETERMINED_DEVIATION = 1e3  # of a scaled unknown: its value is any number
UNDETERMINED_LOG_DEVIATION = 5.0  # of a logarithm: its interval spans a factor of 20,000 to both sides
OPEN_END_HALF_WIDTHS = 10.0  # half widths of an interval: if the cost still allows it there, the end is open
PROFILE_STEP_GROWTH = 3.0  # factor between trial points, from the linearised end outwards
PROFILE_END_TOLERANCE_REL = 1e-3  # of the linearised half width: accuracy of an end
PROFILE_EDGE_TOLERANCE = 1e-6  # of a scaled unknown: accuracy of the point where it begins to matter
PROFILE_FIRST_STEP = 1e-4  # of a scaled unknown: first step beyond that point ...
PROFILE_STEP_FACTOR = 4.0  # ... and the growth of the next ones
PROFILE_ROUGH_TOLERANCE_REL = 0.05  # of the last step: accuracy of an end beyond that point
INSEPARABLE_CORRELATION = 0.98  # above, only a combination of two parameters is determined
WIDE_HALF_WIDTH_REL = 0.5  # of the value: a wider interval is poorly determined ...
WIDE_HALF_WIDTH_SIZE_REL = 0.1  # ... of the typical size, for parameters that may be zero
SERIAL_CORRELATION_MIN = 0.3  # of neighbouring residuals: beyond chance ...
SERIAL_CORRELATION_SIGNIFICANCE = 4.0  # ... and this many standard deviations, 1/sqrt(samples) each
REPEATING_NOISE_SHARE = 0.3  # of the noise: a smaller repeating residual is not reported
ZERO_PARAMETER_REL = 1e-6  # of the typical size: a smaller value is rounding
AT_BOUND_REL = 1e-6  # of a scaled unknown: this close, a search ended at a bound
ENVELOPE_GAP_SHARE = 0.05  # of the distance between envelopes: a branch that ends farther away has not reached one

# ---- ranking

ROUNDING_VARIANCE_SHARE = 0.01  # of the noise variance: smaller residuals are rounding and decide nothing
FAST_RESIDUAL_SHARE = 0.5  # of the squared residual: if more is faster than any loop, no other law follows it
NOTED_RESIDUAL_SHARE = 0.15  # ... that follows deflection, rate or time: worth a remark
ADDED_PART_SHARE = 0.1  # ... and worth a part of its own in a sum
COMPOSED_LAWS_MISFIT_SHARE = 0.01  # of the range of force: if the best law is off by more, sums with further parts
FURTHER_LAWS_MISFIT_SHARE = 0.015  # of the range of force: if every law is off by more, further laws are tried
GROWN_AMPLITUDE_RATIO = 1.5  # longest over second branch: a test of growing amplitude, which shows degradation
EQUAL_RESIDUAL_RATIO = 1.02  # residuals within this ratio are equal
WORSE_HELD_OUT_RATIO = 1.1  # of the held-out error: a composed sum that predicts worse by more is left out
HELD_OUT_GAIN_RATIO = 0.8  # of the held-out error: a smaller one of another law is reported

# ---- rules of the papers

TIP_RANGE_SHARE = 0.05  # of the range of deflection: part of a branch that gives the force at its tip
DEFAULT_END_SHARE = 0.15  # of a branch: a longer end still bends, a shorter one is noisy
FIRST_SLOPE_SHARE = 0.05  # of a branch: part that gives its initial slope
REACHED_END_SHARE = 0.15  # of a branch: part that shows whether the envelope is reached
MAX_END_BEND = 0.25  # of a uniform bend: a branch that bends more at its end has not reached its envelope
ZERO_AREA_REL = 1e-6  # of the area between the envelopes: a loop below has none
MIN_START_SLOPE_REL = 1e-3  # of width over range: smallest initial slope to start from
MIN_CORNER_SLOPE_LOSS = 0.02  # of the slope before: a corner that loses less is none
CORNER_CONVERGED_REL = 1e-13  # of the range: a corner that moves less has converged
PEAK_FIT_RANGE = (0.55, 1.6)  # of the peak's position: samples of the quartic through the peak
INITIAL_SLOPE_SHARE = 0.4  # of the peak's position: part that gives the initial slope
TAIL_BEGIN_PEAKS = 2.5  # times the peak's position: beyond, one exponential is left
MIN_BRANCH_PEAKS = 4.0  # times the peak's position: shortest branch
MIN_OVERSHOOT_REL = 0.01  # of the final value: a smaller overshoot is none
MAX_LEFT_OVERSHOOT = 0.25  # of the overshoot: most that may remain at the end of a branch
EXPONENT_ONE_TOLERANCE = 0.05  # distance from 1 up to which the backbone of exponent 1 applies
SETTLED_WITHIN_REL = 0.05  # of tau_inf: gamma_p is where the curve comes this close
MIN_M, MAX_M = 1e-9, 1e7  # of m = 1/(c - 1): ratios xi from 1e-9 to 1 - 1e-7
ROOT_TOLERANCE_REL = 1e-14  # roots of closed forms, to rounding
