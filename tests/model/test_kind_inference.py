"""Coordinates are translations or rotations: declared, read from units, or inferred from what they are added to."""

from __future__ import annotations

from pathlib import Path

import pytest

import slipstick as ss
from slipstick.model.named_parameter_unit import parameter_unit


def drive() -> ss.Model:
    """A wheel that drives a carriage over a rack: rotation on one side of the pinion, translation on the other."""
    m = ss.Model("rack")
    motor = m.coordinate("motor", inertia=0.1, kind="rotation")
    pinion, carriage, probe = (m.coordinate(name, inertia=1.0) for name in ("pinion", "carriage", "probe"))
    m.connect(motor - pinion, ss.Freeplay(stiffness=1e3, half_gap=0.01), name="shaft")
    m.connect(carriage - 0.05 * pinion, ss.Linear(stiffness=1e5), name="rack")
    m.connect(probe - carriage, ss.Jenkins(stiffness=1e3, limit=2.0), name="probe joint")
    return m


def test_a_declared_kind_reaches_what_is_added_without_a_factor_and_stops_at_a_radius() -> None:
    units = drive().units
    assert units.coordinates == {"motor": "rad", "pinion": "rad"}
    assert units.connections == {"shaft": "rad"}


def test_kinds_declared_on_both_sides_of_a_radius_cover_the_model() -> None:
    m = drive()
    m["carriage"].kind = "translation"
    assert m.units.coordinates == {"motor": "rad", "pinion": "rad", "carriage": "m", "probe": "m"}
    assert m.units.connections == {"shaft": "rad", "rack": "m", "probe joint": "m"}
    assert [parameter_unit(m, name) for name in ("shaft.half_gap", "rack.stiffness", "motor.inertia")] == [
        "rad",
        "N/m",
        "kg m^2",
    ]


def test_deflections_of_two_kinds_have_none() -> None:
    m = ss.Model("unit radius")
    x, phi = m.coordinate("x", inertia=1.0, kind="translation"), m.coordinate("phi", inertia=1.0, kind="rotation")
    m.connect(x - phi, ss.Linear(stiffness=1.0), name="belt")
    assert m.units.coordinates == {"x": "m", "phi": "rad"}
    assert m.units.connections == {}


@pytest.mark.parametrize("kind", ["rotational", "rad", 3])
def test_other_kinds_are_refused(kind: object) -> None:
    with pytest.raises(ss.InvalidInput, match='"translation" or "rotation", got'):
        ss.Model("m").coordinate("x", inertia=1.0, kind=kind)  # type: ignore[arg-type]


def test_elements_of_drivelines_declare_rotation_and_a_block_translation() -> None:
    m = ss.Model("train")
    psi, delta, gamma = (m.coordinate(name, inertia=1.0) for name in ("psi", "delta", "gamma"))
    ss.elements.shaft(m, psi, delta, stiffness=1e3)
    ss.elements.gear_pair(m, delta, gamma, radii=(0.05, 0.1), tooth_stiffness=1e7)
    ss.elements.friction_block(m, "z", mass=1.0, limit=0.6)
    assert m.units.coordinates == {"psi": "rad", "delta": "rad", "gamma": "rad", "z": "m"}


@pytest.mark.parametrize(
    ("connection", "load", "unit"),
    [
        ("{deflection: x, law: linear, stiffness: 2 N/mm}", "{on: x, constant: 1}", "mm"),
        ("{deflection: x, law: linear, stiffness: 2 N m/deg}", "{on: x, constant: 1}", "deg"),
        ("{deflection: x, law: linear, stiffness: 2}", "{on: x, constant: 1 N m}", "rad"),
        ("{deflection: x, law: linear, stiffness: 2}", "{on: x, constant: 1}", ""),
        ("{deflection: 0.5*x, law: linear, stiffness: 2 N/mm}", "{on: x, constant: 1}", ""),
    ],
)
def test_units_of_laws_and_loads_in_a_file_give_the_kind(tmp_path: Path, connection: str, load: str, unit: str) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(
        f"slipstick: 1\ncoordinates: {{x: {{inertia: 1}}}}\nconnections: {{c: {connection}}}\nloads: [{load}]\n"
    )
    assert ss.open(path).units.coordinates.get("x", "") == unit


def test_a_declared_kind_survives_a_file_a_copy_and_a_reduction(tmp_path: Path) -> None:
    m = drive()
    m["carriage"].kind = "translation"
    m.save(tmp_path / "m.yaml")
    back = ss.open(tmp_path / "m.yaml")
    assert back == m
    assert back.units[:2] == m.units[:2]
    assert back["motor"].kind == "rotation"
    assert m.snapshot().units == m.units
    reduced = m.reduce(massless=["pinion"], no_gap=["shaft"]).model
    assert reduced.units.coordinates == {"motor": "rad", "carriage": "m", "probe": "m"}


def test_a_declared_kind_of_matrix_coordinates_is_saved(tmp_path: Path) -> None:
    m = ss.Model.from_matrices([[1.0, 0.0], [0.0, 2.0]], stiffness=[[3.0, -1.0], [-1.0, 2.0]])
    m["q2"].kind = "rotation"
    m.save(tmp_path / "m.yaml")
    assert ss.open(tmp_path / "m.yaml").units.coordinates == {"q2": "rad"}


def test_a_file_whose_units_contradict_the_declared_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("slipstick: 1\ncoordinates: {x: {inertia: 1 kg, kind: rotation}}\n")
    with pytest.raises(ss.FileError, match="must be in units like kg m\\^2, got 1 kg, which is translation"):
        ss.open(path)


def test_data_and_axes_have_the_unit_of_their_kind() -> None:
    m = drive()
    m["carriage"].kind = "translation"
    mixed = m.simulate(until=0.01, samples=5)
    assert mixed.data["displacement"].attrs["long_name"] == "displacement [SI]"
    alone = ss.Model("rotor")
    phi = alone.coordinate("phi", inertia=1.0, velocity=1.0, kind="rotation")
    alone.connect(phi, ss.Masing(stiffness=4.0, limit=0.3, parallel_stiffness=9.0), name="clutch")
    run = alone.simulate(until=9.0, samples=20)
    names = {name: run.data[name].attrs["long_name"] for name in ("displacement", "velocity", "force")}
    assert names == {
        "displacement": "displacement [rad]",
        "velocity": "velocity [rad/s]",
        "force": "force that resists the deflection [N m]",
    }
    assert run.plot().axes[0].get_title(loc="right") == "displacement [rad]"


def test_a_file_whose_units_make_a_coordinate_both_kinds_is_refused(tmp_path: Path) -> None:
    text = """slipstick: 1
coordinates:
  x: {inertia: 1.0}
  y: {inertia: 1.0}
connections:
  belt: {deflection: x - y, law: linear, stiffness: 10 N/mm}
  shaft: {deflection: y, law: linear, stiffness: 10 N*m/rad}
"""
    (tmp_path / "kinds.yaml").write_text(text)
    words = 'kinds.yaml:7: connections.shaft: its units make "y" a rotation, those of connection "belt" a translation'
    with pytest.raises(ss.SlipstickError, match=words):
        ss.open(tmp_path / "kinds.yaml")
