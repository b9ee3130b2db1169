"""Identification: fits laws to measured loops, with intervals, rankings and trends over frequency.

loop                   a measured loop of force over deflection
identify               `identify`: fits one law by least squares
rank                   `rank`: fits several laws and orders them
trend                  `trend`: fits a law at each frequency
constraints            fixed values, bounds and priors, as users write them
law_names              laws by name, and start values of sums
reading                loops from text files
preparing              preprocessing of loops: reversals, noise, drift, geometry
rules                  the papers' rules, which read parameters off a loop
search                 start values and least squares
intervals              confidence intervals, identifiability and derived quantities
ranking                information criterion, cross-validation and verdict
"""
