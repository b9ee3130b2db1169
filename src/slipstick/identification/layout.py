"""How a table is written: its delimiter, its decimal sign, and the names and units of its columns."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from slipstick.errors import FileError, InvalidInput
from slipstick.identification.decimals import COMMA, clock_in, decided, is_grouped, number_of, reads
from slipstick.identification.units import factor_of, is_of_a_loop

LONGEST_LINE = 100_000
LONGEST_NAME = 200  # of a column, with its unit
LOOKED_AT = 200  # lines from which the layout is told
MOST_LOOKED_AT = 10_000  # ... and from which columns that have thousands in a file with decimal commas
DELIMITERS = (";", "\t", ",", "|")
COMMENTS = ("#", "%", "//", "!", '"#')
_UNIT = re.compile(
    r"^(?P<name>.*?)\s*(?:\[(?P<a>[^\]]*)\]|\((?P<b>[^)]*)\)|\s+in\s+(?P<c>\S+)|/\s*(?P<d>[^\s/()\[\]]+))\s*$"
)
_IN_BRACKETS = re.compile(r"[\[(<{]\s*([^\])>}]*[^\s\])>}])\s*[\])>}]")  # Load (kN) cell 2
_AT_THE_END = re.compile(r"[,:]\s*(\S+)$")  # Load, kN
_LAST_WORD = re.compile(r"[\s_]([^\s_]+)$")  # load_kN; of the units, those that are no words: not in, min, psi, bar
_NO_WORDS = re.compile("mm|[uµμ]m|cm|[kmM]N|lbf|k?Nm|Nmm|[kMG]Pa|deg|mrad|ms")
_BLANKS = re.compile(r'"([^"]*)"|([^\s"]+)')
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


def layout_of(file: str, lines: Sequence[str], decimal: str | None = None) -> Layout:
    """How a table is written, told from its first lines.   decimal : its decimal sign, where that is known."""
    busy = [(i, line) for i, line in enumerate(lines[: LOOKED_AT * 5]) if not is_idle(line)][:LOOKED_AT]
    if not busy:
        raise FileError(file, None, "", "is empty: it has no line with numbers")
    for i, line in busy:
        if len(line) > LONGEST_LINE:
            raise FileError(file, i + 1, "", f"has {len(line)} characters, the limit is {LONGEST_LINE}")
    ways = [way for way in _ways(lines, [line for _, line in busy]) if decimal is None or way[1] == (decimal == COMMA)]
    counts = {way: sum(is_row(line, *way) for _, line in busy) for way in ways}
    delimiter, comma = max(counts, key=lambda way: counts[way])  # the first of those that are alike
    if not counts[delimiter, comma]:
        raise _no_numbers(file, busy)
    alike = counts[delimiter, comma] == counts.get((delimiter, not comma))
    if decimal is None and (alike or comma):
        comma = _decided(file, lines, delimiter, None if alike else comma)
    first = next(i for i, line in busy if is_row(line, delimiter, comma))
    return _titled(file, lines, Layout(delimiter, comma, (), (), first))


def _decided(file: str, lines: Sequence[str], delimiter: str | None, comma: bool | None) -> bool:
    """True for decimal commas; a refusal where nothing tells.   comma : what the first lines tell, if they do."""
    looked_at = lines if comma is None else lines[:MOST_LOOKED_AT]
    found, doubt = decided((split(line, delimiter) for line in looked_at if not is_idle(line)), comma)
    if not doubt:
        return found
    point, other = (number_of(doubt, sign, grouped=True) for sign in (False, True))
    words = f"{doubt} may be {point:.12g} or {other:.12g}, and the other numbers do not tell which; give"
    raise FileError(file, None, "", f'{words} decimal="." or decimal=","').in_commands(
        f"{words} --decimal . or --decimal ,"
    )


def _no_numbers(file: str, busy: Sequence[tuple[int, str]]) -> FileError:
    for i, line in busy:
        stamp = clock_in(line)
        if stamp:
            words = f"has dates or clock times, which are no numbers: {stamp!r}; write times in seconds, or none"
            return FileError(file, i + 1, "", words)
    i, line = busy[min(1, len(busy) - 1)]
    for delimiter in (*DELIMITERS, None):
        fields = split(line, delimiter)
        texts = [k for k, field in enumerate(fields) if not (reads(field, False) or reads(field, True))]
        if texts and len(fields) - len(texts) >= 2:
            words = f"must be a number, got {short(fields[texts[0]])}; leave columns of text out of the file"
            return FileError(file, i + 1, f"column {texts[0]}", words)
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
    blanks = delimiter != "," or '"' in line  # between unquoted commas they separate columns, not thousands
    return len(fields) >= 2 and all(
        number_of(f, comma) is not None or (is_grouped(f, comma) and (blanks or " " not in f)) for f in fields
    )


def split(line: str, delimiter: str | None) -> list[str]:
    """Fields of a line, without blanks and quotes; delimiters too many at its end are none."""
    if delimiter is None:
        return [(quoted or plain).strip() for quoted, plain in _BLANKS.findall(line)]
    parts = line.split(delimiter)
    if '"' in line:
        with contextlib.suppress(csv.Error):
            parts = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    fields = [field.strip().strip('"').strip() for field in parts]
    while len(fields) > 1 and not fields[-1]:
        fields.pop()
    return fields


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
        numbers = sum(reads(field, False) or reads(field, True) for field in fields)
        if 2 * numbers > count and not is_idle(line):
            raise FileError(file, i + 1, "", f"is neither a header nor numbers: {short(line)}")
        if numbers < count:
            rows.append((line, fields))
    busy = [line for _, line in above if not is_idle(line)]
    if not rows:
        _refuse_other_header(file, above, layout, count)
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


def _refuse_other_header(file: str, above: Sequence[tuple[int, str]], layout: Layout, count: int) -> None:
    """Names with units right above the numbers, but not one for each column: nobody knows which is whose."""
    for i, line in above[-1:]:
        names, units = _taken_apart(split(line.strip().lstrip("#%!"), layout.delimiter))
        if len(names) > 1 and all(units) and all(map(_is_unit, units)):
            words = f"has {len(names)} names, the numbers below it have {count} columns: {short(line)}; "
            way = "put numbers with decimal commas in quotes, or semicolons between them"
            words += way if layout.delimiter == "," and len(names) < count else "name every column, or none"
            raise FileError(file, i + 1, "", words)


def _words(text: str, delimiter: str | None, count: int) -> list[str] | None:
    """As many fields as there are columns, or None."""
    own = delimiter is not None and delimiter in text  # then nothing else separates names
    for way in (delimiter,) if own else (delimiter, *DELIMITERS, None):
        fields = split(text, way)
        if len(fields) == count:
            return fields
    if own:
        return None
    spread = re.findall(r"[^\s\[\]()]+(?:\s*(?:\[[^\]]*\]|\([^)]*\)))?", text[:LONGEST_LINE])  # u [mm]  F [N]
    return spread if len(spread) == count else None


def _taken_apart(fields: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names, units = [], []
    for field in map(_on_one_line, fields):
        match = _UNIT.match(field) if len(field) <= LONGEST_NAME else None
        names.append((match["name"] if match else field).strip().strip('"'))
        units.append(next((match[g] for g in "abcd" if match[g] is not None), "").strip() if match else _within(field))
    return tuple(names), tuple(units)


def _within(field: str) -> str:
    """A unit that a name has elsewhere than in brackets at its end; nothing where it has none."""
    if len(field) > LONGEST_NAME:
        return ""
    sure = [match[1] for pattern in (_IN_BRACKETS, _AT_THE_END) for match in pattern.finditer(field)]
    likely = [match[1] for match in _LAST_WORD.finditer(field) if _NO_WORDS.fullmatch(match[1])]
    return next((unit for unit in (*sure, *likely) if unit != "1" and is_of_a_loop(unit)), "")


def _on_one_line(field: str) -> str:
    """A name whose unit stands on a line of its own has it in brackets."""
    parts = [part.strip() for part in field.split("\n") if part.strip()]
    if len(parts) > 1 and parts[-1][0] not in "[(/" and _is_unit(parts[-1]):
        return f"{' '.join(parts[:-1])} [{parts[-1]}]"
    return " ".join(parts)


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
