"""Values that are about the same: amplitudes, or frequencies, of loops that belong together."""

from __future__ import annotations

from collections.abc import Sequence


def groups_within_factor(values: Sequence[float], factor: float) -> list[list[int]]:
    """Places of positive values, from the smallest on; those within a factor of the first of a run are together."""
    groups: list[list[int]] = []
    for i in sorted(range(len(values)), key=lambda i: values[i]):
        if groups and values[i] <= factor * values[groups[-1][0]]:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups
