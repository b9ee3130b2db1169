"""Ledgers of strangers, of older versions and of failing disks: nothing in them is executed or silently believed."""

import os
import pickle
import random
import re
import shutil
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import sweep_helpers as helpers

import slipstick as ss
from slipstick.errors import FileError
from slipstick.sweeps import journal
from slipstick.sweeps.ledger import ROW_SEAL_SQL, Ledger, _with_seal_function
from slipstick.sweeps.orbit_bytes import InvalidOrbitBytes, pack_orbit, unpack_orbit
from slipstick.sweeps.point_arrays import read_arrays
from slipstick.sweeps.sweep_run import PointsLeftOut

AXES = {"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0]}
CHAIN = {"over": {"omega": [0.6 + 0.01 * k for k in range(12)]}, "measure": ["theta.amplitude"], "along": "omega"}
UNPICKLING = re.compile(r"^\s*(?:import|from) (?:cloudpickle|pickle|marshal|shelve|dill|joblib)\b", re.MULTILINE)
LOADING = re.compile(r"\b(?:np|numpy)\.(?:load|lib\.format\.read_array)\(.*")
SOURCE = Path(ss.__file__).parent


class Trap:
    """Unpickled, it leaves a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def torsional(omega, start=None):
    return ss.systems.torsional().periodic(frequency=omega, start=start)


def execute(store, statement, *values):
    with closing(sqlite3.connect(store)) as database:
        found = database.execute(statement, values).fetchall()
        database.commit()
    return found


@pytest.fixture(scope="module")
def finished_chain(tmp_path_factory):
    """The ledger of a chain of 12 points, and its figures."""
    store = tmp_path_factory.mktemp("chain") / "map.sqlite"
    return store, ss.sweep(torsional, **CHAIN, store=store, workers=1)["theta.amplitude"].values


def cut_chain(finished, folder, start):
    """A copy of which 5 points are done, the last with ``start`` in place of its orbit; and the figures of all."""
    store = Path(shutil.copy(finished[0], folder))
    with closing(Ledger.opened(store)) as ledger, ledger.writing():
        ledger.requeue_range(5, 11)
    execute(store, "UPDATE points SET start = ? WHERE number = 4", start)
    return store, finished[1]


def test_a_pickle_in_a_ledger_is_not_run_and_its_chain_is_computed_again(tmp_path, finished_chain):
    trap = tmp_path / "executed"
    store, figures = cut_chain(finished_chain, tmp_path, pickle.dumps(Trap(trap)))
    with pytest.warns(UserWarning, match="no readable orbit to continue from") as told:
        found = ss.sweep(torsional, **CHAIN, store=store, workers=1)
    assert not trap.exists()
    assert len(told) == 1
    assert "\n" not in str(told[0].message)
    assert np.array_equal(found["theta.amplitude"].values, figures)


def test_a_ledger_of_the_first_format_goes_on_without_its_pickled_orbits(tmp_path, finished_chain):
    trap = tmp_path / "executed"
    store, figures = cut_chain(finished_chain, tmp_path, pickle.dumps(Trap(trap)))
    execute(store, "UPDATE about SET value = '1' WHERE key = 'format'")
    for table in ("about", "points"):
        execute(store, f"ALTER TABLE {table} DROP COLUMN seal")
    assert ss.open(store).counts == {"done": 5, "waiting": 7}
    with pytest.warns(UserWarning, match="1 chain has no readable orbit .* 5 of their points are computed again"):
        found = ss.sweep(torsional, **CHAIN, store=store, workers=1)
    assert not trap.exists()
    assert np.array_equal(found["theta.amplitude"].values, figures)
    assert execute(store, "SELECT count(*) FROM points WHERE seal IS NULL") == [(0,)]
    assert ss.open(store).counts == {"done": 12}


def test_only_links_between_processes_are_unpickled():
    """Bytes from disk never are: modules that read files do not import pickle, and arrays hold no objects."""
    between = {
        "sweeps/process_pool.py",
        "sweeps/point_worker.py",
        "sweeps/dask_cluster.py",
        "workers/packing.py",
        "identification/ranking/law_workers.py",
    }
    between |= {
        "app/respond/transient_preview.py",
        "app/respond/tasks.py",
        "app/respond/jump_map.py",
        "app/respond/self_excited.py",
    }  # from the memory of the server to its workers
    reading = set()
    for file in SOURCE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if UNPICKLING.search(text):
            reading.add(file.relative_to(SOURCE).as_posix())
        for call in LOADING.findall(text):
            assert "allow_pickle=False" in call, file
    assert reading == between


def test_an_orbit_comes_back_from_its_bytes_to_the_last_bit_and_damaged_bytes_are_refused():
    for method in ("shooting", "harmonic-balance"):
        orbit = ss.systems.torsional().periodic(frequency=0.8, method=method)
        data = pack_orbit(orbit)
        found = unpack_orbit(data)
        assert pack_orbit(found) == data
        assert np.array_equal(found.point.x, orbit.point.x)
        assert np.array_equal(found.samples.displacement, orbit.samples.displacement)
        assert found.certificate == orbit.certificate
        assert found.names == orbit.names
    chance = random.Random(2)
    for _ in range(300):
        held = bytearray(data)
        held[chance.randrange(len(held))] ^= chance.randrange(1, 256)
        with pytest.raises(InvalidOrbitBytes):
            unpack_orbit(bytes(held))
    for foreign in (b"", None, "text", pickle.dumps(1), data[:-8], data + b"0"):
        with pytest.raises(InvalidOrbitBytes):
            unpack_orbit(foreign)


@pytest.mark.parametrize(
    "damage",
    [
        "figures = replace(figures, '0', '1')", "parameters = '{\"a\": 7.0, \"b\": 1.0}'", "state = 'failed'",
        "seconds = -1", "figures = CAST(x'ff' AS TEXT)", "seal = NULL", "number = 99",
    ],
)  # fmt: skip
def test_a_damaged_row_is_reported_and_computed_again(tmp_path, damage):
    store = tmp_path / "map.sqlite"
    before = ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    execute(store, f"UPDATE points SET {damage} WHERE number = 3")
    if "99" in damage:
        with pytest.raises(FileError, match="99"), pytest.warns(UserWarning, match="damaged"):
            ss.open(store)
    else:
        with pytest.warns(UserWarning, match=r"1 row is damaged \(wrong checksum\): point 3"):
            seen = ss.open(store)
        assert seen.counts == {"done": 5, "waiting": 1}
        assert "damaged" in seen["message"].values[1, 1]
        assert np.isnan(seen["quotient"].values[1, 1])
    execute(store, "DELETE FROM points WHERE number > 5")
    with pytest.warns(UserWarning, match="computed again"):
        after = ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    assert after["quotient"].identical(before["quotient"])
    assert after.counts == {"done": 6}


@pytest.mark.parametrize("number", [-1, 99])
def test_a_row_of_no_point_is_reported_and_removed(tmp_path, number):
    """It was waited for without end, or looked up in the plan."""
    store = tmp_path / "map.sqlite"
    before = ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    execute(store, "INSERT INTO points (number, parameters) VALUES (?, '{}')", number)
    with pytest.warns(UserWarning, match="1 row belongs to no point of this sweep; removed"):
        after = ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    assert after["quotient"].identical(before["quotient"])
    assert after.counts == {"done": 6}


def test_deeply_nested_text_of_a_point_that_waits_is_read_as_damage(tmp_path):
    store = tmp_path / "map.sqlite"
    ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    execute(store, "UPDATE points SET state = 'waiting', seal = NULL, parameters = ? WHERE number = 3", "[" * 100_000)
    assert "damaged" in ss.open(store)["message"].values[1, 1]


def test_a_lost_file_of_arrays_is_computed_again(tmp_path):
    def build(a):
        return {"long": a * np.arange(100.0)}

    store = tmp_path / "map.sqlite"
    before = ss.sweep(build, over={"a": [1.0, 2.0, 3.0]}, store=store, workers=1)
    files = sorted((tmp_path / "map.sqlite-arrays").rglob("*.npz"))
    files[0].unlink()
    files[2].write_bytes(files[2].read_bytes()[:-200])
    with pytest.warns(UserWarning, match="array files of points 0, 2"):
        after = ss.sweep(build, over={"a": [1.0, 2.0, 3.0]}, store=store, workers=1)
    assert after["long"].identical(before["long"])


def test_a_row_of_a_chain_is_computed_again_with_what_leads_to_it(tmp_path, finished_chain):
    """Its neighbour's orbit is gone by then; begun from rest it might be on another branch than its neighbours."""
    store = Path(shutil.copy(finished_chain[0], tmp_path))
    execute(store, "UPDATE points SET figures = '{}' WHERE number = 7")
    with pytest.warns(UserWarning, match="damaged") as told:
        found = ss.sweep(torsional, **CHAIN, store=store, workers=1)
    assert "1 row is damaged" in str(told[0].message)
    assert "7 of their points are computed again" in str(told[1].message)
    assert np.array_equal(found["theta.amplitude"].values, finished_chain[1])


def test_a_damaged_line_of_the_finished_points_is_not_taken_for_one(tmp_path):
    store, beside = tmp_path / "map.sqlite", tmp_path / "map.sqlite-finished"
    before = ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    lines = beside.read_text().splitlines(keepends=True)
    lines[3] = lines[3].replace('"product": ', '"product": 1')
    beside.write_text("".join(lines))
    store.write_bytes(b"")
    after = ss.sweep(helpers.product, over=AXES, store=store, workers=1, recover=True)
    assert after["product"].identical(before["product"])


def test_a_file_that_cannot_be_locked_is_not_said_to_be_held(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(FileError, match="cannot be locked: no locks available; keep the ledger on a local disk"):
        ss.sweep(helpers.product, over=AXES, store=tmp_path / "map.sqlite", workers=1)
    with open(tmp_path / "file", "wb") as file, pytest.raises(OSError, match="No locks"):
        journal.acquire_lock(file)


def test_points_that_are_left_out_are_warned_of_and_reported_by_the_result(tmp_path):
    store = tmp_path / "map.sqlite"
    with pytest.warns(PointsLeftOut, match="1 of 3 points failed; .failed lists them, retry=True"):
        found = ss.sweep(lambda a: 1.0 / a, over={"a": [-1.0, 0.0, 1.0]}, store=store, workers=1)
    assert found.left_out == "1 of 3 points failed"
    assert ss.open(store).left_out == "1 of 3 points failed"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = ss.sweep(lambda a: 2.0 * a, over={"a": [-1.0, 1.0]}, store=tmp_path / "whole.sqlite", workers=1)
    assert whole.left_out == ""


def forge(store, *statements):
    """Change a ledger and give it valid checksums, as a stranger may."""
    with closing(_with_seal_function(sqlite3.connect(store))) as database:
        for statement in statements:
            database.execute(statement)
        database.execute("UPDATE about SET seal = seal_of(CAST(key AS BLOB), CAST(value AS BLOB))")
        database.execute(f"UPDATE points SET seal = {ROW_SEAL_SQL}")
        database.commit()


@pytest.fixture(scope="module")
def finished_grid(tmp_path_factory):
    store = tmp_path_factory.mktemp("grid") / "map.sqlite"
    return store, ss.sweep(helpers.product, over=AXES, store=store, workers=1)


@pytest.mark.parametrize(
    "forged",
    [
        *(
            f"UPDATE about SET value = '{value}' WHERE key = '{key}'"
            for key, value in (
                ("total", '"abc"'), ("total", "-1"), ("total", "10"), ("total", "1e300"), ("dimensions", "3"),
                ("dimensions", '[["a", 1000000000000, ["a"]], ["b", 0, ["b"]]]'), ("dimensions", '[["a"]]'),
                ("parts", "3"), ("version", "5"), ("study", "[]"),
            )
        ),
        *(
            f"UPDATE points SET {change} WHERE number = 3"
            for change in (
                "figures = '[1]'", "figures = '{\"quotient\": {}}'", f"figures = '{{\"quotient\": {10**400}}}'",
                "certificate = '{\"passed\": \"x\"}'", "seconds = 'soon'", "parameters = '[]'",
                "arrays = '/etc/passwd'", "arrays = '../x.npz'", "message = x'ff'", "state = 'bogus'",
            )
        ),
        "CREATE VIEW others AS SELECT * FROM points",
        "CREATE TRIGGER again AFTER UPDATE ON points WHEN NEW.state = 'done'"
        " BEGIN UPDATE points SET state = 'waiting' WHERE number = NEW.number; END",
    ],
)  # fmt: skip
def test_a_forged_ledger_is_refused_in_a_line_and_built_anew(tmp_path, finished_grid, forged):
    store = Path(shutil.copy(finished_grid[0], tmp_path))
    shutil.copy(journal.journal_path(finished_grid[0]), tmp_path)
    forge(store, forged)
    with pytest.raises(FileError, match="is damaged"):
        ss.open(store)
    if "study" in forged:
        return  # of another study: nothing is known to be its own
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after = ss.sweep(helpers.product, over=AXES, store=store, workers=1, recover=True)
    assert after["quotient"].identical(finished_grid[1]["quotient"])


@pytest.mark.parametrize("name", ["COLUMN parameters TO parametert", "TO pointt"])
def test_a_ledger_whose_tables_have_other_names_is_damaged_and_built_anew(tmp_path, finished_grid, name):
    store = Path(shutil.copy(finished_grid[0], tmp_path))
    shutil.copy(journal.journal_path(finished_grid[0]), tmp_path)
    with closing(sqlite3.connect(store)) as database:
        database.execute(f"ALTER TABLE points RENAME {name}")
    with pytest.raises(FileError, match=r"is damaged .*recover=True"):
        ss.sweep(helpers.product, over=AXES, store=store, workers=1)
    after = ss.sweep(helpers.product, over=AXES, store=store, workers=1, recover=True)
    assert after["quotient"].identical(finished_grid[1]["quotient"])


def test_a_pipe_in_the_place_of_a_ledger_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / "map.sqlite")
    with pytest.raises(FileError, match="is not a sweep of slipstick; give another name"):
        ss.sweep(helpers.product, over=AXES, store=tmp_path / "map.sqlite", workers=1)
    assert (tmp_path / "map.sqlite").is_fifo()


def test_a_ledger_with_more_points_than_rows_is_refused_before_memory_is_reserved(tmp_path, finished_grid):
    store = Path(shutil.copy(finished_grid[0], tmp_path))
    size = 10**12
    forge(
        store,
        f"UPDATE about SET value = '{size}' WHERE key = 'total'",
        f"UPDATE about SET value = '[[\"a\", {size}, [\"a\"]]]' WHERE key = 'dimensions'",
    )
    with pytest.raises(FileError, match=r"rows for 6 of 1000000000000 points"):
        ss.open(store)


def test_a_message_of_a_ledger_does_not_reach_a_terminal_as_commands(tmp_path, finished_grid):
    store = Path(shutil.copy(finished_grid[0], tmp_path))
    forge(store, "UPDATE points SET state = 'failed', message = char(27) || '[2Jgone' WHERE number = 3")
    assert ss.open(store)["message"].values[1, 1] == " [2Jgone"


@pytest.mark.parametrize("name", ["../away.npz", "/etc/passwd", "pipe", "C:\\away.npz", "", "no\0name"])
def test_arrays_are_read_from_plain_files_beside_the_ledger_only(tmp_path, name):
    np.savez(tmp_path / "away.npz", np.array(["long"]), np.zeros(3))
    (tmp_path / "in").mkdir()
    os.mkfifo(tmp_path / "in" / "pipe")  # waited for without end
    with pytest.raises(FileError, match="not a file in the folder"):
        read_arrays(tmp_path / "in" / "map.sqlite", name)


def test_damaged_arrays_are_refused_whatever_is_damaged(tmp_path):
    np.savez(tmp_path / "good.npz", np.array(["long"]), np.arange(100.0))
    whole = (tmp_path / "good.npz").read_bytes()
    at = whole.rindex(b"PK\x01\x02", 0, whole.rindex(b"PK\x01\x02"))
    for place, value in ((at + 8, 1), (at + 10, 99), (at + 42, 7)):  # encrypted, compressed anyhow, elsewhere
        changed = bytearray(whole)
        changed[place] = value
        (tmp_path / "bad.npz").write_bytes(changed)
        with pytest.raises(FileError, match="cannot be read"):
            read_arrays(tmp_path / "map.sqlite", "bad.npz")
