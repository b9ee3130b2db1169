"""One driver for a ledger: a lock on an open file that the system gives back when its holder dies, however that was."""

from __future__ import annotations

import errno
import sys
from typing import IO, Any

LOCK_HELD_ERRORS = (
    errno.EWOULDBLOCK,
    errno.EAGAIN,
    errno.EACCES,
    errno.EDEADLK,
)  # what systems say where another has it
LOCKED_BYTE = 2**40  # a byte that no file has: on Windows what is locked cannot be read


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
