"""Means that nothing holds: sliders that slip to and fro forget where they were, and a train on them stands anywhere.

The equations of a mode then do not change along such a mean, and their derivatives have no full rank. Which way the
curve goes on beyond a corner is told by the sign of a determinant, which would be one of rounding; so a mean is held
where it is, as a slider that sticks would. That changes no solution: it is derivatives alone that are changed, and only
along means that are of no account to any equation.
"""

from __future__ import annotations

import numpy as np

from slipstick.arrays import Array

NEUTRAL_MEAN_REL = 1e-10  # of a mean that is held by a slider in stick: what derivatives are zero to


def hold_neutral_means(matrix: Array, means: slice) -> None:
    """Hold what is neutral among the means of the deflections, in place.

    matrix : (size, size + 1) derivatives of equations that are over the unknowns' own sizes, as `mode_family` has them.
    means : which unknowns are means; each is found from the equation of the same number.
    """
    columns = matrix[:, means]
    _, sizes, directions = np.linalg.svd(columns, full_matrices=False)
    neutral = directions[sizes <= NEUTRAL_MEAN_REL]
    if neutral.size:
        matrix[means, means] += neutral.T @ neutral
