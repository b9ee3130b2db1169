"""The log of a server: one file that only this user can read, and that never outgrows its bound."""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path
from typing import TextIO

MAX_LOG_BYTES = 2_000_000  # bytes; beyond, the older half goes
TRUNCATION_NOTE = "(earlier lines were dropped)\n"


class BoundedFile(logging.FileHandler):
    """A log that drops its oldest lines. One file, cut in its place: a second name in a shared folder may be taken."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")  # half a character costs no line

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        try:
            if self.stream is not None and os.fstat(self.stream.fileno()).st_size > MAX_LOG_BYTES:
                self._drop_older_half(self.stream)
        except OSError:  # a full disk, a file that was taken away
            self.handleError(record)

    def _drop_older_half(self, stream: TextIO) -> None:
        newer = Path(self.baseFilename).read_bytes()[-MAX_LOG_BYTES // 2 :]
        kept = newer[newer.find(b"\n") + 1 :].decode("utf-8", "replace")
        stream.truncate(0)
        stream.write(TRUNCATION_NOTE + kept)
        stream.flush()


def begin_log() -> Path:
    """Send what is logged from now on to a new file; where that is."""
    handle, name = tempfile.mkstemp(prefix="slipstick-app-", suffix=".log")
    os.close(handle)
    layout = "%(asctime)s %(name)s %(levelname)s %(message)s"
    logging.basicConfig(handlers=[BoundedFile(name)], level=logging.WARNING, format=layout)
    return Path(name)
