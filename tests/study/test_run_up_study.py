"""Run-ups in studies, and chirps in model files."""

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import FileError
from slipstick.study.study_reader import read_study

MODEL = """slipstick: 1
model:
  name: drive
  coordinates: {x: {inertia: 1 kg}}
  connections:
    spring: {deflection: x, law: linear, stiffness: 100 N/m, damping: 0.4 N s/m}
  loads:
    - {on: x, cosine: {amplitude: 1 N, order: 1}}
"""


def study(tmp_path, transient):
    path = tmp_path / "study.yaml"
    path.write_text(f"{MODEL}transient: {transient}\n")
    return path


def test_a_study_runs_up(tmp_path):
    read = read_study(study(tmp_path, "{until: 5 s, start: 1 s, speed: {from: 60 rpm, to: 180 rpm, over: 4 s}}"))
    speed = read.settings["speed"]
    np.testing.assert_allclose(speed.at([1.0, 3.0, 5.0, 9.0]), np.array([1.0, 2.0, 3.0, 3.0]) * 2.0 * math.pi)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("{from: 1 Hz, to: 2 Hz, over: 0 s}", "over must be > 0"),
        ("{from: 1 Hz, to: 2 Hz}", "over"),
        ("{from: 1 Hz, to: 2 N, over: 1 s}", "2 N"),
        ("{form: 1 Hz, to: 2 Hz, over: 1 s}", 'did you mean "from"'),
    ],
)
def test_wrong_speeds_are_refused_in_one_line(tmp_path, given, words):
    with pytest.raises(FileError, match=words):
        read_study(study(tmp_path, f"{{until: 5 s, speed: {given}}}"))


def test_a_frequency_beside_a_speed_is_refused(tmp_path):
    with pytest.raises(FileError, match="both given"):
        read_study(study(tmp_path, "{until: 5 s, frequency: 2 Hz, speed: {from: 1 Hz, to: 2 Hz, over: 1 s}}"))


def test_chirps_are_written_and_read(tmp_path):
    m = ss.Model("chirp")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=10.0), name="spring")
    m.load(x, ss.Chirp(2.0, 3.0, 0.7, phase=0.1))
    m.save(tmp_path / "chirp.yaml")
    again = ss.open(tmp_path / "chirp.yaml")
    assert again.loads[0].function == ss.Chirp(2.0, 3.0, 0.7, 0.1)


def test_units_of_a_chirp(tmp_path):
    path = tmp_path / "model.yaml"
    chirp = "chirp: {amplitude: 1 N, frequency: 1 Hz, rate: 60 rpm/s}"
    text = MODEL.replace("cosine: {amplitude: 1 N, order: 1}", chirp)
    path.write_text("slipstick: 1\n" + "\n".join(line[2:] for line in text.splitlines()[2:]))
    (load,) = ss.open(path).loads
    assert load.function.rate == pytest.approx(2.0 * math.pi)
