"""Thresholds of figures, each with its reason."""

# ---- what can be seen

AVOID_ZERO_DIVISION = 1e-300  # avoids 0/0
MIN_BAND_REL = 4e-3  # of the range: a thinner error band is hidden by the line, and the title has the error
MIN_JUMP_REL = 0.05  # of the range: a smaller jump between branches is not visible
JUMP_STEP_RATIO = 4.0  # times the steps on both sides: a jump between branches
CONSTANT_FREQUENCY_REL = 1e-6  # of a frequency: a mode that changes less is drawn as a straight line
MIN_PANEL_HEIGHT_REL = 0.1  # of the value: least height of a panel, so that rounding does not look like a trend
MIN_REVERSAL_REL = 1e-6  # of the range: smaller reversals are rounding
MIN_DAMPING_PER_CENT = 1e-12  # least range of a damping axis, for undamped modes
ZERO_TICK_REL = 1e-9  # of the axis: a tick this close to zero is zero
UNSTABLE_MODULUS = 1.0 + 1e-6  # a larger modulus is drawn as unstable; below is the accuracy of multipliers
MAX_DRAWABLE = 1e100  # larger values of a diverged motion are not drawn
DRIFT_RATIO = 3.0  # drift over swing of a displacement: above, its velocity is shown, as of a rotating shaft

# ---- layout

LOG_AXIS_MARGIN = 0.7  # of the lowest value: start of a logarithmic axis
PEAK_MARGIN = 1.25  # of the highest peak: end of an axis of response curves
LOG_SCALE_PEAK_RATIO = 8.0  # highest over lowest peak: above, the axis is logarithmic
MIN_STATE_HEIGHT = 0.15  # of a band: least height of a state in a column, however brief
BAND_HEIGHT = 0.72  # of a row: height of its band of states
COLOUR_MAP_END = 0.88  # of the colour map: yellow lines are not visible on white
TICK_SPACING_RATIO = 1.6  # between ticks of a logarithmic axis: closer labels would overlap
UNSTABLE_ZORDER = 2.1  # layer of unstable lines, above stable ones
MULTIPLIER_PANEL_WIDTH = 2.6  # inches
COLUMN_ROW_HEIGHT = 0.5  # of a history in a column of a paper, over its height on a screen
COLUMN_LOOP_HEIGHT = 1.15  # inches of a loop in a column of a paper
COLUMN_AXIS_HEIGHT = 0.4  # inches of labels below and above panels in a column of a paper
STATE_NAME_WIDTH = 0.75  # inches of a state in a legend, at the usual size of text
BAND_LABEL_WIDTH = 0.6  # inches of names beside bands
TITLE_CHARACTERS_PER_INCH = 10.0  # of text of the next size
TITLE_TEXT_SIZE = 11.0  # points
GOLDEN_RATIO_FRACTION = 0.6180339887498949  # spreads sample times, as even ones would alias with a faster motion
