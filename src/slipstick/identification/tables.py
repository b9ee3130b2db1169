"""Loops from text files: delimiters, decimal commas, headers with units, comments, several loops in one file.

Nothing is dropped silently: a line that cannot be read refuses the file and is named by its number; comments and
empty lines among the numbers are counted in the loop's notes.
"""

from __future__ import annotations

import gzip
import io
import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import FileError, InvalidInput, did_you_mean
from slipstick.identification.loop import Loop
from slipstick.identification.units import factor_of

Array = NDArray[np.float64]
Column = str | int

LARGEST = 256 * 1024 * 1024  # bytes of text
LONGEST_LINE = 100_000
MOST_COLUMNS = 1000
LOOKED_AT = 200  # lines from which the layout is told
DELIMITERS = (";", "\t", ",", "|")
COMMENTS = ("#", "%", "//", "!", '"#')
# what columns are called, in small letters, where no name is given; the first that is there
NAMES = {
    "deflection": (
        "u", "x", "deflection", "displacement", "disp", "strain", "gamma", "angle", "rotation", "stroke", "position"
    ),
    "force": ("f", "force", "load", "torque", "moment", "stress", "tau", "restoring force"),
    "time": ("t", "time"),
}  # fmt: skip
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eEdD][-+]?\d+)?")
_UNIT = re.compile(
    r"^(?P<name>.*?)\s*(?:\[(?P<a>[^\]]*)\]|\((?P<b>[^)]*)\)|\s+in\s+(?P<c>\S+)|/\s*(?P<d>[^\s/()\[\]]+))\s*$"
)


class Layout(NamedTuple):
    """delimiter : None for any blanks.   comma : numbers have a decimal comma.   header : names, or none.
    units : of the columns, as written.   first : number of the first line with numbers, from 0.
    """

    delimiter: str | None
    comma: bool
    header: tuple[str, ...]
    units: tuple[str, ...]
    first: int


def read_loop(
    path: str | os.PathLike[str],
    deflection: Column | None = None,
    force: Column | None = None,
    time: Column | None = None,
    *,
    units: dict[str, str] | None = None,
) -> Loop:
    """The loop of a text file, possibly packed (.gz).

    deflection, force, time : names of columns, or their numbers from 0; by default told from the header or the order.
    units : of columns whose header has none, such as {"deflection": "mm"}; what has none at all is taken in SI.
    """
    loops = read_loops(path, deflection, force, time, units=units)
    if len(loops) > 1:
        raise FileError(
            os.fsdecode(path),
            None,
            "",
            f"holds {len(loops)} loops; use slipstick.identification.read_loops to have all of them",
        )
    return loops[0]


def read_loops(
    path: str | os.PathLike[str],
    deflection: Column | None = None,
    force: Column | None = None,
    time: Column | None = None,
    *,
    by: Column | None = None,
    units: dict[str, str] | None = None,
) -> list[Loop]:
    """All loops of a text file: one, or one for each value of the column ``by``."""
    file = os.fsdecode(path)
    lines = _lines(file)
    layout = layout_of(file, lines)
    numbers, where, skipped = _numbers(file, lines, layout)
    chosen = _chosen(file, layout, numbers, deflection, force, time)
    name = Path(file).name
    factors = {role: _factor(file, layout, i, role, units or {}) for role, i in chosen.items()}
    notes = [skipped] if skipped else []
    for role, (factor, unit) in factors.items():
        if unit:
            notes.append(f"{role} in {unit}, times {factor:g}")
    parts = _parts(file, layout, numbers, by)
    found = []
    for label, rows in parts:
        columns = {role: numbers[rows, i] * factors[role][0] for role, i in chosen.items()}
        own = f"{name} {label}".strip()
        try:
            found.append(Loop(columns["deflection"], columns["force"], columns.get("time"), name=own, notes=notes))
        except InvalidInput as problem:
            line = _line_of(problem, rows, where)
            raise FileError(file, line, "", str(problem).removeprefix(f"{own}: ")) from None
    return found


def _line_of(problem: InvalidInput, rows: NDArray[np.intp], where: NDArray[np.intp]) -> int | None:
    """The line of the sample that a refusal names."""
    said = re.search(r"sample (\d+)", str(problem))
    return int(where[rows[int(said.group(1))]]) + 1 if said else None


# ---- lines


def _lines(file: str) -> list[str]:
    """All lines of a file, unpacked and decoded."""
    try:
        with open(file, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        opened = gzip.open(file, "rb") if packed else open(file, "rb")  # noqa: SIM115
        with opened as stream:
            content = stream.read(LARGEST + 1)
    except FileNotFoundError:
        raise FileError(file, None, "", "there is no such file; check the name and the folder") from None
    except (OSError, EOFError, gzip.BadGzipFile) as problem:
        raise FileError(file, None, "", f"cannot be read: {problem}") from None
    except Exception as problem:  # zlib raises its own
        raise FileError(file, None, "", f"cannot be unpacked: {problem}") from None
    if len(content) > LARGEST:
        raise FileError(
            file,
            None,
            "",
            f"has more than {LARGEST // 1024**2} MB of text, the limit; keep every tenth sample, or one loop",
        )
    return _decoded(file, content).splitlines()


def _decoded(file: str, content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError:
            raise FileError(file, None, "", "is not text that can be read (UTF-16 cut short)") from None
    if b"\x00" in content[:4096]:
        raise FileError(file, None, "", "is no text; export it as CSV")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")  # µ and ° of older instruments


def _is_idle(line: str) -> bool:
    """True for what holds nothing: blanks and comments."""
    text = line.strip()
    return not text or text.startswith(COMMENTS)


# ---- layout


def layout_of(file: str, lines: Sequence[str]) -> Layout:
    """How a table is written, told from its first lines."""
    busy = [(i, line) for i, line in enumerate(lines[: LOOKED_AT * 5]) if not _is_idle(line)][:LOOKED_AT]
    if not busy:
        raise FileError(file, None, "", "is empty: it has no line with numbers")
    for i, line in busy:
        if len(line) > LONGEST_LINE:
            raise FileError(file, i + 1, "", f"has {len(line)} characters, the limit is {LONGEST_LINE}")
    best: tuple[int, str | None, bool] | None = None
    for delimiter, comma in _ways([line for _, line in busy]):
        count = sum(_is_row(line, delimiter, comma) for _, line in busy)
        if count and (best is None or count > best[0]):
            best = (count, delimiter, comma)
    if best is None:
        i, line = busy[min(1, len(busy) - 1)]
        raise FileError(file, i + 1, "", f"has no two numbers in a row: {_short(line)}")
    _, delimiter, comma = best
    first = next(i for i, line in busy if _is_row(line, delimiter, comma))
    header, units = _header(lines, first, delimiter, comma)
    return Layout(delimiter, comma, header, units, first)


def _ways(lines: Sequence[str]) -> Iterator[tuple[str | None, bool]]:
    """Delimiters with decimal points or commas that make sense, the likeliest first."""
    text = "\n".join(lines)
    for delimiter in (";", "\t", "|"):
        if delimiter in text:
            yield delimiter, False
            yield delimiter, True
    yield ",", False
    yield None, False
    yield None, True


def _is_row(line: str, delimiter: str | None, comma: bool) -> bool:
    """True if a line is at least two numbers."""
    fields = split(line, delimiter)
    return len(fields) >= 2 and all(number_of(field, comma) is not None for field in fields)


def split(line: str, delimiter: str | None) -> list[str]:
    """Fields of a line, without blanks and quotes; one delimiter too many at its end is none."""
    if delimiter is None:
        return line.split()
    fields = [field.strip().strip('"').strip() for field in line.split(delimiter)]
    return fields[:-1] if len(fields) > 1 and not fields[-1] else fields


def number_of(field: str, comma: bool) -> float | None:
    """A field as a number, or None."""
    text = field.replace(",", ".") if comma else field
    if comma and "." in field:
        return None
    if _NUMBER.fullmatch(text):
        return float(text.replace("d", "e").replace("D", "e"))
    return math.nan if text.lower() in ("nan", "inf", "-inf", "+inf", "infinity", "-infinity") else None


def _header(
    lines: Sequence[str], first: int, delimiter: str | None, comma: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of the columns, from the lines above the first numbers; the header may be a comment."""
    count = len(split(lines[first], delimiter))
    above = [line for line in lines[:first] if line.strip()]
    rows = []
    for line in above[-3:]:
        text = line.strip().lstrip("#%!").removeprefix("//").strip()
        fields = _words(text, delimiter, count)
        if fields is not None and not all(number_of(f, comma) is not None for f in fields):
            rows.append(fields)
    if not rows:
        return (), ()
    names, units = _taken_apart(rows[-1])
    if len(rows) > 1 and all(_looks_like_unit(field) for field in rows[-1]):
        names, _ = _taken_apart(rows[-2])
        units = tuple(field.strip("[]() ") for field in rows[-1])
    return names, units


def _words(text: str, delimiter: str | None, count: int) -> list[str] | None:
    """As many fields as there are columns, or None."""
    for way in (delimiter, *DELIMITERS, None):
        fields = split(text, way)
        if len(fields) == count:
            return fields
    spread = re.findall(r"[^\s\[\]()]+(?:\s*(?:\[[^\]]*\]|\([^)]*\)))?", text)  # u [mm]  F [N]
    return spread if len(spread) == count else None


def _taken_apart(fields: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names, units = [], []
    for field in fields:
        match = _UNIT.match(field)
        names.append((match["name"] if match else field).strip().strip('"'))
        units.append(next((match[g] for g in "abcd" if match[g] is not None), "").strip() if match else "")
    return tuple(names), tuple(units)


def _looks_like_unit(field: str) -> bool:
    text = field.strip("[]() ")
    if text in ("", "-"):
        return True
    try:
        factor_of(text, None)
    except InvalidInput:
        return False
    return True


# ---- numbers


def _numbers(file: str, lines: Sequence[str], layout: Layout) -> tuple[Array, NDArray[np.intp], str]:
    """(rows, columns) all numbers, the line of each row, and what was passed over in words."""
    busy, idle, blank = [], 0, 0
    for i in range(layout.first, len(lines)):
        text = lines[i].strip()
        if not text:
            blank += 1
        elif text.startswith(COMMENTS):
            idle += 1
        else:
            busy.append(i)
    count = len(split(lines[layout.first], layout.delimiter))
    if count > MOST_COLUMNS:
        raise FileError(file, layout.first + 1, "", f"has {count} columns, the limit is {MOST_COLUMNS}")
    table = _quickly([lines[i] for i in busy], layout, count)
    if table is None:
        table = _one_by_one(file, lines, busy, layout, count)
    words = []
    if idle:
        words.append(f"{idle} comment line{'s' * (idle != 1)}")
    if blank:
        words.append(f"{blank} empty line{'s' * (blank != 1)}")
    said = f"{' and '.join(words)} among the numbers passed over" if words else ""
    return table, np.array(busy, dtype=np.intp), said


def _quickly(rows: list[str], layout: Layout, count: int) -> Array | None:
    """All rows by NumPy's reader; None where it stumbles, or might take what is no number."""
    if layout.comma:
        rows = [row.replace(",", ".") for row in rows]
    try:
        table = np.loadtxt(io.StringIO("\n".join(rows)), delimiter=layout.delimiter, ndmin=2, comments=None)
    except (ValueError, UnicodeError):
        return None
    return table if table.shape == (len(rows), count) and np.all(np.isfinite(table)) else None


def _one_by_one(file: str, lines: Sequence[str], busy: list[int], layout: Layout, count: int) -> Array:
    """All rows, field by field; a refusal at the first that is wrong."""
    table = np.empty((len(busy), count))
    for k, i in enumerate(busy):
        fields = split(lines[i], layout.delimiter)
        if len(fields) != count:
            raise FileError(
                file,
                i + 1,
                "",
                f"has {len(fields)} field{'s' * (len(fields) != 1)}, lines before have {count}: {_short(lines[i])}",
            )
        for j, field in enumerate(fields):
            number = number_of(field, layout.comma)
            if number is None:
                raise FileError(file, i + 1, f"column {j}", f"must be a number, got {field[:40]!r}")
            if not math.isfinite(number):
                raise FileError(file, i + 1, f"column {j}", f"must be finite, got {field[:40]}")
            table[k, j] = number
    return table


def _short(line: str) -> str:
    text = line.strip()
    return repr(text if len(text) <= 60 else text[:57] + "...")


# ---- columns


def _chosen(
    file: str, layout: Layout, numbers: Array, deflection: Column | None, force: Column | None, time: Column | None
) -> dict[str, int]:
    """Which column is what."""
    asked = {"deflection": deflection, "force": force, "time": time}
    chosen = {role: _column(file, layout, numbers, role, name) for role, name in asked.items() if name is not None}
    for role in asked:
        if role not in chosen and layout.header:
            place = _known(layout.header, NAMES[role])
            if place is not None and place not in chosen.values():
                chosen[role] = place
    left = [i for i in range(numbers.shape[1]) if i not in chosen.values()]
    if "time" not in chosen and not layout.header and numbers.shape[1] > 2:
        rising = [i for i in left if np.all(np.diff(numbers[:, i]) > 0.0)]
        if rising:
            chosen["time"] = rising[0]
            left.remove(rising[0])
    for role in ("deflection", "force"):
        if role in chosen:
            continue
        if layout.header and (len(left) > 1 or not left) and numbers.shape[1] > 2:
            raise FileError(
                file, None, "", f"which column is the {role}? give {role}= one of {', '.join(layout.header)}"
            )
        if not left:
            raise FileError(file, None, "", f"has {numbers.shape[1]} columns; deflection and force need two")
        chosen[role] = left.pop(0)
    if len(set(chosen.values())) < len(chosen):
        raise FileError(file, None, "", "deflection, force and time must be different columns")
    return chosen


def _column(file: str, layout: Layout, numbers: Array, role: str, name: Column) -> int:
    count = numbers.shape[1]
    if isinstance(name, int) and not isinstance(name, bool):
        if not 0 <= name < count:
            raise FileError(file, None, role, f"column {name} is not there; columns are numbered 0 to {count - 1}")
        return name
    place = _known(layout.header, (str(name),))
    if place is not None:
        return place
    if not layout.header:
        raise FileError(
            file, None, role, f'there is no column "{name}": the file has no header; give its number, 0 to {count - 1}'
        )
    raise FileError(file, None, role, f'there is no column "{name}"{did_you_mean(str(name), layout.header)}')


def _known(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Where one of several names is in a header: as written, else with letters of any size."""
    small = [own.strip().lower() for own in header]
    for name in names:
        if name in header:
            return list(header).index(name)
        if name.strip().lower() in small:
            return small.index(name.strip().lower())
    return None


def _factor(file: str, layout: Layout, column: int, role: str, units: dict[str, str]) -> tuple[float, str]:
    """What a column is multiplied by to be in SI, and its unit as written."""
    unit = units.get(role) or (layout.units[column] if layout.units else "")
    if not unit or unit == "-":
        return 1.0, ""
    try:
        return factor_of(unit, role), unit
    except InvalidInput as problem:
        raise FileError(file, None, role, str(problem)) from None


def _parts(file: str, layout: Layout, numbers: Array, by: Column | None) -> list[tuple[str, NDArray[np.intp]]]:
    """Rows of each loop, with what tells it from the others."""
    every = np.arange(numbers.shape[0])
    if by is None:
        return [("", every)]
    column = _column(file, layout, numbers, "by", by)
    values, first = np.unique(numbers[:, column], return_index=True)
    if values.size > 1000:
        raise FileError(
            file, None, "by", f"the column has {values.size} different values; at most 1000 loops are in a file"
        )
    label = layout.header[column] if layout.header else f"column {column}"
    return [(f"{label} = {v:g}", every[numbers[:, column] == v]) for v in values[np.argsort(first)]]
