"""Harwell-Boeing files, as Ansys (HBMAT) writes them.

SciPy reads them, but no symmetric ones and no right-hand sides.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

SUFFIXES = (".hb", ".rua", ".rsa", ".matrix")
COUNT_WIDTH, SIDE_COUNT = 14, 4  # of the second line: counts of lines, the last one of right-hand sides


def read_harwell_boeing(file: Path) -> Any:
    """The matrix; one of two mirrored entries stands for both where the file says that it is symmetric."""
    from scipy.io import hb_read
    from scipy.sparse import diags_array

    lines = file.read_text(encoding="ascii").splitlines(keepends=True)
    symmetric = lines[2][1].upper() == "S"
    lines[2] = f"{lines[2][0]}U{lines[2][2:]}"
    counts = [int(lines[1][COUNT_WIDTH * k : COUNT_WIDTH * (k + 1)].strip() or 0) for k in range(SIDE_COUNT + 1)]
    if counts[SIDE_COUNT]:
        counts[0] -= counts[SIDE_COUNT]
        lines[1] = "".join(f"{count:{COUNT_WIDTH}d}" for count in [*counts[:SIDE_COUNT], 0]) + "\n"
        del lines[4]
    matrix = hb_read(io.StringIO("".join(lines)))
    return matrix + matrix.T - diags_array(matrix.diagonal()) if symmetric else matrix
