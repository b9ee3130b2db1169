"""Pictures of fits hold what they say."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np

import slipstick as ss

mpl.use("Agg")


def test_the_title_of_a_fit_that_is_off_lies_within_the_picture():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    rng, turn = np.random.default_rng(3), np.linspace(0.0, 6.0 * np.pi, 600)
    u = 1e-3 * np.sin(turn)
    force = ss.Jenkins(stiffness=2.0e6, limit=900.0).trace(u) + 1.234 * rng.standard_normal(u.size)
    figure = ss.identify(ss.Loop(u, force), law="linear+dynamic-hysteresis").plot()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    title = figure._suptitle
    assert "does not fit within the noise" in title.get_text().replace("\n", " ")
    extent = title.get_window_extent(canvas.get_renderer())
    assert extent.x1 <= figure.bbox.x1
    top = max(axes.get_tightbbox(canvas.get_renderer()).y1 for axes in figure.axes)
    assert top <= extent.y0  # and above the panels
