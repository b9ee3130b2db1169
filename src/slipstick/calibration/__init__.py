"""Parameters of a model from measurements of several kinds.

measured_response.py   stepped-sine tests: amplitude over frequency by level
data_sets.py           each kind of measurement: what the model predicts for it, and the residuals
response_set.py        the same of stepped-sine tests, on the branch that was measured
unknowns.py            the unknown parameters: names, bounds, priors, scales
calibrate.py           weighted least squares over all sets at once
uncertainty.py         covariance with coloured residuals, intervals
"""
