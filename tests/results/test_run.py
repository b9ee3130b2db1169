"""What a run shows: data, events, certificate, and a repr that hides nothing."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest
from results.recorded_trajectories import certificate, trajectory

import slipstick as ss
from slipstick.results.events import Events
from slipstick.results.run import Run
from slipstick.results.trajectory import Event
from slipstick.transient import recorded_samples


def pair():
    m = ss.Model("pair")
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=2.0)
    m.connect(x - y, ss.Jenkins(stiffness=2.0, limit=0.8), name="joint")
    m.connect(y, ss.Linear(stiffness=3.0), name="ground")
    return m


def a_run(model=None, count=50, **changes):
    model = model or pair()
    return Run(trajectory(model, np.linspace(0.0, 9.0, count), **changes), model)


def test_data_has_the_shapes_and_names_of_the_contract():
    data = a_run().data
    assert dict(data.sizes) == {"time": 50, "coordinate": 2, "connection": 2}
    assert data["displacement"].dims == data["velocity"].dims == ("time", "coordinate")
    for name in ("deflection", "force", "state"):
        assert data[name].dims == ("time", "connection")
    assert data.coordinate.values.tolist() == ["x", "y"]
    assert data.connection.values.tolist() == ["joint", "ground"]
    assert data.time.attrs["units"] == "s"
    assert set(np.unique(data.state.sel(connection="joint"))) == {"stick", "slip+", "slip-"}
    assert set(np.unique(data.state.sel(connection="ground"))) == {""}


def test_data_picks_a_column_by_name():
    run = a_run()
    x = run.data.displacement.sel(coordinate="x")
    assert np.array_equal(x, run.samples.displacement[:, 0])


def test_attributes_say_where_the_data_come_from():
    attributes = a_run().data.attrs
    assert attributes["method"] == "exact"
    assert attributes["model"] == "pair"


def test_data_of_a_model_without_connections_is_empty_there():
    m = ss.Model("free")
    m.coordinate("x", inertia=1.0)
    data = a_run(m).data
    assert data.sizes["connection"] == 0
    assert data.force.shape == (50, 0)


def test_nothing_is_computed_before_it_is_looked_at():
    made = trajectory(pair(), [0.0, 1.0])
    asked = []
    for name in ("samples", "events", "certificate"):
        answer = getattr(made, name)()
        setattr(made, name, lambda name=name, answer=answer: (asked.append(name), answer)[1])
    run = Run(made, pair())
    assert run.stats.steps == 7
    assert asked == []
    assert run.data is run.data
    run.events, run.events  # noqa: B018
    assert sorted(asked) == ["events", "samples"]
    assert run.certificate is run.certificate
    assert sorted(asked) == ["certificate", "events", "samples"]


def test_the_repr_of_a_good_run_is_one_line_with_its_error():
    words = repr(a_run())
    assert words.startswith('<Run of "pair" by exact, ')
    assert "certificate passed: error <= 2e-09 (x), energy residual 3e-13" in words
    assert "\n" not in words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"energy_residual": 0.3}, "FAILED: energy does not balance: residual 0.3, at most 1e-09"),
        ({"error": math.inf, "sensitive": True}, "FAILED: sensitive"),
        ({"failures": ('the friction in "joint" gained 1 J, which is impossible',)}, 'FAILED: the friction in "joint"'),
        ({"energy_residual": math.nan}, "FAILED: energy does not balance"),
    ],
)
def test_a_failed_certificate_stands_in_the_repr(changes, words):
    run = a_run(**changes)
    assert not run.certificate.passed
    assert words in repr(run)
    assert words in repr(run.certificate)


def test_the_repr_of_a_certificate_is_readable():
    assert repr(certificate(pair())).splitlines() == [
        "Certificate passed",
        "  error <= 2e-09 (x)",
        "  energy residual 3e-13 (at most 1e-09)",
        "  work in 1.25 J = kinetic +0.5 J, stored +0.25 J, dissipated 1 J",
        "    joint   dissipated 0.5 J, stored +0.25 J",
        "    ground  absorbed 0.5 J",
        "  note: made by hand",
    ]


def test_a_certificate_of_many_connections_shows_the_largest():
    many = {f"c{i}": float(i) for i in range(40)}
    words = repr(certificate(pair(), dissipated=many, stored={}))
    assert "c39" in words
    assert "c3 " not in words
    assert "and 28 more connections" in words


# ---- events

ROWS = [Event(0.25 * i, "joint" if i % 2 else "mesh", "stick", f"slip{'+' if i % 3 else '-'}") for i in range(30)]


def test_events_have_columns_and_rows():
    events = Events(ROWS)
    assert len(events) == 30
    assert events["time"].dtype == float
    assert events["time"][2] == 0.5
    assert events["connection"].tolist()[:2] == ["mesh", "joint"]
    assert events[1] == ROWS[1]
    assert events[-1] == ROWS[-1]
    assert list(events) == ROWS
    assert events.columns == ("time", "connection", "before", "after")


def test_events_are_picked_by_slice_and_mask():
    events = Events(ROWS)
    late = events[events["time"] > 7.0]
    assert isinstance(late, Events)
    assert late["time"].tolist() == [7.25]
    assert list(events[:3]) == ROWS[:3]


def test_no_events_are_an_empty_table():
    events = Events([])
    assert len(events) == 0
    assert events["time"].size == 0
    assert list(events) == []
    assert repr(events) == "0 events"


def test_events_show_their_first_and_last():
    lines = repr(Events(ROWS)).splitlines()
    assert lines[0] == "30 events"
    assert lines[1].split() == ["time", "connection", "before", "after"]
    assert "..." in lines
    assert len(lines) == 13
    assert lines[-1].split() == ["7.25", "joint", "stick", "slip+"]


def test_events_go_to_pandas():
    table = Events(ROWS).to_pandas()
    assert list(table.columns) == ["time", "connection", "before", "after"]
    assert len(table) == 30


def test_a_column_that_is_none_is_refused():
    with pytest.raises(ss.InvalidInput, match='no column "times" \\(did you mean "time"'):
        Events(ROWS)["times"]
    with pytest.raises(IndexError, match="there are 30 events"):
        Events(ROWS)[30]
    with pytest.raises(ss.InvalidInput, match="a slice or a mask of 30"):
        Events(ROWS)[np.ones(7, dtype=bool)]


def test_a_run_left_without_a_certificate_says_why_and_has_not_failed():
    run = Run(trajectory(pair(), [0.0, 1.0]), pair())
    run.leave_uncertified("interrupted before the certificate was computed")
    assert not run.certificate.passed
    assert run.certificate.verdict == "not computed: interrupted before the certificate was computed"
    assert math.isnan(run.certificate.error)
    assert repr(run.certificate) == "Certificate not computed: interrupted before the certificate was computed"
    first = run.certificate
    run.leave_uncertified("again")
    assert run.certificate is first


def test_a_run_of_steps_that_loses_energy_is_advised_to_take_smaller_ones():
    lost = certificate(pair(), energy_residual=0.3, tolerance=0.01, advice="take a smaller step")
    assert lost.verdict.endswith("residual 0.3, at most 0.01; take a smaller step")
    assert "smaller step" not in certificate(pair(), advice="take a smaller step").verdict


def test_every_reason_is_reported_beside_a_failure_and_an_error_that_is_no_figure():
    bad = certificate(pair(), failures=("the friction gained energy",), error=math.nan, energy_residual=0.3)
    assert not bad.is_none
    assert bad.reasons[0] == "the friction gained energy"
    assert any("could not be estimated" in reason for reason in bad.reasons)
    assert any("does not balance" in reason for reason in bad.reasons)


def test_a_name_that_no_energy_has_is_refused_with_what_was_meant():
    c = certificate(pair())
    with pytest.raises(ss.InvalidInput, match=r"there is no 'grund' here \(did you mean"):
        c.dissipated["grund"]
    assert c.dissipated.get("grund") is None


class Slow:
    """A trajectory whose certificate nobody may compute."""

    def __init__(self, steps, seconds):
        self.made = trajectory(pair(), [0.0, 1.0])
        self.stats, self.reached = self.made.stats, 1.0
        self.stats.steps, self.stats.seconds = steps, seconds
        self.samples, self.events = self.made.samples, self.made.events
        self.asked = 0

    def certificate(self):
        self.asked += 1
        return self.made.certificate()


@pytest.mark.parametrize(("steps", "seconds"), [(10**6, 0.0), (10, 30.0)])
def test_a_long_run_is_shown_without_computing_its_certificate(steps, seconds):
    run = Run(Slow(steps, seconds), pair())
    assert "not computed: it may take ten times as long as the run; run.certificate computes it" in repr(run)
    figure = run.plot()
    assert "not computed" in figure.get_suptitle()
    plt.close(figure)
    assert run.trajectory.asked == 0
    assert run.certificate.passed
    assert "certificate passed" in repr(run)


def test_a_short_run_is_shown_with_its_certificate():
    run = Run(Slow(10, 0.01), pair())
    assert "certificate passed" in repr(run)
    assert run.trajectory.asked == 1


def test_events_of_one_law_are_listed_without_a_row_each(monkeypatch):
    made = []
    monkeypatch.setattr(recorded_samples, "Event", lambda *row: made.append(row) or Event(*row))
    m = ss.Model("block", frequency=1.0)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(x, ss.DryFriction(limit=0.1), name="floor")
    m.load(x, ss.Cosine(1.0, order=1))
    run = m.simulate(until=600.0, samples=0)
    events = run.events
    assert len(events) == run.stats.events > 180
    assert len(made) <= 12  # a kind each: from one of the states slip+, slip-, stick to another
    assert set(events["connection"]) == {"floor"}
    assert (np.diff(events["time"]) >= 0.0).all()
    assert events["before"][1:].tolist() == events["after"][:-1].tolist()
