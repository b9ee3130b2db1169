"""Matrices in OUTPUT4 files of Nastran, written as text: dense, sparse, or sparse with large indices.

A line of whole numbers begins a column (three of them) or a run of rows (fewer); lines of numbers follow. The file says
nothing of nodes, so coordinates are counted.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from slipstick.errors import InvalidInput

INTEGER_WIDTH = 8
NAME, LAYOUT = slice(32, 40), slice(40, None)
COMPLEX = (3, 4)
COLUMN = 3  # whole numbers that begin a column: its number, the first row (0: runs follow), a count of words
SHIFT = 65536  # of the length of a run, before its first row


def read_op4(file: Path) -> dict[str, Any]:
    """All matrices of a file by name, as sparse arrays."""
    raw = file.read_bytes()
    if b"\0" in raw[:64]:
        raise InvalidInput(f"{file}: this is a binary OUTPUT4 file; write it as text (FORMATTED)")
    lines = [line for line in raw.decode("ascii").splitlines() if line.strip()]
    found: dict[str, Any] = {}
    k = 0
    while k < len(lines):
        name, matrix, k = _matrix(file, lines, k)
        found[name] = matrix
    return found


def _matrix(file: Path, lines: list[str], k: int) -> tuple[str, Any, int]:
    """The matrix that begins in line k, and the line behind it."""
    from scipy.sparse import coo_array

    head = lines[k]
    columns, rows, _, kind = (int(word) for word in _split(head[: NAME.start], INTEGER_WIDTH))
    name, layout = head[NAME].strip(), head[LAYOUT].strip().upper()
    if kind in COMPLEX:
        raise InvalidInput(f"{file}: matrix {name} is complex; write its real part")
    width = re.search(r"[ED](\d+)\.", layout)
    if width is None:
        raise InvalidInput(f"{file}: the format of matrix {name} is not known: {layout[:20]!r}")
    i, j, values = list[int](), list[int](), list[float]()
    column = row = 0
    k += 1
    while k < len(lines):
        if "." in lines[k]:
            numbers = [float(word.replace("D", "E")) for word in _split(lines[k], int(width[1]))]
            if column <= columns:  # a last column has no meaning
                i += range(row - 1, row - 1 + len(numbers))
                j += [column - 1] * len(numbers)
                values += numbers
                row += len(numbers)
            k += 1
            if column > columns:
                break
            continue
        words = [int(word) for word in _split(lines[k], INTEGER_WIDTH if rows < 0 or len(lines[k]) > 12 else 12)]
        if len(words) == COLUMN:
            column, row = words[:2]
        else:
            row = words[1] if rows < 0 else words[0] % SHIFT
        k += 1
    return name, coo_array((values, (i, j)), shape=(abs(rows), columns)).tocsr(), k


def _split(line: str, width: int) -> list[str]:
    text = line.rstrip()
    return [text[k : k + width].strip() for k in range(0, len(text), width)]
