"""Every figure and table of the five papers, made again: what it shows here, what is printed, why they differ.

    ss.paper("tensioner")                    # what there is
    fig = ss.paper("tensioner", "21b")       # made now
    fig.data, fig.rows, fig.plot(), fig.save("out")

An entry is a function that computes a dataset, with rows that compare it to the print, and one that draws the dataset.
A new figure is both in a file of its paper's folder, and an `Entry` in that folder's ENTRIES.
"""

from __future__ import annotations

from importlib import import_module

from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.papers.entry import Entry, Progress, Work, unwatched
from slipstick.papers.reproduction import Reproduction

__all__ = ["NAMES", "Entry", "Reproduction", "Work", "entries", "entry", "paper"]

NAMES = ("tensioner", "gear", "fibre", "clutch", "torsional")


def entries(name: str) -> tuple[Entry, ...]:
    """What one paper holds, in the order of the print."""
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) if isinstance(name, str) else ""
        known = ", ".join(NAMES)
        raise InvalidInput(f"paper: name must be one of {known}, got {shown(name)}{hint}").about("name")
    found: tuple[Entry, ...] = import_module(f"slipstick.papers.{name}").ENTRIES
    return found


def entry(name: str, label: str | int) -> Entry:
    """One figure ("21b", "Fig. 21 (b)", 4) or table ("table 2") of a paper."""
    there = entries(name)
    wanted = _plain(label)
    for one in there:
        if _plain(one.label) == wanted:
            return one
    labels = [one.label for one in there]
    parts = [one for one in labels if _plain(one)[:-1] == wanted]
    hint = f"; it has parts: {', '.join(parts)}" if parts else f"; it has {', '.join(labels)}"
    raise InvalidInput(f"{name}: no figure or table {shown(label)} in this paper{hint}").about("figure")


def paper(
    name: str, figure: str | int | None = None, *, own_scheme: bool = False, progress: Progress = unwatched
) -> Reproduction | tuple[Entry, ...]:
    """Make one figure or table of a paper; without one, what there is.

    name : "tensioner", "gear", "fibre", "clutch" or "torsional".   figure : as it is numbered there.
    own_scheme : by the paper's own numerical scheme, where it has one and the figure can be made by it.
    progress : called with words and the share that is done.
    """
    if figure is None:
        return entries(name)
    return entry(name, figure).made(Work(progress=progress, own_scheme=own_scheme))


def _plain(label: str | int) -> str:
    """ "Fig. 21 (b)" and "21B" are "21b"; "Table 2" is "table2"."""
    text = str(label).lower().replace("figure", "").replace("fig", "")
    return "".join(sign for sign in text if sign.isalnum())
