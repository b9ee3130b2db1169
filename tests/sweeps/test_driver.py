"""The loop of a sweep, with workers that do as they are told."""

import pytest

from slipstick.sweeps.backend import PointFinished, PointsLost
from slipstick.sweeps.driver import Driver
from slipstick.sweeps.journal import Journal
from slipstick.sweeps.ledger import Ledger
from slipstick.sweeps.plan import plan_of
from slipstick.sweeps.point_outcome import DONE, PointOutcome


def orbit_of(number):
    return f"orbit {number}".encode()


class Scripted:
    """A backend that computes at once; ``poison`` kills whoever has it, and nobody says which point it was."""

    workers = 1

    def __init__(self, poison=(), tells=False):
        self.poison, self.tells = set(poison), tells
        self.batches, self._events = [], []

    def wants(self):
        return not self._events

    def submit(self, batch):
        numbers = tuple(job.number for job in batch)
        self.batches.append((numbers, batch[0].start))
        bad = [number for number in numbers if number in self.poison]
        if bad:
            self._events.append(PointsLost(numbers, bad[0] if self.tells else None, "died", killed=not self.tells))
            return
        for number in numbers:
            self._events.append(
                PointFinished(number, PointOutcome(DONE, {"x": number}, {}, {}, "", 0.001, orbit_of(number)))
            )

    def in_progress(self):
        return {}

    def events(self, timeout):
        found, self._events = self._events, []
        return found

    def close(self):
        pass


@pytest.fixture
def drive(tmp_path):
    opened = []

    def make(backend, chain, states=()):
        path = tmp_path / f"{len(opened)}.sqlite"
        plan = plan_of({"a": [0, 1], "b": [0, 1, 2, 3]})
        dimensions = [[d.name, len(d), list(d.columns)] for d in plan.dimensions]
        about = {"study": "s", "version": "v", "parts": {}, "dimensions": dimensions}
        ledger = Ledger.made(path, plan, about)
        journal = Journal(path.with_name(path.name + "-finished"), path)
        opened.extend([ledger, journal])
        with ledger.writing():
            for number in states:
                ledger.put_outcome(number, PointOutcome(DONE, {"x": number}, {}, {}, "", 0.0, orbit_of(number)))
        driver = Driver(plan, ledger, journal, backend, chain, None)
        driver.run()
        return ledger

    yield make
    for each in opened:
        each.close()


def test_a_chain_with_a_point_that_kills_everybody_comes_to_an_end(drive):
    backend = Scripted(poison=[2])
    ledger = drive(backend, chain=4)
    assert {row.number: row.state for row in ledger.rows()} == {k: "failed" if k == 2 else "done" for k in range(8)}
    assert len(backend.batches) < 12


def test_a_lost_chain_goes_on_from_the_orbit_before(drive):
    backend = Scripted(poison=[3])
    drive(backend, chain=4)
    alone = {numbers[0]: start for numbers, start in backend.batches if len(numbers) == 1}
    assert alone[1] == orbit_of(0)
    assert alone[2] == orbit_of(1)


def test_points_that_do_not_follow_each_other_are_no_chain(drive):
    backend = Scripted()
    drive(backend, chain=4, states=(1, 3, 4))
    assert [numbers for numbers, _ in backend.batches] == [(0,), (2,), (5, 6, 7)]
    starts = {numbers[0]: start for numbers, start in backend.batches}
    assert starts[0] is None
    assert starts[2] == orbit_of(1)
    assert starts[5] == orbit_of(4)


def test_no_orbit_is_kept_when_all_is_done(drive):
    ledger = drive(Scripted(), chain=4)
    assert [ledger.start_of(number) for number in range(8)] == [None] * 8


def test_a_point_that_is_named_is_left_out_after_three_deaths(drive):
    backend = Scripted(poison=[5], tells=True)
    ledger = drive(backend, chain=1)
    assert [row.number for row in ledger.rows() if row.state == "failed"] == [5]


class Together(Scripted):
    """Two batches at a time on one worker: what is beside poison is lost with it, as in Dask."""

    def __init__(self, poison):
        super().__init__(poison)
        self.held = []

    def wants(self):
        return len(self.held) < 2

    def submit(self, batch):
        self.batches.append((tuple(job.number for job in batch), None))
        self.held.append(self.batches[-1][0])

    def events(self, timeout):
        held, self.held = self.held, []
        if any(number in self.poison for numbers in held for number in numbers):
            return [PointsLost(numbers, None, "died", killed=True) for numbers in held]
        return [PointFinished(n, PointOutcome(DONE, {"x": n}, {}, {}, "", 1.0)) for numbers in held for n in numbers]


@pytest.mark.parametrize("poison", [[0], [3], [7], [2, 3], [0, 1, 6, 7]])
def test_a_point_that_only_waited_beside_poison_is_computed(drive, poison):
    ledger = drive(Together(poison), chain=1)
    assert {row.number: row.state for row in ledger.rows()} == {
        k: "failed" if k in poison else "done" for k in range(8)
    }


class Crowded(Scripted):
    """Three workers that somebody kills whenever two of them have something; each names the point that it had."""

    workers = 3

    def __init__(self, poison=()):
        super().__init__(poison)
        self.held = []

    def wants(self):
        return len(self.held) < self.workers

    def submit(self, batch):
        self.held.append(tuple(job.number for job in batch))

    def events(self, timeout):
        held, self.held = self.held, []
        self.batches += [(numbers, None) for numbers in held]
        if len(held) > 1 or any(numbers[0] in self.poison for numbers in held):
            return [PointsLost(numbers, numbers[0], "killed by SIGKILL") for numbers in held]
        return [PointFinished(n, PointOutcome(DONE, {"x": n}, {}, {}, "", 1.0)) for numbers in held for n in numbers]


@pytest.mark.parametrize("poison", [[], [5]])
def test_points_that_die_beside_others_are_computed_alone_before_they_are_left_out(drive, poison):
    ledger = drive(Crowded(poison), chain=1)
    assert {row.number: row.state for row in ledger.rows()} == {
        k: "failed" if k in poison else "done" for k in range(8)
    }
    assert all("killed its worker 3 times, the last time alone" in row.message for row in ledger.first_failed(8))
