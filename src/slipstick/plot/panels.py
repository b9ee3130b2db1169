"""Panels that several results share: their axes, and legends that are extended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.plot import style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


def legend_entries(axis: Axes) -> dict[str, Artist]:
    """Handles of a panel's legend by label; empty without a legend."""
    old = axis.get_legend()
    if old is None:
        return {}
    pairs = zip(old.get_texts(), old.legend_handles, strict=True)
    return {words.get_text(): handle for words, handle in pairs if handle is not None}


def axes_for(ax: Any, count: int, width: float | None = None) -> list[Axes]:
    """New axes, or the given ones, one for each of a count of names.   width : [cm] of a new figure, or None."""
    if ax is None:
        return _new_axes(max(count, 1), width)
    given = checked_axes(ax)
    if len(given) != count:
        raise InvalidInput(
            f"ax must be {count} axes for as many names, got {len(given)}; name as many as there are axes"
        ).about("ax")
    return given


def _new_axes(count: int, width: float | None) -> list[Axes]:
    import matplotlib.pyplot as plt

    size = (8.5, 4.4 if count == 1 else 1.6 + 2.3 * count)
    if width is not None:
        inches = width / style.CM_PER_INCH
        size = (
            inches,
            min(0.75, 0.52 + 0.02 * style.text_size(width)) * inches if count == 1 else 1.0 + 0.4 * count * inches,
        )
    _, axes = plt.subplots(count, 1, sharex=True, squeeze=False, figsize=size)
    return list(axes[:, 0])


def checked_axes(given: Any) -> list[Axes]:
    """Check one or more Matplotlib axes."""
    from matplotlib.axes import Axes

    found = [given] if isinstance(given, Axes) else list(np.ravel(np.asarray(given, dtype=object)))
    for each in found:
        if not isinstance(each, Axes):
            raise InvalidInput(
                f"ax must be axes of matplotlib, got {short_repr(each)}; plt.subplots() makes some"
            ).about("ax")
    return found
