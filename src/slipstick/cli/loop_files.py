"""What commands about measured loops have in common: their options, the loops, and what they leave behind."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from slipstick.cli.console import complain, say
from slipstick.cli.errors import FAILED
from slipstick.errors import FileError, InvalidInput, shown

if TYPE_CHECKING:
    from slipstick.cli.products import Place
    from slipstick.identification.loop import Loop
    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

ROLES = ("deflection", "force", "time")

Files = Annotated[
    list[str], typer.Argument(metavar="LOOP.csv", help="Text files with measured loops; .gz too.", show_default=False)
]
_column: dict[str, Any] = {"metavar": "COLUMN", "show_default": False}
Deflection = Annotated[str | None, typer.Option(help="Its name in the header, or its number from 0.", **_column)]
Force = Annotated[str | None, typer.Option(help="The same for the force.", **_column)]
Time = Annotated[str | None, typer.Option(help="The same for the time.", **_column)]
By = Annotated[
    str | None, typer.Option(help="A file holds one loop for each value of this column, or of several: a,b.", **_column)
]
_many: dict[str, Any] = {"show_default": False}
Units = Annotated[
    list[str] | None, typer.Option(metavar="force=kN", help="Unit of a column, instead of its header's.", **_many)
]
Decimal = Annotated[
    str | None, typer.Option(metavar="SIGN", help="Decimal sign of the files, . or ,", show_default=False)
]
Scales = Annotated[
    list[str] | None, typer.Option(metavar="force=-1", help="Multiply deflection or force by a number.", **_many)
]
Drift = Annotated[bool, typer.Option("--remove-drift", help="Take out what creeps from cycle to cycle.")]
Offset = Annotated[bool, typer.Option("--remove-offset", help="Put the loops about zero.")]
Out = Annotated[
    str | None,
    typer.Option(metavar="FOLDER", help="Where files go; default beside the first loop.", show_default=False),
]


class Reading(NamedTuple):
    """How the files are read: columns by role and by, units and factors as typed, what is taken out, decimal sign."""

    columns: dict[str, str | None]
    by: str | None
    units: list[str] | None
    scales: list[str] | None
    drift: bool
    offset: bool
    decimal: str | None = None

    @classmethod
    def asked(cls, typed: Mapping[str, Any]) -> Reading:
        """From all options of a command by name, which have the same names in each of them."""
        columns = {role: typed[role] for role in ROLES}
        taken_out = typed["remove_drift"], typed["remove_offset"]
        return cls(columns, typed["by"], typed["unit"], typed["scale"], *taken_out, typed["decimal"])


def loops_of(files: list[str], reading: Reading) -> list[Loop]:
    """All loops of all files, in their order."""
    from slipstick.identification.tables import read_loops
    from slipstick.identification.wishes import assigned

    if reading.decimal not in (None, ".", ","):
        raise InvalidInput(f"--decimal must be . or , got {shown(reading.decimal)}")
    units = dict(assigned("--unit", text, ROLES) for text in reading.units or ())
    factors = {}
    for text in reading.scales or ():
        role, value = assigned("--scale", text, ROLES[:2])
        factors[role] = _number("--scale", text, value)
    columns: dict[str, Any] = {role: _numbered(name) for role, name in reading.columns.items()}
    found: list[Loop] = []
    _refuse_twice(files)
    for file in files:
        if Path(file).is_dir():
            raise FileError(file, None, "", "is a folder; name the files in it")
        found += read_loops(file, **columns, by=_columns(reading.by), units=units, decimal=reading.decimal)
    for change in (
        (lambda loop: loop.scaled(**factors)) if factors else None,
        (lambda loop: loop.without_drift()) if reading.drift else None,
        (lambda loop: loop.without_offset()) if reading.offset else None,
    ):
        if change is not None:
            found = [change(loop) for loop in found]
    return found


def _refuse_twice(files: list[str]) -> None:
    """One file under two names would count twice, and make intervals too narrow."""
    seen: dict[Path, str] = {}
    for file in files:
        path = Path(file).resolve()
        if path in seen:
            raise FileError(file, None, "", f"is named twice{'' if seen[path] == file else f', as {seen[path]} too'}")
        seen[path] = file


def _columns(names: str | None) -> list[str | int] | None:
    """Columns with commas between them."""
    return None if names is None else [_numbered(part.strip()) or 0 for part in names.split(",") if part.strip()]


def _numbered(name: str | None) -> str | int | None:
    return int(name) if name is not None and name.isdigit() else name


def _number(option: str, text: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InvalidInput(f"{option} {text}: {shown(value)} is not a number") from None


def command_line() -> str:
    """What was typed."""
    return shlex.join(["slipstick", *sys.argv[1:]])


STOPPED = "the search did not converge; the values are where it stopped"


def keep(fit: Fit, place: Place, shown: Fit | Ranking, page: Callable[[Any, str, bytes, str], str]) -> None:
    """Write the files about a fit, and leave; shown : what the picture and the page are of."""
    from slipstick.cli.products import fit_jobs, without_screen, write_files
    from slipstick.report.page import svg

    without_screen()
    figure = shown.plot()
    drawn = svg(figure)
    jobs = fit_jobs(fit, shown, figure, drawn, page(shown, place.name, drawn, command_line()))
    leave(*write_files(place, jobs), "" if fit.converged else STOPPED)


def leave(done: list[str], troubles: list[str], failed: str = "") -> None:
    """Tell which files were written, and what went wrong; leaves with 1 if something did."""
    for i, target in enumerate(done):
        say(f"{'' if i else chr(10)}written: {target}")
    for words in (*troubles, failed):
        if words:
            complain(f"slipstick: {words}")
    if troubles or failed:
        raise typer.Exit(FAILED)
