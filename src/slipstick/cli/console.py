"""Output of commands: colour and full width on a terminal, plain text of 80 columns elsewhere."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MAX_TABLE_ROWS = 50  # of a table; a model from matrices may have thousands of coordinates
MAX_NOTES = 6
GOOD_STYLE, BAD_STYLE = "bold green", "bold red"  # of headlines
# exit codes; `error_handling` says what each means
EXIT_FAILED, EXIT_BAD_INPUT, EXIT_FAULT, EXIT_INTERRUPTED, EXIT_BROKEN_PIPE = 1, 2, 70, 130, 141
MIN_REPORTED_TIME = 1e-3  # [s] shorter times are not reported


def console() -> Console:
    """For results, on stdout."""
    from rich.console import Console

    return Console(highlight=False, emoji=False, markup=False, soft_wrap=False)


def headline(screen: Console, strong: str, plain: str, style: str = "bold") -> None:
    """A line that begins in a style of its own; never wrapped."""
    from rich.text import Text

    screen.print(Text.assemble((strong, style), plain), soft_wrap=True)


def print_line(line: str) -> None:
    """One line on stdout, as it is: a line of a message is never wrapped, so that tools can read it."""
    print(line)


def print_error(line: str) -> None:
    """One line on stderr, as it is."""
    print(line, file=sys.stderr)


def timing_text(solver: float, whole: float, looks: float = 0.0) -> str:
    """The time of the solver, added up over processes, and that of everything: reading, compiling, the solver, errors.

    looks : at a curve's points, when it is there: by far the longest part where orbits beside them are solved for.
    """
    from slipstick.units.number_format import format_seconds

    more = f", stability and special points in {format_seconds(looks)}" if looks > MIN_REPORTED_TIME else ""
    how = " of parallel processes" if solver > whole else ""
    return f"solved in {format_seconds(solver)}{how}{more}, {format_seconds(whole)} in all"


def show_notes(screen: Console, notes: Sequence[str]) -> None:
    """The first of some notes, in the words of files."""
    from slipstick.study.command_messages import COMMAND

    for note in notes[:MAX_NOTES]:
        screen.print(f"note: {COMMAND.message(note)}", soft_wrap=True)
    if len(notes) > MAX_NOTES:
        screen.print(f"and {len(notes) - MAX_NOTES} more notes, in the data", soft_wrap=True)


COLUMN_SPACING = 3  # columns of a terminal between two of a table


def drop_wide_columns(
    heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], numbers: int, spare: Sequence[str], width: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]], int, list[str]]:
    """A table without its least important columns, if it is wider than a terminal.

    spare : their heads, columns of numbers.   Returns heads, rows and numbers as `table` takes them, and what was left
    out.
    """
    out: list[str] = []
    for name in spare:
        columns = list(zip(heads, *rows, strict=True))
        if name not in heads or sum(_least_width(own) + COLUMN_SPACING for own in columns) - COLUMN_SPACING <= width:
            continue
        kept = [i for i, head in enumerate(heads) if head != name]
        heads, rows = tuple(heads[i] for i in kept), [tuple(row[i] for i in kept) for row in rows]
        numbers, out = numbers - 1, [*out, name]
    return heads, list(rows), numbers, out


def _least_width(column: Sequence[str]) -> int:
    """Width of a column, head first: that of its longest cell, or of the longest word in the head."""
    return max(map(len, (*_words(column[0]), *column[1:])), default=0)


def _words(head: str) -> list[str]:
    """Words of a head; a unit in brackets is one."""
    return re.findall(r"\[.*?\]|\S+", head)


def table(
    heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], numbers: int = 0, most: int | None = MAX_TABLE_ROWS
) -> Table:
    """A plain table; the last ``numbers`` columns are right-aligned; beyond ``most`` rows, only how many more."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, header_style="bold")
    columns = [[head, *(row[i] for row in rows[:most])] for i, head in enumerate(heads)]
    wide = sum(max(map(len, own)) + COLUMN_SPACING for own in columns) - COLUMN_SPACING > console().width
    for i, head in enumerate(heads):
        side: Literal["left", "right"] = "right" if i >= len(heads) - numbers else "left"
        stacked = wide and len(head) > _least_width(columns[i])  # rich would break the longest words instead
        made.add_column("\n".join(_words(head)) if stacked else head, overflow="fold", justify=side)
    for row in rows[:most]:
        made.add_row(*row)
    if most is not None and len(rows) > most:
        made.add_row(f"... and {len(rows) - most} more", *[""] * (len(heads) - 1))
    return made


def silence(stream: Any) -> None:
    """Discard pending output: Python flushes once more on exit, which must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def despite_closed_pipe() -> Iterator[None]:
    """Continue where the reader of the screen has left, as with ``| head``, so that files are still written."""
    try:
        yield
    except (BrokenPipeError, SystemExit):  # rich leaves by the latter
        silence(sys.stdout)
