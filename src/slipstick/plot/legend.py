"""Legends that are added to: several results drawn into one panel share it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


def legend_entries(axis: Axes) -> dict[str, Artist]:
    """The signs of a panel's legend by their words; none if it has no legend."""
    old = axis.get_legend()
    if old is None:
        return {}
    pairs = zip(old.get_texts(), old.legend_handles, strict=True)
    return {words.get_text(): handle for words, handle in pairs if handle is not None}
