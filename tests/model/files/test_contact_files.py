"""Contacts in model files: deflections by name, units, and what is wrong with them."""

from __future__ import annotations

import pytest

import slipstick as ss
from slipstick.model.files.model_reader import examine
from slipstick.model.named_parameter_unit import parameter_unit

HEAD = """\
slipstick: 1
coordinates:
  x: {inertia: 2 kg, displacement: 1 mm}
  y: {inertia: 2 kg}
  z: {inertia: 1 kg}
  turn: {inertia: 1 kg m^2, kind: rotation}
connections:
  pad:
    deflection: DEFLECTION
    law: friction-contact
    normal_stiffness: 30 N/mm
    tangential_stiffness: 20 N/mm
    friction: 0.4
    preload: 12 N
"""


def written(tmp_path, deflection, more=""):
    path = tmp_path / "contact.yaml"
    path.write_text(HEAD.replace("DEFLECTION", deflection) + more)
    return path


@pytest.mark.parametrize(
    ("deflection", "forms"),
    [
        ("{tangential: x - y, normal: z}", {"tangential": "x - y", "normal": "z"}),
        ("{tangential: x - 0.1*turn, normal: z - y}", {"tangential": "x - 0.1*turn", "normal": "z - y"}),
        ("{tangential: [x, y], normal: 2*z}", {"tangential1": "x", "tangential2": "y", "normal": "2*z"}),
    ],
)
def test_a_contact_is_read_and_written_with_its_units(tmp_path, deflection, forms):
    m = ss.open(written(tmp_path, deflection))
    assert [c.name for c in m.connections] == [f"pad.{name}" for name in forms]
    assert [repr(c.deflection).replace(" * ", "*").replace(".0*", "*") for c in m.connections] == list(forms.values())
    stated = ss.FrictionContact(normal_stiffness=3e4, tangential_stiffness=2e4, friction=0.4, preload=12.0)
    assert all(c.law.stated == stated for c in m.connections)
    assert parameter_unit(m, "pad.preload") == "N"
    m.save(tmp_path / "again.yaml")
    text = (tmp_path / "again.yaml").read_text()
    assert ss.open(tmp_path / "again.yaml") == m
    assert "30 N/mm" in text
    assert "tangential:" in text


@pytest.mark.parametrize(
    ("deflection", "more", "words"),
    [
        ("x", "", "tuple of deflections"),
        ("{tangential: x}", "", "normal"),
        ("{tangential: x, normal: w}", "", "w"),
        ("{tangential: x, normal: turn}", "", "radians|rotation|translation"),
        ("{tangential: [x, y, z], normal: z}", "", "takes 2 deflections"),
        ("{tangential: x, across: z}", "", "normal"),
        ("{tangential: x, normal: z}", "    along: x\n", "along"),
        ("{tangential: x, normal: z}", "    gap: 1 kg\n", "gap"),
        ("{tangential: x, normal: z}", "    scaled: {force: 2}\n", "one deflection"),
    ],
)
def test_what_is_wrong_with_a_contact_is_said(tmp_path, deflection, more, words):
    report = examine(written(tmp_path, deflection, more))
    assert report.problems
    with pytest.raises(ss.FileError, match=words):
        raise report.problems[0]


def test_a_run_keeps_the_model_of_its_contact(tmp_path):
    m = ss.open(written(tmp_path, "{tangential: x, normal: z}"))
    run = m.simulate(until=0.01, samples=20)
    run.save(tmp_path / "run.nc")
    assert ss.open(tmp_path / "run.nc").model == m


def test_a_law_with_one_deflection_refuses_two(tmp_path):
    path = tmp_path / "spring.yaml"
    path.write_text(
        "slipstick: 1\ncoordinates:\n  x: {inertia: 1}\n  z: {inertia: 1}\nconnections:\n"
        "  spring: {deflection: {tangential: x, normal: z}, law: linear, stiffness: 1.0}\n"
    )
    with pytest.raises(ss.FileError, match="takes one deflection"):
        ss.open(path)
