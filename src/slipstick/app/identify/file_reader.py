"""Files from a browser, as tables and as loops. Nothing is opened: what is in a file came with its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from slipstick.app.identify.page_messages import IDENTIFY
from slipstick.app.identify.page_state import Column, FileContents, FilePreview, ReadOptions, UploadedFile
from slipstick.errors import SlipstickError

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop
    from slipstick.identification.reading.table_layout import TableLayout

PREVIEW_ROWS = 6  # rows of a preview
MAX_FIELD_LENGTH = 24  # signs of a field in it


def loops_of(files: Sequence[UploadedFile], reading: ReadOptions) -> list[Loop]:
    """All loops of all files, in their order."""
    return [loop for file in files for loop in _loops(file, reading)]


def examine_files(files: Sequence[UploadedFile], reading: ReadOptions) -> tuple[FileContents, list[Loop]]:
    """What is in files, and their loops; a file that is no table is refused, the others go on.

    A table whose columns cannot be told is not refused: its columns can be chosen.
    """
    previews: list[FilePreview] = []
    refused: dict[int, str] = {}
    problems: list[str] = []
    found: list[Loop] = []
    for k, file in enumerate(files):
        try:
            found += _loops(file, reading)
        except SlipstickError as error:
            try:
                previews.append(_preview(file, reading, whole=True))
            except SlipstickError as first:
                refused[k] = IDENTIFY.message(first.message)
            else:
                problems.append(IDENTIFY.message(error.message))
        else:
            previews.append(_preview(file, reading))
    seen = FileContents(tuple(previews), refused, tuple(problems))
    return (seen, found) if not problems else (seen, [])


def with_fit_problems(loops: Sequence[Loop], seen: FileContents) -> FileContents:
    """With why loops cannot be fitted, or else with what is done to them before a fit."""
    from slipstick.identification.preparing.prepared_loop import prepare_loops

    try:
        made = prepare_loops(loops)
    except SlipstickError as error:
        return replace(
            seen,
            problems=(IDENTIFY.message(error.message),),
            notes=_without_repeats([(loop.name, loop.notes) for loop in loops]),
        )
    notes = [(r.loop.name, [IDENTIFY.located(note) for note in r.notes]) for r in made]
    return replace(seen, notes=_without_repeats(notes))


def _loops(file: UploadedFile, reading: ReadOptions) -> list[Loop]:
    from slipstick.identification.reading.loop_tables import read_loops

    columns = {role: reading.columns.get(role) for role in ("deflection", "force", "time")}
    by, units, decimal = reading.by or None, dict(reading.units), reading.decimal or None
    found = read_loops(file.name, **columns, by=by, units=units, decimal=decimal, content=file.content)
    if reading.factors:
        u, f = (reading.factors.get(role, 1.0) for role in ("deflection", "force"))
        found = [loop.scaled(deflection=u, force=f) for loop in found]
    if reading.drift:
        found = [loop.without_drift() for loop in found]
    return [loop.without_offset() for loop in found] if reading.offset else found


def _preview(file: UploadedFile, reading: ReadOptions, whole: bool = False) -> FilePreview:
    """The begin of a file.   whole : refuse it if some line of it cannot be read."""
    from slipstick.identification.reading.decimal_signs import DECIMAL_POINT
    from slipstick.identification.reading.table_layout import detect_layout, is_blank_or_comment
    from slipstick.identification.reading.table_rows import parse_rows
    from slipstick.identification.reading.text_lines import read_lines
    from slipstick.model.files.headers import split

    lines = read_lines(file.name, file.content)
    try:
        layout = detect_layout(file.name, lines, reading.decimal or None)
    except SlipstickError:  # its decimal sign is asked for beside the preview, which shows numbers as written
        layout = detect_layout(file.name, lines, DECIMAL_POINT)
    if whole:
        parse_rows(file.name, lines, layout)
    count = len(split(lines[layout.first], layout.delimiter))
    busy = [line for line in lines[layout.first : layout.first + 10 * PREVIEW_ROWS] if not is_blank_or_comment(line)][
        :PREVIEW_ROWS
    ]
    rows = [tuple(field[:MAX_FIELD_LENGTH] for field in split(line, layout.delimiter)) for line in busy]
    return FilePreview(file.name, _columns(layout, count), tuple(row for row in rows if len(row) == count))


def _columns(layout: TableLayout, count: int) -> tuple[tuple[Column, str], ...]:
    """By name, where that means one of them alone."""
    small = [name.strip().lower() for name in layout.header]
    found: list[tuple[Column, str]] = []
    for i in range(count):
        name = layout.header[i] if layout.header else ""
        unit = layout.units[i] if layout.units else ""
        alone = bool(name) and small.count(small[i]) == 1
        said = name if alone else f"{name} (column {i})" if name else f"column {i}"
        found.append((name if alone else i, f"{said[:60]} [{unit}]" if unit else said[:60]))
    return tuple(found)


def _without_repeats(told_of: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """What is said of several loops, once."""
    said: dict[str, list[str]] = {}
    for name, notes in told_of:
        for words in notes:
            said.setdefault(words, []).append(name)
    every = len(told_of)
    which = {words: "" if len(names) == every else f"{names[0]}: " if len(names) == 1 else f"{len(names)} loops: "
             for words, names in said.items()}  # fmt: skip
    return tuple(f"{which[words]}{words}" for words in said)
