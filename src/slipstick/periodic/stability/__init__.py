"""Special points and stability along response curves.

special_points        scan of a curve for folds, period doublings, Neimark-Sacker points, branch points, grazes
screening             stretches that may have a special point, all at once
special_point_search  folds, corners and grazes between two points
multiplier_crossings  multipliers that cross the unit circle between points
special_point_errors  error of their location
grazing               events that appear or vanish along a curve
linear_instability    linear modes that grow, as the cause of a failure
"""
