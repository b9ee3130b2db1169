"""One driver for a ledger: a lock on an open file that the system gives back when its holder dies, however that was."""

from __future__ import annotations

import sys
from typing import IO, Any

BEYOND = 2**40  # a byte that no file has: on Windows what is locked cannot be read


def hold(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; False if another process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(BEYOND)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0, 2)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
