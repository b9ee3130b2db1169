"""Measurement files of LabVIEW (.lvm) as plain tables: units beside the names, and times for rows without them."""

from __future__ import annotations

from slipstick.errors import FileError

FIRST_WORDS = "LabVIEW Measurement"
END_OF_HEADER = "***End_of_Header***"
MAX_HEADERS = 2  # of the file, and of its one segment
TIME_NAME = "time [s]"


def as_plain_table(file: str, lines: list[str]) -> list[str]:
    """The lines of a LabVIEW file as those of a table with names and units; others unchanged. Line numbers stay."""
    if not lines or not lines[0].lstrip('"').startswith(FIRST_WORDS):
        return lines
    ends = [i for i, line in enumerate(lines) if line.startswith(END_OF_HEADER)]
    if not ends or ends[-1] + 2 >= len(lines):
        raise FileError(file, None, "", f"is a LabVIEW file without numbers after {END_OF_HEADER}")
    if len(ends) > MAX_HEADERS:
        words = f"a second LabVIEW segment ends its header here; split the {len(ends) - 1} segments into files"
        raise FileError(file, ends[MAX_HEADERS] + 1, "", words)
    title = ends[-1] + 1
    delimiter = "," if any(line.startswith("Separator,") for line in lines[:title]) else "\t"
    entries = {own[0]: own[1:] for own in (line.split(delimiter) for line in lines[:title])}
    units = entries.get("Y_Unit_Label", [])
    names = lines[title].split(delimiter)
    titles = [names[0], *(_with_unit(name, units[k : k + 1]) for k, name in enumerate(names[1:]))]
    body = lines[title + 1 :]
    in_time = entries.get("X_Dimension", ["Time"])[0].strip() in ("Time", "")
    if in_time:
        titles[0] = TIME_NAME
    if entries.get("X_Columns", [""])[0].strip() == "No":
        body = _with_times(file, body, delimiter, entries)
    return [*[""] * title, delimiter.join(titles), *body]


def _with_unit(name: str, unit: list[str]) -> str:
    return f"{name} [{unit[0].strip()}]" if unit and unit[0].strip() and name.strip() else name


def _with_times(file: str, body: list[str], delimiter: str, entries: dict[str, list[str]]) -> list[str]:
    """Rows with their times before them, from the time step of the header."""
    step = entries.get("Delta_X", [""])[0].strip()
    try:
        seconds = float(step.replace(",", "."))
    except ValueError:
        raise FileError(file, None, "", f"has no column X and no number as its Delta_X, got {step[:20]!r}") from None
    comma, rows, k = "," in step, [], 0
    for line in body:
        if not line.strip():
            rows.append(line)
            continue
        written = f"{k * seconds:.9g}"
        rows.append((written.replace(".", ",") if comma else written) + delimiter + line.removeprefix(delimiter))
        k += 1
    return rows
