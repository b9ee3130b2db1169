"""Names of models and files stand in pictures as they are written: a $ in one begins no formula."""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text
from models import one_mass

import slipstick as ss
from slipstick.plot.model_diagram import draw_diagram

NAME = "rig $5_$"


def model():
    laws = {"spring": ss.Linear(stiffness=1.0, damping=0.2), "joint": ss.Jenkins(stiffness=1.0, limit=0.3)}
    return one_mass(laws, ss.Cosine(0.5, order=1), name=NAME, frequency=2.0)


def loop():
    t = np.linspace(0.0, 2.0, 201)
    u = np.sin(2.0 * np.pi * t)
    return ss.Loop(u, ss.Jenkins(stiffness=1.0, limit=0.3).trace(u) + 0.5 * u, name=NAME)


def pictures():
    curve = model().frequency_response(between=(1.0, 2.0))
    yield "curve", curve.plot()
    yield "run", model().simulate(until=3.0).plot()
    yield "orbit", model().periodic(frequency=1.5).plot()
    yield "diagram", draw_diagram(model())
    yield "loop", loop().plot()
    yield "over", curve.plot(ax=curve.plot().axes[0])


def test_a_name_with_dollars_is_drawn_as_it_is():
    for kind, figure in pictures():
        figure.savefig(io.BytesIO(), format="svg")
        shown = [text for text in figure.findobj(Text) if NAME in text.get_text()]
        assert shown, kind
        assert not any(text.get_parse_math() for text in shown), kind
        plt.close(figure)


def test_the_table_of_a_sweep_is_drawn_whatever_its_axes_are_called(tmp_path):
    over = {"a$_$": [1.0, 2.0, 3.0], "kind": ["x$^$", "y$_$"]}
    found = ss.sweep(lambda **values: {"f$_$": values["a$_$"]}, over=over, store=tmp_path / "m.sqlite", workers=1)
    for how in ({}, {"x": "kind"}, {"log": True}):
        figure = found.plot(**how)
        figure.savefig(io.BytesIO(), format="svg")
        plt.close(figure)


def test_a_label_of_the_caller_may_be_a_formula():
    figure = model().frequency_response(between=(1.0, 2.0)).plot(label=r"$\mu = 0.3$")
    (label,) = [text for text in figure.findobj(Text) if r"\mu" in text.get_text()]
    assert label.get_parse_math()
    figure.savefig(io.BytesIO(), format="svg")
    plt.close(figure)


@pytest.mark.parametrize("name", ["a $ b", r"$\frac{$", "100 %", "{x} [bold]"])
def test_any_name_can_be_saved(name):
    m = model()
    m.name = name
    figure = draw_diagram(m)
    figure.savefig(io.BytesIO(), format="svg")
    plt.close(figure)
