"""State of the page Identify in a tab: files, read options, previews and results.

Only plain data goes to worker processes and back; `IdentifyState` itself stays in the server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from slipstick.app.equivalent_code import EquivalentCode
from slipstick.app.number_input import with_decimal_points
from slipstick.app.plotly_figures import Figure
from slipstick.app.setting_history import SettingHistory
from slipstick.report.table import Table

if TYPE_CHECKING:
    from slipstick.app.identify.setting_steps import IdentifySettings
    from slipstick.app.widgets import TaskBar
    from slipstick.identification.reading.unitless import UnitlessFile

Column = str | int  # by its name, or its number from 0
ROLES = ("deflection", "force", "time")
MAX_IDENTIFY_STEPS = 20  # to undo; each may have results of its own


@dataclass(frozen=True)
class UploadedFile:
    """name : from the user, never opened as a path.   shipped : the data set of slipstick that it is, if any."""

    name: str
    content: bytes
    shipped: str = ""


@dataclass(frozen=True)
class ReadOptions:
    """How files are read; the rest comes from their headers.

    columns, units : by role.   by : columns whose values distinguish loops.   factors : of deflection and force.
    drift, offset : are removed.   decimal : the decimal sign, if the file leaves it open.
    rate : samples per second, as typed, of files without times.   skip_incomplete : leave out rows with holes.
    turn_sign, remove_lag : of a force that delivers energy, or that lags.
    """

    columns: Mapping[str, Column] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    by: tuple[Column, ...] = ()
    factors: Mapping[str, float] = field(default_factory=dict)
    drift: bool = False
    offset: bool = False
    decimal: str = ""
    rate: str = ""
    skip_incomplete: bool = False
    turn_sign: bool = False
    remove_lag: bool = False

    @property
    def table_options(self) -> dict[str, Any]:
        """The options that differ from the usual ones, as keywords of `slipstick.Loop.read`."""
        options: dict[str, Any] = {**self.columns}
        options |= {"by": list(self.by)} if self.by else {}
        options |= {"units": dict(self.units)} if self.units else {}
        options |= {"decimal": self.decimal} if self.decimal else {}
        options |= {"rate": self.rate} if self.rate else {}
        options |= {"skip_incomplete": True} if self.skip_incomplete else {}
        options |= {"sign": "auto"} if self.turn_sign else {}
        return options | ({"lag": "auto"} if self.remove_lag else {})


@dataclass(frozen=True)
class LoadRequest:
    """Files to read.   refused : a line for each dropped file that is not taken."""

    files: tuple[UploadedFile, ...] = ()
    reading: ReadOptions = field(default_factory=ReadOptions)
    refused: tuple[str, ...] = ()

    @property
    def shipped(self) -> str | None:
        """The data set of slipstick among the files, if any."""
        return next((file.shipped for file in self.files), "") or None


@dataclass(frozen=True)
class FitRequest:
    """laws : by name; empty for the usual ones.   fixed, bounds, prior : of parameters, as in commands."""

    laws: tuple[str, ...] = ("masing",)
    fixed: str = ""
    bounds: str = ""
    prior: str = ""

    @property
    def known(self) -> tuple[list[str], ...]:
        """What is known of parameters."""
        return tuple(self.typed(option) for option in ("fixed", "bounds", "prior"))

    def typed(self, option: str) -> list[str]:
        """The entries of an option: ``limit=0,25 kN, damping=0`` has two, one a name."""
        parts = [part.strip(" ,") for part in re.split(r";|,(?=[^,;]*=)", getattr(self, option))]
        return [with_decimal_points(part) for part in parts if part]


@dataclass(frozen=True)
class Remedy:
    """A button that removes the cause of a message.

    message : the line that it belongs to.   label : of the button.   ticks : flags of `ReadOptions` to set.
    columns : by role.   decimal : the decimal sign.   clears_factors : removes all factors of `ReadOptions`.
    fixed : a constraint of the law that the message is about.   input : the field to go to, where only the user
    knows the value.
    """

    message: str
    label: str
    ticks: tuple[str, ...] = ()
    columns: Mapping[str, Column] = field(default_factory=dict)
    decimal: str = ""
    clears_factors: bool = False
    fixed: str = ""
    input: str = ""

    def reading(self, now: ReadOptions) -> ReadOptions:
        """The read options with this remedy."""
        ticks: dict[str, Any] = {what: True for what in self.ticks if isinstance(getattr(now, what, None), bool)}
        factors = {} if self.clears_factors else now.factors
        columns = {**now.columns, **self.columns}
        return replace(now, columns=columns, decimal=self.decimal or now.decimal, factors=factors, **ticks)

    def request(self, now: FitRequest, law: str) -> FitRequest:
        """The fit of this law with the constraint; the present request without one."""
        if not self.fixed:
            return now
        name = self.fixed.partition("=")[0]
        others = [entry for entry in now.typed("fixed") if entry.partition("=")[0].strip() != name]
        return replace(now, laws=(law,), fixed=", ".join([*others, self.fixed]))


@dataclass(frozen=True)
class FilePreview:
    """The first rows of a file.   columns : each by its key in `ReadOptions` and its label.   rows : as written."""

    file: str
    columns: tuple[tuple[Column, str], ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class FileContents:
    """The contents of files.

    previews : of readable files.   refused : by index of the file, why it cannot be read, in one line.
    problems : why there are no loops, or why they cannot be fitted, a line each.
    figures, table, notes : of the loops.   unitless : a file without units, if any.
    remedies : of problems and notes.
    """

    previews: tuple[FilePreview, ...] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    table: Table | None = None
    notes: tuple[str, ...] = ()
    unitless: UnitlessFile | None = None
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True)
class FitView:
    """A fitted law.   law : its name.   kind : its class in words.   figures : loops first.
    file : the law as YAML to paste.   model : the text of a small model with this law.   remedies : of warnings.
    next_test : what to measure next, in one sentence.
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
    remedies: tuple[Remedy, ...] = ()
    next_test: str = ""


@dataclass(frozen=True)
class IdentificationResult:
    """name : beginning of file names.   verdict, good, laws : of a ranking.
    views : of the fitted laws, best first.   troubles : why other laws could not be fitted.
    remarks : on their order.   files : downloads, by suffix.   code : that does the same.
    remedies : of remarks.   next_test : what to measure next to separate the two best laws, in one sentence.
    """

    name: str
    views: tuple[FitView, ...]
    files: Mapping[str, bytes]
    code: EquivalentCode
    laws: Table | None = None
    verdict: str = ""
    good: bool = True
    troubles: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    next_test: str = ""


@dataclass
class IdentifyState:
    """refused : lines about files that were dropped last and cannot be read.   selected : index of the law selected.
    outdated : message instead of a result whose files were changed meanwhile.
    fitted : the request of the last fit.
    version : increases with every change of contents or result.
    request : being read now, on any page of the tab.
    running : shows the progress of a fit, also while another page is open in its tab.
    noted : the settings after the last change that can be undone.
    """

    files: tuple[UploadedFile, ...] = ()
    reading: ReadOptions = field(default_factory=ReadOptions)
    fit_request: FitRequest = field(default_factory=FitRequest)
    refused: tuple[str, ...] = ()
    contents: FileContents = field(default_factory=FileContents)
    result: IdentificationResult | None = None
    outdated: str = ""
    fitted: FitRequest | None = None
    selected: int = 0
    version: int = 0
    request: LoadRequest | None = None
    running: TaskBar | None = None
    noted: IdentifySettings | None = None
    history: SettingHistory[IdentifySettings] = field(default_factory=lambda: SettingHistory(most=MAX_IDENTIFY_STEPS))
