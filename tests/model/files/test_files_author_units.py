"""A model that came from a file with units is written with them, and reads back exactly."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import slipstick as ss
from slipstick.units.parser import shortest_exact

TRAIN = """
slipstick: 1
name: train
frequency: 1200 rpm
coordinates:
  motor: {inertia: 0.02 kg m^2, displacement: 3 deg, velocity: 1 deg/s}
  gear: {inertia: 40 kg mm^2}
  load: {inertia: 0.3 kg m^2}
  slide: {inertia: 2 kg}
connections:
  shaft: {deflection: motor - gear, law: freeplay, stiffness: 8 N m/deg, half_gap: 0.3 deg}
  mesh: {deflection: gear + 2.5*load, law: linear, stiffness: 15 N m/deg}
  hold: {deflection: load, law: linear, stiffness: 4 N m/deg, damping: 0.6 N m s/rad}
  rack: {deflection: slide - 0.05*load, law: linear, stiffness: 560 N/mm}
  rail: {deflection: slide, sum: [{law: linear, damping: 3 N s/m}, {law: dry-friction, limit: 4 N}]}
  bearing: {deflection: gear, law: dry-friction, limit: 20 N mm, damping: 0.002 N m s/rad}
loads:
  - {on: motor, constant: 2 N m}
  - {on: slide, cosine: {amplitude: 3 N, frequency: 12 rpm}}
"""


@pytest.fixture
def train(tmp_path: Path) -> ss.Model:
    (tmp_path / "train.yaml").write_text(TRAIN)
    return ss.open(tmp_path / "train.yaml")


def test_numbers_are_written_in_the_units_they_came_in(train: ss.Model, tmp_path: Path) -> None:
    train.save(tmp_path / "copy.yaml")
    text = (tmp_path / "copy.yaml").read_text()
    words = (
        "frequency: 1200 rpm",
        "inertia: 0.02 kg m^2",
        "displacement: 3 deg",
        "8 N m/deg",
        "0.6 N m s/rad",
        "560 N/mm",
        "amplitude: 3 N,",
        "frequency: 12 rpm",
    )
    for word in words:
        assert word in text
    copy = ss.open(tmp_path / "copy.yaml")
    assert copy == train
    assert copy.units == train.units


def test_a_reduced_model_keeps_units_also_of_springs_that_were_made(train: ss.Model, tmp_path: Path) -> None:
    reduced = train.reduce(massless=["gear"], frictionless=["gear"]).model
    assert reduced.units.connections["motor-load"] == "deg"
    reduced.save(tmp_path / "reduced.yaml")
    assert "half_gap: 0.3 deg" in (tmp_path / "reduced.yaml").read_text()
    copy = ss.open(tmp_path / "reduced.yaml")
    assert copy == reduced
    assert copy.units == reduced.units
    assert copy.connection("motor-load").law.stiffness * math.pi / 180.0 == pytest.approx(1.0 / (1 / 8 + 1 / 15))


@pytest.mark.parametrize("unit", ["N m/deg", "deg", "N/mm", "um", "rad"])
def test_every_float_is_found_in_every_unit(unit: str) -> None:
    from slipstick.model.files.quantities import read_quantity
    from slipstick.units.parser import to_si

    for i in range(1, 200):
        value = math.sin(i) * 10.0 ** (i % 30 - 15)
        read = read_quantity(f"{shortest_exact(value, unit)} {unit}")
        assert to_si(read.number, read.unit) == value
