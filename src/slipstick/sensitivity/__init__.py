"""Derivatives of figures by parameters, and what is built on them.

gradient             the entry: which figure of which result
parameters           parameters by name, and models with other values of them
richardson           derivatives of smooth functions of one number, with their error
orbit_equations      derivatives of orbits: the implicit function theorem
orbit_gradient, curve_gradient, mode_gradient, run_gradient   figures of each kind of result
optimise             parameters with the best figure
advise, next_test    the next measurement of a fit or a calibration; what separates two laws
"""
