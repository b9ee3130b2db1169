"""Periodic responses: orbits, response curves, and nonlinear modes.

orbit                             entry: one periodic orbit
response                          entry: curves over frequency or another parameter
response_band                     entry: band of responses for many laws
methods                           the methods, and the choice between them
request_checks                    checks of arguments and of parameter values
common_period                     the common period of everything periodic in a problem
family_factory                    models over a parameter, and a family of orbits for each method
curve_solver, saved_curve_solver  orbits, branches and peaks of a curve, traced or from a file
curve_notes                       notes about a whole curve
multipliers                       Floquet multipliers as numbers, and stability
truncation                        error of condensed models, from the modes left out
balance                           harmonic balance
shooting                          shooting on the exact and the adaptive flow
integration                       responses by integration until they settle
continuation                      pseudo-arclength continuation
branches                          branch points and branch switching
stability                         special points: folds, bifurcations, grazing
measures                          amplitudes, peaks, stick and energy of orbits
modes                             nonlinear modes
"""
