"""Matrices in bulk data of Nastran: DMIG entries, as EXTSEOUT(DMIGPCH) punches them.

An entry has fields of 8 characters, of 16 (with an asterisk behind its name), or between commas. The first four fields
are name, column node, column direction and a blank; groups of four follow: row node, row direction, real and imaginary
part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.model.finite_element_files.labelled_matrix import LabelledMatrix, label

SUFFIXES = (".pch", ".bdf", ".nas", ".dmig", ".dat")
SYMMETRIC, RECTANGULAR = 6, (2, 9)
COMPLEX = (3, 4)
EXPONENT = re.compile(r"(?<=[\d.])([+-]\d+)$")  # Nastran may leave out the letter: 1.5-3
GROUP = 4


def read_dmig(file: Path) -> dict[str, LabelledMatrix]:
    """All matrices of a file, by name."""
    headers: dict[str, int] = {}
    entries: dict[str, list[tuple[int, int, float]]] = {}
    for fields in _cards(file.read_text(encoding="latin-1").splitlines()):
        name = fields[0]
        if fields[1] == "0":
            headers[name] = _form(file, name, fields)
            entries.setdefault(name, [])
            continue
        if name not in headers:
            raise InvalidInput(f"{file}: the header of DMIG {name} is missing")
        column = label(int(fields[1]), int(fields[2] or 0))
        for k in range(GROUP, len(fields) - 2, GROUP):
            if fields[k]:
                row = label(int(fields[k]), int(fields[k + 1] or 0))
                entries[name].append((row, column, _number(fields[k + 2])))
    if not headers:
        raise InvalidInput(f"{file}: there is no DMIG entry in it")
    return {name: _matrix(entries[name], headers[name] == SYMMETRIC) for name in headers}


def _form(file: Path, name: str, fields: list[str]) -> int:
    """The form of a matrix from its header."""
    form, kind = int(fields[2]), int(fields[3])
    if form in RECTANGULAR:
        raise InvalidInput(f"{file}: DMIG {name} is rectangular; mass, damping and stiffness are square")
    if kind in COMPLEX:
        raise InvalidInput(f"{file}: DMIG {name} is complex; write its real part")
    return form


def _matrix(entries: list[tuple[int, int, float]], symmetric: bool) -> LabelledMatrix:
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    return LabelledMatrix(
        np.array(rows, np.int64), np.array(columns, np.int64), np.array(values, float), symmetric=symmetric
    )


def _number(text: str) -> float:
    word = text.upper().replace("D", "E")
    return float(word if "E" in word else EXPONENT.sub(r"E\1", word))


def _cards(lines: list[str]) -> Iterator[list[str]]:
    """The fields of each DMIG entry, without its name; lines that continue it are part of it."""
    card: list[str] = []
    inside = False
    for line in lines:
        text = line.split("$", 1)[0].rstrip()
        if not text:
            continue
        if text[0] in " +*,":
            if inside:
                card += _fields(text)
            continue
        if card:
            yield card
        inside = text.upper().startswith("DMIG")
        card = _fields(text) if inside else []
    if card:
        yield card


def _fields(line: str) -> list[str]:
    """The data fields of a line, without its first: 8 of 8 characters, or 4 of 16."""
    if "," in line:
        found = [word.strip() for word in line.split(",")][1:]
        count = GROUP if "*" in line.split(",")[0] else 2 * GROUP
    else:
        width, count = (16, GROUP) if "*" in line[:8] else (8, 2 * GROUP)
        found = [line[8 + width * k : 8 + width * (k + 1)].strip() for k in range(count)]
    return (found + [""] * count)[:count]
