"""What a sweep leaves on the disk, and what comes back from there."""

import os
import sqlite3
import threading

import numpy as np
import pytest
import sweep_helpers as helpers
from pace import READY

import slipstick as ss
from slipstick.errors import FileError, InvalidInput
from slipstick.results.sweep import Sweep
from slipstick.sweeps.journal import Journal, journal_path

AXES = {"a": [1.0, 2.0], "b": [0.0, 0.5, 1.0]}


def test_a_saved_sweep_opens_as_it_was(tmp_path):
    def build(word, whole, flag, b):
        if b == 0.5:
            raise ValueError("not this one, näher")
        return {"a sum": whole + b, "line": np.arange(70.0), "told": f"{word} {flag}", "short": [b, 2 * b]}

    over = {"word": ["x", "long word"], "whole": [2**40, 3], "flag": [True, False], "b": [0.0, 0.5]}
    found = ss.sweep(build, over=over, store=tmp_path / "map.sqlite", workers=1)
    found.save(tmp_path / "map.nc")
    again = ss.open(tmp_path / "map.nc")
    assert type(again) is Sweep
    assert again.equals(found)
    assert again.attrs == found.attrs
    assert again.figures == found.figures
    assert found.figures[0] == "a sum"
    assert set(found.figures) == {"a sum", "line", "told", "short"}
    assert again.failed == found.failed
    assert again["whole"].values.tolist() == [2**40, 3]


def test_a_part_of_a_sweep_is_saved_and_opened_too(tmp_path):
    found = ss.sweep(helpers.product, over=AXES, store=tmp_path / "map.sqlite", workers=1)
    found.sel(a=2.0).save(tmp_path / "part.nc")
    assert ss.open(tmp_path / "part.nc").equals(found.sel(a=2.0))


def test_one_point_of_a_sweep_is_saved_and_opened_too(tmp_path):
    def build(a):
        if a == 2.0:
            raise ValueError("not this one")
        return a

    found = ss.sweep(build, over={"a": [1.0, 2.0]}, store=tmp_path / "map.sqlite", workers=1)
    assert found.isel(a=0).failed == []
    assert found.isel(a=1).failed == [{"a": 2.0, "message": "ValueError: not this one"}]
    for k in (0, 1):
        found.isel(a=k).save(tmp_path / "one.nc")
        assert ss.open(tmp_path / "one.nc").equals(found.isel(a=k))
    found.isel(a=0).save(tmp_path / "one.csv")
    head, line = (tmp_path / "one.csv").read_text().splitlines()
    assert dict(zip(head.split(","), line.split(",")))["a"] == "1.0"


def test_a_saved_sweep_that_was_changed_is_reported_as_damaged(tmp_path):
    found = ss.sweep(helpers.product, over=AXES, store=tmp_path / "map.sqlite", workers=1)
    found.save(tmp_path / "map.nc")
    content = bytearray((tmp_path / "map.nc").read_bytes())
    content[-10] ^= 1
    (tmp_path / "map.nc").write_bytes(content)
    with pytest.raises(FileError, match="is damaged"):
        ss.open(tmp_path / "map.nc")


def test_what_netcdf_cannot_hold_is_reported_with_a_way_out(tmp_path):
    found = ss.sweep(lambda a: {"x/y": a}, over={"a": [1.0]}, store=tmp_path / "map.sqlite", workers=1)
    with pytest.raises(InvalidInput, match=r"save it as \.csv"):
        found.save(tmp_path / "map.nc")
    found.save(tmp_path / "map.csv")
    assert (tmp_path / "map.csv").read_text().startswith("a,x/y")


def test_looking_at_a_finished_ledger_leaves_nothing_beside_it(tmp_path):
    ss.sweep(helpers.product, over=AXES, store=tmp_path / "map.sqlite", workers=1)
    before = sorted(tmp_path.iterdir())
    assert ss.open(tmp_path / "map.sqlite").counts == {"done": 6}
    assert sorted(tmp_path.iterdir()) == before
    assert [path.name for path in before] == ["map.sqlite", "map.sqlite-finished"]


def test_a_ledger_is_in_wal_mode_while_it_is_filled_and_may_be_read(tmp_path):
    store, seen = tmp_path / "map.sqlite", []

    def look(_):
        database = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
        seen.append((database.execute("PRAGMA journal_mode").fetchone()[0], ss.open(store).sizes["a"]))
        database.close()

    ss.sweep(helpers.product, over=AXES, store=store, workers=1, progress=look)
    assert set(seen) == {("wal", 2)}


def test_a_reader_that_stays_does_not_hold_up_the_end(tmp_path):
    """It keeps the ledger in WAL mode, which is as good."""
    store, readers = tmp_path / "map.sqlite", []

    def stay(_):
        if not readers:
            readers.append(sqlite3.connect(f"file:{store}?mode=ro", uri=True, check_same_thread=False))
            readers[0].execute("BEGIN")
            readers[0].execute("SELECT count(*) FROM points").fetchone()

    done = threading.Event()

    def sweep():
        ss.sweep(helpers.product, over=AXES, store=store, workers=1, progress=stay)
        done.set()

    thread = threading.Thread(target=sweep)
    thread.start()
    try:
        assert done.wait(READY)
    finally:
        readers[0].close()
        thread.join()
    assert ss.open(store).counts == {"done": 6}


def test_a_journal_that_goes_away_while_another_opens_it_is_made_anew(tmp_path, monkeypatch):
    """The other has opened the old file, and gets its lock only when it has no name any more."""
    ledger = tmp_path / "map.sqlite"
    path = journal_path(ledger)
    first = Journal(path, ledger)
    from slipstick.sweeps import journal as room

    held = room.acquire_lock

    def late(file):
        monkeypatch.setattr(room, "acquire_lock", held)
        first.close()  # nothing was written: the file goes
        return held(file)

    monkeypatch.setattr(room, "acquire_lock", late)
    second = Journal(path, ledger)
    second.begin("study")
    second.refuse_deleted()
    second.close()
    assert os.path.getsize(path) > 0
