"""Groups of nearly equal values, such as amplitudes or frequencies of loops."""

from __future__ import annotations

from collections.abc import Sequence


def groups_within_factor(values: Sequence[float], factor: float) -> list[list[int]]:
    """Indices of positive values in ascending groups; a group spans at most a factor from its smallest value."""
    groups: list[list[int]] = []
    for i in sorted(range(len(values)), key=lambda i: values[i]):
        if groups and values[i] <= factor * values[groups[-1][0]]:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups
