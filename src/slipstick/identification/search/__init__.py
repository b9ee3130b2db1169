"""The search: start values, unknowns and nonlinear least squares over all loops.

start_selection        the best of several starts
initial_states         other initial states of loops, and reversals before the first sample
problem_setup          one fit problem for each start, with fixed values, bounds and priors
unknowns               the parameters of a law as a vector
start_values           start values from the geometry of loops and from the motion in time
envelope_start_values  start values for generalised Dahl laws
envelope_search        start values for a user's own envelope
previous_reversal      the reversal before the first sample
loop_weights           weights of loops, from their noise
scaling                scaling of unknowns for badly conditioned problems
least_squares          the minimisation, also on fewer samples
"""
