"""Pictures show all that is there: every curve on common axes, every contact, whole sentences, no line over a jump."""

from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from periodic.analytic_families import plain_point
from plot.test_curve_plot import made as made_curve
from results.recorded_trajectories import trajectory

import slipstick as ss
from slipstick.plot.branch_jumps import branch_jumps
from slipstick.plot.state_bands import STATE_COLOURS
from slipstick.results.run import Run
from slipstick.results.trajectory import Event

mpl.use("Agg")


# ---- logarithmic axes


def level(size, error=1e-9):
    """A curve whose amplitudes are ``size`` to twice that [mm]."""
    points = [plain_point([1e-3 * size * (1.0 + 0.25 * k)], 1.0 + k) for k in range(5)]
    return made_curve([replace(point, error=1e-3 * error) for point in points], joined=True)


@pytest.mark.parametrize("error", [1e-9, 3.0, 1e3])
@pytest.mark.parametrize("sizes", [(1.0, 40.0, 900.0), (900.0, 40.0, 1.0), (40.0, 900.0, 1.0)])
def test_a_logarithmic_axis_has_room_for_all_curves_on_it(sizes, error):
    figure = level(sizes[0], error).plot(log=True, label="a")
    for size in sizes[1:]:
        level(size, error).plot(ax=figure.axes, log=True, label=str(size))
    low, high = figure.axes[0].get_ylim()
    assert 0.0 < low < min(sizes)
    assert low > 0.5 * min(sizes)  # and no decades of nothing below
    assert high > 2.0 * max(sizes)


def test_a_line_across_the_axes_is_no_curve():
    figure = level(50.0).plot(log=True)
    figure.axes[0].axvline(2.0)
    level(60.0).plot(ax=figure.axes, log=True)
    assert figure.axes[0].get_ylim()[0] == pytest.approx(0.7 * 50.0)


# ---- states


def hit(times, brief, until=5.0):
    """A run whose stop is touched at some times, each time so briefly."""
    m = ss.Model("stop")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=1.0), name="stops")
    run = Run(trajectory(m, np.linspace(0.0, until, 200)), m)
    run.trajectory.changes[:] = [
        event
        for t in times
        for event in (Event(t, "stops", "free", "contact+"), Event(t + brief, "stops", "contact+", "free"))
    ]
    return run


def columns_with(figure, word):
    """Pixels across, from the left edge of the band, in which the colour of a state is seen."""
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    panel = next(panel for panel in figure.axes if panel.get_legend() is not None)
    box = panel.get_window_extent()
    rows = slice(int(pixels.shape[0] - box.y1) + 1, int(pixels.shape[0] - box.y0) - 1)
    inside = pixels[rows, int(box.x0) : int(box.x1)]
    colour = np.array([int(STATE_COLOURS[word][i : i + 2], 16) for i in (1, 3, 5)])
    near = (np.abs(inside - colour).max(axis=2) < 12).any(axis=0)
    return np.flatnonzero(near), box.width


@pytest.mark.parametrize("brief", [1e-6, 1e-4])
@pytest.mark.parametrize("count", [1, 7, 450, 4000])
def test_every_contact_is_seen_however_brief_it_is(count, brief):
    times = np.linspace(0.6, 4.4, count)
    seen, width = columns_with(hit(times, brief).plot(), "contact+")
    for t in times:
        assert np.abs(seen - width * t / 5.0).min() <= 0.005 * width
    assert (seen < 0.11 * width).sum() == 0  # and none is seen where there was none
    assert (seen > 0.89 * width).sum() == 0


def test_what_is_free_for_most_of_the_time_is_seen_between_contacts():
    times = np.linspace(0.6, 4.4, 4000)
    seen, width = columns_with(hit(times, 1e-6).plot(), "free")
    assert seen.size > 0.95 * width


# ---- titles


LONG = "the steps became too short at a corner of the law, " * 12 + "and that was the end"


@pytest.mark.parametrize("connections", [None, []])
def test_a_title_has_whole_sentences_within_the_figure(connections):
    m = ss.Model("a model with a name that is rather long, as names of machines are")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=1.0))
    run = Run(trajectory(m, np.linspace(0.0, 20.0, 300), failures=(LONG,)), m)
    figure = run.plot(connections=connections)
    assert f"certificate FAILED: {LONG}" in " ".join(figure.get_suptitle().split())
    figure.canvas.draw()
    assert figure._suptitle.get_window_extent().x1 <= figure.bbox.x1


# ---- jumps


def test_a_fold_breaks_the_line_through_separate_points():
    m = ss.Model("duffing")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.5), damping=0.1), name="spring")
    m.load(x, ss.Cosine(0.5, order=1))
    at = np.linspace(0.5, 3.0, 60)
    curve = m.frequency_response(at=at)
    fold = max(s["frequency"] for s in m.frequency_response(between=(0.5, 3.0)).special if s["kind"] == "fold")
    (k,) = branch_jumps(curve)
    assert at[k] <= fold
    assert curve.points[k].amplitude[0] > 5.0 * curve.points[k + 1].amplitude[0]
    line = curve.plot().axes[0].get_lines()[0]
    gap = np.flatnonzero(np.isnan(line.get_ydata()))
    assert gap.tolist() == [k + 1]
    assert line.get_ydata().size == 61


@pytest.mark.parametrize("damping", [2e-3, 0.02, 0.2])
@pytest.mark.parametrize("count", [12, 40, 120])
@pytest.mark.parametrize("uneven", [False, True])
def test_a_linear_resonance_has_no_jump(damping, count, uneven):
    """Amplitude 1/|1 - w^2 + i c w|, however few points lie on its peak."""
    w = np.linspace(0.5, 1.53, count)
    w = np.delete(w, np.arange(count // 2, count // 2 + count // 6)) if uneven else w
    size = 1.0 / np.abs(1.0 - w**2 + 1j * damping * w)
    assert not branch_jumps(
        made_curve([plain_point([1e-3 * a], p) for a, p in zip(size, w, strict=True)], joined=False)
    ).size


# ---- special points


def test_equal_special_points_are_reported_once_with_their_number():
    curve = made_curve([plain_point([1e-3], 1.0 + k) for k in range(4)], joined=True)
    graze = {"kind": "grazing", "frequency": 2.0, "parameter": 2.0, "connection": "c", "point": 1}
    fold = {"kind": "fold", "frequency": 3.0, "parameter": 3.0, "point": 2}
    curve.special.extend([graze, fold, dict(graze), dict(graze)])
    assert "grazing of c at 2 (3 x); fold at 3;" in repr(curve)
