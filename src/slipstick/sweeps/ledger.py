"""`Ledger`: the state and result of every point of a sweep, in one SQLite file in WAL mode.

Only the driver writes. A commit survives the death of the process at any instant, and others may read meanwhile.
The row of a finished point has a checksum. A damaged one reads as a point that waits, and the driver computes it again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import pathname2url

from slipstick.errors import Advice, FileError
from slipstick.results.atomic_write import replacing_file
from slipstick.sweeps import ledger_checks
from slipstick.sweeps.plan import Plan
from slipstick.sweeps.point_outcome import DONE, FAILED, POINT_STATES, RUNNING, WAITING, PointOutcome

FORMAT = 2  # of the tables; a reader refuses a later one. 1 had no checksums, and pickles in place of orbits
APPLICATION_ID = 0x51195717  # of SQLite files that are ledgers
BUSY_TIMEOUT_MS = 30_000  # [ms] to wait for another process
ABOUT_KEYS = {"format", "total", "version", "study", "parts", "dimensions"}  # present in every ledger
CHUNK_ROWS = 10_000  # rows at a time, so that memory does not grow with the plan

CREATE_TABLES_SQL = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL, seal TEXT);
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
    study TEXT,
    seal TEXT
);
"""

ROW_COLUMNS_SQL = "number, parameters, state, figures, certificate, message, seconds, arrays"  # of a `LedgerRow`
# the checksum of a finished point; of texts as bytes, for a damaged one may not be UTF-8. The orbit has its own.
ROW_SEAL_SQL = (
    "seal_of(number, CAST(parameters AS BLOB), CAST(state AS BLOB),"
    " CAST(figures AS BLOB), CAST(certificate AS BLOB), CAST(message AS BLOB),"
    " CASE typeof(seconds) WHEN 'text' THEN CAST(seconds AS BLOB) ELSE seconds END, CAST(arrays AS BLOB))"
)
OUTCOME_COLUMNS = ("figures", "certificate", "message", "seconds", "arrays")  # empty until a point is finished
PUT_ABOUT_SQL = "INSERT OR REPLACE INTO about VALUES (?1, ?2, seal_of(CAST(?1 AS BLOB), CAST(?2 AS BLOB)))"
INTACT_ROW_SQL = f"(state IN ('{WAITING}', '{RUNNING}') OR seal IS {ROW_SEAL_SQL})"
NO_ORBIT = b""  # start of a point without an orbit; NULL if it was dropped
DAMAGED_ROW_MESSAGE = "this row of the ledger is damaged; start the sweep again to compute the point"
UPGRADE_SQL = f"""
ALTER TABLE about ADD COLUMN seal TEXT;
ALTER TABLE points ADD COLUMN seal TEXT;
UPDATE about SET seal = seal_of(CAST(key AS BLOB), CAST(value AS BLOB));
UPDATE points SET seal = {ROW_SEAL_SQL}, start = ifnull(start, x'') WHERE state IN ('{DONE}', '{FAILED}')
"""


class LedgerRow(NamedTuple):
    """A point as the ledger has it; figures and the rest by name."""

    number: int
    parameters: dict[str, Any]
    state: str
    figures: dict[str, Any]
    certificate: dict[str, Any]
    message: str
    seconds: float | None
    arrays: str


RECOVER_ADVICE = Advice("{recover} builds it anew from the finished points beside it", recover=True)


class DamagedLedger(FileError):
    """A ledger that SQLite cannot read."""


class Ledger:
    """An open ledger.   about : description of the sweep, written at its creation."""

    def __init__(self, path: Path, database: sqlite3.Connection, version: int, *, writes: bool = False) -> None:
        """version : its format."""
        self.path, self._database, self._writes = path, database, writes
        # true for an intact row; unknown without checksums
        self._intact = "1" if version == 1 else INTACT_ROW_SQL
        with sqlite_errors_in_words(path):
            if version > 1:  # damaged texts are found by their checksums
                database.text_factory = lambda held: held.decode("utf-8", "replace")
            intact = "1" if version == 1 else "seal IS seal_of(CAST(key AS BLOB), CAST(value AS BLOB))"
            held = database.execute(f"SELECT key, value FROM about WHERE {intact}")
            self.about: dict[str, Any] = {key: _decode_json(value) for key, value in held}
            if not self.about.keys() >= ABOUT_KEYS:
                raise sqlite3.DatabaseError("its description is missing")
            with _type_errors_as_damage():
                ledger_checks.refuse_programs(database)
                rows = database.execute("SELECT count(*) FROM points").fetchone()[0]
                ledger_checks.check_description(self.about, rows)

    @classmethod
    def made(cls, path: Path, plan: Plan, about: dict[str, Any]) -> Ledger:
        """Create a ledger with a row for every point, atomically."""
        rows = ((i, json.dumps(plan.parameters(i))) for i in range(len(plan)))
        entries = {"format": FORMAT, "total": len(plan), **about}
        with (
            replacing_file(path) as aside,
            sqlite_errors_in_words(path),
            closing(_with_seal_function(sqlite3.connect(aside))) as database,
        ):
            database.execute("PRAGMA journal_mode = OFF")  # not visible before it is complete
            for statement in CREATE_TABLES_SQL.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.executemany("INSERT INTO points (number, parameters) VALUES (?, ?)", rows)
            database.executemany(PUT_ABOUT_SQL, [(k, json.dumps(v)) for k, v in entries.items()])
            database.commit()
        return cls.opened(path)

    @classmethod
    def opened(cls, path: Path) -> Ledger:
        """Open a ledger for writing; refused if it is damaged or no ledger."""
        with _connect(path, path) as (database, version):
            found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise sqlite3.DatabaseError(found)
            database.execute("PRAGMA journal_mode = WAL")
            # with WAL a commit survives the process; only a power cut may undo it
            database.execute("PRAGMA synchronous = NORMAL")
            if version == 1:
                _upgrade(database)
            return cls(path, database, FORMAT, writes=True)

    @classmethod
    def read_only(cls, path: Path) -> Ledger:
        """Open a ledger for reading, also while a driver writes."""
        if not path.is_file():
            raise FileError(str(path), None, "", "there is no such file; check the name and the folder")
        with _connect(path, f"file:{pathname2url(str(path.absolute()))}?mode=ro") as (database, version):
            return cls(path, database, version)

    @property
    def total(self) -> int:
        return int(self.about["total"])

    def counts(self) -> dict[str, int]:
        """Number of points in each state; damaged rows count as waiting."""
        state = "state" if self._writes else f"CASE WHEN {self._intact} THEN state ELSE '{WAITING}' END"
        with sqlite_errors_in_words(self.path):
            found = dict(self._database.execute(f"SELECT {state} AS own, count(*) FROM points GROUP BY own"))
        return {state: int(found.get(state, 0)) for state in POINT_STATES}

    def waiting(self) -> Iterator[int]:
        """Numbers of the waiting points in order, without those that are added behind the reader."""
        last = -1
        query = "SELECT number FROM points WHERE state = ? AND number > ? ORDER BY number LIMIT ?"
        while True:
            with sqlite_errors_in_words(self.path):
                numbers = [row[0] for row in self._database.execute(query, (WAITING, last, CHUNK_ROWS))]
            if not numbers:
                return
            yield from numbers
            last = numbers[-1]

    def rows(self) -> Iterator[LedgerRow]:
        """All points in order."""
        last = -1
        query = f"SELECT {ROW_COLUMNS_SQL}, {self._intact} FROM points WHERE number > ? ORDER BY number LIMIT ?"
        while True:
            with sqlite_errors_in_words(self.path):
                found = self._database.execute(query, (last, CHUNK_ROWS)).fetchall()
            if not found:
                return
            with sqlite_errors_in_words(self.path):
                rows = [self._row(row) for row in found]
            yield from rows
            last = found[-1][0]

    def first_failed(self, most: int) -> list[LedgerRow]:
        """The first points that failed."""
        query = f"SELECT {ROW_COLUMNS_SQL}, 1 FROM points WHERE state = ? AND {self._intact} ORDER BY number LIMIT ?"
        with sqlite_errors_in_words(self.path):
            return [self._row(row) for row in self._database.execute(query, (FAILED, most))]

    def parameters_of(self, number: int) -> dict[str, Any]:
        """The values of a point by name."""
        with sqlite_errors_in_words(self.path):
            query = f"SELECT {ROW_COLUMNS_SQL}, {self._intact} FROM points WHERE number = ?"
            row = self._database.execute(query, (number,)).fetchone()
            return {} if row is None else self._row(row).parameters

    def start_of(self, number: int) -> bytes | None:
        """The packed orbit of a point, for the next point; None without one."""
        with sqlite_errors_in_words(self.path):
            row = self._database.execute("SELECT start FROM points WHERE number = ?", (number,)).fetchone()
        return None if row is None else row[0] or None

    def damaged(self) -> list[int]:
        """Numbers of points with damaged or missing rows."""
        with sqlite_errors_in_words(self.path):
            query = f"SELECT number, {self._intact} FROM points"
            intact = {number for number, whole in self._database.execute(query) if whole}
        return [number for number in range(self.total) if number not in intact]

    def drop_unplanned_rows(self) -> int:
        """Remove rows that belong to no point; returns their number."""
        query = "DELETE FROM points WHERE number NOT BETWEEN 0 AND ?"
        return int(self._database.execute(query, (self.total - 1,)).rowcount)

    def reset_row(self, number: int, parameters: dict[str, Any]) -> None:
        """Reset the row of a point to waiting."""
        self._database.execute("DELETE FROM points WHERE number = ?", (number,))
        row = number, json.dumps(parameters)
        self._database.execute("INSERT INTO points (number, parameters) VALUES (?, ?)", row)

    def points_with_arrays(self) -> list[tuple[int, str]]:
        """Numbers of points with long arrays, and their files."""
        with sqlite_errors_in_words(self.path):
            return list(self._database.execute("SELECT number, arrays FROM points WHERE arrays != ''"))

    def cut(self, chain: int) -> list[tuple[int, Any]]:
        """Points that wait inside a chain behind one that is done: their numbers, and the start that they would have.

        chain : points in a row that begin from each other's orbits.
        """
        query = (
            "SELECT own.number, before.start FROM points AS own JOIN points AS before ON before.number = own.number - 1"
            " WHERE own.state = 'waiting' AND before.state = 'done' AND own.number % ? != 0 AND before.start IS NOT ?"
            " ORDER BY own.number"
        )
        with sqlite_errors_in_words(self.path):
            return list(self._database.execute(query, (chain, NO_ORBIT)))

    def deaths_of(self, number: int) -> int:
        """Number of workers that a point has killed."""
        with sqlite_errors_in_words(self.path):
            row = self._database.execute("SELECT deaths FROM points WHERE number = ?", (number,)).fetchone()
        return int(row[0])

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write all changes of the block in one transaction."""
        with sqlite_errors_in_words(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._database.in_transaction:  # SQLite has rolled back on its own if the disk is full
                    self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def put_about(self, key: str, value: Any) -> None:
        """Write an entry about the whole sweep."""
        self._database.execute(PUT_ABOUT_SQL, (key, json.dumps(value)))

    def put_state(self, numbers: Sequence[int], state: str) -> None:
        """Set the state of points."""
        self._database.executemany("UPDATE points SET state = ? WHERE number = ?", [(state, i) for i in numbers])

    def record_death(self, number: int) -> None:
        """Count a worker that a point has killed."""
        self._database.execute("UPDATE points SET deaths = deaths + 1 WHERE number = ?", (number,))

    def put_outcome(
        self, number: int, found: PointOutcome, arrays: str = "", parameters: dict[str, Any] | None = None
    ) -> None:
        """A point that is done or has failed.   arrays : the file that has its long ones.   parameters : None to leave
        those that are there, which have no checksum yet."""
        self._database.execute(
            "UPDATE points SET state = ?, figures = ?, certificate = ?, message = ?, seconds = ?, arrays = ?,"
            " start = ?, version = ?, study = ?, parameters = ifnull(?, parameters) WHERE number = ?",
            (
                found.state,
                json.dumps(found.figures),
                json.dumps(found.certificate),
                found.message,
                found.seconds,
                arrays,
                found.start or NO_ORBIT,
                self.about.get("version", ""),
                self.about.get("study", ""),
                None if parameters is None else json.dumps(parameters),
                number,
            ),
        )
        self._database.execute(f"UPDATE points SET seal = {ROW_SEAL_SQL} WHERE number = ?", (number,))

    def drop_start(self, number: int) -> None:
        """Drop a packed orbit that no point needs any more."""
        self._database.execute("UPDATE points SET start = NULL WHERE number = ? AND start IS NOT ?", (number, NO_ORBIT))

    def requeue_interrupted(self, *, failed: bool = False) -> int:
        """Reset running points to waiting, and failed ones on request; returns their number."""
        with self.writing():
            changed = self._database.execute("UPDATE points SET state = 'waiting' WHERE state = ?", (RUNNING,)).rowcount
            if failed:
                changed += self._forget("state = ?", (FAILED,))
        return int(changed)

    def requeue_range(self, first: int, last: int) -> int:
        """Delete the outcomes of the points from the first to the last; returns how many were finished."""
        return self._forget("number BETWEEN ? AND ? AND state IN (?, ?)", (first, last, DONE, FAILED))

    def _forget(self, which: str, values: tuple[Any, ...]) -> int:
        columns = ", ".join(f"{name} = NULL" for name in (*OUTCOME_COLUMNS, "start", "seal"))
        query = f"UPDATE points SET state = '{WAITING}', deaths = 0, {columns} WHERE {which}"
        return int(self._database.execute(query, values).rowcount)

    def _row(self, held: tuple[Any, ...]) -> LedgerRow:
        """A point from the columns of a `LedgerRow` and whether they are intact."""
        number, parameters, state, figures, certificate, message, seconds, arrays, intact = held
        if not 0 <= number < self.total:
            raise sqlite3.DatabaseError(f"it has a point {number} of {self.total}")
        damaged = LedgerRow(number, {}, WAITING, {}, {}, DAMAGED_ROW_MESSAGE, None, "")
        if not intact:
            return damaged
        try:
            found, trust = (json.loads(text) if text else {} for text in (figures, certificate))
            values = json.loads(parameters)
        except (ValueError, RecursionError):
            if state in (WAITING, RUNNING):
                return damaged
            raise sqlite3.DatabaseError(f"the row of point {number} cannot be read") from None
        if state not in POINT_STATES:
            raise sqlite3.DatabaseError(f"the state of point {number} is none")
        with _type_errors_as_damage(f"the row of point {number}: "):
            ledger_checks.check_values(values)
            ledger_checks.check_outcome(found, trust, message, seconds, arrays)
        words = ledger_checks.printable(message or "")
        return LedgerRow(number, values, state, found, trust, words, seconds, arrays or "")

    def close(self) -> None:
        """Close the ledger; the WAL file is merged."""
        if self._writes:
            with suppress(sqlite3.Error):  # a reader is active or the disk is full: the WAL file stays valid
                self._database.execute("PRAGMA busy_timeout = 0")
                # without WAL a reader creates no files and needs no write access
                self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()


def is_ledger(path: Path) -> bool:
    """True if a file has the header of an SQLite database; not for a pipe, whose reader would wait."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(15) == b"SQLite format 3"
    except OSError:
        return False


@contextmanager
def _connect(path: Path, address: Path | str) -> Iterator[tuple[sqlite3.Connection, int]]:
    """Open a ledger and read its format; closed again on errors."""
    with sqlite_errors_in_words(path):
        uri = isinstance(address, str)
        database = sqlite3.connect(address, uri=uri, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
        try:
            yield _with_seal_function(database), _format_of(path, database)
        except BaseException:
            database.close()
            raise


@contextmanager
def _type_errors_as_damage(place: str = "") -> Iterator[None]:
    """Report contents of the wrong type as damage."""
    try:
        yield
    except ValueError as error:
        raise sqlite3.DatabaseError(f"{place}{error}") from None


def _decode_json(text: Any) -> Any:
    """Decode JSON."""
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise sqlite3.DatabaseError("its contents cannot be read") from None


def _with_seal_function(database: sqlite3.Connection) -> sqlite3.Connection:
    """A database that can compute the checksums of rows."""
    database.create_function("seal_of", -1, _seal_of, deterministic=True)
    return database


def _seal_of(*values: Any) -> str:
    return hashlib.blake2b(repr(values).encode(), digest_size=8).hexdigest()


def _upgrade(database: sqlite3.Connection) -> None:
    """Convert a ledger of format 1; its pickled orbits are not read."""
    database.execute("BEGIN IMMEDIATE")
    for statement in UPGRADE_SQL.split(";"):
        database.execute(statement)
    database.execute(PUT_ABOUT_SQL, ("format", json.dumps(FORMAT)))
    database.execute("COMMIT")


def _format_of(path: Path, database: sqlite3.Connection) -> int:
    """The format of a ledger; refuses other files and later formats."""
    if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise FileError(str(path), None, "", "is an SQLite file, but not a sweep of slipstick; give another name")
    held = database.execute("SELECT value FROM about WHERE key = 'format'").fetchone()
    version = _decode_json(held[0]) if held else None
    if not isinstance(version, int) or version < 1:
        raise sqlite3.DatabaseError("its format is not stated")
    if version > FORMAT:
        raise FileError(str(path), None, "", f"has format {version}, this slipstick reads up to {FORMAT}; update it")
    return version


@contextmanager
def sqlite_errors_in_words(path: Path) -> Iterator[None]:
    """Turn SQLite errors into one line with a remedy."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
        kind = DamagedLedger if _is_damage(error) else FileError
        advice = [RECOVER_ADVICE] if kind is DamagedLedger else []
        raise kind(str(path), None, "", _describe_sqlite_error(error), advice=advice) from None


def _is_damage(error: Exception) -> bool:
    """True if SQLite reports a damaged file, such as one whose tables have other names."""
    words = str(error)
    told = "decode" in words or "no such column" in words or "no such table" in words
    return told or type(error) in (sqlite3.DatabaseError, UnicodeDecodeError)


def _describe_sqlite_error(error: Exception) -> str:
    text = " ".join(str(error).split())
    if "full" in text and not _is_damage(error):
        return "the disk is full; finished points are kept: make room and start again"
    if "locked" in text or "busy" in text:
        return "is held by another program; close it and start again"
    if "unable to open" in text or "readonly" in text:
        return "cannot be opened or written; check the folder and its permissions"
    if _is_damage(error):
        return f"is damaged ({text})"
    return f"cannot be used: {text}"
