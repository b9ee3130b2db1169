"""What numbers, units and deflections in a file become."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from slipstick.errors import InvalidInput
from slipstick.laws.elastic import Linear, Polynomial
from slipstick.laws.friction import DryFriction
from slipstick.laws.piecewise_linear import Freeplay
from slipstick.model.files import examine, read_model
from slipstick.model.files.form_expression import format_form, parse_form
from slipstick.model.files.quantities import read_quantity
from slipstick.model.files.unit_kinds import OpenKinds, read_angle, read_frequency
from slipstick.model.linear_forms import Form
from slipstick.model.system import System
from slipstick.signals import Constant, Cosine, Fourier, Ramp, Signal, Sine, Sum, hz, rpm
from slipstick.units.parser import parse_unit

Dimension = tuple[float, float, float]
STIFFNESS, FORCE, DEFLECTION, NUMBER = (1, -1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 0)
DAMPING, INERTIA = (1, -1, 1), (1, -1, 2)


def taken(text: str, dimension: tuple[float, float, float] = NUMBER) -> float:
    return OpenKinds().take("value", read_quantity(text), dimension)


def opened(tmp_path: Path, text: str) -> System:
    path = tmp_path / "model.yaml"
    path.write_text("slipstick: 1\n" + text)
    return read_model(path)


def law_in(tmp_path: Path, keys: str) -> object:
    """The law of a connection with these keys, on a coordinate without units."""
    return (
        opened(tmp_path, f"coordinates: {{x: {{}}}}\nconnections: {{c: {{deflection: x, {keys}}}}}\n")
        .connections[0]
        .law
    )


# ---- numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e3", 1000.0), ("1.0e3", 1000.0), ("1E-4", 1e-4), ("-.5", -0.5), ("5.", 5.0), ("+7", 7.0), ("0", 0.0),
     ("-0.0", 0.0), ("0x10", 16.0), ("0o17", 15.0), ("  3  ", 3.0), ("\N{MINUS SIGN}3", -3.0), ("007", 7.0),
     ("1e308", 1e308), ("5e-324", 5e-324), ("0.1", 0.1), ("0e999", 0.0)],
)  # fmt: skip
def test_numbers_are_those_of_yaml_1_2(text: str, value: float) -> None:
    assert taken(text) == value


@pytest.mark.parametrize("text", ["1_000", "1,5", "12:30", "1.2.3", "e3", "", "one", "1 000", "0b1", "--1", "1e", "٣"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        taken(text)


@pytest.mark.parametrize("text", ['"1.0e3"', "'1e3'", "1e3", "1.0e3", "1000", '"1000 N/m"', "1 N/mm", "1000N/m"])
def test_a_number_may_stand_in_quotes_and_next_to_its_unit(tmp_path: Path, text: str) -> None:
    assert law_in(tmp_path, f"law: linear, stiffness: {text}") == Linear(stiffness=1000.0)


# ---- units


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [("560 N/mm", STIFFNESS, 560e3), ("1.1 mm", DEFLECTION, 0.0011), ("0.3 um", DEFLECTION, 3e-7),
     ("3 N m/rad", STIFFNESS, 3.0), ("3 Nm/rad", STIFFNESS, 3.0), ("3 N*m", STIFFNESS, 3.0), ("3 kNm", FORCE, 3e3),
     ("2 kp", FORCE, 19.6133), ("3 Nms/rad", DAMPING, 3.0), ("3 Ns/m", DAMPING, 3.0),
     ("2 MPa", STIFFNESS, 2e6), ("5 %", DEFLECTION, 0.05), ("0.2 mm/mm", DEFLECTION, 0.2), ("7 ms", (0, 0, 1), 0.007),
     ("2 min", (0, 0, 1), 120.0), ("1 bar", STIFFNESS, 1e5), ("3 N s/m", DAMPING, 3.0),
     ("3 N·s/m", DAMPING, 3.0), ("150 g", INERTIA, 0.15), ("2 kg m²", INERTIA, 2.0), ("2 kg m2", INERTIA, 2.0),
     ("2 kg*m**2", INERTIA, 2.0), ("2 g mm^2", INERTIA, 2e-9), ("3 m s⁻¹", (0, 1, -1), 3.0),
     ("4 1/(N^0.3 m)", (-0.3, -1, 0), 4.0),
     ("4 kN^-2/mm", (-2, -1, 0), 4e-3), ("4 N^(1/2)", (0.5, 0, 0), 4.0)],
)  # fmt: skip
def test_units_become_si(text: str, dimension: tuple[float, float, float], value: float) -> None:
    assert taken(text, dimension) == value


def test_degrees_become_radians() -> None:
    assert taken("180 deg", DEFLECTION) == pytest.approx(math.pi, rel=1e-15)
    assert taken("2 N m/deg", STIFFNESS) == pytest.approx(360.0 / math.pi, rel=1e-15)
    assert read_angle(read_quantity("90 deg")) == pytest.approx(math.pi / 2, rel=1e-15)
    assert read_angle(read_quantity("0.4")) == 0.4


def test_hertz_counts_cycles_and_rpm_revolutions() -> None:
    assert read_frequency(read_quantity("30 Hz")) == hz(30) == 2 * math.pi * 30
    for i in range(1, 1000):  # to the last bit, as in Python
        assert read_frequency(read_quantity(f"{i / 7} Hz")) == hz(i / 7)
        assert read_frequency(read_quantity(f"{i / 7} rpm")) == rpm(i / 7)
    assert read_frequency(read_quantity("0.03 kHz")) == pytest.approx(hz(30), rel=1e-15)
    assert read_frequency(read_quantity("30 rev/s")) == pytest.approx(hz(30), rel=1e-15)
    assert read_frequency(read_quantity("73.15 rad/s")) == read_frequency(read_quantity("73.15")) == 73.15
    assert taken("60 rpm", (0, 1, -1)) == pytest.approx(2 * math.pi, rel=1e-15)


@pytest.mark.parametrize("text", ["3 Hz", "3 N/Hz", "3 Hz^2"])
def test_hertz_is_refused_where_no_frequency_is_meant(text: str) -> None:
    with pytest.raises(InvalidInput):
        taken(text, (0, 1, -1))


@pytest.mark.parametrize(
    "unit",
    ["N/", "/N", "N)", "(N", "N^", "N^^2", "N^x", "N**", "2", "N 3", "N;m", "__import__", "N.m()", "dB", "pi", "degC",
     "bit", "A", "Nm^2", "N^13", "(Ym^12)^1.5", "(ym^12)^12", "m" * 61, "\N{GREEK SMALL LETTER ALPHA}", "N[0]", "'N'"],
)  # fmt: skip
def test_units_that_are_none_are_refused(unit: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_unit(unit)
    assert "\n" not in str(caught.value)


def test_the_unit_of_a_rate_follows_the_exponent(tmp_path: Path) -> None:
    keys = "law: modified-dahl, exponent: 1.5, upper: [1 N, 2 N/mm], lower: [-1 N], rate: "
    assert law_in(tmp_path, keys + "3 1/(N^0.5 mm)").rate == pytest.approx(3e3)  # type: ignore[attr-defined]
    with pytest.raises(InvalidInput, match=r"connections\.c\.rate: must be in units like 1/\(N\^0\.5 m\), got 3 N/mm"):
        law_in(tmp_path, keys + "3 N/mm")


def test_elements_of_a_list_have_their_own_dimensions(tmp_path: Path) -> None:
    law = law_in(tmp_path, "law: polynomial, coefficients: [1 N, 2 N/mm, 3 N/mm^2]")
    assert law == Polynomial(coefficients=(1.0, 2e3, 3e6))
    with pytest.raises(InvalidInput, match=r"coefficients\[1\]: must be in units like N/m, got 2 N"):
        law_in(tmp_path, "law: polynomial, coefficients: [1 N, 2 N]")


def test_scaling_turns_stress_into_force(tmp_path: Path) -> None:
    text = (
        "coordinates: {x: {inertia: 1 kg}}\nconnections: {pad: {deflection: x, law: linear, stiffness: 2 MPa, "
        "scaled: {deflection: 1 1/mm, force: 1 cm^2}}}\n"
    )
    law = opened(tmp_path, text).connections[0].law
    assert law == Linear(stiffness=2e6).scaled(deflection=1e3, force=1e-4)


def test_a_radius_between_angle_and_force_is_allowed(tmp_path: Path) -> None:
    connection = "deflection: 0.05*phi, law: linear, stiffness: 3 N/mm"
    text = f"coordinates: {{phi: {{inertia: 1 kg m^2}}}}\nconnections: {{c: {{{connection}}}}}\n"
    assert opened(tmp_path, text).connections[0].law == Linear(stiffness=3e3)


def test_no_unit_no_pint(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text("slipstick: 1\ncoordinates: {x: {inertia: 1}}\nloads: [{on: x, constant: 2}]\n")
    reading = f"from slipstick.model.files import read_model; read_model({str(path)!r})"
    code = f"{reading}; import sys; sys.exit('pint' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# ---- deflections


@pytest.mark.parametrize(
    ("text", "terms"),
    [("x", {"x": 1.0}), ("-x", {"x": -1.0}), ("x - 2*y", {"x": 1.0, "y": -2.0}), ("(x - y)/4", {"x": 0.25, "y": -0.25}),
     ("2*(x + y*3)*.5", {"x": 1.0, "y": 3.0}), ("--x", {"x": 1.0}), ("+x - -y", {"x": 1.0, "y": 1.0}),
     ("x/1e3", {"x": 1e-3}), ("x + (2 - 2)", {"x": 1.0}), ("x+x+x", {"x": 3.0}), ("-(x - y) + x", {"y": 1.0}),
     ("x*1/3", {"x": 1 / 3})],
)  # fmt: skip
def test_deflections_are_linear_forms(text: str, terms: dict[str, float]) -> None:
    assert parse_form(text, {"x", "y"}) == Form(terms)


def test_a_form_is_written_so_that_it_reads_back() -> None:
    form = Form({"x": -1 / 3, "y": 1.0, "z": 1e-300, "w": -1.0})
    assert format_form(form) == "-0.3333333333333333*x + y + 1e-300*z - w"
    assert parse_form(format_form(form), {"x", "y", "z", "w"}) == form


def test_nothing_in_a_deflection_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.eval", None)
    monkeypatch.setattr("builtins.exec", None)
    with pytest.raises(InvalidInput, match="has no meaning"):
        parse_form("__import__('os').system('touch hacked')", {"x"})
    assert list(tmp_path.iterdir()) == []


# ---- functions of time


def test_all_functions_of_time(tmp_path: Path) -> None:
    text = """
frequency: 600 rpm
coordinates:
  x: {inertia: 1 kg, displacement: 2 mm, velocity: 3 mm/s}
  y: {motion: {ramp: 1 mm/s, sine: {amplitude: 2 mm, frequency: 1 Hz}}}
  z: {motion: {signal: {times: [0, 1 ms, 1 ms], values: [0, 1 mm, 0]}}}
loads:
  - {on: x, constant: 3.5 N}
  - {on: x - y, cosine: {amplitude: 1 kN, order: 2, phase: 90 deg}}
  - {on: x, fourier: {mean: 1 N, cos: [1 N, 2 kN], sin: [3], order: 0.5}}
  - {on: x, fourier: {mean: 1 N}}
  - {on: x, sum: [{constant: 1 N}, {constant: 2 N}]}
"""
    system = opened(tmp_path, text)
    assert system.frequency == rpm(600)
    assert system["x"].data == ("x", 1.0, 0.002, 0.003, None)
    assert system["y"].motion == Sum((Ramp(1e-3), Sine(2e-3, frequency=hz(1))))
    assert system["z"].motion == Signal((0.0, 1e-3, 1e-3), (0.0, 1e-3, 0.0))
    assert [load.function for load in system.loads] == [
        Constant(3.5),
        Cosine(1000.0, order=2, phase=read_angle(read_quantity("90 deg"))),
        Fourier(1.0, cos=(1.0, 2000.0), sin=(3.0,), order=0.5),
        Fourier(1.0, order=1),
        Sum((Constant(1.0), Constant(2.0))),
    ]
    assert system.loads[1].form == Form({"x": 1.0, "y": -1.0})


def test_a_limit_may_vary_and_a_law_be_modulated(tmp_path: Path) -> None:
    law = law_in(tmp_path, "law: dry-friction, limit: {fourier: {mean: 2 N, cos: [500 mN]}}")
    assert law == DryFriction(limit=Fourier(2.0, cos=(0.5,)))
    law = law_in(tmp_path, "law: linear, stiffness: 3, modulated: {constant: 1, cosine: {amplitude: 0.5, order: 1}}")
    assert law == Linear(stiffness=3.0).modulated(Sum((Constant(1.0), Cosine(0.5, order=1))))


def test_a_sum_may_be_scaled_and_modulated_as_a_whole(tmp_path: Path) -> None:
    parts = "[{law: linear, stiffness: 3}, {law: freeplay, stiffness: 1, half_gap: 2}]"
    law = law_in(tmp_path, f"sum: {parts}, scaled: {{force: 2}}, modulated: {{sine: {{amplitude: 1, order: 1}}}}")
    both = Linear(stiffness=3.0) + Freeplay(stiffness=1.0, half_gap=2.0)
    assert law == both.scaled(force=2.0).modulated(Sine(1.0, order=1))


def test_laws_may_be_named_as_in_python(tmp_path: Path) -> None:
    assert law_in(tmp_path, "law: DryFriction, limit: 3") == DryFriction(limit=3.0)


# ---- defaults and names


def test_the_name_defaults_to_that_of_the_file(tmp_path: Path) -> None:
    assert opened(tmp_path, "coordinates: {x: {}}\n").name == "model"


@pytest.mark.parametrize("name", ["on", "y", "no", "null_", "_", "e3", "N"])
def test_a_coordinate_may_be_called_anything_yaml_1_1_would_misread(tmp_path: Path, name: str) -> None:
    system = opened(tmp_path, f"coordinates: {{{name}: {{}}}}\nloads: [{{on: {name}, constant: 1}}]\n")
    assert system.coordinates[0].name == name


def test_sections_may_be_empty_while_a_model_is_being_written(tmp_path: Path) -> None:
    system = opened(tmp_path, "coordinates: {x: {}}\nconnections:\nloads:\n")
    assert system.connections == []
    assert system.loads == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("coordinates: {x: {inertia: 1}}\n", "no connection holds it"),
        ("coordinates: {x: {}}\n", "no inertia and no connection"),
        ("coordinates: {x: {motion: {ramp: 1}}}\n", "has a motion, but no connection uses it"),
        (
            "coordinates: {x: {}}\nloads: [{on: x, sine: {amplitude: 1, order: 1}}]\n",
            "has an order, but the model has no frequency",
        ),
        (
            "coordinates: {x: {}, y: {}}\nconnections: {c: {deflection: x, along: y, law: linear}}\n",
            "may create energy",
        ),
    ],
)
def test_what_looks_odd_is_noted(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "model.yaml").write_text("slipstick: 1\n" + text)
    report = examine(tmp_path / "model.yaml")
    assert report.model is not None
    assert any(words in note for note in report.notes)


FED = "coordinates: {{x: {{}}}}\nconnections: {{c: {{deflection: x, {law}}}}}\n"


@pytest.mark.parametrize(
    ("law", "where"),
    [
        ("law: linear, stiffness: 3, damping: -2", "connections.c.damping"),
        ("law: masing, stiffness: 3, limit: 1, damping: -2", "connections.c.damping"),
        ("law: polynomial, coefficients: [0, 1], damping: -2", "connections.c.damping"),
        ("law: linear, damping: 2, scaled: {force: -1}", "connections.c.damping"),
        ("sum: [{law: linear, damping: -2}, {law: linear, damping: 1}]", "connections.c"),
    ],
)
def test_a_connection_that_feeds_energy_in_is_warned_of(tmp_path: Path, law: str, where: str) -> None:
    (tmp_path / "model.yaml").write_text("slipstick: 1\n" + FED.format(law=law))
    (warning,) = examine(tmp_path / "model.yaml").warnings
    assert f":3: {where}: its damper is below zero: it feeds energy into motions" in warning
    with pytest.warns(UserWarning, match="feeds energy into motions") as heard:
        read_model(tmp_path / "model.yaml")
    assert len(heard) == 1


def test_a_sum_that_takes_more_than_it_feeds_is_none(tmp_path: Path) -> None:
    law = "sum: [{law: linear, damping: -2}, {law: linear, damping: 3}]"
    (tmp_path / "model.yaml").write_text("slipstick: 1\n" + FED.format(law=law))
    assert examine(tmp_path / "model.yaml").warnings == []


def test_a_model_that_was_in_use_is_opened_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text("slipstick: 1\n" + FED.format(law="law: linear, damping: -2"))
    read_model(tmp_path / "model.yaml", warns=False)  # a warning is an error here


def test_a_check_says_once_which_numbers_count_in_si(tmp_path: Path) -> None:
    path = tmp_path / "bare.yaml"
    path.write_text(
        "slipstick: 1\nname: bare\ncoordinates:\n  x: {inertia: 2 kg}\nconnections:\n"
        "  a: {deflection: x, law: linear, stiffness: 5e3, damping: 0}\n"
        "  b: {deflection: x, law: dahl, stiffness: 30 N/mm, limit: 12, exponent: 1.5}\n"
        "loads:\n  - {on: x, constant: 3}\n"
    )
    (note,) = examine(path).notes
    assert "bare.yaml:6: connections.a.stiffness: has no unit and counts in SI" in note  # 0 and exponents need none
    assert "so do 2 other numbers" in note


def test_a_phase_of_more_than_a_turn_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "turned.yaml"
    path.write_text(
        "slipstick: 1\nname: turned\nfrequency: 10 Hz\ncoordinates:\n  x: {inertia: 2 kg}\nconnections:\n"
        "  a: {deflection: x, law: linear, stiffness: 5 N/mm}\nloads:\n"
        "  - {on: x, cosine: {amplitude: 1 N, order: 1, phase: 90}}\n"
        "  - {on: x, cosine: {amplitude: 1 N, order: 2, phase: 90 deg}}\n"
    )
    (note,) = examine(path).notes
    assert "turned.yaml:9: loads[0]: has a phase of 90 rad, more than a turn; write 90 deg" in note
