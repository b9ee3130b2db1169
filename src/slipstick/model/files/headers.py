"""Names and units in the headers of tables: of loops, and of signals."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Sequence
from typing import NamedTuple

from slipstick.errors import InvalidInput
from slipstick.units.dimensions import DEFLECTION_EXPONENTS, FORCE_EXPONENTS, ROTATION, STRESS, TRANSLATION
from slipstick.units.parser import DIMENSIONLESS, parse_unit

LONGEST_LINE = 100_000
LONGEST_NAME = 200  # of a column, with its unit
# exponents of length, mass, time, angle that a column of a loop may have
COLUMNS: dict[str, dict[tuple[float, ...], str]] = {
    "deflection": {
        DEFLECTION_EXPONENTS[TRANSLATION]: "a length",
        DEFLECTION_EXPONENTS[ROTATION]: "an angle",
        DIMENSIONLESS.exponents: "a strain",
        (-1.0, 0.0, 0.0, 0.0): "a curvature",
        (-1.0, 0.0, 0.0, 1.0): "a curvature",
    },
    "force": {
        FORCE_EXPONENTS[TRANSLATION]: "a force",
        FORCE_EXPONENTS[ROTATION]: "a moment",
        FORCE_EXPONENTS[STRESS]: "a stress",
    },
    "time": {(0, 0, 1, 0): "a time"},
}
_UNIT = re.compile(
    r"^(?P<name>.*?)\s*(?:\[(?P<a>[^\]]*)\]|\((?P<b>[^)]*)\)|\s+in\s+(?P<c>\S+)|/\s*(?P<d>[^\s/()\[\]]+))\s*$"
)
_IN_BRACKETS = re.compile(r"[\[(<{]\s*([^\])>}]*[^\s\])>}])\s*[\])>}]")  # Load (kN) cell 2
_AT_THE_END = re.compile(r"[,:]\s*(\S+)$")  # Load, kN
_LAST_WORD = re.compile(r"[\s_]([^\s_]+)$")  # load_kN; of the units, those that are no words: not in, min, psi, bar
_NO_WORDS = re.compile("mm|[uµμ]m|cm|[kKmM]N|lbf|kips?|k?Nm|Nmm|[kMG]Pa|deg|mrad|ms")

# what instruments and offices write, in lower case unless case decides, and the unit that is meant
_OTHER_SPELLINGS = {
    "kn": "kN", "newton": "N", "newtons": "N", "knm": "kNm", "lbs": "lb", "pound": "lb", "pounds": "lb", "kips": "kip",
    "kpa": "kPa", "MPA": "MPa", "Mpa": "MPa", "MM": "mm", "inches": "in", "inch": "in", "mil": "thou", "mils": "thou",
    "degree": "deg", "degrees": "deg", "deg": "deg", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "msec": "ms", "S": "s",
}  # fmt: skip

_BLANKS = re.compile(r'"([^"]*)"|([^\s"]+)')
DELIMITERS = (";", "\t", ",", "|")


class Titles(NamedTuple):
    """names, units : of the columns, as written.   rows : how many rows above the numbers they were taken from."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    rows: int


def titles_of(rows: Sequence[Sequence[str]]) -> Titles:
    """Names and units of columns, from rows of words above their numbers.

    A row of units is below the names, above them, or alone. Below names one clear unit is enough: the other cells are
    then no names, and an unknown unit among them is reported if its column is read.
    """
    (names, units), last = taken_apart(rows[-1]), rows[-1]
    if len(rows) > 1 and (any(map(_is_clear, last)) or all(map(is_unit, last))):
        return Titles(taken_apart(rows[-2])[0], tuple(map(_bare, last)), 2)
    if _are_units(last):
        return Titles(names, tuple(map(_bare, last)), 1)
    if len(rows) > 1 and not any(units) and _are_units(rows[-2]):
        return Titles(names, tuple(map(_bare, rows[-2])), 2)
    return Titles(names, units, 1)


def _are_units(fields: Sequence[str]) -> bool:
    """True for a row that holds units only, at least one of which cannot be a name."""
    # in this order: a name that is asked for as a unit loads the library of units, a tenth of a short command
    return any(map(_is_clear, fields)) and all(map(is_unit, fields))


def _is_clear(field: str) -> bool:
    return _NO_WORDS.fullmatch(_bare(field)) is not None


def _bare(field: str) -> str:
    """A unit without its brackets, nothing for the sign of none."""
    text = field.strip("[]() ")
    return "" if text == "-" else text


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


def fields_of(line: str, delimiter: str | None, count: int) -> list[str] | None:
    """As many fields of a header, which may be a comment, as there are columns; or None."""
    text = line.strip().lstrip("#%!").removeprefix("//").strip()
    if len(text) > LONGEST_LINE:
        return None
    own = delimiter is not None and delimiter in text  # then nothing else separates names
    for way in (delimiter,) if own else (delimiter, *DELIMITERS, None):
        fields = split(text, way)
        if len(fields) == count:
            return fields
    if own:
        return None
    spread = re.findall(r"[^\s\[\]()]+(?:\s*(?:\[[^\]]*\]|\([^)]*\)))?", text)  # u [mm]  F [N]
    return spread if len(spread) == count else None


def taken_apart(fields: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of columns, and the units in them."""
    names, units = [], []
    for field in map(_on_one_line, fields):
        match = _UNIT.match(field) if len(field) <= LONGEST_NAME else None
        names.append((match["name"] if match else field).strip().strip('"'))
        units.append(next((match[g] for g in "abcd" if match[g] is not None), "").strip() if match else _within(field))
    return tuple(names), tuple(units)


def _within(field: str) -> str:
    """A unit within a name, not in brackets at its end; empty without one."""
    if len(field) > LONGEST_NAME:
        return ""
    sure = [match[1] for pattern in (_IN_BRACKETS, _AT_THE_END) for match in pattern.finditer(field)]
    likely = [match[1] for match in _LAST_WORD.finditer(field) if _NO_WORDS.fullmatch(match[1])]
    return next((unit for unit in (*sure, *likely) if unit != "1" and is_of_a_loop(unit)), "")


def _on_one_line(field: str) -> str:
    """A name with its unit, from a separate row of units, in brackets."""
    parts = [part.strip() for part in field.split("\n") if part.strip()]
    if len(parts) > 1 and parts[-1][0] not in "[(/" and is_unit(parts[-1]):
        return f"{' '.join(parts[:-1])} [{parts[-1]}]"
    return " ".join(parts)


def is_unit(field: str) -> bool:
    """True for one that is known, for one in brackets, [°C], and where there is none."""
    text = _bare(field)
    if not text or (field[0] + field[-1]) in ("[]", "()"):
        return True
    try:
        factor_of(text, None)
    except InvalidInput:
        return False
    return True


# ---- what a unit is worth


def plain(unit: str, role: str | None = None) -> str:
    """A unit as the parser writes it: N-m is N m, KN is kN, Sec is s; a force in lb is in lbf.

    role : of the column, if it is known.
    """
    text = unit.replace("µ", "u").replace("μ", "u").strip().rstrip(".")
    words = re.split(r"([^\W\d_]+)", re.sub(r"(?<=[^\W\d_])[.\-·](?=[^\W\d_])", " ", text))
    words[1::2] = [_OTHER_SPELLINGS.get(word) or _OTHER_SPELLINGS.get(word.lower(), word) for word in words[1::2]]
    return "".join("lbf" if word == "lb" and role == "force" else word for word in words)


def factor_of(unit: str, role: str | None) -> float:
    """What a number in a unit is worth in SI; role : "deflection", "force", "time", or None for any."""
    found = parse_unit(plain(unit, role))
    kinds = COLUMNS.get(role or "")
    exponents = tuple(round(e) for e in found.exponents)
    if kinds is not None and exponents not in kinds:
        wanted = " or ".join(dict.fromkeys(kinds.values()))
        other = next((r for r, k in COLUMNS.items() if exponents in k and r != role), "")
        hint = f"; are the columns swapped? it is a unit of {other}" if other else ""
        raise InvalidInput(f"must have a unit of {wanted}, got {unit}{hint}")
    return float(found.factor)


def fits(unit: str, role: str) -> bool:
    """True for a unit that a column of this role can have."""
    try:
        factor_of(unit, role)
    except InvalidInput:
        return False
    return True


def is_of_a_loop(unit: str) -> bool:
    """True for a unit that some column of a loop can have."""
    return any(fits(unit, role) for role in COLUMNS)


def is_plain(unit: str) -> bool:
    """True for a unit of plain numbers, such as that of a strain: %."""
    return not any(round(e) for e in parse_unit(plain(unit)).exponents)
