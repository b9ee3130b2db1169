"""What pictures of curves and orbits say; how they look is looked at by people. More of them in results/test_curve."""

from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from periodic.analytic_families import plain_point

import slipstick as ss
from slipstick.results.curve import Curve, CurveFindings, CurveStats
from slipstick.results.curve_interpolation import interpolate_curve
from slipstick.results.run import Names
from slipstick.units.scales import ModelUnits

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def made(points, unit="", **stats):
    names = Names("made by hand", ("x",), ("c", "d"), ModelUnits({"x": "mm"}, {}, unit))
    wide = {
        name: np.array([getattr(points[0], name)[0], np.nan if name == "stick_share" else 0.0])
        for name in ("force_range", "dissipated", "stick_share", "lag")
    }
    wide["stick_share"][0] = 0.25
    points = tuple(replace(point, **wide) for point in points)
    return Curve(CurveFindings(points, []), None, CurveStats(**{"method": "harmonic-balance", **stats}), names)


def four(error=1e-9):
    return [replace(plain_point([1e-3 * (1.0 + k)], ss.hz(5.0 + k)), error=error) for k in range(4)]


def legend(figure):
    found = figure.axes[0].get_legend()
    return [] if found is None else [text.get_text() for text in found.get_texts()]


@pytest.mark.parametrize(("unit", "first"), [("Hz", 5.0), ("rpm", 300.0), ("rad/s", 10.0 * np.pi), ("", 10.0 * np.pi)])
def test_frequencies_are_in_the_unit_that_the_author_thinks_in(unit, first):
    (axis,) = made(four(), unit).plot().axes
    assert axis.get_xlabel() == f"frequency [{unit or 'rad/s'}]"
    assert axis.get_lines()[0].get_xdata()[0] == pytest.approx(first)


def test_another_parameter_keeps_its_own_unit():
    curve = made(four(), "Hz", parameter="forcing.amplitude")
    curve.stats.unit = "N"
    (axis,) = curve.plot().axes
    assert axis.get_xlabel() == "forcing.amplitude [N]"
    assert axis.get_lines()[0].get_xdata()[0] == pytest.approx(ss.hz(5.0))


def test_the_error_in_the_title_has_the_unit_of_the_axis():
    assert "error ≤ 1e-06 mm" in made(four(1e-9)).plot().get_suptitle()


def test_a_band_of_errors_is_in_the_legend_and_ends_at_zero():
    figure = made(four(2.5e-3)).plot()
    assert legend(figure) == ["estimated error"]
    (band,) = figure.axes[0].collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.min() == 0.0
    assert heights.max() == pytest.approx(6.5)
    assert legend(made(four(1e-9)).plot()) == []


def test_a_mean_may_lie_below_zero_and_so_may_its_band():
    (band,) = made(four(2.5e-3)).plot(quantity="mean").axes[0].collections
    assert band.get_paths()[0].vertices[:, 1].min() == pytest.approx(-2.5)


def test_a_logarithmic_axis_ends_below_the_curve_not_below_its_error_and_has_plain_numbers():
    figure = made(four(2.5e-3)).plot(log=True)
    figure.canvas.draw()
    (axis,) = figure.axes
    assert axis.get_ylim()[0] == pytest.approx(0.7)
    words = [label.get_text() for label in axis.get_yticklabels(which="both")]
    assert {"1", "2", "5"} <= set(words)
    assert not any("$" in word for word in words)


def test_a_line_goes_through_its_points_hardly_beyond_and_keeps_its_corners():
    heights = np.array([0.0, 0.1, 1.0, 0.9, 2.0, 1.0, 0.0])
    places = np.arange(7.0)
    line = interpolate_curve(np.column_stack([places, heights]), [4])
    x, y = line.T
    for place, height in zip(places, heights, strict=True):
        assert y[np.argmin(np.abs(x - place))] == pytest.approx(height, abs=1e-12)
    assert np.abs(x[:, None] - places).min(axis=0).max() < 1e-12
    for k in range(6):
        inside = y[(x >= k) & (x <= k + 1)]
        assert inside.min() >= min(heights[k : k + 2]) - 0.1
        assert inside.max() <= max(heights[k : k + 2]) + 0.1
    slopes = np.diff(y) / np.diff(x)
    peak = int(np.argmax(y))
    assert slopes[peak - 1] > 0.5  # a corner: it is not rounded
    assert slopes[peak] < -0.5
    assert len(line) > 30


def test_a_top_between_two_points_is_round():
    x = np.array([-0.5, -0.3, -0.1, 0.1, 0.3, 0.5])
    line = interpolate_curve(np.column_stack([x, 1.0 - x**2]), [])
    flat = 0.1**2  # what its points miss of the top
    assert line[:, 1].max() == pytest.approx(1.0, abs=0.25 * flat)
    inner = line[np.abs(line[:, 0]) <= 0.3]
    assert np.abs(inner[:, 1] - (1.0 - inner[:, 0] ** 2)).max() < 0.25 * flat


def test_a_line_turns_back_in_frequency_only_where_its_points_do():
    """A steep step beside points that lie close: a smooth line along both swings back, and shows another branch."""
    x = np.array([0.0, 0.5, 0.9, 0.95, 0.951, 0.952, 1.0, 1.5, 2.0])
    y = np.array([1.0, 1.0, 0.99, 0.9, 0.45, 0.0, 0.0, 0.0, 0.01])
    for points in (np.column_stack([x, y]), np.column_stack([x, y])[::-1]):
        line = interpolate_curve(points, [])
        way = np.sign(points[-1, 0] - points[0, 0])
        assert (way * np.diff(line[:, 0]) >= 0.0).all()
        away = np.hypot(*(line[:, None, :] - points).transpose(2, 0, 1)).min(axis=0)
        assert away.max() < 1e-12  # it goes through them all the same


def test_a_circle_of_few_points_is_round():
    turn = np.linspace(0.0, 2.0 * np.pi, 25)
    line = interpolate_curve(np.column_stack([np.cos(turn), np.sin(turn)]), [])
    away = np.abs(np.hypot(*line.T) - 1.0).max()
    assert away < 0.5 * (1.0 - np.cos(0.5 * turn[1]))  # half of what straight lines miss


def resonance(method, stiffness=1.0):
    m = ss.Model("resonance")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=stiffness, damping=0.04), name="spring")
    m.load(x, ss.Cosine(1.0, order=1))
    return m.frequency_response(between=(0.3, 1.7), method=method)


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_a_drawn_resonance_is_off_by_less_than_can_be_seen(method):
    curve = resonance(method)
    (axis,) = curve.plot().axes
    w, y = axis.get_lines()[0].get_data()
    top = 1.0 / (0.04 * np.sqrt(1.0 - 0.02**2))

    def exact(w):
        return 1.0 / np.hypot(1.0 - w**2, 0.04 * w)

    steep = 1.4 / top * (exact(w + 1e-6) - exact(w - 1e-6)) / 2e-6  # as it is drawn
    assert np.abs((y - exact(w)) / top / np.hypot(1.0, steep)).max() < 1e-3  # of the picture
    assert y.max() == pytest.approx(top, rel=2e-3)
    assert np.diff(np.sign(np.diff(y))).tolist().count(-2.0) == 1  # one top, without dents
    assert f"{len(curve)} points" in axis.figure.get_suptitle()  # those that were added are of the picture alone


def test_several_curves_in_one_picture_have_names_and_one_sign_for_each_thing():
    figure = resonance("shooting").plot(label="soft")
    (axis,) = figure.axes
    again = resonance("shooting", 1.5).plot(ax=axis, label="hard")
    assert again is figure
    assert legend(figure) == ["soft", "hard"]
    first, second = (next(line for line in axis.get_lines() if line.get_label() == name) for name in ("soft", "hard"))
    assert first.get_color() != second.get_color()
    handles = axis.get_legend().legend_handles
    assert [handle.get_color() for handle in handles] == [first.get_color(), second.get_color()]


def test_signs_that_several_curves_need_stand_once_in_the_legend():
    points = [replace(point, stable=k % 4 < 2) for k, point in enumerate(four() + four())]
    curve = made(points)
    curve.special.append({"kind": "fold", "frequency": 1.0, "point": 2, "parameter": 1.0})
    figure, axis = plt.subplots()
    for name in ("one", "two", "three"):
        curve.plot(ax=axis, label=name)
    assert sorted(legend(figure)) == sorted(["one", "two", "three", "stable", "unstable", "fold"])
    assert axis.get_xlabel() == "frequency [rad/s]"
    assert axis.get_ylabel() == "x\n[mm]"


def test_axes_are_checked():
    _, axes = plt.subplots(2)
    with pytest.raises(ss.InvalidInput, match="1 axes for as many names, got 2"):
        made(four()).plot("x", ax=axes)
    with pytest.raises(ss.InvalidInput, match="axes of matplotlib"):
        made(four()).plot(ax="left")
    with pytest.raises(ss.InvalidInput, match="label must be"):
        made(four()).plot(label=3)


def test_connections_that_cannot_stick_have_no_panel_of_stick():
    (axis,) = made(four()).plot(quantity="stick_share").axes
    assert axis.get_ylabel() == "c\n[%]"
    assert set(axis.get_lines()[0].get_ydata().tolist()) == {25.0}


def test_a_sweep_is_drawn_as_points_up_and_down_though_it_was_asked_for_between_two_frequencies():
    points = four()
    figure = made([*points, *points[-2::-1]], method="integration", joined=True).plot()
    assert legend(figure) == ["upwards", "downwards"]
    assert {line.get_linestyle() for line in figure.axes[0].get_lines()} == {"None"}


def test_the_picture_of_an_orbit_says_at_which_frequency():
    m = ss.Model("swing")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.2), name="spring")
    m.load(x, ss.Cosine(1.0, order=1))
    m.units = m.units._replace(frequency="Hz")
    title = m.periodic(frequency=ss.hz(0.25)).plot().get_suptitle()
    assert title.startswith("swing  ·  shooting  ·  0.25 Hz  ·  error ≤ ")


def test_a_file_that_has_its_base_frequency_in_rpm_makes_curves_in_rpm(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("slipstick: 1\nfrequency: 1800 rpm\ncoordinates: {x: {inertia: 1 kg}}\n")
    assert ss.open(path).units.frequency == "rpm"
    path.write_text("slipstick: 1\nfrequency: 20\ncoordinates: {x: {inertia: 1 kg, velocity: 3 m/s}}\n")
    assert ss.open(path).units.frequency == ""


def play() -> ss.Model:
    m = ss.Model("play")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="mesh")
    m.load(x, ss.Cosine(0.2, order=1))
    return m


def test_unstable_parts_lie_above_with_gaps_that_nothing_fills():
    stable, unstable = [], []
    for line in play().frequency_response(between=(0.6, 1.6)).plot().axes[0].get_lines():
        if line.get_linestyle() in ("-", "--"):
            (unstable if line.get_linestyle() == "--" else stable).append(line)
    assert [line.get_gapcolor() for line in unstable] == ["white"]
    assert min(line.get_zorder() for line in unstable) > max(line.get_zorder() for line in stable)


def test_what_the_title_says_of_one_curve_goes_when_another_is_laid_over_it():
    curve = play().frequency_response(between=(0.6, 1.6))
    figure = curve.plot(label="one")
    assert "shooting" in figure.get_suptitle()
    curve.plot(ax=figure.axes, label="other")
    assert figure.get_suptitle() == "play"


def test_a_share_of_stick_where_nothing_can_stick_is_refused(refused):
    with refused("no connection of this curve has a share of stick"):
        play().frequency_response(between=(1.2, 1.6)).plot(quantity="stick_share")


def test_a_curve_over_a_parameter_tells_its_frequency():
    curve = play().follow("mesh.half_gap", between=(0.5, 0.45), frequency=1.3)
    assert "at 1.3 rad/s" in curve.plot().get_suptitle()
    assert "at 1.3 rad/s" in repr(curve)
