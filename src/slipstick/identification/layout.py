"""How a table is written: its delimiter, its decimal sign, and the names and units of its columns."""

from __future__ import annotations

import contextlib
import csv
import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from slipstick.errors import FileError, InvalidInput
from slipstick.identification.units import factor_of

LONGEST_LINE = 100_000
LONGEST_NAME = 200  # of a column, with its unit
LOOKED_AT = 200  # lines from which the layout is told
DELIMITERS = (";", "\t", ",", "|")
COMMENTS = ("#", "%", "//", "!", '"#')
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eEdD][-+]?\d+)?")
_UNIT = re.compile(
    r"^(?P<name>.*?)\s*(?:\[(?P<a>[^\]]*)\]|\((?P<b>[^)]*)\)|\s+in\s+(?P<c>\S+)|/\s*(?P<d>[^\s/()\[\]]+))\s*$"
)
_CLOCK = re.compile(r"\b(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?)\b")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:[ '\u2019\u00a0\u202f]\d{3})+(?!\d)")  # 1'234.5 and 1 234.5
# by decimal comma or not: numbers with separators of thousands that mean nothing else, and those that may
_SPACES = "'\u2019 \u00a0\u202f"
_SEPARATED = {
    comma: re.compile(
        rf"[-+]?[1-9]\d{{0,2}}(?:(?:\{group}\d{{3}})+\{point}\d+|(?:[{_SPACES}]\d{{3}})+(?:\{point}\d+)?)"
    )
    for comma, group, point in ((False, ",", "."), (True, ".", ","))
}
_GROUPED = {
    comma: re.compile(rf"[-+]?[1-9]\d{{0,2}}(?:[\{group}{_SPACES}]\d{{3}})+(?:\{point}\d+)?")
    for comma, group, point in ((False, ",", "."), (True, ".", ","))
}
_SEPARATOR = re.compile(r'"?sep=(?P<sign>[;,|\t])"?', re.IGNORECASE)  # a line that Excel writes and reads


class Layout(NamedTuple):
    """delimiter : None for any blanks.   comma : numbers have a decimal comma.   header : names, or none.
    units : of the columns, as written.   first : number of the first line with numbers, from 0.
    title : the lines that names and units were taken from, as written.   left : lines above that say neither.
    """

    delimiter: str | None
    comma: bool
    header: tuple[str, ...]
    units: tuple[str, ...]
    first: int
    title: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def is_idle(line: str) -> bool:
    """True for what holds nothing: blanks and comments."""
    text = line.strip()
    return not text or text.startswith(COMMENTS) or _SEPARATOR.fullmatch(text) is not None


def layout_of(file: str, lines: Sequence[str]) -> Layout:
    """How a table is written, told from its first lines."""
    busy = [(i, line) for i, line in enumerate(lines[: LOOKED_AT * 5]) if not is_idle(line)][:LOOKED_AT]
    if not busy:
        raise FileError(file, None, "", "is empty: it has no line with numbers")
    for i, line in busy:
        if len(line) > LONGEST_LINE:
            raise FileError(file, i + 1, "", f"has {len(line)} characters, the limit is {LONGEST_LINE}")
    best: tuple[int, str | None, bool] | None = None
    for delimiter, comma in _ways(lines, [line for _, line in busy]):
        count = sum(is_row(line, delimiter, comma) for _, line in busy)
        if count and (best is None or count > best[0]):
            best = (count, delimiter, comma)
    if best is None:
        raise _no_numbers(file, busy)
    _, delimiter, comma = best
    first = next(i for i, line in busy if is_row(line, delimiter, comma))
    return _titled(file, lines, Layout(delimiter, comma, (), (), first))


def _no_numbers(file: str, busy: Sequence[tuple[int, str]]) -> FileError:
    for i, line in busy:
        stamp = _CLOCK.search(line)
        if stamp:
            words = f"has dates or clock times, which are no numbers: {stamp[0]!r}; write times in seconds, or none"
            return FileError(file, i + 1, "", words)
    i, line = busy[min(1, len(busy) - 1)]
    return FileError(
        file, i + 1, "", f"has no two numbers in a row: {short(line)}; a loop needs two columns, deflection and force"
    )


def _ways(lines: Sequence[str], busy: Sequence[str]) -> Iterator[tuple[str | None, bool]]:
    """Delimiters with decimal points or commas that make sense, the likeliest first."""
    told = _SEPARATOR.fullmatch(lines[0].strip())
    if told:
        yield told["sign"], False
        yield told["sign"], True
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


def is_row(line: str, delimiter: str | None, comma: bool) -> bool:
    """True if a line is at least two numbers."""
    fields = split(line, delimiter)
    return len(fields) >= 2 and all(number_of(f, comma) is not None or is_separated(f, comma) for f in fields)


def split(line: str, delimiter: str | None) -> list[str]:
    """Fields of a line, without blanks and quotes; one delimiter too many at its end is none."""
    if delimiter is None:
        return line.replace('"', " ").split()
    parts = line.split(delimiter)
    if '"' in line:
        with contextlib.suppress(csv.Error):
            parts = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    fields = [field.strip().strip('"').strip() for field in parts]
    return fields[:-1] if len(fields) > 1 and not fields[-1] else fields


def is_separated(field: str, comma: bool) -> bool:
    """True for a number with separators of thousands that can mean nothing else: ``1,234.5``, ``1'234``."""
    return _SEPARATED[comma].fullmatch(field) is not None


def number_of(field: str, comma: bool, grouped: bool = False) -> float | None:
    """A field as a number, or None; grouped : it may have separators of thousands."""
    if grouped and _GROUPED[comma].fullmatch(field):
        field = re.sub(rf"[{'.' if comma else ','}{_SPACES}]", "", field)
    text = field.replace(",", ".") if comma else field
    if comma and "." in field:
        return None
    if _NUMBER.fullmatch(text):
        return float(text.replace("d", "e").replace("D", "e"))
    return math.nan if text.lower() in ("nan", "inf", "-inf", "+inf", "infinity", "-infinity") else None


def why_no_number(field: str) -> str:
    """What is wrong with a field that should be a number."""
    shown = repr(field if len(field) <= 40 else field[:37] + "...")
    if _CLOCK.fullmatch(field[:40]) or _CLOCK.match(field[:40]):
        return f"must be a number, got a date or clock time, {shown}; write times in seconds, or none"
    if ("." in field and "," in field) or _THOUSANDS.match(field[:40]):
        return f"must be a number, got {shown}; write numbers without separators of thousands"
    return f"must be a number, got {shown}"


def short(line: str) -> str:
    text = line.strip()
    return repr(text if len(text) <= 60 else text[:57] + "...")


# ---- names and units


def _titled(file: str, lines: Sequence[str], layout: Layout) -> Layout:
    """With names and units of the columns, from the lines above the first numbers; the header may be a comment."""
    count = len(split(lines[layout.first], layout.delimiter))
    above = [(i, line) for i, line in enumerate(lines[: layout.first]) if line.strip()]
    rows: list[tuple[str, list[str]]] = []
    for i, line in above[-3:]:
        text = line.strip().lstrip("#%!").removeprefix("//").strip()
        fields = _words(text, layout.delimiter, count) if len(text) <= LONGEST_LINE else None
        if fields is None:
            continue
        numbers = sum(number_of(field, layout.comma) is not None for field in fields)
        if 2 * numbers > count and numbers < count and not is_idle(line):
            raise FileError(file, i + 1, "", f"is neither a header nor numbers: {short(line)}")
        if numbers < count:
            rows.append((line, fields))
    busy = [line for _, line in above if not is_idle(line)]
    if not rows:
        return layout._replace(left=tuple(busy))
    names, units = _taken_apart(rows[-1][1])
    title = [rows[-1][0]]
    if len(rows) > 1 and all(_is_unit(field) for field in rows[-1][1]):
        names, _ = _taken_apart(rows[-2][1])
        units = tuple(field.strip("[]() ") for field in rows[-1][1])
        title.insert(0, rows[-2][0])
    return layout._replace(
        header=names, units=units, title=tuple(title), left=tuple(line for line in busy if line not in title)
    )


def _words(text: str, delimiter: str | None, count: int) -> list[str] | None:
    """As many fields as there are columns, or None."""
    for way in (delimiter, *DELIMITERS, None):
        fields = split(text, way)
        if len(fields) == count:
            return fields
    spread = re.findall(r"[^\s\[\]()]+(?:\s*(?:\[[^\]]*\]|\([^)]*\)))?", text[:LONGEST_LINE])  # u [mm]  F [N]
    return spread if len(spread) == count else None


def _taken_apart(fields: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names, units = [], []
    for field in fields:
        match = _UNIT.match(field) if len(field) <= LONGEST_NAME else None
        names.append((match["name"] if match else field).strip().strip('"'))
        units.append(next((match[g] for g in "abcd" if match[g] is not None), "").strip() if match else "")
    return tuple(names), tuple(units)


def _is_unit(field: str) -> bool:
    """True for one that is known, for one in brackets, [°C], and where there is none."""
    text = field.strip("[]() ")
    if text in ("", "-") or (field[0] + field[-1]) in ("[]", "()"):
        return True
    try:
        factor_of(text, None)
    except InvalidInput:
        return False
    return True
