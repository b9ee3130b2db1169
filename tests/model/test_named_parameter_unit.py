"""Numbers of a model have the units that its file tells; one that was built in Python tells none."""

from __future__ import annotations

import pytest

import slipstick as ss
from slipstick.model.named_parameter_unit import parameter_unit

FILE = """\
slipstick: 1
coordinates: {x: {inertia: 1 kg}, phi: {inertia: 2 kg m^2}}
connections:
  shaft: {deflection: x, law: linear, stiffness: 2 N/mm, damping: 8 N s/m}
  slider: {deflection: x, law: jenkins, stiffness: 10 N/mm, limit: 2 N}
  mesh: {deflection: phi, law: freeplay, stiffness: 10 N m/deg, half_gap: 0.5 deg}
loads:
  - {on: phi, cosine: {amplitude: 2 N m, order: 1}}
"""
UNITS = {
    "slider.limit": "N",
    "slider.stiffness": "N/m",
    "shaft.damping": "N s/m",
    "mesh.half_gap": "rad",
    "mesh.stiffness": "N m/rad",
    "x.inertia": "kg",
    "phi.inertia": "kg m^2",
    "forcing.amplitude": "N m",
    "forcing.phase": "rad",
}


@pytest.mark.parametrize("name", UNITS)
def test_units_are_those_of_lengths_or_of_angles(name, tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(FILE)
    m = ss.open(path)
    assert parameter_unit(m, name) == UNITS[name]


def test_a_model_built_in_python_does_not_tell_lengths_from_angles():
    m = ss.Model("python")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5), name="slider")
    assert parameter_unit(m, "slider.limit") == ""


def test_the_axis_of_a_followed_number_has_its_unit(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(FILE.replace("  - {on: phi, cosine: {amplitude: 2 N m,", "  - {on: x, cosine: {amplitude: 2 N,"))
    curve = ss.open(path).follow("slider.limit", between=(2.0, 1.9), frequency=30.0)
    assert curve.stats.unit == "N"
    assert "slider.limit 1.9 to 2 N, at 30 rad/s;" in repr(curve)
    assert curve.plot("x").axes[0].get_xlabel() == "slider.limit [N]"
