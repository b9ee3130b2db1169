"""Figures of results, by Matplotlib.

style, title, ticks, panels  the house style
tolerances                   thresholds, with reasons
error_text                   errors in the unit of their coordinate
run_plot, run_sampling, time_histories, state_bands
                             runs and orbits: histories, states, loops and multipliers
curve_plot, curve_quantity, branch_jumps
                             response curves
response_band_plot           bands of responses
mode_plot                    nonlinear modes
loop_plot, rule_plot, ranking_plot, trend_plot
                             measured loops, rules, rankings and trends
sweep_plot                   sweeps
comparison_plot              comparison with a reduced model
model_diagram                diagram of a model
"""
