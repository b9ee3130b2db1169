"""State of the page Identify in a tab: files, read options, previews and results.

What travels to the processes that compute and back is plain; only `IdentifyState` itself stays here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slipstick.app.number_input import with_decimal_points
from slipstick.app.plotly_figures import Figure

if TYPE_CHECKING:
    from slipstick.app.widgets import TaskBar
    from slipstick.identification.reading.unitless import UnitlessFile
    from slipstick.report.fit_tables import Table

Column = str | int  # by its name, or its number from 0
ROLES = ("deflection", "force", "time")


@dataclass(frozen=True)
class UploadedFile:
    """name : as the user has it, never opened.   shipped : the set of slipstick that it is, if it is one."""

    name: str
    content: bytes
    shipped: str = ""


@dataclass(frozen=True)
class ReadOptions:
    """How files are read; what is left out is told from their headers.

    columns, units : by role.   by : columns whose values tell loops apart.   factors : of deflection and force.
    drift, offset : they are taken out.   decimal : the decimal sign, where the file does not tell it.
    """

    columns: Mapping[str, Column] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    by: tuple[Column, ...] = ()
    factors: Mapping[str, float] = field(default_factory=dict)
    drift: bool = False
    offset: bool = False
    decimal: str = ""


@dataclass(frozen=True)
class LoadRequest:
    """What is to be read.   refused : what was dropped and is not taken, a line each."""

    files: tuple[UploadedFile, ...] = ()
    reading: ReadOptions = field(default_factory=ReadOptions)
    refused: tuple[str, ...] = ()

    @property
    def shipped(self) -> str | None:
        """The set of slipstick that it is, if it is one."""
        return next((file.shipped for file in self.files), "") or None


@dataclass(frozen=True)
class FitRequest:
    """laws : by name; none for the usual ones.   fixed, bounds, prior : of their numbers, as commands have them."""

    laws: tuple[str, ...] = ("masing",)
    fixed: str = ""
    bounds: str = ""
    prior: str = ""

    def typed(self, option: str) -> list[str]:
        """What is known, one by one: ``limit=0,25 kN, damping=0`` are two, as each has a name."""
        parts = [part.strip(" ,") for part in re.split(r";|,(?=[^,;]*=)", getattr(self, option))]
        return [with_decimal_points(part) for part in parts if part]


@dataclass(frozen=True)
class FilePreview:
    """The begin of a file.   columns : what each is called in a `ReadOptions`, and on the page.   rows : as written."""

    file: str
    columns: tuple[tuple[Column, str], ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class FileContents:
    """What is in files.

    previews : of those that can be read.   refused : by number of the file, why it cannot, in one line.
    problems : why there are no loops, or why they cannot be fitted, a line each; none where all is well.
    figures, table, notes : of the loops; none where there are none.   bare : a file that says no units, if one does.
    """

    previews: tuple[FilePreview, ...] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    table: Table | None = None
    notes: tuple[str, ...] = ()
    bare: UnitlessFile | None = None


@dataclass(frozen=True)
class FitView:
    """One law and how it fits.   law : its name.   kind : of the law in words.   figures : loops first.
    file : the law to paste.   model : a small one that has it.
    """

    law: str
    kind: str
    verdict: str
    good: bool
    numbers: Table
    loops: Table
    below: str
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    figures: tuple[Figure, ...]
    file: str
    model: str


@dataclass(frozen=True)
class IdentificationResult:
    """name : that files begin with.   verdict, good, laws : of a ranking; none where one law was fitted.
    views : of the laws that could be fitted, best first.   troubles : why others could not.
    remarks : what to know of their order.
    files : to hand out, by suffix.
    """

    name: str
    views: tuple[FitView, ...]
    files: Mapping[str, bytes]
    laws: Table | None = None
    verdict: str = ""
    good: bool = True
    troubles: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass
class IdentifyState:
    """On the tab_state.   refused : what was dropped last and cannot be read.   shown : the law that is looked at.
    late : what is said instead of a result that came too late.
    stamp : another one whenever something was seen or found.
    wish : what is being read, on whichever page of the tab.
    running : what shows how far a fit is, also while another page is open in its tab.
    """

    files: tuple[UploadedFile, ...] = ()
    reading: ReadOptions = field(default_factory=ReadOptions)
    wanted: FitRequest = field(default_factory=FitRequest)
    refused: tuple[str, ...] = ()
    seen: FileContents = field(default_factory=FileContents)
    found: IdentificationResult | None = None
    late: str = ""
    shown: int = 0
    stamp: int = 0
    wish: LoadRequest | None = None
    running: TaskBar | None = None
