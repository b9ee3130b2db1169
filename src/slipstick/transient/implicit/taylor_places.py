"""Where things stand in that part of the plan that belongs to the solution of a step by series."""

from __future__ import annotations

from slipstick.transient.implicit.places import SOLVER

# numbers
ORDER, KAPPA, TOLERANCE = range(SOLVER, SOLVER + 3)
# addresses: inverse of the linear part, response and compliance of the groups; of the leaves the address of their
# recurrence and of their room; series of deflections and rates of leaves
INVERSE, RESPONSE, COMPLIANCE, TERMS, DEFLECTIONS, RATES = range(SOLVER + 3, SOLVER + 9)
# slopes of K*, and whether there are any; inverse of 1 + s G and room for it; scales of deflections
SLOPES, READY, SOLUTION, FACTORS, PIVOTS, SCALE = range(SOLVER + 9, SOLVER + 15)
# the linear answer and its deflections, linearised forces, series of deflections, of the laws' forces and of p, columns
# to work with, slopes at a new point, p where the last series began
LINEAR, B, PHI, XS, FS, PS, SUM, SLOPES0, COLUMN, OTHER, BEGUN = range(SOLVER + 15, SOLVER + 26)
