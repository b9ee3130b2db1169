"""Numbers of a table and their blocks; skipped lines are counted in notes."""

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
MIN_GROUPED_NUMBERS = 3  # with thousands separators; fewer are faults
MAX_LISTED_LINES = 5  # unreadable lines that a message lists


class TableRows(NamedTuple):
    """numbers : (rows, columns).   where : (rows,) line of each row, from 0.
    blocks : first row of each block, then the number of rows.   notes : on skipped lines, in words.
    """

    numbers: Array
    where: Places
    blocks: tuple[int, ...]
    notes: tuple[str, ...]


def parse_rows(file: str, lines: Sequence[str], layout: TableLayout) -> TableRows:
    """All numbers of a table; an error at the first unreadable line."""
    count = len(split(lines[layout.first], layout.delimiter))
    if count > MAX_COLUMNS:
        raise FileError(file, layout.first + 1, "", f"has {count} columns, the limit is {MAX_COLUMNS}")
    classified = _classify_lines(lines, layout)
    rows = [lines[i] for i in classified.numeric]
    table, grouped = _parse_with_numpy(rows, layout, count), []
    if table is None:
        fields = [split(line, layout.delimiter) for line in rows]
        grouped = [field for row in fields for field in row if is_grouped(field, layout.comma)]
        table = _parse_field_by_field(
            file, rows, fields, classified.numeric, layout, count, len(grouped) >= MIN_GROUPED_NUMBERS
        )
    blocks = _block_starts(classified.breaks, len(rows))
    notes = _describe_skipped(layout, classified, blocks)
    if grouped:
        example = parse_number(grouped[0], layout.comma, grouped=True)
        notes += ("thousands separators removed from numbers", f"{grouped[0]} is read as {example:.12g}")
    return TableRows(table, np.array(classified.numeric, dtype=np.intp), blocks, notes)


class _ClassifiedLines(NamedTuple):
    """numeric : lines with numbers.   breaks : number of them above each gap.
    comments, blank, headers : counts of the other lines.   after : lines of text below the last numbers.
    """

    numeric: list[int]
    breaks: list[int]
    comments: int
    blank: int
    headers: int
    after: list[str]


def _classify_lines(lines: Sequence[str], layout: TableLayout) -> _ClassifiedLines:
    end = _last_number_line(lines, layout)
    numeric: list[int] = []
    breaks: list[int] = []
    comments = blank = headers = 0
    again = {line.strip() for line in layout.title}
    for i in range(layout.first, end + 1):
        text = lines[i].strip()
        if not text:
            blank += 1
            breaks.append(len(numeric))
        elif text in again:
            headers += 1
            breaks.append(len(numeric))
        elif text.startswith(COMMENTS):
            comments += 1
        else:
            numeric.append(i)
    rest = [line for line in lines[end + 1 :] if line.strip()]
    comments += sum(line.strip().startswith(COMMENTS) for line in rest)
    return _ClassifiedLines(
        numeric, breaks, comments, blank, headers, [r for r in rest if not r.strip().startswith(COMMENTS)]
    )


def _last_number_line(lines: Sequence[str], layout: TableLayout) -> int:
    """Last line with a digit; text below it is a remark, not a damaged row."""
    for i in range(len(lines) - 1, layout.first, -1):
        if any(character.isdigit() for character in lines[i]) and not lines[i].strip().startswith(COMMENTS):
            return i
    return layout.first


def _block_starts(breaks: Sequence[int], count: int) -> tuple[int, ...]:
    """First rows of the blocks, if each has enough rows for a loop; else one block."""
    edges = sorted({0, *(b for b in breaks if 0 < b < count), count})
    if len(edges) > 2 and min(b - a for a, b in pairwise(edges)) < MIN_LOOP_SAMPLES:
        return (0, count)
    return tuple(edges)


def _describe_skipped(layout: TableLayout, classified: _ClassifiedLines, blocks: tuple[int, ...]) -> tuple[str, ...]:
    """Notes on skipped lines."""
    notes = []
    one_block = len(blocks) == 2
    counts = [
        f"{count} {kind} line{'s' * (count != 1)}"
        for count, kind in (
            (classified.comments, "comment"),
            (classified.blank * one_block, "empty"),
            (classified.headers * one_block, "repeated header"),
        )
        if count
    ]
    if counts:
        notes.append(f"{' and '.join(counts)} among the numbers skipped")
    for where, lines in (("above", layout.left), ("below", classified.after)):
        if lines:
            plural = "s" * (len(lines) != 1)
            notes.append(f"{len(lines)} line{plural} of text {where} the numbers skipped: {shorten_line(lines[0])}")
    if layout.comma:
        notes.append("numbers have decimal commas")
    return tuple(notes)


def _parse_with_numpy(rows: list[str], layout: TableLayout, count: int) -> Array | None:
    """All rows by NumPy's reader; None if it fails or might accept a non-number."""
    text = "\n".join(rows)
    if layout.comma:
        if "." in text:  # maybe thousands separators
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
    """All rows, field by field; an error for the first unreadable line, with the numbers of the others."""
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
    """Numbers of one row; i : its line."""
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
