"""Figures for a column of a paper and for a slide: panels keep a readable size, and texts do not overlap."""

from __future__ import annotations

import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import slipstick as ss

mpl.use("Agg")
COLUMN, SLIDE = 8.5, 25.0  # cm
SLACK = 2.0  # pixels that anti-aliased texts may touch
MIN_PANEL_CM = 1.0  # of a panel, each way; a band of one state is flatter


def machine() -> ss.Model:
    m = ss.Model("mass between stops")
    x = m.coordinate("x", inertia=20.0, kind="translation")
    m.connect(x, ss.Masing(stiffness=5e5, limit=160.0, parallel_stiffness=2e5, damping=300.0), name="joint")
    m.connect(x, ss.Freeplay(stiffness=1e6, half_gap=3e-3), name="stops")
    m.load(x, ss.Cosine(400.0, order=1))
    return m


@pytest.fixture(scope="module")
def results():
    m = machine()
    t = np.linspace(0.0, 3.0, 600)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    loops = [ss.Loop(a * u, ss.Jenkins(stiffness=8e5, limit=250.0).trace(a * u), t) for a in (0.6, 1.0, 1.4)]
    return {
        "run": m.simulate(until=0.3, frequency=ss.hz(20)),
        "orbit": m.periodic(frequency=ss.hz(20)),
        "curve": m.frequency_response(at=[ss.hz(15), ss.hz(18)]),
        "loop": loops[0],
        "fit of one amplitude": ss.identify(loops[0], ss.Jenkins),
        "fit of three amplitudes": ss.identify(loops, ss.Jenkins),
    }


RESULTS = ("run", "orbit", "curve", "loop", "fit of one amplitude", "fit of three amplitudes")


@pytest.mark.parametrize("width", [COLUMN, SLIDE])
@pytest.mark.parametrize("name", RESULTS)
def test_no_panel_collapses(results, name, width):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # constrained_layout warns where it gives up
        figure = results[name].plot(width=width)
        FigureCanvasAgg(figure).draw()
    assert figure.get_figwidth() * 2.54 == pytest.approx(width)
    for panel in figure.axes:
        box = panel.get_window_extent()
        across, up = (2.54 * size / figure.dpi for size in (box.width, box.height))
        assert across > 1.5 * MIN_PANEL_CM, panel.get_title()
        assert up > (MIN_PANEL_CM if not _is_band(panel) else 0.2), panel.get_title()


@pytest.mark.parametrize("width", [COLUMN, SLIDE])
@pytest.mark.parametrize("name", RESULTS)
def test_panels_with_their_labels_stay_inside_the_figure_and_apart(results, name, width):
    figure = results[name].plot(width=width)
    FigureCanvasAgg(figure).draw()
    boxes = [panel.get_tightbbox().padded(-SLACK) for panel in figure.axes]
    for i, box in enumerate(boxes):
        assert figure.bbox.containsx(box.x0)
        assert figure.bbox.containsx(box.x1)
        assert figure.bbox.containsy(box.y0)
        assert figure.bbox.containsy(box.y1)
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_text_follows_the_width(results):
    sizes = {width: results["curve"].plot(width=width).axes[0].xaxis.label.get_size() for width in (8.5, 17.0, 25.0)}
    assert sizes == {8.5: 8.0, 17.0: 10.0, 25.0: 14.0}
    assert results["curve"].plot().axes[0].xaxis.label.get_size() == 10.0


@pytest.mark.parametrize("width", [0.0, -3.0, 1e9, float("nan"), "8.5", True])
def test_a_width_that_makes_no_figure_is_refused(results, width):
    with pytest.raises(ss.InvalidInput, match=r"width must be from 6 to 100 cm, such as 8\.5 for a column"):
        results["run"].plot(width=width)


def _is_band(panel) -> bool:
    return bool(panel.yaxis_inverted())
