"""Systems know that their numbers are in SI, and which of them turn."""

import pytest

import slipstick as ss

DRIVE = ss.systems.TorsionalSystem(
    inertia=0.1, stiffness=40.0, torque=2.0, radius=0.1, friction_coefficient=0.3, normal_load=20.0
)


@pytest.mark.parametrize(("name", "unit"), [("tensioner", "m"), ("fibre", "m"), ("gear", "rad")])
def test_every_coordinate_and_connection_has_a_unit(name, unit):
    m = getattr(ss.systems, name)()
    assert m.units.coordinates == {each.name: unit for each in m.coordinates}
    assert m.units.connections == {each.name: unit for each in m.connections}


@pytest.mark.parametrize("reading", ["consistent", "paper", "printed"])
def test_rotors_of_the_clutch_turn_and_its_blocks_slide(reading):
    m = ss.systems.clutch(reading=reading)
    for name, unit in m.units.coordinates.items():
        assert (unit == "rad") == name.startswith(("theta", "delta"))
    for each in m.connections:
        turns = {m.units.coordinates[name] for name in each.deflection.terms}
        assert turns == {m.units.connections[each.name]}


def test_the_scaled_torsional_oscillator_counts_angles_in_the_paper_unit():
    assert DRIVE.model().units.coordinates == {"theta": "rad"}
    assert DRIVE.scaled().units.coordinates == {"theta": "T_p/K"}
    assert ss.systems.torsional().units.coordinates == {"theta": "T_p/K"}


def test_pictures_of_systems_have_units_on_their_axes():
    axes = ss.systems.tensioner("masing", amplitude=54.0).periodic().plot().axes
    words = [ax.get_title(loc="right") for ax in axes]
    assert "displacement [m]" in words


def test_a_system_is_saved_with_units_and_read_back_the_same(tmp_path):
    m = ss.systems.clutch()
    m.save(tmp_path / "clutch.yaml")
    again = ss.open(tmp_path / "clutch.yaml")
    assert [each.law for each in again.connections] == [each.law for each in m.connections]
    assert [each.inertia for each in again.coordinates] == [each.inertia for each in m.coordinates]
    assert again.units.coordinates == m.units.coordinates
