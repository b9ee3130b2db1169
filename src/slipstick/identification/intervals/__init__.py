"""Uncertainty of a fit: confidence intervals, identifiability, derived quantities and warnings.

estimates           the fit with its intervals, from a finished search
identifiability     which parameters the data determine, and which not
profile_likelihood  profile of one parameter with all others fitted again
noise_colour        correlation of the residuals, and its effect on intervals
deflection_noise    noise in the deflection, and its effect on the force
derived_quantities  intervals of quantities that follow from the parameters
law_samples         laws drawn from the distribution of a fit
truncated_normal    samples of a normal distribution within bounds
fit_warnings        warnings about a fit, in words
"""
