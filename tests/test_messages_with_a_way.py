"""What is often tried in vain is answered in one line with the way that works, and that way does work."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import slipstick as ss


def model() -> ss.Model:
    m = ss.Model("a")
    x = m.coordinate("x", inertia=1.0, displacement=0.1)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    return m


@pytest.mark.parametrize(
    ("given", "way"),
    [
        (np.sin, "ss.Sine(1.0, frequency=1.0)"),
        (math.cos, "ss.Cosine(1.0, frequency=1.0)"),
        (lambda t: t**2, "ss.Signal(t, [f(x) for x in t])"),
        ([0.0, 1.0], "ss.Signal(times, values)"),
        (np.zeros(3), "ss.Signal(times, values)"),
    ],
)
def test_a_load_that_is_no_function_of_time_is_told_how_to_become_one(given: object, way: str) -> None:
    m = model()
    for wrong in (lambda: m.load(m["x"], given), lambda: m.coordinate("y", motion=given)):
        with pytest.raises(ss.InvalidInput) as refusal:
            wrong()
        assert way in str(refusal.value)
        assert "\n" not in str(refusal.value)


def test_the_sine_that_is_named_is_that_of_numpy() -> None:
    t = np.linspace(0.0, 3.0, 7)
    np.testing.assert_allclose(ss.Sine(1.0, frequency=1.0).at(t), np.sin(t), atol=1e-15)


@pytest.mark.parametrize(
    ("wrong", "way"),
    [
        (lambda: ss.Cosine(freq=3), 'Cosine has no argument "freq" (use frequency= in rad/s, ss.hz(3) for 3 Hz)'),
        (lambda: ss.Sine(1.0, omega=3), "frequency= in rad/s"),
        (lambda: ss.Cosine(1.0, hz=3), "frequency=ss.hz(...)"),
        (lambda: ss.Fourier(mean=1.0, freq=2), "frequency= in rad/s"),
        (lambda: ss.Cosine(amp=1.0, frequency=2.0), "amplitude="),
        (lambda: ss.Cosine(1.0, frequncy=2.0), 'did you mean "frequency"?'),
        (lambda: ss.Cosine(frequency=2.0), "Cosine needs amplitude"),
        (lambda: ss.Ramp(1.0, 2.0), "Ramp was given too many arguments"),
        (lambda: ss.Signal([0.0, 1.0]), "Signal needs values"),
    ],
)
def test_arguments_of_functions_of_time(wrong: object, way: str) -> None:
    with pytest.raises(ss.WrongArguments) as refusal:
        wrong()
    assert way in str(refusal.value)
    assert isinstance(refusal.value, TypeError)


@pytest.mark.parametrize("name", ["initial", "x0", "initial_conditions"])
def test_initial_values_belong_to_coordinates(name: str) -> None:
    m = model()
    with pytest.raises(ss.WrongArguments, match=r'm\["x"\]\.displacement = 0\.1') as refusal:
        m.simulate(until=1.0, **{name: [0.3, 0.0]})
    assert "\n" not in str(refusal.value)
    m["x"].displacement = 0.3
    assert m.simulate(until=1.0).data.displacement.values[0, 0] == 0.3


def test_a_misspelt_argument_is_named_before_anything_else_is_missing() -> None:
    m = model()
    m.load(m["x"], ss.Cosine(1.0, order=1))  # needs a base frequency, or a speed
    with pytest.raises(ss.WrongArguments, match=r'no option "speeed" \(did you mean "speed"\?\)'):
        m.simulate(until=1.0, speeed=3.0)
    with pytest.raises(ss.WrongArguments, match=r'm\["x"\]\.displacement = 0\.1'):
        m.simulate(until=1.0, initial=[0.3, 0.0])


@pytest.mark.parametrize("start", ["end", "last", "a run", None])
def test_a_start_that_is_no_time_is_told_of_the_end_of_a_run(start: object) -> None:
    m = model()
    run = m.simulate(until=1.0, samples=5)
    with pytest.raises(ss.InvalidInput, match=r"start must be a time in seconds or run\.end") as refusal:
        m.simulate(until=2.0, start=run if start == "a run" else start)
    assert "start=run.end" in str(refusal.value)
    whole = m.simulate(until=2.0, samples=[2.0]).data.displacement.values[-1]
    parts = m.simulate(until=2.0, start=run.end, samples=[2.0]).data.displacement.values[-1]
    np.testing.assert_allclose(parts, whole, rtol=1e-12)


FILE = """slipstick: 1
name: shaken
coordinates:
  x: {inertia: 1.0}
connections:
  s: {deflection: x, law: linear, stiffness: 1.0}
loads:
  - {on: x, signal: {file: quake.csv}}
"""


@pytest.mark.parametrize(
    "text",
    [
        "t,a\n0,0\n1.5,2\n2,-1e-1\n",
        "0; 0\n1.5; 2\n2; -0.1\n",
        "time [s]\tload [N]\n0\t0\n1.5\t2\n2\t-0.1\n",
        "# a\n0 0\n1.5 2\n2 -0.1",
    ],
)
def test_a_signal_is_read_from_a_table(text: str, tmp_path: Path) -> None:
    (tmp_path / "quake.csv").write_text(text)
    (tmp_path / "model.yaml").write_text(FILE)
    (load,) = ss.open(tmp_path / "model.yaml").loads
    assert load.function == ss.Signal([0.0, 1.5, 2.0], [0.0, 2.0, -0.1])


@pytest.mark.parametrize(
    ("text", "words"),
    [("0,5;1,2\n1,5;2,0\n", "line 1"), ("0,0\n1,x\n", "line 2"), ("t,a\n", "no rows"), ("0,0\n0 1,2\n", "line 2")],
)
def test_a_table_that_is_none_is_refused_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "quake.csv").write_text(text)
    (tmp_path / "model.yaml").write_text(FILE)
    with pytest.raises(ss.FileError, match=words):
        ss.open(tmp_path / "model.yaml")


def test_another_kind_of_file_is_told_which_ones_are_read(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(FILE.replace("quake.csv", "../quake.csv"))
    with pytest.raises(ss.FileError, match=r"\.npz or \.csv file in the same folder"):
        ss.open(tmp_path / "model.yaml")


def test_names_that_look_alike_are_told_apart_in_print() -> None:
    m = ss.Model("a")
    a, b = m.coordinate("x1", inertia=1.0), m.coordinate("x_1", inertia=2.0)
    m.connect(a - b, ss.Freeplay(stiffness=1.0, half_gap=0.1), name="mesh")
    text = m.equations().latex()
    assert r"\mathrm{x1}" in text
    assert r"\mathrm{x\_1}" in text
    assert "x_{1} - x_{1}" not in text
    alone = ss.Model("b")
    alone.connect(alone.coordinate("x1", inertia=1.0), ss.Linear(stiffness=1.0), name="s")
    assert r"\ddot{x_{1}}" in alone.equations().latex()


@pytest.mark.parametrize(
    "text",
    [
        "t [s],F [N]\n0,0\n2,1500\n",
        "t [ms];F (kN)\n0;0\n2000;1.5\n",
        "t,F [kN]\n0,0\n2,1.5\n",
        "t,F\nms,kN\n0,0\n2000,1.5\n",
        "of rig 7\ntime\tforce\t temperature\n-\tkN\t V\n\n0\t0\t 20\n2\t1.5\t 21\n\n",
        "# t F\n# ms kN\n0 0\n2000 1.5\n",
        "ms;kN\nt;F\n0;0\n2000;1.5\n",
        "min,kN\n0,0\n0.033333333333333333,1.5\n",
        "t,Load_kN\n0,0\n2,1.5\n",
    ],
)
def test_a_signal_of_a_table_is_in_the_units_of_its_header(text: str, tmp_path: Path) -> None:
    (tmp_path / "quake.csv").write_text(text)
    (tmp_path / "model.yaml").write_text(FILE)
    assert ss.open(tmp_path / "model.yaml").loads[0].function == ss.Signal([0.0, 2.0], [0.0, 1500.0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("t [s],F [mm]\n0,0\n1,1\n", "units like N.*got 1 mm"),
        ("0,5;0,5\n1;2\n2;3\n", "line 1 must have a time"),
        ("t,F\nsek,kN\n0,0\n1,1\n", "sek"),
        ("t,F\nms,mm\n0,0\n1,1\n", "units like N.*got 1 mm"),
    ],
)
def test_a_signal_in_wrong_units_or_with_decimal_commas_is_refused(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "quake.csv").write_text(text)
    (tmp_path / "model.yaml").write_text(FILE)
    with pytest.raises(ss.SlipstickError, match=words):
        ss.open(tmp_path / "model.yaml")
