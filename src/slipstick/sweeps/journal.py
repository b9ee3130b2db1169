"""`Journal`: a second copy of finished points, one line each, to rebuild a damaged ledger from.

Lines are only ever added. The last one may be cut off where the process died. Each has a checksum; one that is damaged
is left out, and its point computed again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from slipstick.errors import FileError, InvalidInput, os_error_reason
from slipstick.results.atomic_write import write_error
from slipstick.sweeps.ledger_checks import check_outcome
from slipstick.sweeps.point_outcome import DONE, FAILED, PointOutcome

LINE_SEAL_KEY, SEALED_KEY = "seal", "sealed"  # of a line, its checksum; of the first line: every other has one
JOURNAL_SUFFIX = "-finished"  # after the name of the ledger
LINE_KEYS = ("number", "state", "figures", "certificate", "message", "seconds", "arrays")  # keys of a line
LOCK_HELD_ERRORS = (
    errno.EWOULDBLOCK,
    errno.EAGAIN,
    errno.EACCES,
    errno.EDEADLK,
)  # another process has the lock
LOCKED_BYTE = 2**40  # beyond all files: on Windows locked bytes cannot be read


def journal_path(ledger: Path) -> Path:
    """Where the finished points of a ledger are."""
    return ledger.with_name(ledger.name + JOURNAL_SUFFIX)


class Journal:
    """A journal to add to, held by one process until it is closed."""

    def __init__(self, path: Path, ledger: Path) -> None:
        self.path = path
        while True:
            try:
                # unbuffered: lines are with the system when the ledger commits
                self._file = path.open("ab", buffering=0)
            except OSError as error:
                raise _journal_error(path, error) from None
            try:
                held = acquire_lock(self._file)
            except OSError as error:
                self._file.close()
                words = f"cannot be locked: {os_error_reason(error)}; keep the ledger on a local disk of this machine"
                raise FileError(str(path), None, "", words) from None
            if not held:
                self._file.close()
                words = f"{ledger} is being filled by another process; wait for it, or look with"
                raise InvalidInput(f"{words} slipstick sweep --status {ledger}").about("store")
            if self._is_there():
                return
            self._file.close()  # one that held nothing went away between opening and locking

    def begin(self, study: str) -> None:
        """Write the first line of a new one.   study : the digest of the study."""
        own, points = read_finished_points(self.path)
        if own != study and next(points, None) is not None:
            words = "has the finished points of another study; remove it, or give the sweep another store"
            raise FileError(str(self.path), None, "", words)
        try:
            if own != study:
                self.drop()
            if self._file.tell() == 0:
                self._file.write(json.dumps({"slipstick": "sweep", "study": study, SEALED_KEY: True}).encode() + b"\n")
            elif not _ends_with_newline(self.path):
                self._file.write(b"\n")
        except OSError as error:
            raise _journal_error(self.path, error) from None

    def refuse_deleted(self) -> None:
        """Refuse to continue if the file was removed: its lock is gone, and another driver may run."""
        if not self._is_there():
            words = "was removed or replaced during the sweep; finished points are in the ledger: start again to resume"
            raise FileError(str(self.path), None, "", words)

    def add(self, finished: Sequence[tuple[int, PointOutcome, str]]) -> None:
        """Write down points that are finished: number, outcome and the file of its arrays."""
        lines = "".join(_make_line(*each) for each in finished)
        data = lines.encode()
        try:
            while data:  # an unbuffered file may take a part only
                data = data[self._file.write(data) :]
        except OSError as error:
            raise _journal_error(self.path, error) from None

    def drop(self) -> None:
        """Empty the journal."""
        self._file.truncate(0)
        self._file.seek(0)

    def close(self) -> None:
        """Release it; an empty journal is deleted."""
        # while locked, so that no other process has it; Windows keeps open files
        if self._file.tell() == 0 and self._is_there():
            with suppress(OSError):
                self.path.unlink()
        self._file.close()

    def _is_there(self) -> bool:
        """True if the file that is held is still the one of that name."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), os.stat(self.path))
        except OSError:
            return False


def is_held(path: Path) -> bool:
    """True if a process is adding to a journal now."""
    try:
        with path.open("rb") as file:
            return not acquire_lock(file)
    except OSError:
        return False


def is_new(path: Path) -> bool:
    """True if a journal holds no points yet."""
    return next(read_finished_points(path)[1], None) is None


def read_finished_points(path: Path) -> tuple[str, Iterator[tuple[int, PointOutcome, str]]]:
    """The digest of the study, and the points of a journal; none without the file."""
    if not path.is_file():
        return "", iter(())
    lines = _read_lines(path)
    head = next(lines, {})
    sealed = bool(head.get(SEALED_KEY))
    return str(head.get("study", "")), (_point_from_line(held) for held in lines if _is_intact(held, sealed))


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for line in file:
            try:
                held = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(held, dict):
                yield held


def _make_line(number: int, found: PointOutcome, arrays: str) -> str:
    held = found._asdict() | {"number": number, "arrays": arrays}
    # without the orbit, which is a thousand times as long; a chain interrupted there starts again
    kept = {key: held[key] for key in LINE_KEYS}
    return json.dumps(kept | {LINE_SEAL_KEY: _line_checksum(kept)}) + "\n"


def _is_intact(held: dict[str, Any], sealed: bool) -> bool:
    """True for a line as it was written.   sealed : every line has a checksum; those of older journals have none."""
    seal = held.pop(LINE_SEAL_KEY, None)
    if not set(LINE_KEYS) <= held.keys() or (sealed if seal is None else seal != _line_checksum(held)):
        return False
    try:
        check_outcome(*(held[key] for key in ("figures", "certificate", "message", "seconds", "arrays")))
    except ValueError:
        return False
    return type(held["number"]) is int and held["state"] in (DONE, FAILED)


def _line_checksum(held: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(held, sort_keys=True).encode(), digest_size=8).hexdigest()


def _point_from_line(held: dict[str, Any]) -> tuple[int, PointOutcome, str]:
    words: Any = (held["state"], held["figures"], {}, held["certificate"], held["message"], held["seconds"])
    return held["number"], PointOutcome(*words), held["arrays"]


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _journal_error(path: Path, error: OSError) -> FileError:
    return write_error(path, error, "finished points are kept: make room and start again")


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
