"""Notebooks show the words of a result and its picture."""

import base64
import io
import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.image import imread

import slipstick as ss


def oscillator():
    m = ss.Model("mass <1> & slider")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.3), name="slider")
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.load(x, ss.Cosine(0.2, order=1))
    return m


def picture_of(html):
    content = re.search(r'src="data:image/png;base64,([^"]+)"', html).group(1)
    return imread(io.BytesIO(base64.b64decode(content)))


MADE = {
    "model": lambda: oscillator(),
    "run": lambda: oscillator().simulate(10.0, frequency=1.0),
    "orbit": lambda: oscillator().periodic(frequency=1.0),
    "curve": lambda: oscillator().frequency_response(at=[0.8, 1.0, 1.2]),
    "mode": lambda: oscillator().nonlinear_mode(1, amplitudes=[0.1, 0.5]),
    "loop": lambda: ss.Loop(np.sin(np.linspace(0.0, 13.0, 200)), np.cos(np.linspace(0.0, 13.0, 200))),
}


@pytest.mark.parametrize("name", MADE)
def test_the_view_has_the_words_and_a_picture_that_is_not_empty(name):
    shown = MADE[name]()
    html = shown._repr_html_()
    assert repr(shown).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;") in html
    pixels = picture_of(html)
    assert min(pixels.shape[:2]) > 200
    assert np.ptp(pixels[..., :3]) > 0.5
    assert not plt.get_fignums()  # a notebook would show an open figure once more


def test_a_small_model_shows_its_equations():
    html = oscillator()._repr_html_()
    assert r"\ddot{x}" in html
    assert html.count("$$") == 2


def test_a_model_without_equations_shows_its_diagram():
    m = ss.Model("contact")
    t, n = m.coordinate("t", inertia=1.0), m.coordinate("n", inertia=1.0)
    m.connect((t, n), ss.CoulombContact(friction=0.3))
    assert "<img" in m._repr_html_()


@pytest.mark.parametrize(("factor", "colour"), [(1.0, "#3a8a6b"), (1e30, "#c98b2b")])
def test_a_certificate_has_the_colour_of_its_outcome(factor, colour):
    certificate = oscillator().simulate(10.0, frequency=1.0).certificate
    html = replace(certificate, error=factor * certificate.error)._repr_html_()
    assert colour in html
    assert "energy residual" in html


def test_names_cannot_bring_markup_along():
    assert "<1>" not in oscillator()._repr_html_()


def test_a_model_without_a_diagram_says_why_below_its_words():
    m = ss.Model.from_matrices(np.eye(50), stiffness=np.eye(50))
    html = m._repr_html_()
    assert "50 coordinates" in html
    assert "no picture: " in html
    assert "<img" not in html


def test_equations_are_typeset_as_in_latex():
    equations = oscillator().equations()
    assert equations.latex() in equations._repr_latex_()
    assert equations._repr_latex_().startswith("$")
