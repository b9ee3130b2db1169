"""Special points and stability along response curves.

special_points        folds, period doublings, Neimark-Sacker points, branch points, grazes
special_point_errors  error of their location
multiplier_crossings  multipliers that cross the unit circle between points
grazing               events that appear or vanish along a curve
linear_instability    linear modes that grow, as the cause of a failure
"""
