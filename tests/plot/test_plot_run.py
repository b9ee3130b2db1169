"""The picture of a run shows what it should; how it looks is looked at by people."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from results.made import trajectory

import slipstick as ss
from slipstick.results.run import Run
from slipstick.results.trajectory import Event

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def chain(n, count=300, **changes):
    m = ss.Model(f"chain of {n}")
    before = None
    for i in range(n):
        x = m.coordinate(f"x{i}", inertia=1.0)
        m.connect(x if before is None else x - before, ss.Jenkins(stiffness=1.0, limit=1.0), name=f"joint{i}")
        before = x
    return Run(trajectory(m, np.linspace(0.0, 20.0, count), **changes), m)


def titles(figure):
    return [panel.get_title(loc="right") for panel in figure.axes if panel.get_visible()]


def labels(figure):
    return [panel.get_ylabel() for panel in figure.axes if panel.get_ylabel()]


@pytest.mark.parametrize("n", [1, 2, 10])
def test_every_coordinate_has_a_history(n):
    figure = chain(n).plot()
    assert labels(figure) == [f"x{i}" for i in range(n)]
    assert figure.get_suptitle().startswith(f"chain of {n}  ·  exact  ·  error ≤ 2e-09")


def test_of_many_coordinates_those_that_move_most_are_shown_and_the_title_says_so():
    figure = chain(15).plot()
    assert labels(figure) == [f"x{i}" for i in range(12)]
    assert "12 of 15 coordinates" in figure.get_suptitle()
    assert "6 of 15 loops" in figure.get_suptitle()


def test_loops_have_the_force_over_the_deflection():
    run = chain(3)
    figure = run.plot(connections="joint1")
    loop = next(panel for panel in figure.axes if panel.get_title(loc="right") == "joint1")
    (line,) = loop.get_lines()
    assert np.array_equal(line.get_xdata(), run.samples.deflection[:, 1])
    assert np.array_equal(line.get_ydata(), run.samples.force[:, 1])


def bars(figure):
    """(begin, end) of every bar of the bands, by colour."""
    found = {}
    for panel in figure.axes:
        for collection in panel.collections:
            if isinstance(collection, PolyCollection):
                colour = mpl.colors.to_hex(collection.get_facecolor()[0])
                spans = [(p.vertices[:, 0].min(), p.vertices[:, 0].max()) for p in collection.get_paths()]
                found.setdefault(colour, []).extend(spans)
    return found


def test_bands_change_where_the_events_are_and_not_where_the_samples_are():
    run = chain(1, count=11)
    run.trajectory.changes[:] = [Event(1.234, "joint0", "stick", "slip+"), Event(7.89, "joint0", "slip+", "stick")]
    found = bars(run.plot())
    assert found["#22313f"] == [pytest.approx((0.0, 1.234)), pytest.approx((7.89, 20.0))]
    assert found["#d1495b"] == [pytest.approx((1.234, 7.89))]


def test_without_events_bands_follow_the_samples():
    found = bars(chain(1, events=False).plot())
    assert len(found) == 3
    assert sum(end - begin for spans in found.values() for begin, end in spans) == pytest.approx(20.0)


def test_a_model_without_states_has_no_bands_and_one_without_connections_no_loops():
    m = ss.Model("free")
    m.coordinate("x", inertia=1.0)
    figure = Run(trajectory(m, np.linspace(0.0, 1.0, 100)), m).plot()
    assert len(figure.axes) == 1
    assert bars(figure) == {}


def test_a_failed_certificate_is_in_the_title():
    figure = chain(2, energy_residual=0.3).plot()
    assert "certificate FAILED: energy does not balance" in figure.get_suptitle()
    assert "error ≤" not in figure.get_suptitle()


def test_a_long_run_is_thinned_to_its_envelope():
    run = chain(2, count=30_001)
    figure = run.plot()
    (line,) = figure.axes[0].get_lines()
    assert line.get_xdata().size <= 4000
    assert line.get_ydata().max() == run.samples.displacement[:, 0].max()
    assert line.get_ydata().min() == run.samples.displacement[:, 0].min()


def test_bands_narrower_than_a_pixel_still_cover_the_run():
    run = chain(1)
    changes = [Event(20.0 * (i + 1) / 9000, "joint0", "stick", "slip+") for i in range(8999)]
    run.trajectory.changes[:] = [
        e if i % 2 == 0 else Event(e.time, "joint0", "slip+", "stick") for i, e in enumerate(changes)
    ]
    found = bars(run.plot())
    assert sum(map(len, found.values())) <= 2000
    assert sum(end - begin for spans in found.values() for begin, end in spans) == pytest.approx(20.0)


def test_a_single_sample_can_be_drawn():
    figure = chain(2, count=1).plot()
    figure.canvas.draw()
    assert labels(figure) == ["x0", "x1"]


def test_states_that_nobody_knew_have_colours_of_their_own():
    run = chain(1)
    run.samples.state[:100, 0] = "st0"
    run.samples.state[100:, 0] = "st1"
    run.trajectory.changes.clear()
    assert len(bars(run.plot())) == 2


@pytest.mark.parametrize(
    ("asked", "words"),
    [({"coordinates": "x7"}, "no coordinate 'x7'"), ({"connections": ["joint0", "jiont1"]}, 'did you mean "joint1"')],
)
def test_a_name_that_is_none_is_refused(asked, words):
    with pytest.raises(ss.InvalidInput) as refused:
        chain(3).plot(**asked)
    assert words in str(refused.value)


def test_the_callers_settings_are_left_alone():
    before = dict(mpl.rcParams)
    chain(1).plot()
    assert dict(mpl.rcParams) == before
