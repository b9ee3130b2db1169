"""What is known of every point of a sweep: one SQLite file in WAL mode, a row a point.

Only the driver writes. A commit survives the death of the process at any instant, and others may read meanwhile.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import pathname2url

from slipstick.errors import FileError
from slipstick.results.aside import written_aside
from slipstick.sweeps.outcome import FAILED, RUNNING, STATES, WAITING, Outcome
from slipstick.sweeps.plan import Plan

FORMAT = 1  # of the tables; a reader refuses a later one
MARK = 0x51195717  # application_id: "this is one of ours"
BUSY = 30_000  # [ms] that a reader or writer waits for the other
ABOUT = {"format", "total", "version", "study", "parts", "dimensions"}  # what every ledger tells of its sweep
CHUNK = 10_000  # rows at a time, so that memory does not grow with the plan

TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE points (
    number INTEGER PRIMARY KEY,
    parameters TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    figures TEXT,
    certificate TEXT,
    message TEXT,
    seconds REAL,
    deaths INTEGER NOT NULL DEFAULT 0,
    arrays TEXT,
    start BLOB,
    version TEXT,
    study TEXT
);
"""


COLUMNS = "number, parameters, state, figures, certificate, message, seconds, arrays"  # of a `Row`


class Row(NamedTuple):
    """A point as the ledger has it; figures and the rest by name."""

    number: int
    parameters: dict[str, Any]
    state: str
    figures: dict[str, Any]
    certificate: dict[str, Any]
    message: str
    seconds: float | None
    arrays: str


class Damaged(FileError):
    """A ledger that SQLite cannot read any more."""


class Ledger:
    """An open ledger.   about : what the sweep is of, as it was put there when it was made."""

    def __init__(self, path: Path, database: sqlite3.Connection, *, writes: bool = False) -> None:
        self.path, self._database, self._writes = path, database, writes
        with in_words(path):
            self.about: dict[str, Any] = {
                key: _read(value) for key, value in database.execute("SELECT key, value FROM about")
            }
            if not self.about.keys() >= ABOUT:
                raise sqlite3.DatabaseError("what it is of is gone")

    @classmethod
    def made(cls, path: Path, plan: Plan, about: dict[str, Any]) -> Ledger:
        """A new one with a row for every point; it is there with all of them, or it is not there."""
        rows = ((i, json.dumps(plan.parameters(i))) for i in range(len(plan)))
        told = {"format": FORMAT, "total": len(plan), **about}
        with written_aside(path) as aside, in_words(path), closing(sqlite3.connect(aside)) as database:
            database.execute("PRAGMA journal_mode = OFF")  # nobody sees it before it is whole
            for statement in TABLES.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA application_id = {MARK}")
            database.executemany("INSERT INTO points (number, parameters) VALUES (?, ?)", rows)
            database.executemany("INSERT INTO about VALUES (?, ?)", [(k, json.dumps(v)) for k, v in told.items()])
            database.commit()
        return cls.opened(path)

    @classmethod
    def opened(cls, path: Path) -> Ledger:
        """One that is there, to be written on; refused where it is damaged or no ledger."""
        with _connected(path, path) as database:
            found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise sqlite3.DatabaseError(found)
            database.execute("PRAGMA journal_mode = WAL")
            # with WAL a commit outlives the process; only a power cut may undo it
            database.execute("PRAGMA synchronous = NORMAL")
            return cls(path, database, writes=True)

    @classmethod
    def read_only(cls, path: Path) -> Ledger:
        """One that is there, to be looked at, also while somebody writes."""
        if not path.is_file():
            raise FileError(str(path), None, "", "there is no such file; check the name and the folder")
        with _connected(path, f"file:{pathname2url(str(path.absolute()))}?mode=ro") as database:
            return cls(path, database)

    @property
    def total(self) -> int:
        return int(self.about["total"])

    def counts(self) -> dict[str, int]:
        """How many points are in each state."""
        with in_words(self.path):
            found = dict(self._database.execute("SELECT state, count(*) FROM points GROUP BY state"))
        return {state: int(found.get(state, 0)) for state in STATES}

    def waiting(self) -> Iterator[int]:
        """Numbers of the points that wait, in order; those that begin to wait behind it are not seen."""
        last = -1
        query = "SELECT number FROM points WHERE state = ? AND number > ? ORDER BY number LIMIT ?"
        while True:
            with in_words(self.path):
                numbers = [row[0] for row in self._database.execute(query, (WAITING, last, CHUNK))]
            if not numbers:
                return
            yield from numbers
            last = numbers[-1]

    def rows(self) -> Iterator[Row]:
        """All points in order."""
        last = -1
        query = f"SELECT {COLUMNS} FROM points WHERE number > ? ORDER BY number LIMIT ?"
        while True:
            with in_words(self.path):
                found = self._database.execute(query, (last, CHUNK)).fetchall()
            if not found:
                return
            with in_words(self.path):
                rows = [_row(row) for row in found]
            yield from rows
            last = found[-1][0]

    def first_failed(self, most: int) -> list[Row]:
        """The first points that failed."""
        query = f"SELECT {COLUMNS} FROM points WHERE state = ? ORDER BY number LIMIT ?"
        with in_words(self.path):
            return [_row(row) for row in self._database.execute(query, (FAILED, most))]

    def parameters_of(self, number: int) -> dict[str, Any]:
        """The values of a point by name."""
        with in_words(self.path):
            row = self._database.execute(f"SELECT {COLUMNS} FROM points WHERE number = ?", (number,)).fetchone()
            return {} if row is None else _row(row).parameters

    def start_of(self, number: int) -> bytes | None:
        """The packed orbit of a point, for its neighbour to begin from."""
        with in_words(self.path):
            row = self._database.execute("SELECT start FROM points WHERE number = ?", (number,)).fetchone()
        return None if row is None else row[0]

    def deaths_of(self, number: int) -> int:
        """How many workers a point has killed."""
        with in_words(self.path):
            row = self._database.execute("SELECT deaths FROM points WHERE number = ?", (number,)).fetchone()
        return int(row[0])

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What is written inside this block is there together, or not at all."""
        with in_words(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._database.in_transaction:  # SQLite has gone back by itself where the disk is full
                    self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def put_about(self, key: str, value: Any) -> None:
        """What is to be known of the sweep as a whole."""
        self._database.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, json.dumps(value)))

    def put_state(self, numbers: Sequence[int], state: str) -> None:
        """Points that begin to run, or wait again."""
        self._database.executemany("UPDATE points SET state = ? WHERE number = ?", [(state, i) for i in numbers])

    def put_death(self, number: int) -> None:
        """A worker died of a point."""
        self._database.execute("UPDATE points SET deaths = deaths + 1 WHERE number = ?", (number,))

    def put_outcome(self, number: int, found: Outcome, arrays: str = "") -> None:
        """A point that is done or has failed.   arrays : the file that has its long ones."""
        self._database.execute(
            "UPDATE points SET state = ?, figures = ?, certificate = ?, message = ?, seconds = ?, arrays = ?,"
            " start = ?, version = ?, study = ? WHERE number = ?",
            (
                found.state,
                json.dumps(found.figures),
                json.dumps(found.certificate),
                found.message,
                found.seconds,
                arrays,
                found.start,
                self.about.get("version", ""),
                self.about.get("study", ""),
                number,
            ),
        )

    def drop_start(self, number: int) -> None:
        """A packed orbit that nobody will begin from any more."""
        self._database.execute("UPDATE points SET start = NULL WHERE number = ?", (number,))

    def wait_again(self, *, failed: bool = False) -> int:
        """What was running when the driver died waits again, and what failed if that is wanted; how many those are."""
        query = "UPDATE points SET state = 'waiting' WHERE state = ?"
        with self.writing():
            changed = self._database.execute(query, (RUNNING,)).rowcount
            if failed:
                anew = query.replace("'waiting'", "'waiting', deaths = 0")
                changed += self._database.execute(anew, (FAILED,)).rowcount
        return int(changed)

    def close(self) -> None:
        """Close it; what was written aside goes into the one file."""
        if self._writes:
            with suppress(sqlite3.Error):  # somebody reads now, or the disk is full: it stays as it is, and is whole
                self._database.execute("PRAGMA busy_timeout = 0")
                # without WAL a reader leaves nothing beside it, and needs no right to write there
                self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()


def is_ledger(path: Path) -> bool:
    """True if a file begins as an SQLite database does."""
    try:
        with path.open("rb") as file:
            return file.read(15) == b"SQLite format 3"
    except OSError:
        return False


@contextmanager
def _connected(path: Path, address: Path | str) -> Iterator[sqlite3.Connection]:
    """A ledger that is there, open; it is closed again if anything is wrong with it."""
    with in_words(path):
        uri = isinstance(address, str)
        database = sqlite3.connect(address, uri=uri, isolation_level=None, timeout=BUSY / 1000)
        try:
            _refuse_foreign(path, database)
            yield database
        except BaseException:
            database.close()
            raise


def _read(text: Any) -> Any:
    """What was written as JSON."""
    try:
        return json.loads(text)
    except (ValueError, TypeError):
        raise sqlite3.DatabaseError("what stands in it cannot be read") from None


def _row(held: tuple[Any, ...]) -> Row:
    number, parameters, state, figures, certificate, message, seconds, arrays = held
    try:
        found, trust = (json.loads(text) if text else {} for text in (figures, certificate))
        values = json.loads(parameters)
    except ValueError:
        raise sqlite3.DatabaseError(f"the row of point {number} cannot be read") from None
    if state not in STATES:
        raise sqlite3.DatabaseError(f"the state of point {number} is none")
    return Row(number, values, state, found, trust, message or "", seconds, arrays or "")


def _refuse_foreign(path: Path, database: sqlite3.Connection) -> None:
    if database.execute("PRAGMA application_id").fetchone()[0] != MARK:
        raise FileError(str(path), None, "", "is an SQLite file, but no sweep of slipstick; give another name")
    held = database.execute("SELECT value FROM about WHERE key = 'format'").fetchone()
    version = _read(held[0]) if held else None
    if not isinstance(version, int):
        raise sqlite3.DatabaseError("its format is not told")
    if version > FORMAT:
        raise FileError(str(path), None, "", f"has format {version}, this slipstick reads up to {FORMAT}; update it")


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """What SQLite says, as one line with a way out."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
        kind = Damaged if _is_damage(error) else FileError
        raise kind(str(path), None, "", _problem(error)) from None


def _is_damage(error: Exception) -> bool:
    """True if SQLite cannot read what is there, its own words about that included."""
    return type(error) in (sqlite3.DatabaseError, UnicodeDecodeError) or "decode" in str(error)


def _problem(error: Exception) -> str:
    text = " ".join(str(error).split())
    if "full" in text and not _is_damage(error):
        return "the disk is full; what was done is kept: make room and start again"
    if "locked" in text or "busy" in text:
        return "is held by another program; close it and start again"
    if "unable to open" in text or "readonly" in text:
        return "cannot be opened or written; check the folder and its permissions"
    if _is_damage(error):
        return f"is damaged ({text}); recover=True, or --recover, builds it anew from the finished points beside it"
    return f"cannot be used: {text}"
