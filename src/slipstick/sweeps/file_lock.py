"""A lock on an open file, for one driver a ledger; the system releases it when the process dies."""

from __future__ import annotations

import errno
import sys
from typing import IO, Any

LOCK_HELD_ERRORS = (
    errno.EWOULDBLOCK,
    errno.EAGAIN,
    errno.EACCES,
    errno.EDEADLK,
)  # another process has the lock
LOCKED_BYTE = 2**40  # beyond all files: on Windows locked bytes cannot be read


def acquire_lock(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; False if another process has it. Raises OSError if it cannot be locked."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(LOCKED_BYTE)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0, 2)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in LOCK_HELD_ERRORS:
            raise
        return False
    return True
