"""Layout of a table: delimiter, decimal sign, and names and units of its columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from slipstick.errors import Advice, AnyOf, FileError
from slipstick.identification.reading.clock_times import is_clock_time
from slipstick.identification.reading.decimal_signs import (
    DECIMAL_COMMA,
    decide_decimal_comma,
    is_grouped,
    is_readable_number,
    parse_number,
)
from slipstick.model.files.headers import LONGEST_LINE, fields_of, is_unit, split, taken_apart, titles_of

LAYOUT_LINES = 200  # that give the layout
DECIMAL_SIGN_LINES = 10_000  # ... that are searched for thousands separators in a file with decimal commas
MIXED_ROWS_RATIO = 2.0  # times the rows of numbers alone: a table with columns of text
COMMENTS = ("#", "%", "//", "!", '"#')
_SEPARATOR = re.compile(r'"?sep=(?P<sign>[;,|\t])"?', re.IGNORECASE)  # written by Excel


NUMBER, CLOCK, TEXT = "number", "clock", "text"  # kinds of columns


class TableLayout(NamedTuple):
    """delimiter : None for blanks.   comma : decimal commas.   header : column names, or empty.
    units : of the columns, as written.   first : the first line with numbers, from 0.
    title : lines with names and units, as written.   left : other lines above the numbers.
    kinds : of the columns: numbers, clock times or text.
    """

    delimiter: str | None
    comma: bool
    header: tuple[str, ...]
    units: tuple[str, ...]
    first: int
    title: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.kinds)

    def column_title(self, column: int) -> str:
        """A column by its name, or by its number from 0."""
        name = self.header[column] if self.header else ""
        return f'column "{name[:40]}"' if name else f"column {column}"


def is_blank_or_comment(line: str) -> bool:
    """True for empty lines, comments and separator lines."""
    text = line.strip()
    return not text or text.startswith(COMMENTS) or _SEPARATOR.fullmatch(text) is not None


def detect_layout(file: str, lines: Sequence[str], decimal: str | None = None) -> TableLayout:
    """Detect the layout of a table from its first lines.   decimal : its decimal sign, if known."""
    busy = [(i, line) for i, line in enumerate(lines[: LAYOUT_LINES * 5]) if not is_blank_or_comment(line)][
        :LAYOUT_LINES
    ]
    if not busy:
        raise FileError(file, None, "", "is empty: it has no line with numbers")
    for i, line in busy:
        if len(line) > LONGEST_LINE:
            raise FileError(file, i + 1, "", f"has {len(line)} characters, the limit is {LONGEST_LINE}")
    ways = [
        way
        for way in _candidate_layouts(lines, [line for _, line in busy])
        if decimal is None or way[1] == (decimal == DECIMAL_COMMA)
    ]
    counts = {way: sum(is_number_row(line, *way) for _, line in busy) for way in ways}
    delimiter, comma = max(counts, key=lambda way: counts[way])  # the first of equal ones
    mixed = _mixed_layout(ways, busy)
    if mixed is not None and mixed.rows > MIXED_ROWS_RATIO * counts[delimiter, comma]:
        layout = TableLayout(*mixed.way, (), (), mixed.first, kinds=mixed.kinds)
        return _with_header(file, lines, layout)
    if not counts[delimiter, comma]:
        raise _no_numbers_error(file, busy)
    alike = counts[delimiter, comma] == counts.get((delimiter, not comma))
    if decimal is None and (alike or comma):
        comma = _decide_decimal_sign(file, lines, delimiter, None if alike else comma)
    first = next(i for i, line in busy if is_number_row(line, delimiter, comma))
    if mixed is not None and mixed.way == (delimiter, comma):  # the first rows may have gaps
        first = min(first, mixed.first)
    kinds = (NUMBER,) * _column_count(lines, first, delimiter)
    return _with_header(file, lines, TableLayout(delimiter, comma, (), (), first, kinds=kinds))


def _column_count(lines: Sequence[str], first: int, delimiter: str | None) -> int:
    """Number of columns of the first row; cells at its end that are empty count if the header names them."""
    row = lines[first]
    count, every = len(split(row, delimiter)), len(split_all(row, delimiter))
    names = [len(split(line, delimiter)) for line in lines[max(first - 2, 0) : first]]
    return every if count < every in names else count


class _MixedLayout(NamedTuple):
    """A layout of rows with text or empty cells.   rows : that have it.   kinds : of columns.   first : row."""

    way: tuple[str | None, bool]
    rows: int
    kinds: tuple[str, ...]
    first: int


def _mixed_layout(ways: Sequence[tuple[str | None, bool]], busy: Sequence[tuple[int, str]]) -> _MixedLayout | None:
    """The layout that most lines share, with two columns of numbers at least; None if there is none."""
    best: _MixedLayout | None = None
    for delimiter, comma in ways:
        rows = [(i, split_all(line, delimiter)) for i, line in busy]
        rows = [(i, own) for i, own in rows if sum(parse_number(field, comma) is not None for field in own) > 1]
        if not rows:
            continue
        ((count, shared),) = Counter(len(own) for _, own in rows).most_common(1)
        rows = [(i, own) for i, own in rows if len(own) == count]
        kinds = tuple(_column_kind([own[j] for _, own in rows], comma) for j in range(count))
        if kinds.count(NUMBER) > 1 and (best is None or shared > best.rows):
            whole = (i for i, own in rows if _has_only_gaps(own, kinds, comma))
            best = _MixedLayout((delimiter, comma), shared, kinds, next(whole, rows[0][0]))
    return best


def _has_only_gaps(fields: Sequence[str], kinds: Sequence[str], comma: bool) -> bool:
    """True if a row has a number or an empty cell in each column of numbers."""
    cells = zip(fields, kinds, strict=True)
    return all(not field or is_readable_number(field, comma) for field, kind in cells if kind == NUMBER)


def _column_kind(fields: Sequence[str], comma: bool) -> str:
    """Kind of most cells of a column, without the empty ones."""
    filled = [field for field in fields if field]
    for kind, count in (
        (NUMBER, sum(is_readable_number(field, comma) for field in filled)),
        (CLOCK, sum(map(is_clock_time, filled))),
    ):
        if 2 * count > len(filled):
            return kind
    return TEXT


def split_all(line: str, delimiter: str | None) -> list[str]:
    """Fields of a line, with empty ones at its end."""
    fields = split(line, delimiter)
    if delimiter is None:
        return fields
    end = line.rstrip(f"{delimiter} " if delimiter != "\t" else "\t")
    return fields + [""] * (line.count(delimiter, len(end)) if fields != [""] else 0)


def _decide_decimal_sign(file: str, lines: Sequence[str], delimiter: str | None, comma: bool | None) -> bool:
    """True for decimal commas; an error if the numbers are ambiguous.   comma : decision of the first lines, if any."""
    looked_at = lines if comma is None else lines[:DECIMAL_SIGN_LINES]
    found, doubt = decide_decimal_comma(
        (split(line, delimiter) for line in looked_at if not is_blank_or_comment(line)), comma
    )
    if not doubt:
        return found
    point, other = (parse_number(doubt, sign, grouped=True) for sign in (False, True))
    words = f"{doubt} may be {point:.12g} or {other:.12g}, and no other number of the file decides"
    raise FileError(file, None, "", words, advice=[Advice("give {decimal}", decimal=AnyOf((".", ",")))])


def _no_numbers_error(file: str, busy: Sequence[tuple[int, str]]) -> FileError:
    i, line = busy[min(1, len(busy) - 1)]
    needs = "a loop needs two columns of numbers, deflection and force"
    if len(busy) == 1:
        return FileError(file, i + 1, "", f"is the only line, without numbers: {shorten_line(line)}; {needs}")
    return FileError(file, i + 1, "", f"has fewer than two numbers: {shorten_line(line)}; {needs}")


def _candidate_layouts(lines: Sequence[str], busy: Sequence[str]) -> Iterator[tuple[str | None, bool]]:
    """Possible pairs of delimiter and decimal comma, by likelihood."""
    separator = _SEPARATOR.fullmatch(lines[0].strip())
    if separator:
        yield separator["sign"], False
        yield separator["sign"], True
    text = "\n".join(busy)
    for delimiter in (";", "\t", "|"):
        if delimiter in text:
            yield delimiter, False
            yield delimiter, True
    yield ",", False
    if '"' in text:  # "1,5","2,5"
        yield ",", True
    yield None, False
    yield None, True


def is_number_row(line: str, delimiter: str | None, comma: bool) -> bool:
    """True if all fields of a line are numbers, two at least."""
    fields = split(line, delimiter)
    blanks = delimiter != "," or '"' in line  # between unquoted commas, blanks are no thousands separators
    return len(fields) >= 2 and all(
        parse_number(f, comma) is not None or (is_grouped(f, comma) and (blanks or " " not in f)) for f in fields
    )


def shorten_line(line: str) -> str:
    text = line.strip()
    return repr(text if len(text) <= 60 else text[:57] + "...")


# ---- names and units


def _with_header(file: str, lines: Sequence[str], layout: TableLayout) -> TableLayout:
    """The layout with column names and units, from the lines above the numbers; the header may be a comment."""
    count = layout.width
    above = [(i, line) for i, line in enumerate(lines[: layout.first]) if line.strip()]
    rows: list[tuple[str, list[str]]] = []
    for i, line in above[-3:]:
        fields = fields_of(line, layout.delimiter, count)
        if fields is None:
            continue
        numbers = sum(is_readable_number(field, False) or is_readable_number(field, True) for field in fields)
        if 2 * numbers > count and not is_blank_or_comment(line):
            raise FileError(file, i + 1, "", f"is neither a header nor numbers: {shorten_line(line)}")
        if numbers < count:
            rows.append((line, fields))
    busy = [line for _, line in above if not is_blank_or_comment(line)]
    if not rows:
        _refuse_other_header(file, above, layout, count)
        return layout._replace(left=tuple(busy))
    found = titles_of([fields for _, fields in rows])
    title = tuple(line for line, _ in rows[-found.rows :])
    left = tuple(line for line in busy if line not in title)
    return layout._replace(header=found.names, units=found.units, title=title, left=left)


def _refuse_other_header(file: str, above: Sequence[tuple[int, str]], layout: TableLayout, count: int) -> None:
    """Refuse a header with units whose length differs from the number of columns."""
    for i, line in above[-1:]:
        names, units = taken_apart(split(line.strip().lstrip("#%!"), layout.delimiter))
        known = [unit for unit in units if unit and is_unit(unit)]
        if len(names) > 1 and len(known) > 1:
            words = f"has {len(names)} names, the numbers below it have {count} columns: {shorten_line(line)}; "
            way = "put numbers with decimal commas in quotes, or semicolons between them"
            named = "name every column, or none; a name with a comma needs quotes"
            words += way if layout.delimiter == "," and len(names) < count else named
            raise FileError(file, i + 1, "", words)
