"""Options, loops and output files that the commands about measured loops share."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from slipstick.cli.console import EXIT_FAILED, print_error, print_line
from slipstick.cli.option_types import argument, optional
from slipstick.errors import FileError, InvalidInput, short_repr

if TYPE_CHECKING:
    from slipstick.cli.output_files import OutputLocation
    from slipstick.identification.loop import Loop
    from slipstick.identification.reading.loop_tables import TableOptions
    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

ROLES = ("deflection", "force", "time")
TABLE_OPTIONS = (
    "by", "decimal", "rate", "skip_lines", "skip_incomplete", "encoding", "normal", "mass", "lag", "sign",
)  # fmt: skip

LoopFilesArgument = Annotated[
    list[str],
    argument(metavar="LOOP.csv", help="Measured loops: text (also .gz), .xlsx, .mat, .json, .parquet, .tdms."),
]
_column = partial(optional, metavar="COLUMN")
DeflectionOption = Annotated[str | None, _column(help="Its name in the header, or its number from 0.")]
ForceOption = Annotated[str | None, _column(help="The same for the force.")]
TimeOption = Annotated[str | None, _column(help="The same for the time.")]
GroupOption = Annotated[
    str | None, _column(help="A file holds one loop for each value of this column, or of several: a,b.")
]
UnitOption = Annotated[
    list[str] | None,
    optional(metavar="force=kN", help="Unit of a column, instead of its header's."),
]
DecimalOption = Annotated[str | None, optional(metavar="SIGN", help="Decimal sign of the files, . or ,")]
ScaleOption = Annotated[
    list[str] | None, optional(metavar="force=-1", help="Multiply deflection or force by a number.")
]
RateOption = Annotated[str | None, optional(metavar="1024Hz", help="Samples per second, instead of a time column.")]
SkipLinesOption = Annotated[int, typer.Option(min=0, metavar="N", help="Lines at the top that are not read.")]
SkipIncompleteOption = Annotated[bool, typer.Option("--skip-incomplete", help="Leave out rows with holes.")]
EncodingOption = Annotated[str | None, optional(metavar="cp1251", help="Of the text; detected by default.")]
NormalOption = Annotated[
    str | None, _column(help="Normal load, to which friction is proportional; several add up: a,b.")
]
MassOption = Annotated[str | None, optional(metavar="2.5kg", help="Moving fixture whose inertia force is removed.")]
LagOption = Annotated[
    str | None, optional(metavar="auto|3ms", help="Delay of the force, found or given, that is removed.")
]
SignOption = Annotated[str | None, optional(metavar="auto", help="Turn the sign of a force that delivers energy.")]
DriftOption = Annotated[bool, typer.Option("--remove-drift", help="Remove the drift from cycle to cycle.")]
OffsetOption = Annotated[bool, typer.Option("--remove-offset", help="Centre the loops at zero.")]
OutOption = Annotated[str | None, optional(metavar="FOLDER", help="Where files go; default beside the first loop.")]
FixedOption = Annotated[
    list[str] | None, optional(metavar="limit=250", help="Fix a number of the law: in SI, or limit=0.25kN.")
]
BoundsOption = Annotated[
    list[str] | None, optional(metavar="limit=200:300", help="Bounds of a number; an end may be left out.")
]
PriorOption = Annotated[list[str] | None, optional(metavar="limit=250:10", help="Known beforehand: mean:deviation.")]
NoiseOption = Annotated[
    str | None,
    optional(
        metavar="1um", help="Standard deviation of the noise in the deflection; default: estimated from the loops."
    ),
]
Evaluations = Annotated[
    int | None, optional(min=1, metavar="400", help="Budget of a search; default 200, or 25 along lines.")
]


class LoopReadOptions(NamedTuple):
    """How files are read.   table : options of `TableOptions`, as typed.   units, scales : as typed.
    drift, offset : are removed.
    """

    table: dict[str, Any]
    units: list[str] | None
    scales: list[str] | None
    drift: bool
    offset: bool

    @classmethod
    def from_typed(cls, typed: Mapping[str, Any]) -> LoopReadOptions:
        """From the typed options of a command by name; all commands use the same names."""
        table = {name: typed[name] for name in (*ROLES, *TABLE_OPTIONS)}
        return cls(table, typed["unit"], typed["scale"], typed["remove_drift"], typed["remove_offset"])


def loops_of(files: list[str], reading: LoopReadOptions) -> list[Loop]:
    """All loops of all files, in their order."""
    from slipstick.identification.constraints import split_assignment
    from slipstick.identification.reading.loop_tables import read_loops

    factors = {}
    for text in reading.scales or ():
        role, value = split_assignment("--scale", text, ROLES[:2])
        factors[role] = _number("--scale", text, value)
    options = _table_options(reading)
    found: list[Loop] = []
    _reject_duplicates(files)
    for file in files:
        if Path(file).is_dir():
            raise FileError(file, None, "", "is a folder; name the files in it")
        found += read_loops(file, options)
    for change in (
        (lambda loop: loop.scaled(**factors)) if factors else None,
        (lambda loop: loop.without_drift()) if reading.drift else None,
        (lambda loop: loop.without_offset()) if reading.offset else None,
    ):
        if change is not None:
            found = [change(loop) for loop in found]
    return found


def _table_options(reading: LoopReadOptions) -> TableOptions:
    from slipstick.identification.constraints import quantity_in_si, split_assignment
    from slipstick.identification.reading.loop_tables import AUTOMATIC, TableOptions

    given = dict(reading.table)
    if given["decimal"] not in (None, ".", ","):
        raise InvalidInput(f"--decimal must be . or ,; got {short_repr(given['decimal'])}")
    given |= {role: column_index(given[role]) for role in ROLES}
    given |= {name: _columns(given[name]) for name in ("by", "normal")}
    for name, allowed in (("mass", ("kg", "kg m^2")), ("lag", ("s",))):
        if given[name] not in (None, AUTOMATIC):
            given[name] = quantity_in_si(f"--{name}", given[name], allowed)
    units = dict(split_assignment("--unit", text, ROLES) for text in reading.units or ())
    return TableOptions(**given, units=units)


def _reject_duplicates(files: list[str]) -> None:
    """One file under two names would count twice, and make intervals too narrow."""
    seen: dict[Path, str] = {}
    for file in files:
        path = Path(file).resolve()
        if path in seen:
            raise FileError(file, None, "", f"is named twice{'' if seen[path] == file else f', as {seen[path]} too'}")
        seen[path] = file


def _columns(names: str | None) -> list[str | int] | None:
    """Columns with commas between them."""
    return None if names is None else [column_index(part.strip()) or 0 for part in names.split(",") if part.strip()]


def column_index(name: str | None) -> str | int | None:
    return int(name) if name is not None and name.isdigit() else name


def _number(option: str, text: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InvalidInput(f"{option} {text}: {short_repr(value)} is not a number") from None


def command_line() -> str:
    """What was typed."""
    return shlex.join(["slipstick", *sys.argv[1:]])


NOT_CONVERGED_TEXT = "the search did not converge; the values are where it stopped"


def write_fit_files(
    fit: Fit, place: OutputLocation, shown: Fit | Ranking, page: Callable[[Any, str, bytes, str], str]
) -> None:
    """Write the files about a fit, then exit; shown : the object of picture and page."""
    from slipstick.cli.output_files import fit_jobs, use_headless_backend, write_files
    from slipstick.report.html_page import figure_svg

    use_headless_backend()
    figure = shown.plot()
    drawn = figure_svg(figure)
    jobs = fit_jobs(fit, shown, figure, drawn, page(shown, place.name, drawn, command_line()))
    finish_command(*write_files(place, jobs), "" if fit.converged else NOT_CONVERGED_TEXT)


def finish_command(done: list[str], troubles: list[str], failed: str = "") -> None:
    """Print which files were written and which failed; exits with 1 after a failure."""
    for i, target in enumerate(done):
        print_line(f"{'' if i else chr(10)}written: {target}")
    for words in (*troubles, failed):
        if words:
            print_error(f"slipstick: {words}")
    if troubles or failed:
        raise typer.Exit(EXIT_FAILED)
