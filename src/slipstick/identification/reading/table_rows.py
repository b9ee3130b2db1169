"""Numbers of a table and their blocks; skipped lines are counted in notes."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import Advice, FileError
from slipstick.identification.loop import MIN_LOOP_SAMPLES
from slipstick.identification.reading.clock_times import clock_seconds
from slipstick.identification.reading.decimal_signs import explain_non_number, is_grouped, parse_number
from slipstick.identification.reading.table_layout import (
    CLOCK,
    COMMENTS,
    NUMBER,
    TableLayout,
    shorten_line,
    split_all,
)
from slipstick.model.files.headers import split

Places = NDArray[np.intp]

MAX_COLUMNS = 1000
MIN_GROUPED_NUMBERS = 3  # with thousands separators; fewer are faults
MAX_LISTED_LINES = 5  # unreadable lines that a message lists


class TableRows(NamedTuple):
    """numbers : (rows, columns), NaN where a cell has none.   where : (rows,) line of each row, from 0.
    blocks : first row of each block, then the number of rows.   notes : on skipped lines, in words.
    fault : says why row k has no number in column j.   fields : text of the cells of row k.
    """

    numbers: Array
    where: Places
    blocks: tuple[int, ...]
    notes: tuple[str, ...]
    fault: Callable[[int, int], FileError]
    fields: Callable[[int], list[str]] = lambda _: []


def parse_rows(file: str, lines: Sequence[str], layout: TableLayout) -> TableRows:
    """All numbers of a table; cells that have none become NaN, and matter only in a column that is used."""
    count = layout.width
    if count > MAX_COLUMNS:
        raise FileError(file, layout.first + 1, "", f"has {count} columns, the limit is {MAX_COLUMNS}")
    classified = _classify_lines(lines, layout)
    rows = [lines[i] for i in classified.numeric]
    table, grouped = _parse_with_numpy(rows, layout), []
    allow_groups = False
    if table is None:
        fields = [split(line, layout.delimiter) for line in rows]
        grouped = [field for row in fields for field in row if is_grouped(field, layout.comma)]
        allow_groups = len(grouped) >= MIN_GROUPED_NUMBERS
        table = _parse_field_by_field(fields, layout, allow_groups)
    blocks = _block_starts(classified.breaks, len(rows))
    notes = _describe_skipped(layout, classified, blocks)
    if grouped:
        example = parse_number(grouped[0], layout.comma, grouped=True)
        notes += ("thousands separators removed from numbers", f"{grouped[0]} is read as {example:.12g}")
    where = np.array(classified.numeric, dtype=np.intp)

    def fault(row: int, column: int) -> FileError:
        return _row_fault(file, lines[where[row]], int(where[row]), layout, column, allow_groups)

    def fields_of(row: int) -> list[str]:
        return split(lines[where[row]], layout.delimiter)

    return TableRows(table, where, blocks, notes, fault, fields_of)


def check_rows(file: str, rows: TableRows, columns: Sequence[int], skip_incomplete: bool) -> TableRows:
    """The rows with a number in each of some columns; an error for the first other row, with the way to skip it."""
    complete = np.isfinite(rows.numbers[:, list(columns)]).all(axis=1)
    if complete.all():
        return rows
    wrong = np.flatnonzero(~complete)
    _refuse_second_table(file, rows, wrong)
    if not skip_incomplete:
        column = next(i for i in columns if not np.isfinite(rows.numbers[wrong[0], i]))
        first = rows.fault(int(wrong[0]), column)
        words = f"{first.problem}{_describe_other_errors(rows.where[wrong[1:]] + 1)}"
        way = Advice("correct it, or skip these rows: {skip_incomplete}", skip_incomplete=True)
        raise FileError(file, first.line, first.path, words, advice=[way])
    edges = np.concatenate(([0], np.cumsum(complete)))[list(rows.blocks)]
    note = f"{wrong.size} of {complete.size} rows skipped, because they have holes"
    return rows._replace(
        numbers=rows.numbers[complete],
        where=rows.where[complete],
        blocks=tuple(np.unique(edges).tolist()),
        notes=(*rows.notes, note),
    )


def _refuse_second_table(file: str, rows: TableRows, wrong: Places) -> None:
    """Refuse a file whose numbers are interrupted by the names of another table."""
    for k in wrong[wrong < len(rows.numbers) - MIN_LOOP_SAMPLES]:
        names = rows.fields(int(k))
        if len(names) > 1 and all(re.search(r"[^\W\d_]{2}", name) for name in names):
            i = int(rows.where[k])
            words = f"begins another table: {shorten_line(', '.join(names))}"
            way = Advice("read it alone with {skip_lines}, or remove it", skip_lines=i)
            raise FileError(file, i + 1, "", words, advice=[way])


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


def _parse_with_numpy(rows: list[str], layout: TableLayout) -> Array | None:
    """All rows by NumPy's reader; None if it fails or might accept a non-number."""
    text = "\n".join(rows)
    if layout.comma:
        if "." in text:  # maybe thousands separators
            return None
        text = text.replace(",", ".")
    if layout.delimiter and rows[0].rstrip().endswith(layout.delimiter) and layout.kinds[-1] == NUMBER:
        text = text.replace(f"{layout.delimiter}\n", "\n").removesuffix(layout.delimiter)
    table = np.full((len(rows), layout.width), math.nan)
    mixed = any(kind != NUMBER for kind in layout.kinds)
    numeric = [j for j, kind in enumerate(layout.kinds) if kind == NUMBER]
    usecols = numeric if mixed else None  # without it, NumPy counts the columns of every row
    try:
        found = np.loadtxt(io.StringIO(text), delimiter=layout.delimiter, ndmin=2, comments=None, usecols=usecols)
    except (ValueError, UnicodeError):
        return None
    if found.shape != (len(rows), len(numeric)):
        return None
    table[:, numeric] = found
    for j in (j for j, kind in enumerate(layout.kinds) if kind == CLOCK):
        table[:, j] = clock_seconds([_cell(split(line, layout.delimiter), j) for line in rows])
    return table


def _parse_field_by_field(fields: Sequence[Sequence[str]], layout: TableLayout, grouped: bool) -> Array:
    """All rows, field by field; NaN for cells without a number, and for rows with too many fields."""
    table = np.full((len(fields), layout.width), math.nan)
    numeric = [j for j, kind in enumerate(layout.kinds) if kind != CLOCK]
    for k, own in enumerate(fields):
        if len(own) > layout.width:
            continue
        for j in numeric:
            if j < len(own) and (number := parse_number(own[j], layout.comma, grouped)) is not None:
                table[k, j] = number
    for j in (j for j, kind in enumerate(layout.kinds) if kind == CLOCK):
        table[:, j] = clock_seconds([_cell(own, j) for own in fields])
    return table


def _cell(fields: Sequence[str], column: int) -> str:
    return fields[column] if column < len(fields) else ""


def _describe_other_errors(lines: Places) -> str:
    """``; 12 other lines cannot be read: 7, 9, 13, 14, 20 ...``."""
    if not lines.size:
        return ""
    few = ", ".join(map(str, lines[:MAX_LISTED_LINES].tolist())) + (" ..." if lines.size > MAX_LISTED_LINES else "")
    return f"; {lines.size} other line{'s' * (lines.size != 1)} cannot be read: {few}"


def _row_fault(file: str, line: str, i: int, layout: TableLayout, column: int, grouped: bool) -> FileError:
    """Why a row has no number in a column; i : its line."""
    fields, count = split(line, layout.delimiter), layout.width
    if len(fields) > count or column >= len(split_all(line, layout.delimiter)):
        words = f"has {len(fields)} field{'s' * (len(fields) != 1)}, lines before have {count}: {shorten_line(line)}"
        return FileError(file, i + 1, "", words)
    field = _cell(fields, column)
    title = layout.column_title(column) + " (counted from 0)" * (not layout.header)
    if layout.kinds[column] == CLOCK:
        return FileError(file, i + 1, title, f"must be a clock time, got {field[:40]!r}")
    if parse_number(field, layout.comma, grouped) is not None:
        return FileError(file, i + 1, title, f"must be finite, got {field[:40]}")
    return FileError(file, i + 1, title, explain_non_number(field))
