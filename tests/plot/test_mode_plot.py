"""The picture of a nonlinear mode shows what it should; how it looks is looked at by people."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import slipstick as ss

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    m = ss.Model("slider")
    q = m.coordinate("q", inertia=1.0)
    m.connect(q, ss.Linear(stiffness=1.0, damping=0.02), name="spring")
    m.connect(q, ss.Jenkins(stiffness=0.5, limit=0.5), name="slider")
    return m


@pytest.fixture(scope="module")
def mode(model):
    return model.nonlinear_mode(1, amplitudes=np.geomspace(0.3, 30.0, 20))


def response(model, force):
    model.loads.clear()
    model.load(model["q"], ss.Cosine(force, order=1))
    return model.frequency_response(at=np.linspace(0.8, 1.4, 9), method="harmonic-balance", harmonics=3)


def lines(panel):
    return [np.array(line.get_xydata()) for line in panel.get_lines()]


def test_two_panels_show_frequency_and_damping_over_amplitude_with_units(mode):
    upper, lower = mode.plot().axes
    passes_through(lines(upper)[0], mode.data.amplitude.values, mode.data.frequency.values)
    passes_through(lines(lower)[0], mode.data.amplitude.values, 100.0 * mode.data.damping_ratio.values)
    assert lower.get_xscale() == "log"
    assert "kg" in lower.get_xlabel()
    assert "[rad/s]" in upper.get_ylabel()
    assert "[%]" in lower.get_ylabel()


def test_the_amplitude_of_a_coordinate_is_named(model):
    figure = model.nonlinear_mode(1, amplitudes=[0.3, 3.0], coordinate="q").plot()
    assert "amplitude of q" in figure.axes[1].get_xlabel()


def passes_through(line, x, y):
    """A line that is smooth between points, and has them all."""
    assert len(line) > 4 * len(x)
    near = np.abs(line[:, None] - np.column_stack([x, y])[None]) <= 1e-12 * np.abs([x, y]).max(axis=1)
    assert near.all(axis=2).any(axis=0).all()


def test_large_errors_are_bands(model, mode):
    assert not mode.plot().axes[0].collections
    rough = model.nonlinear_mode(1, amplitudes=np.geomspace(0.3, 30.0, 20), harmonics=1)
    assert rough.data.frequency_error.max() > 1e-3
    assert rough.plot().axes[0].collections


def test_curves_stand_behind_the_mode(model, mode):
    curves = [response(model, force) for force in (0.1, 0.2)]
    figure = mode.plot(curves)
    main, side = figure.axes
    drawn = lines(main)
    assert len(drawn) == 3
    np.testing.assert_array_equal(drawn[0][:, 1], curves[0].data.amplitude.values[:, 0])
    passes_through(drawn[2], mode.data.frequency.values, 0.5 * mode.data.peak_to_peak.values[:, 0])
    passes_through(lines(side)[0], 100.0 * mode.data.damping_ratio.values, 0.5 * mode.data.peak_to_peak.values[:, 0])
    assert main.get_ylim()[1] > max(curve.data.amplitude.values.max() for curve in curves)
    assert [text.get_text() for text in main.get_legend().get_texts()] == [
        "load on q: 0.1",
        "load on q: 0.2",
        "mode 1",
    ]
    assert main.get_yscale() == "linear"


def test_curves_that_differ_otherwise_are_numbered_and_no_two_look_alike(model, mode):
    curves = [response(model, 0.2) for _ in range(5)]
    drawn = mode.plot(curves).axes[0].get_lines()[:5]
    assert [line.get_label() for line in drawn] == [f"response {k}" for k in range(1, 6)]
    assert len({line.get_color() for line in drawn}) == 5
    one = mode.plot(curves[0]).axes[0]
    assert [text.get_text() for text in one.get_legend().get_texts()] == ["response", "mode 1"]


def test_loads_far_apart_have_a_logarithmic_scale(model, mode):
    assert mode.plot([response(model, force) for force in (0.01, 1.0)]).axes[0].get_yscale() == "log"


def test_one_curve_needs_no_list(model, mode):
    assert len(lines(mode.plot(response(model, 0.2)).axes[0])) == 2


def test_what_is_no_curve_of_this_model_is_refused(model, mode, refused):
    with refused("curves must be response curves"):
        mode.plot([1.0])
    with refused("curves has no curve in it"):
        mode.plot([])
    other = ss.Model("other")
    other.connect(other.coordinate("z", inertia=1.0), ss.Linear(stiffness=1.0, damping=0.1))
    other.load(other["z"], ss.Cosine(1.0, order=1))
    with refused("has other coordinates"):
        mode.plot(other.frequency_response(at=[0.5]))
    with refused("no coordinate", "q"):
        mode.plot(response(model, 0.2), coordinate="x")
    with refused("give curves= too"):
        mode.plot(coordinate="q")


def test_a_partial_mode_says_so(model):
    def impatient(count, _):
        if count == 4:
            raise KeyboardInterrupt

    with pytest.raises(ss.NotConverged) as caught:
        model.nonlinear_mode(1, progress=impatient)
    assert "PARTIAL" in caught.value.partial.plot().get_suptitle()
