"""Roles of the columns of a table (deflection, force, time), and their factors to SI."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Advice, FileError, InvalidInput, Spelling
from slipstick.identification.loop import MIN_LOOP_SAMPLES
from slipstick.identification.preparing.reversals import detect_reversals
from slipstick.identification.reading.other_records import refuse_accelerations, refuse_response
from slipstick.identification.reading.table_layout import CLOCK, NUMBER, TableLayout
from slipstick.identification.reading.table_rows import TableRows
from slipstick.model.files.headers import factor_of, fits, is_of_a_loop, is_plain, plain, taken_apart
from slipstick.name_hints import did_you_mean

Column = str | int
MAX_UNNAMED_COLUMNS = 3  # of a file without a header whose order says what they are
MAX_SKETCHES = 8  # columns that a question describes
EVEN_STEP_TOLERANCE, EVEN_STEP_SHARE = 0.1, 0.9  # steps of a clock: this close to the median, in this share of rows
GROUP_ROLE_PREFIX = "by "  # role of a column that separates loops, followed by its number
NORMAL_ROLE_PREFIX = "normal "  # ... of a column of the normal load

# usual column names in nine languages, in lower case without accents, by priority; a single letter must be
# the whole name, other words may be part of it ("Kraft Zelle 2")
ROLE_NAMES = {
    "deflection": (
        "u", "x", "deflection", "displacement", "disp", "strain", "gamma", "angle", "rotation", "stroke", "position",
        "extension", "elongation", "travel", "lvdt", "curvature", "drift", "pos", "q", "theta", "phi",
        "weg", "auslenkung", "verschiebung", "verformung", "dehnung", "gleitung", "scherung", "winkel", "drehwinkel",
        "verdrehung", "hub", "kolbenweg", "traversenweg",
        "deplacement", "course", "deformation", "allongement", "glissement", "cisaillement",
        "spostamento", "desplazamiento", "posicion", "posizione", "deslocamento", "posicao",
        "位移", "变形", "变位", "変位", "변위",
    ),
    "force": (
        "f", "force", "load", "torque", "moment", "stress", "tau", "restoring force",
        "kraft", "last", "drehmoment", "spannung", "schubspannung", "prufkraft", "standardkraft",
        "effort", "charge", "couple", "contrainte",
        "forza", "carico", "coppia", "fuerza", "carga", "forca",
        "力", "荷载", "载荷", "扭矩", "荷重", "하중",
    ),
    "time": (
        "t", "time", "timestamp", "datetime", "elapsed", "zeit", "zeitstempel", "prufzeit", "temps", "tempo", "tiempo",
        "时间", "時間", "시간",
    ),
}  # fmt: skip


NORMAL_LOAD_WORDS = {"normal", "band", "clamp", "clamping", "bolt", "tension", "preload", "pretension", "vorspannkraft"}


def assign_columns(
    file: str, layout: TableLayout, rows: TableRows, requested: Mapping[str, Column | None],
    further: Mapping[str, Sequence[Column]],
) -> dict[str, int]:  # fmt: skip
    """Column of each role.

    requested : columns given by the user.   further : lists of them by prefix; "by " gives the roles "by 0", "by 1".
    """
    lists = {f"{prefix}{k}": column for prefix, columns in further.items() for k, column in enumerate(columns)}
    explicit = {**requested, **lists}
    found = {
        role: explicit_column(file, layout, rows.numbers, role, name)
        for role, name in explicit.items()
        if name is not None
    }
    if not {"deflection", "force"} & set(found):
        refuse_response(file, layout)
    for find_column in (_column_by_name, _column_by_unit):
        for role in ROLE_NAMES:
            place = find_column(layout, role, set(found.values())) if role not in found else None
            if place is not None:
                found[role] = place
    if "deflection" not in found and (place := _column_with_rate(layout, set(found.values()))) is not None:
        found["deflection"] = place
    counters = sample_counters(layout, rows)
    left = [i for i, kind in enumerate(layout.kinds) if i not in (*found.values(), *counters) and kind == NUMBER]
    if "time" not in found:
        time = _time_by_values(layout, rows, left, len(set(found) & {"deflection", "force"}))
        if time is not None:
            found["time"] = time
            left = [i for i in left if i != time]
    for role in ("deflection", "force"):
        if role in found:
            continue
        if not left:
            raise FileError(file, None, "", f"has {layout.kinds.count(NUMBER)} columns of numbers; a loop needs two")
        open_roles = 2 - len(set(found) & {"deflection", "force"})
        named, unclear = bool(layout.header), len(left) > open_roles
        nothing_named = named and open_roles == 2 and layout.width > 2  # names that say nothing: the order may mislead
        if role == "deflection":
            refuse_accelerations(file, layout, left)
        if nothing_named or (unclear and (named or layout.width > MAX_UNNAMED_COLUMNS)):
            raise _which_column(file, layout, rows, role, left)
        found[role] = left.pop(0)
    if len(set(found.values())) < len(found):
        raise FileError(file, None, "", f"{', '.join(map(_role_label, found))} must be different columns")
    return found


def sample_counters(layout: TableLayout, rows: TableRows) -> list[int]:
    """Columns that only count the rows: 0, 1, 2 ..., without a unit or a usual name of times."""
    if layout.kinds.count(NUMBER) < MAX_UNNAMED_COLUMNS:
        return []
    times = {_column_by_name(layout, "time", set())} if layout.header else set()
    plain_numbers = (
        i
        for i, kind in enumerate(layout.kinds)
        if kind == NUMBER and i not in times and not (layout.units and layout.units[i])
    )
    enough = len(rows.numbers) >= MIN_LOOP_SAMPLES
    return [i for i in plain_numbers if enough and np.all(np.diff(rows.numbers[:, i]) == 1.0)]


def _column_with_rate(layout: TableLayout, taken: set[int]) -> int | None:
    """The only column whose rate is a column too: q3 beside dq3, theta beside theta_dot; not the rate of another."""
    names = {re.sub(r"[\W_]", "", _simplified(name)): i for i, name in enumerate(layout.header)}
    parts = {name: re.fullmatch(r"([^\W\d_]+)(\d*)", name) for name in names}
    rates = {
        name: {"d" + name, f"{own[1]}d{own[2]}", f"{own[1]}dot{own[2]}"} & set(names)
        for name, own in parts.items()
        if own and name not in ROLE_NAMES["time"]
    }
    known = {rate for own in rates.values() for rate in own}
    places = [names[name] for name, own in rates.items() if own and name not in known and names[name] not in taken]
    return places[0] if len(places) == 1 and layout.kinds[places[0]] == NUMBER else None


def _time_by_values(layout: TableLayout, rows: TableRows, left: Sequence[int], known: int) -> int | None:
    """The first column of clock times, else one that grows evenly, else an unnamed one that grows.

    known : number of roles that have a column; two columns must remain for deflection and force.
    """
    clocks = [i for i, kind in enumerate(layout.kinds) if kind == CLOCK]
    if clocks:
        return clocks[0]
    if len(left) + known <= 2:
        return None
    rising = [i for i in left if _is_increasing(rows.numbers[:, i], rows.blocks)]
    even = [i for i in rising if _is_even(rows.numbers[:, i])]
    return next(iter(even if layout.header else [*even, *rising]), None)


def find_time(layout: TableLayout, rows: TableRows) -> int | None:
    """Column of the times, by its name, its unit or its values; None if no column is clearly one."""
    for find_column in (_column_by_name, _column_by_unit):
        place = find_column(layout, "time", set())
        if place is not None:
            return place
    counters = sample_counters(layout, rows)
    numbers = [i for i, kind in enumerate(layout.kinds) if kind == NUMBER and i not in counters]
    return _time_by_values(layout, rows, numbers, 2)


def _which_column(file: str, layout: TableLayout, rows: TableRows, role: str, left: Sequence[int]) -> FileError:
    """The question which column has a role, with a sketch of each column that may."""
    if layout.header:
        names = f"one of {', '.join(_distinct_names(layout, left))}"
    else:
        names = f"one of {left[0]} to {left[-1]}" if len(left) > 1 else str(left[0])
    way = Advice(f"give {{{role}}}", **{role: Spelling(f" {names}", names)})
    sketches = [f"{layout.column_title(i)} {_sketch(rows.numbers[:, i])}" for i in left[:MAX_SKETCHES]]
    more = f"; {len(left) - MAX_SKETCHES} more" if len(left) > MAX_SKETCHES else ""
    return FileError(
        file, None, "", f"which column is the {role}?", advice=[way, f"there are: {'; '.join(sketches)}{more}"]
    )


def _sketch(x: Array) -> str:
    """Range and course of a column, in words: "-1.2 to 3.4, turns 12 times"."""
    known = x[np.isfinite(x)]
    if not known.size:
        return "is empty"
    low, high = float(known.min()), float(known.max())
    if low == high:
        return f"is {low:.4g} throughout"
    steps = np.diff(known)
    if np.all(steps >= 0.0):
        return f"grows from {low:.4g} to {high:.4g}"
    turns = detect_reversals(known).reversals
    return f"{low:.4g} to {high:.4g}, turns {turns} time{'s' * (turns != 1)}"


def _is_increasing(x: Array, blocks: Sequence[int]) -> bool:
    return all(np.all(np.diff(x[a:b]) > 0.0) for a, b in pairwise(blocks))


def _is_even(x: Array) -> bool:
    """True if most steps are equal, as those of a clock."""
    steps = np.diff(x)
    if x.size < MIN_LOOP_SAMPLES:
        return False
    usual = float(np.median(steps))
    return bool(np.mean(np.abs(steps - usual) <= EVEN_STEP_TOLERANCE * usual) >= EVEN_STEP_SHARE)


def explicit_column(file: str, layout: TableLayout, numbers: Array, role: str, name: Column) -> int:
    """Number of the column with a given name or number; role : its name in errors."""
    count = numbers.shape[1]
    if isinstance(name, int) and not isinstance(name, bool):
        if not 0 <= name < count:
            raise FileError(
                file, None, _role_label(role), f"there is no column {name}; columns are numbered 0 to {count - 1}"
            )
        return name
    place = _find_in_header(layout.header, (str(name),))
    if place is not None:
        return place
    ((bare,), (unit,)) = taken_apart([str(name)])  # "Force (N)", as the header has it
    with_unit = [i for i, own in enumerate(zip(layout.header, layout.units, strict=False)) if own == (bare, unit)]
    if unit and with_unit:
        return with_unit[0]
    if not layout.header:
        raise FileError(
            file,
            None,
            _role_label(role),
            f'there is no column "{name}": the file has no header; give its number, 0 to {count - 1}',
        )
    raise FileError(
        file,
        None,
        _role_label(role),
        f'there is no column "{name}"{did_you_mean(str(name), _distinct_names(layout))}',
    )


def _role_label(role: str) -> str:
    """A role as users write it."""
    return role.partition(" ")[0]


def _distinct_names(layout: TableLayout, columns: Sequence[int] | None = None) -> list[str]:
    """Column names, with units or numbers if a name occurs twice; numbers alone without names.

    columns : all by default.
    """
    header, units = layout.header, layout.units or ("",) * len(layout.header)
    with_units = [f"{name} [{unit}]" if unit else name for name, unit in zip(header, units, strict=True)]
    names = []
    for i in range(len(header)) if columns is None else columns:
        own = next((each[i] for each in (header, with_units) if each[i] and each.count(each[i]) == 1), "")
        names.append(own or (f"{header[i]} (column {i})" if header[i] else str(i)))
    return names


def _find_in_header(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Index of the first of several names in a header, as written, else in any case."""
    lower = [title.strip().lower() for title in header]
    for name in names:
        if name in header:
            return list(header).index(name)
        if name.strip().lower() in lower:
            return lower.index(name.strip().lower())
    return None


def _column_by_name(layout: TableLayout, role: str, taken: set[int]) -> int | None:
    """Column with a usual name of the role: its whole name, else a word of it that no other column has.

    Columns whose unit no role has come last: a Spannung in V, f in Hz.
    """
    kinds = (CLOCK, NUMBER) if role == "time" else (NUMBER,)
    free = [i for i in range(len(layout.header)) if i not in taken and layout.kinds[i] in kinds]
    with_known_unit = [i for i in free if _has_known_unit(layout, i)]
    place = _columns_named_like(layout, role, with_known_unit)
    return place if place is not None else _columns_named_like(layout, role, free)


def _columns_named_like(layout: TableLayout, role: str, free: Sequence[int]) -> int | None:
    names = {i: _simplified(layout.header[i]) for i in free}
    for name in ROLE_NAMES[role]:
        equal = [i for i in free if names[i] == name]
        if equal:
            return next((i for i in equal if layout.header[i].strip() == name), equal[0])
    known = {name for name in ROLE_NAMES[role] if len(name) > 1}
    with_word = [i for i in free if known & set(re.findall(r"[a-z]+", names[i]))]
    return with_word[0] if len(with_word) == 1 else None


def _column_by_unit(layout: TableLayout, role: str, taken: set[int]) -> int | None:
    """The only column with a unit of this role; dimensionless columns do not count."""
    free = [
        i
        for i, unit in enumerate(layout.units)
        if i not in taken and unit not in ("", "-") and layout.kinds[i] == NUMBER
    ]
    suitable = [i for i in free if fits(layout.units[i], role) and not is_plain(layout.units[i])]
    return suitable[0] if len(suitable) == 1 else None


def _has_known_unit(layout: TableLayout, column: int) -> bool:
    """True if a column has no unit, or one of some role."""
    unit = layout.units[column] if layout.units else ""
    return not unit or unit == "-" or is_of_a_loop(unit)


def _simplified(name: str) -> str:
    """A name in lower case, without accents."""
    parts = unicodedata.normalize("NFKD", name.strip().lower())
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def describe_assignment(
    layout: TableLayout, rows: TableRows, columns: Mapping[str, int], units: Mapping[str, tuple[float, str]]
) -> str:
    """Note on the roles and units of the columns, and on unused ones."""
    texts = []
    for role, i in columns.items():
        if role in ROLE_NAMES:
            factor, unit = units[role]
            written = f" in {unit}" if unit else ", without a unit: SI"
            written += f", read as {plain(unit, role)}" if plain(unit, role) != plain(unit) else ""
            texts.append(f"{role}: {layout.column_title(i)}{written}{f', times {factor:g}' if factor != 1.0 else ''}")
    left = [layout.column_title(i) for i in range(layout.width) if i not in columns.values()]
    loads = [i for i in range(layout.width) if i not in columns.values() and _may_be_normal_load(layout, i)]
    texts += [f"if {' and '.join(map(layout.column_title, loads))} is the normal load, name it as normal"] * bool(loads)
    counters = [] if "time" in columns else sample_counters(layout, rows)
    texts += [f"no times: {layout.column_title(i)} counts samples, so state their rate" for i in counters[:1]]
    return "; ".join([*texts, f"not used: {', '.join(left[:5])}{' ...' if len(left) > 5 else ''}"] if left else texts)


def _may_be_normal_load(layout: TableLayout, column: int) -> bool:
    """True for a further force whose name says that it presses."""
    unit = layout.units[column] if layout.units else ""
    words = set(re.findall(r"[a-z]+", _simplified(layout.header[column]))) if layout.header else set()
    return layout.kinds[column] == NUMBER and bool(words & NORMAL_LOAD_WORDS) and (not unit or fits(unit, "force"))


def column_factor(file: str, layout: TableLayout, column: int, role: str, units: dict[str, str]) -> tuple[float, str]:
    """Factor of a column to SI, and its unit as written."""
    if layout.kinds[column] == CLOCK:
        return 1.0, "s"
    unit = units.get(role) or (layout.units[column] if layout.units else "")
    if not unit or unit == "-":
        return 1.0, ""
    try:
        return factor_of(unit, role), unit
    except InvalidInput as problem:
        raise FileError(file, None, role, problem.message) from None
