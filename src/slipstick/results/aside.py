"""Files that are the old one or the new one, never half of one: written aside, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from slipstick.errors import FileError, reason

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # what a system says where nothing more fits


def not_written(path: Path, error: OSError, full: str = "make room and start again") -> FileError:
    """What to say of a file or folder that cannot be.   full : the way out where nothing more fits."""
    way = full if error.errno in FULL else "check the folder and its permissions"
    return FileError(str(path), None, "", f"cannot be written: {reason(error)}; {way}")


@contextmanager
def written_aside(target: Path) -> Iterator[Path]:
    """A file to write to inside this block; in the end it takes the place of ``target``, or nothing has happened."""
    aside = None
    try:
        aside = _new_file(target)
        yield aside
        if target.exists():
            os.chmod(aside, target.stat().st_mode)
        os.replace(aside, target)
        aside = None
    except OSError as error:
        raise not_written(target, error) from None
    finally:
        if aside is not None:
            os.unlink(aside)


def _new_file(target: Path) -> Path:
    """An empty file with the permissions of any new one; `tempfile` would make it the owner's alone."""
    while True:
        made = target.with_name(f".slipstick-{secrets.token_hex(6)}{target.suffix}")
        try:
            made.touch(exist_ok=False)
        except FileExistsError:
            continue
        return made
