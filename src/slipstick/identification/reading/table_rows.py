"""The numbers of a table, and the blocks they stand in; what is passed over is counted and said."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import FileError
from slipstick.identification.loop import MIN_LOOP_SAMPLES
from slipstick.identification.reading.decimal_signs import explain_non_number, is_grouped, parse_number
from slipstick.identification.reading.table_layout import COMMENTS, TableLayout, shorten_line
from slipstick.model.files.headers import split

Array = NDArray[np.float64]
Places = NDArray[np.intp]

MAX_COLUMNS = 1000
MIN_GROUPED_NUMBERS = 3  # numbers with separators of thousands: fewer are faults, not a way of writing
MAX_LISTED_LINES = 5  # lines that cannot be read, by their numbers


class TableRows(NamedTuple):
    """numbers : (rows, columns).   where : (rows,) the line of each, from 0.
    blocks : the first row of each block, and the count of rows.   said : what was passed over, in words.
    """

    numbers: Array
    where: Places
    blocks: tuple[int, ...]
    said: tuple[str, ...]


def parse_rows(file: str, lines: Sequence[str], layout: TableLayout) -> TableRows:
    """All numbers of a table; a refusal at the first line that is wrong."""
    count = len(split(lines[layout.first], layout.delimiter))
    if count > MAX_COLUMNS:
        raise FileError(file, layout.first + 1, "", f"has {count} columns, the limit is {MAX_COLUMNS}")
    sorted_ = _classify_lines(lines, layout)
    rows = [lines[i] for i in sorted_.busy]
    table, grouped = _parse_with_numpy(rows, layout, count), []
    if table is None:
        fields = [split(line, layout.delimiter) for line in rows]
        grouped = [field for row in fields for field in row if is_grouped(field, layout.comma)]
        table = _parse_field_by_field(
            file, rows, fields, sorted_.busy, layout, count, len(grouped) >= MIN_GROUPED_NUMBERS
        )
    blocks = _block_starts(sorted_.breaks, len(rows))
    said = _describe_skipped(layout, sorted_, blocks)
    if grouped:
        example = parse_number(grouped[0], layout.comma, grouped=True)
        said += ("separators of thousands taken out of numbers", f"{grouped[0]} is read as {example:.12g}")
    return TableRows(table, np.array(sorted_.busy, dtype=np.intp), blocks, said)


class _ClassifiedLines(NamedTuple):
    """busy : lines with numbers.   breaks : how many of them stand above each gap.
    comments, blank, headers : counts of the other lines.
    after : lines of text below the last numbers.
    """

    busy: list[int]
    breaks: list[int]
    comments: int
    blank: int
    headers: int
    after: list[str]


def _classify_lines(lines: Sequence[str], layout: TableLayout) -> _ClassifiedLines:
    end = _last_number_line(lines, layout)
    busy: list[int] = []
    breaks: list[int] = []
    comments = blank = headers = 0
    again = {line.strip() for line in layout.title}
    for i in range(layout.first, end + 1):
        text = lines[i].strip()
        if not text:
            blank += 1
            breaks.append(len(busy))
        elif text in again:
            headers += 1
            breaks.append(len(busy))
        elif text.startswith(COMMENTS):
            comments += 1
        else:
            busy.append(i)
    rest = [line for line in lines[end + 1 :] if line.strip()]
    comments += sum(line.strip().startswith(COMMENTS) for line in rest)
    return _ClassifiedLines(
        busy, breaks, comments, blank, headers, [r for r in rest if not r.strip().startswith(COMMENTS)]
    )


def _last_number_line(lines: Sequence[str], layout: TableLayout) -> int:
    """The last line that has any number; what is below it is a remark, not a damaged row."""
    for i in range(len(lines) - 1, layout.first, -1):
        if any(character.isdigit() for character in lines[i]) and not lines[i].strip().startswith(COMMENTS):
            return i
    return layout.first


def _block_starts(breaks: Sequence[int], count: int) -> tuple[int, ...]:
    """First rows of blocks, if each has enough rows to be a loop; else all rows are one."""
    edges = sorted({0, *(b for b in breaks if 0 < b < count), count})
    if len(edges) > 2 and min(b - a for a, b in pairwise(edges)) < MIN_LOOP_SAMPLES:
        return (0, count)
    return tuple(edges)


def _describe_skipped(layout: TableLayout, found: _ClassifiedLines, blocks: tuple[int, ...]) -> tuple[str, ...]:
    """What was passed over."""
    said = []
    words = [
        f"{number} {what} line{'s' * (number != 1)}"
        for number, what in (
            (found.comments, "comment"),
            (found.blank if len(blocks) == 2 else 0, "empty"),
            (found.headers if len(blocks) == 2 else 0, "repeated header"),
        )
        if number
    ]
    if words:
        said.append(f"{' and '.join(words)} among the numbers passed over")
    for where, lines in (("above", layout.left), ("below", found.after)):
        if lines:
            plural = "s" * (len(lines) != 1)
            said.append(f"{len(lines)} line{plural} of text {where} the numbers passed over: {shorten_line(lines[0])}")
    if layout.comma:
        said.append("numbers have decimal commas")
    return tuple(said)


def _parse_with_numpy(rows: list[str], layout: TableLayout, count: int) -> Array | None:
    """All rows by NumPy's reader; None where it stumbles, or might take what is no number."""
    text = "\n".join(rows)
    if layout.comma:
        if "." in text:  # of thousands?
            return None
        text = text.replace(",", ".")
    if layout.delimiter and rows[0].rstrip().endswith(layout.delimiter):
        text = text.replace(f"{layout.delimiter}\n", "\n").removesuffix(layout.delimiter)
    try:
        table = np.loadtxt(io.StringIO(text), delimiter=layout.delimiter, ndmin=2, comments=None)
    except (ValueError, UnicodeError):
        return None
    return table if table.shape == (len(rows), count) and np.all(np.isfinite(table)) else None


def _parse_field_by_field(
    file: str, rows: Sequence[str], fields: Sequence[Sequence[str]], where: Sequence[int], layout: TableLayout,
    count: int,
    grouped: bool,
) -> Array:  # fmt: skip
    """All rows, field by field; a refusal that tells what is wrong with the first, and which others are."""
    table = np.empty((len(rows), count))
    wrong: list[FileError] = []
    for k, (line, own, i) in enumerate(zip(rows, fields, where, strict=True)):
        try:
            table[k] = _parse_row(file, line, own, i, layout, count, grouped)
        except FileError as problem:
            wrong.append(problem)
    if wrong:
        raise FileError(file, wrong[0].line, wrong[0].path, f"{wrong[0].problem}{_describe_other_errors(wrong[1:])}")
    return table


def _describe_other_errors(wrong: Sequence[FileError]) -> str:
    """``; 12 other lines cannot be read: 7, 9, 13, 14, 20 ...``."""
    if not wrong:
        return ""
    few = ", ".join(str(problem.line) for problem in wrong[:MAX_LISTED_LINES]) + (
        " ..." if len(wrong) > MAX_LISTED_LINES else ""
    )
    return f"; {len(wrong)} other line{'s' * (len(wrong) != 1)} cannot be read: {few}"


def _parse_row(
    file: str, line: str, fields: Sequence[str], i: int, layout: TableLayout, count: int, grouped: bool
) -> list[float]:
    """Those of one row; i : its line."""
    if len(fields) != count:
        words = f"has {len(fields)} field{'s' * (len(fields) != 1)}, lines before have {count}: {shorten_line(line)}"
        raise FileError(file, i + 1, "", f"{words}; mend it, or leave it out")
    found = []
    for j, field in enumerate(fields):
        number = parse_number(field, layout.comma, grouped)
        if number is None:
            raise FileError(file, i + 1, f"column {j}", explain_non_number(field))
        if not math.isfinite(number):
            words = f"must be finite, got {field[:40]}; leave the line out or mend it"
            raise FileError(file, i + 1, f"column {j}", words)
        found.append(number)
    return found
