"""Figures and tables of the five papers, computed again and compared with the printed values.

    ss.paper("tensioner")                    # the list of entries
    fig = ss.paper("tensioner", "21b")       # computes one
    fig.data, fig.rows, fig.plot(), fig.save("out")
    ss.paper("tensioner", 17, numbers={"amplitude": 150.0})   # with another force, and no comparison

An entry has a function that computes a dataset, with rows that compare it to the print, and one that draws the dataset.
To add a figure, write both in a module of its paper's package and add an `Entry` to that package's ENTRIES.

    entry                             one figure or table, and the system it is of
    reproduction                      a computed entry
    comparison_rows                   rows that compare with the print
    certificate_summary               error of a figure, from its certificates
    knob                              adjustable parameters of a figure
    setup_diagrams                    photographs and schemes of the papers, as models
    gallery                           many entries at once, and an index page
    clutch, fibre, gear, tensioner, torsional
                                      the papers, one package each
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from importlib import import_module

from slipstick.errors import FileError, InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.papers.entry import Entry, EntryRequest, Progress, ignore_progress
from slipstick.papers.knob import Knob
from slipstick.papers.reproduction import CHANGED_SUFFIX, FILE_ATTRIBUTES, OWN_SCHEME_SUFFIX, Reproduction, Row

__all__ = [
    "NAMES",
    "TITLES",
    "Entry",
    "EntryRequest",
    "Knob",
    "Reproduction",
    "entries",
    "entries_at",
    "entry",
    "open_reproduction",
    "paper",
]

TITLES = {"tensioner": "Belt tensioner", "gear": "Gear train", "fibre": "Entangled fibres", "clutch": "Clutch",
          "torsional": "Torsional oscillator"}  # fmt: skip
NAMES = tuple(TITLES)


def entries(name: str) -> tuple[Entry, ...]:
    """The entries of a paper, in the order of the print."""
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) if isinstance(name, str) else ""
        known = ", ".join(NAMES)
        raise InvalidInput(f"paper: name must be one of {known}, got {short_repr(name)}{hint}").about("name")
    found: tuple[Entry, ...] = import_module(f"slipstick.papers.{name}").ENTRIES
    return found


def entry(name: str, label: str | int) -> Entry:
    """One figure ("21b", "Fig. 21 (b)", 4) or table ("table 2") of a paper."""
    found = entries_at(name, label)
    if len(found) > 1:
        parts = ", ".join(one.label for one in found)
        raise InvalidInput(f"{name}: figure {short_repr(label)} has parts, make one: {parts}").about("figure")
    return found[0]


def entries_at(name: str, label: str | int) -> tuple[Entry, ...]:
    """The entries of a label: one figure or table, or all parts of a figure (21 is 21a, 21b and 21c)."""
    there = entries(name)
    wanted = _plain(label)
    found = [one for one in there if _plain(one.label) == wanted]
    if not found and wanted.isdigit():
        found = [one for one in there if _plain(one.label)[:-1] == wanted and _plain(one.label)[-1].isalpha()]
    if not found:
        labels = ", ".join(one.label for one in there)
        words = f"{name}: no figure or table {short_repr(label)} in this paper; it has {labels}"
        raise InvalidInput(words).about("figure")
    return tuple(found)


def paper(
    name: str,
    figure: str | int | None = None,
    *,
    own_scheme: bool = False,
    numbers: Mapping[str, float] | None = None,
    progress: Progress = ignore_progress,
) -> Reproduction | tuple[Entry, ...]:
    """Compute one figure or table of a paper; without a label, list all.

    name : "tensioner", "gear", "fibre", "clutch" or "torsional".   figure : its label there.
    own_scheme : use the paper's own numerical scheme, if it has one for this figure.
    numbers : values that replace the paper's, by the names of the entry's knobs; the result is then not compared.
    progress : called with words and the finished share.
    """
    if figure is None:
        return entries(name)
    one = entry(name, figure)
    if own_scheme and not one.has_own_scheme:
        raise InvalidInput(f"{name}: {one.name} is not made by a scheme of the paper; leave out own_scheme").about(
            "own_scheme"
        )
    return one.made(EntryRequest(progress=progress, own_scheme=own_scheme, changed=numbers or {}))


def _plain(label: str | int) -> str:
    """ "Fig. 21 (b)" and "21B" are "21b"; "Table 2" is "table2"."""
    if isinstance(label, bool) or not isinstance(label, str | int):
        raise InvalidInput(
            f'figure must be a label such as "21b" or a number such as 4, got {short_repr(label)}'
        ).about("figure")
    text = re.sub(r"^\s*fig(ure)?\b\.?", "", str(label).lower())
    return re.sub(r"\s+|[()]|(?<=\w)-(?=\w)", "", text)


def open_reproduction(path: str | os.PathLike[str]) -> Reproduction:
    """Read a reproduction that was saved as .nc; the entry of its name draws it, nothing is computed."""
    import xarray

    from slipstick.results.result_files import FORMAT_ATTRIBUTE, KIND_ATTRIBUTE

    name = os.fsdecode(path)
    try:
        with xarray.open_dataset(name, engine="scipy", decode_times=False, decode_timedelta=False) as opened:
            data = opened.load()
        held = dict(data.attrs)
        rows = tuple(Row(*cells) for cells in json.loads(held["rows_json"]))
        own = {*FILE_ATTRIBUTES, "rows", "rows_json", FORMAT_ATTRIBUTE, KIND_ATTRIBUTE}
        data.attrs = {key: value for key, value in held.items() if key not in own}
        return Reproduction(
            paper=held["paper"],
            label=held["label"],
            title=held["title"],
            data=data,
            rows=rows,
            method=held["method"],
            certificate=held["certificate"],
            seconds=float(held["seconds"]),
            draw=entry(held["paper"], held["label"].removesuffix(CHANGED_SUFFIX).removesuffix(OWN_SCHEME_SUFFIX)).draw,
            changed=held.get("changed", ""),
        )
    except InvalidInput as error:  # from another version, with other figures
        raise FileError(name, None, "", str(error)) from None
    except Exception as error:  # the file may hold anything
        words = " ".join(str(error).split())
        raise FileError(name, None, "", f"is damaged: {type(error).__name__}: {words}") from None
