"""Atomic writes: a file is written aside and then renamed, so a reader never sees half of one."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from slipstick.errors import FileError, InvalidInput, os_error_reason, short_repr

DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # no space left


def write_error(path: Path, error: OSError, full: str = "make room and start again") -> FileError:
    """The error of a file that cannot be written.   full : advice if the disk is full."""
    way = full if error.errno in DISK_FULL_ERRORS else "check the folder and its permissions"
    return FileError(str(path), None, "", f"cannot be written: {os_error_reason(error)}; {way}")


def target_path(path: Any, example: str) -> Path:
    """The path of a file to write.   example : a name of such a file."""
    if not isinstance(path, (str, bytes, os.PathLike)) or not path:
        raise InvalidInput(f'path must be the name of a file, such as "{example}", got {short_repr(path)}').about(
            "path"
        )
    return Path(os.fsdecode(path))


@contextmanager
def replacing_file(target: Path) -> Iterator[Path]:
    """Context with a temporary file that replaces ``target`` at the end; after an error, ``target`` is unchanged."""
    aside = None
    try:
        aside = _new_file(target)
        yield aside
        if target.exists():
            os.chmod(aside, target.stat().st_mode)
        os.replace(aside, target)
        aside = None
    except OSError as error:
        raise write_error(target, error) from None
    finally:
        if aside is not None:
            os.unlink(aside)


def _new_file(target: Path) -> Path:
    """An empty file with default permissions; `tempfile` would restrict them to the owner."""
    while True:
        made = target.with_name(f".slipstick-{secrets.token_hex(6)}{target.suffix}")
        try:
            made.touch(exist_ok=False)
        except FileExistsError:
            continue
        return made
