"""Pseudo-arclength continuation of families of orbits.

family          what a method provides: residual, derivatives, scales
corrector       Newton's method with one linear condition
path            steps along a curve by arclength
step_control    step length and parameter range
point_checks    is a new point on the same branch, ahead, and new?
initial_point   the first point, and points at given values
restarts        fallbacks where a step fails
curve_segment   the curve between two neighbouring points
folds           folds of curves that are not smooth
curve_trace     whole curves, traced or at given values
"""
