"""The diagram of a model: every box, connection and load is there, and nothing stands on another."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.plot.model_diagram import draw_diagram


@pytest.mark.parametrize("name", ["tensioner", "gear", "fibre", "clutch", "torsional"])
def test_all_names_are_in_the_picture_and_none_over_another(name):
    model = getattr(ss.systems, name)()
    figure = draw_diagram(model)
    figure.canvas.draw()
    texts = [text for text in figure.axes[0].texts if text.get_text() != "load"]
    written = [text.get_text() for text in texts]
    for thing in (*model.coordinates, *model.connections):
        assert written.count(thing.name) == 1
    boxes = [text.get_window_extent() for text in texts]
    for i, box in enumerate(boxes):
        for other in boxes[:i]:
            assert not box.overlaps(other)


def test_inertias_have_their_units_where_they_are_known():
    texts = [text.get_text() for text in draw_diagram(ss.systems.clutch()).axes[0].texts]
    assert "10 kg" in texts
    assert "0.2 kg m²" in texts
    m = ss.Model("block")
    m.coordinate("x", inertia=2.0)
    assert [text.get_text() for text in draw_diagram(m).axes[0].texts] == ["x", "2"]


def test_a_coordinate_among_three_and_one_that_is_led():
    m = ss.Model("lever")
    base = m.coordinate("base", motion=ss.Sine(0.1, frequency=1.0))
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y")
    m.connect(x - base, ss.Jenkins(stiffness=1.0, limit=0.2), name="joint")
    m.connect(x + y - base, ss.Linear(stiffness=1.0), name="lever")
    m.load(y, ss.Constant(1.0))
    written = [text.get_text() for text in draw_diagram(m).axes[0].texts]
    for words in ("moves as given", "no inertia", "joint", "lever", "load"):
        assert written.count(words) == 1


def test_a_model_of_hundreds_has_no_diagram(refused):
    m = ss.Model("rod")
    for i in range(41):
        m.coordinate(f"q{i}", inertia=1.0)
    with refused("a picture shows 1 to 40 coordinates", "41"):
        draw_diagram(m)


def test_a_slider_beside_a_spring_is_drawn_as_a_loop_and_what_holds_a_box_reaches_it():
    m = ss.Model("lever")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    m.connect(x, ss.Masing(stiffness=1.0, limit=0.2, parallel_stiffness=1.0), name="tensioner")
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.1), name="stops")
    (axes,) = draw_diagram(m).axes
    lines = [np.asarray(line.get_xydata()) for line in axes.lines]
    assert any(len(line) > 3 and np.allclose(line[0], line[-1]) for line in lines)  # closed: a loop
    upright = [line for line in lines if len(line) == 2 and np.allclose(line[0, 0], line[1, 0])]
    top = max(line[:, 1].max() for line in upright)
    hangs = [line[0, 0] for line in upright if np.isclose(line[:, 1].max(), top)]
    (foot,) = (line[:, 0] for line in lines if len(line) == 2 and np.allclose(line[:, 1], top))
    assert len(hangs) == 3
    assert foot.min() < min(hangs) < max(hangs) < foot.max()
