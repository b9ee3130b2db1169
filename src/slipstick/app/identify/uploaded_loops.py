"""Tables and loops from uploaded bytes; no file is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from slipstick.app.identify.page_messages import IDENTIFY
from slipstick.app.identify.page_state import Column, FileContents, FilePreview, ReadOptions, Remedy, UploadedFile
from slipstick.app.identify.remedies import column_key, file_remedies, remedies_of, swap_remedies
from slipstick.errors import SlipstickError

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop
    from slipstick.identification.reading.table_layout import TableLayout

PREVIEW_ROWS = 6  # of a preview
MAX_FIELD_LENGTH = 24  # characters of a cell in a preview


def loops_of(files: Sequence[UploadedFile], reading: ReadOptions) -> list[Loop]:
    """All loops of all files, in order."""
    return [loop for file in files for loop in _loops(file, reading)]


def examine_files(files: Sequence[UploadedFile], reading: ReadOptions) -> tuple[FileContents, list[Loop]]:
    """The contents of files, and their loops; a file that is no table is refused.

    A table with unknown columns is not refused: the user can choose its columns.
    """
    previews: list[FilePreview] = []
    refused: dict[int, str] = {}
    problems: list[str] = []
    remedies: list[Remedy] = []
    loops: list[Loop] = []
    for k, file in enumerate(files):
        try:
            loops += _loops(file, reading)
        except SlipstickError as error:
            try:
                previews.append(_preview(file, reading, whole=True))
            except SlipstickError as first:
                refused[k] = IDENTIFY.message(first.message)
            else:
                problems.append(IDENTIFY.message(error.message))
                remedies += file_remedies(file, reading, error)
        else:
            previews.append(_preview(file, reading))
    contents = FileContents(tuple(previews), refused, tuple(problems), remedies=tuple(remedies))
    return (contents, loops) if not problems else (contents, [])


def with_fit_problems(
    loops: Sequence[Loop], contents: FileContents, files: Sequence[UploadedFile], reading: ReadOptions
) -> FileContents:
    """Contents with the reason why loops cannot be fitted, or with notes on their preparation."""
    from slipstick.identification.preparing.prepared_loop import prepare_loops

    try:
        prepared = prepare_loops(loops)
    except SlipstickError as error:
        owner = error.message.parts.owner
        file = next((file for file in files if owner.startswith(file.name)), files[0])
        return replace(
            contents,
            problems=(IDENTIFY.message(error.message),),
            notes=_without_repeats([(loop.name, loop.notes) for loop in loops]),
            remedies=(*remedies_of([error.message]), *swap_remedies(file, reading, error)),
        )
    notes = [(r.loop.name, [IDENTIFY.located(note) for note in r.notes]) for r in prepared]
    return replace(contents, notes=_without_repeats(notes))


def _loops(file: UploadedFile, reading: ReadOptions) -> list[Loop]:
    from slipstick.identification.reading.loop_tables import TableOptions, read_loops

    loops = read_loops(file.name, TableOptions(**reading.table_options), content=file.content)
    if reading.factors:
        u, f = (reading.factors.get(role, 1.0) for role in ("deflection", "force"))
        loops = [loop.scaled(deflection=u, force=f) for loop in loops]
    if reading.drift:
        loops = [loop.without_drift() for loop in loops]
    return [loop.without_offset() for loop in loops] if reading.offset else loops


def _preview(file: UploadedFile, reading: ReadOptions, whole: bool = False) -> FilePreview:
    """The first rows of a file.   whole : refuse it if a line cannot be read."""
    from slipstick.identification.reading.decimal_signs import DECIMAL_POINT
    from slipstick.identification.reading.loop_tables import TableOptions, read_table
    from slipstick.identification.reading.table_files import table_reader
    from slipstick.identification.reading.table_layout import detect_layout, is_blank_or_comment
    from slipstick.identification.reading.table_rows import parse_rows
    from slipstick.identification.reading.text_lines import read_lines
    from slipstick.model.files.headers import split

    if table_reader(file.name) is not None:
        table = read_table(file.name, TableOptions(), file.content)
        numbers = [tuple(f"{x:.6g}" for x in row) for row in table.rows.numbers[:PREVIEW_ROWS]]
        return FilePreview(file.name, _columns(table.layout, table.layout.width), tuple(numbers))
    lines = read_lines(file.name, file.content)
    try:
        layout = detect_layout(file.name, lines, reading.decimal or None)
    except SlipstickError:  # the page asks for the decimal sign; the preview shows numbers as written
        layout = detect_layout(file.name, lines, DECIMAL_POINT)
    if whole:
        parse_rows(file.name, lines, layout)
    count = layout.width
    data_lines = [
        line for line in lines[layout.first : layout.first + 10 * PREVIEW_ROWS] if not is_blank_or_comment(line)
    ][:PREVIEW_ROWS]
    rows = [tuple(field[:MAX_FIELD_LENGTH] for field in split(line, layout.delimiter)) for line in data_lines]
    return FilePreview(file.name, _columns(layout, count), tuple(row for row in rows if len(row) == count))


def _columns(layout: TableLayout, count: int) -> tuple[tuple[Column, str], ...]:
    """Key and label of each column."""
    columns: list[tuple[Column, str]] = []
    for i in range(count):
        name, key = layout.header[i] if layout.header else "", column_key(layout, i)
        unit = layout.units[i] if layout.units else ""
        label = key if isinstance(key, str) else f"{name} (column {i})" if name else f"column {i}"
        columns.append((key, f"{label[:60]} [{unit}]" if unit else label[:60]))
    return tuple(columns)


def _without_repeats(notes_by_loop: Sequence[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """Notes of loops, each once, with the loops that they are about."""
    loops_by_note: dict[str, list[str]] = {}
    for name, notes in notes_by_loop:
        for words in notes:
            loops_by_note.setdefault(words, []).append(name)
    every = len(notes_by_loop)
    which = {words: "" if len(names) == every else f"{names[0]}: " if len(names) == 1 else f"{len(names)} loops: "
             for words, names in loops_by_note.items()}  # fmt: skip
    return tuple(f"{which[words]}{words}" for words in loops_by_note)
