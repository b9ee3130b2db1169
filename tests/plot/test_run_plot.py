"""The picture of a run shows what it should; how it looks is looked at by people."""

from __future__ import annotations

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from results.recorded_trajectories import trajectory

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
    figure = run.plot()
    assert sum(map(len, bars(figure).values())) <= 2000
    band = next(panel for panel in figure.axes if panel.get_legend() is not None)
    assert band.get_title(loc="right") == "heights: share of the time"
    for collection in band.collections:  # each state holds half of the time, everywhere
        (path,) = collection.get_paths()
        inside = path.vertices[(path.vertices[:, 0] > 0.1) & (path.vertices[:, 0] < 19.9)]
        assert np.ptp(inside[:, 1]) == pytest.approx(0.36, rel=0.1)
        assert (path.vertices[:, 0].min(), path.vertices[:, 0].max()) == (0.0, 20.0)


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


# ---- what lies between samples


GAP, STIFFNESS = 0.05, 100.0


def rattle(until=20.0, **settings):
    m = ss.Model("rattle", frequency=2.0)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Freeplay(stiffness=STIFFNESS, half_gap=GAP), name="mesh")
    m.connect(x, ss.Linear(damping=0.3), name="oil")
    m.load(x, ss.Sine(2.0, order=1))
    return m.simulate(until=until, **settings)


def panel_of(figure, title):
    return next(panel for panel in figure.axes if panel.get_title(loc="right") == title)


@pytest.mark.parametrize("samples", [0, 20, 2000])
def test_the_loop_of_an_exact_run_cuts_no_corner(samples):
    (line,) = panel_of(rattle(samples=samples).plot(), "mesh").get_lines()
    u, f = line.get_data()
    between = 0.5 * (u[1:] + u[:-1])
    law = STIFFNESS * np.sign(between) * np.maximum(np.abs(between) - GAP, 0.0)
    assert np.abs(0.5 * (f[1:] + f[:-1]) - law).max() < 1e-6 * np.ptp(f)
    assert np.abs(u).max() > 1.5 * GAP
    assert line.get_linestyle() == "-"


def test_samples_too_far_apart_for_a_line_are_dots():
    (line,) = panel_of(rattle(method="newmark", step=1e-3, samples=90).plot(), "mesh").get_lines()
    assert line.get_linestyle() == "None"
    assert line.get_xdata().size == 90
    (line,) = panel_of(rattle(method="newmark", step=1e-3).plot(), "mesh").get_lines()
    assert line.get_linestyle() == "-"


def test_a_fast_motion_is_a_band_and_its_last_loops_are_lines():
    run = rattle(until=4000.0, samples=0)
    figure = run.plot()
    history, loop = figure.axes[0], panel_of(figure, "mesh")
    assert len(history.get_lines()) == 0
    (band,) = history.collections
    (path,) = band.get_paths()
    dense = rattle(until=4000.0, samples=200_000).samples.displacement
    assert path.vertices[:, 1].max() == pytest.approx(dense.max(), rel=0.02)
    assert path.vertices[:, 1].min() == pytest.approx(dense.min(), rel=0.02)
    before, last = loop.get_lines()
    assert (before.get_linestyle(), last.get_linestyle()) == ("None", "-")
    u, f = last.get_data()
    between = 0.5 * (u[1:] + u[:-1])
    law = STIFFNESS * np.sign(between) * np.maximum(np.abs(between) - GAP, 0.0)
    assert np.abs(0.5 * (f[1:] + f[:-1]) - law).max() < 1e-4 * np.ptp(f)
    assert "the last ones, from " in figure.get_suptitle()
    assert u.size + before.get_xdata().size < 100_000


def test_a_motion_faster_than_any_reading_does_not_beat_with_it():
    """100,000 periods: evenly spread points would draw a slow wave that is not there."""
    m = ss.Model("fast")
    m.coordinate("x", inertia=1.0, velocity=1.0)
    m.connect(m["x"], ss.Linear(stiffness=1.0), name="spring")
    (band,) = m.simulate(until=2.0 * np.pi * 1e5, samples=0).plot().axes[0].collections
    (path,) = band.get_paths()
    upper = path.vertices[path.vertices[:, 1] > 0.0, 1]
    assert upper.min() > 0.8
    assert upper.max() <= 1.0 + 1e-9


# ---- windows


def test_a_window_shows_its_part_of_the_run():
    run = rattle()
    figure = run.plot(start=4.0, until=7.5)
    assert figure.axes[0].get_xlim() == (4.0, 7.5)
    (line,) = figure.axes[0].get_lines()
    assert (line.get_xdata()[0], line.get_xdata()[-1]) == (4.0, 7.5)
    spans = [span for each in bars(figure).values() for span in each]
    assert min(begin for begin, _ in spans) == 4.0
    assert max(end for _, end in spans) == 7.5
    assert sum(end - begin for begin, end in spans) == pytest.approx(3.5)


def test_a_window_of_recorded_samples():
    run = chain(1)
    (line,) = run.plot(start=5.0).axes[0].get_lines()
    assert line.get_xdata()[0] >= 5.0
    assert line.get_xdata()[-1] == 20.0


@pytest.mark.parametrize(
    ("window", "words"),
    [
        ({"start": -1.0}, "start must be a time within the run, 0 to 20 s, got -1 s"),
        ({"until": 21.0}, "until must be a time within the run"),
        ({"start": 5.0, "until": 5.0}, r"until must be after start \(5 s\), got 5 s"),
        ({"start": "5"}, "start must be a number"),
    ],
)
def test_a_window_beside_the_run_is_refused(window, words):
    with pytest.raises(ss.InvalidInput, match=words):
        chain(1).plot(**window)


# ---- few samples, or none


@pytest.mark.parametrize("method", ["events", "newmark"])
def test_a_run_without_samples_can_be_drawn(method):
    figure = rattle(until=1.0, method=method, samples=0).plot()
    figure.canvas.draw()
    assert ("one sample to draw" in figure.get_suptitle()) == (method == "newmark")


def test_a_run_of_nothing_can_be_drawn():
    run = chain(2, count=1)
    run.__dict__["samples"] = run.samples.part(slice(0, 0))
    figure = run.plot()
    figure.canvas.draw()
    assert "there are no samples to draw" in figure.get_suptitle()


# ---- units

MIXED = """\
slipstick: 1
name: mixed
coordinates:
  slide: {inertia: 2 kg, displacement: 3 mm}
  turn: {inertia: 0.1 kg m^2, displacement: 10 deg}
connections:
  spring: {deflection: slide, law: linear, stiffness: 5 N/mm}
  mesh: {deflection: turn, law: freeplay, stiffness: 40 N m/rad, half_gap: 2 deg}
"""


def test_axes_have_the_units_of_the_file(tmp_path):
    (tmp_path / "mixed.yaml").write_text(MIXED)
    run = ss.open(tmp_path / "mixed.yaml").simulate(until=0.5)
    run.save(tmp_path / "mixed.nc")
    for each in (run, ss.open(tmp_path / "mixed.nc")):
        figure = each.plot()
        assert labels(figure) == ["slide\n[mm]", "turn\n[deg]"]
        assert {"spring  [mm, N]", "mesh  [deg, N m]"} <= {p.get_title(loc="right") for p in figure.axes}
        (slide,), (turn,) = (panel.get_lines() for panel in figure.axes[:2])
        assert slide.get_ydata()[0] == pytest.approx(3.0)
        assert turn.get_ydata()[0] == pytest.approx(10.0)


def test_units_that_are_the_same_stand_once(tmp_path):
    (tmp_path / "one.yaml").write_text("".join(line for line in MIXED.splitlines(True) if "turn" not in line))
    figure = ss.open(tmp_path / "one.yaml").simulate(until=0.5).plot()
    assert labels(figure) == ["slide"]
    assert figure.axes[0].get_title(loc="right") == "displacement [mm]"


def test_a_model_without_units_says_neither_metres_nor_radians():
    assert rattle(until=1.0).plot().axes[0].get_title(loc="right") == "displacement [SI]"


def test_tick_labels_do_not_collide():
    figure = chain(12).plot()
    figure.canvas.draw()
    for panel in figure.axes:
        boxes = [t.get_window_extent() for t in panel.get_xticklabels() if t.get_text() and t.get_visible()]
        low, high = panel.get_window_extent().intervalx
        inside = sorted((b for b in boxes if low - 1 <= 0.5 * (b.x0 + b.x1) <= high + 1), key=lambda b: b.x0)
        assert all(a.x1 < b.x0 for a, b in pairwise(inside))


# ---- what is shown of it


def rotor(load):
    """A shaft that turns, and a wheel on a spring beside it that swings."""
    m = ss.Model("rotor")
    shaft = m.coordinate("shaft", inertia=1.0, velocity=50.0)
    wheel = m.coordinate("wheel", inertia=1.0, displacement=0.1)
    m.connect(wheel, ss.Linear(stiffness=400.0), name="spring")
    m.load(shaft, load)
    return m.simulate(until=2.0)


@pytest.mark.parametrize("load", [ss.Constant(0.0), ss.Constant(60.0), ss.Cosine(90.0, frequency=30.0)])
def test_a_shaft_that_turns_shows_its_velocity(load):
    run = rotor(load)
    figure = run.plot()
    assert labels(figure)[:2] == ["shaft\nvelocity\n[SI]", "wheel\ndisplacement\n[SI]"]
    (line,) = figure.axes[0].get_lines()
    assert line.get_ydata()[0] == 50.0


def test_what_comes_to_rest_elsewhere_shows_its_displacement():
    m = ss.Model("dashpot")
    x = m.coordinate("x", inertia=1.0, velocity=1.0)
    m.connect(x, ss.Linear(damping=5.0), name="oil")
    assert titles(m.simulate(until=2.0).plot())[0] == "displacement [SI]"


@pytest.mark.parametrize(
    ("quantity", "title", "names"),
    [
        ("velocity", "velocity [SI]", ["x0", "x1"]),
        ("displacement", "displacement [SI]", ["x0", "x1"]),
        ("deflection", "deflection [SI]", ["joint0", "joint1"]),
        ("force", "force [SI]", ["joint0", "joint1"]),
    ],
)
def test_a_quantity_that_is_asked_for_is_shown(quantity, title, names):
    run = chain(2)
    figure = run.plot(quantity=quantity)
    assert titles(figure)[0] == title
    assert labels(figure)[:2] == names
    (line,) = figure.axes[1].get_lines()
    assert np.array_equal(line.get_ydata(), getattr(run.samples, quantity)[:, 1])


def test_forces_of_some_connections():
    assert labels(chain(3).plot(quantity="force", connections=["joint2"]))[:1] == ["joint2"]


def test_a_quantity_or_an_argument_that_is_none_is_refused():
    with pytest.raises(ss.InvalidInput, match=r'quantity must be .*got \'velocty\' \(did you mean "velocity"'):
        chain(1).plot(quantity="velocty")
    with pytest.raises(ss.InvalidInput, match=r'plot: no argument "coordinate" \(did you mean "coordinates"'):
        chain(1).plot(coordinate="x0")


def test_a_hundred_cycles_are_a_line_and_a_thousand_a_range_as_wide_as_the_motion():
    m = ss.Model("fast")
    m.coordinate("x", inertia=1.0, velocity=1.0)
    m.connect(m["x"], ss.Linear(stiffness=1.0), name="spring")
    assert len(m.simulate(until=2.0 * np.pi * 100).plot().axes[0].get_lines()) == 1
    panel = m.simulate(until=2.0 * np.pi * 1000).plot().axes[0]
    (path,) = panel.collections[0].get_paths()
    assert np.abs(path.vertices[:, 1]).min() > 0.99
    assert [text.get_text() for text in panel.get_legend().get_texts()] == ["range"]


@pytest.mark.parametrize(
    ("value", "low", "high", "words"),
    [
        (0.0, -1.0, 1.0, "0"),
        (1e-17, -1.0, 1.0, "0"),
        (-2.5, -5.0, 5.0, "-2.5"),
        (314.15, 314.1, 314.2, "314.15"),
        (31415.925, 31415.92, 31415.93, "31415.925"),
        (2.5e-5, 0.0, 1e-4, "2.5e-5"),
        (1.25e4, 0.0, 5e4, "12500"),
        (2.5e6, 0.0, 5e6, "2.5e6"),
    ],
)
def test_numbers_beside_an_axis_are_complete(value, low, high, words):
    from slipstick.plot.ticks import tick_label

    assert tick_label(value, low, high) == words
