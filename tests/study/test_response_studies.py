"""Studies of periodic responses: what is read is what was written, and everything wrong is one line with its place."""

from __future__ import annotations

import numpy as np
import pytest
from results.recorded_trajectories import trajectory
from study import invalid_follow_and_mode_studies
from study.invalid_response_studies import BAD, MODELS, curve, drawn, orbit
from study.invalid_studies import MODEL, NO_BASE

import slipstick as ss
from slipstick.cli import main
from slipstick.results.run import Run
from slipstick.study import read_study

BY_NAME = {bad.name: bad for bad in BAD} | {
    f"other kinds, {bad.name}": bad for bad in invalid_follow_and_mode_studies.BAD
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with model files and a run."""
    monkeypatch.chdir(tmp_path)
    stopped = MODEL.replace(
        "law: freeplay, stiffness: 560 N/mm, half_gap: 0.2 mm", "law: impact, gap: 0.2 mm, restitution: 0.5"
    )
    for name, text in {
        "pair": MODEL,
        "no-base": NO_BASE,
        "with-a-rigid-stop": stopped,
        **MODELS,
        **invalid_follow_and_mode_studies.MODELS,
    }.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / "text.nc").write_text("hello")
    m = ss.open("pair.yaml")
    Run(trajectory(m, np.linspace(0.0, 0.1, 5)), m).save("run.nc")
    return tmp_path


@pytest.fixture
def nothing_runs(monkeypatch):
    def ran(*_, **__):
        raise AssertionError("it ran")

    for name in ("follow", "solve_at_values", "sweep_frequencies"):
        monkeypatch.setattr(f"slipstick.periodic.response.{name}", ran)


def read(text):
    with open("study.yaml", "w", encoding="utf-8") as stream:
        stream.write(text)
    return read_study("study.yaml")


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("name", BY_NAME)
def test_a_bad_study_is_one_line_with_its_place_by_run_and_by_check(name, folder, capsys):
    bad = BY_NAME[name]
    (folder / "study.yaml").write_text(bad.content)
    told = []
    for command in ("run",) if bad.content == MODEL else ("run", "check"):  # to check a model is right
        with pytest.raises(SystemExit) as left:
            main([command, "study.yaml"])
        said, complained = capsys.readouterr()
        assert (left.value.code, said) == (2, "")
        told.append(complained)
    assert told[0] == told[-1]
    assert len(told[0].splitlines()) == 1, told[0]
    assert told[0].startswith(f"{bad.file}:{bad.line}: "), told[0]
    for fragment in bad.fragments:
        assert fragment in told[0]
    assert sorted(path.name for path in folder.glob("*.nc")) == ["run.nc", "text.nc"]


# ---- good ones


@pytest.mark.parametrize(
    ("text", "hertz", "unit"),
    [
        ("[10 Hz, 40 Hz]", (10.0, 40.0), "Hz"),
        ("{from: 600 rpm, to: 2400 rpm}", (10.0, 40.0), "rpm"),
        ("[40 Hz, 10 Hz]", (40.0, 10.0), "Hz"),
        ("[62.83185307179586, 40 Hz]", (10.0, 40.0), "Hz"),
    ],
)
def test_two_frequencies_are_read_in_rad_per_second(text, hertz, unit):
    study = read(curve(f"between: {text}"))
    assert study.settings["between"] == pytest.approx([ss.hz(f) for f in hertz], rel=1e-14)
    assert study.settings["unit"] == unit


@pytest.mark.parametrize(
    ("text", "hertz"),
    [("12 Hz", [12]), ("[12 Hz, 900 rpm]", [12, 15]), ("{from: 10 Hz, to: 20 Hz, count: 5}", [10, 12.5, 15, 17.5, 20])],
)
def test_just_these_frequencies(text, hertz):
    assert read(curve(f"at: {text}")).settings["at"] == pytest.approx([ss.hz(f) for f in hertz], rel=1e-14)


def test_a_plain_number_is_in_rad_per_second_and_no_unit_is_made_up():
    assert read(curve("between: [10, 20]")).settings == {"between": (10.0, 20.0)}


def test_every_key_reaches_the_solver(monkeypatch):
    asked = {}
    monkeypatch.setattr(ss.Model, "frequency_response", lambda self, **given: asked.update(given, units=self.units))
    keys = "between: [10 Hz, 40 Hz]\nmethod: harmonic-balance\nharmonics: 9\nsubharmonic: 2"
    study = read(curve(keys))
    study.run(progress=print)
    assert asked.pop("between") == pytest.approx((ss.hz(10), ss.hz(40)))
    assert asked.pop("units").frequency == "Hz"
    assert asked == {"method": "harmonic-balance", "harmonics": 9, "subharmonic": 2, "progress": print}
    assert type(study.settings["harmonics"]) is int


def test_the_unit_of_the_model_is_taken_where_the_study_has_none(monkeypatch):
    asked = {}
    monkeypatch.setattr(ss.Model, "frequency_response", lambda self, **_: asked.update(units=self.units))
    study = read(curve("between: [100, 200]"))
    study.run()
    assert asked["units"].frequency == "Hz"  # its file says 30 Hz
    assert study.model.units.frequency == "Hz"


def test_a_study_searches_for_other_branches_where_it_says_so(monkeypatch):
    asked = {}
    monkeypatch.setattr(ss.Model, "frequency_response", lambda _, **given: asked.update(given))
    read(curve("between: [10 Hz, 20 Hz]\nthorough: true")).run()
    assert asked["thorough"] is True


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("keys", ["at: [10 Hz]", "between: [10 Hz, 20 Hz]\nmethod: integration"])
def test_a_thorough_study_needs_a_range_and_a_method_that_follows_it(keys, refused):
    with refused("thorough"):
        read(curve(f"{keys}\nthorough: true")).check()


def test_an_orbit_is_asked_for_with_every_key(monkeypatch):
    asked = {}
    monkeypatch.setattr(ss.Model, "periodic", lambda _, **given: asked.update(given))
    read(orbit("frequency: 20 Hz\nmethod: harmonic-balance\nharmonics: 9\nsubharmonic: 2")).run()
    assert asked == {
        "frequency": pytest.approx(ss.hz(20)),
        "method": "harmonic-balance",
        "harmonics": 9,
        "subharmonic": 2,
    }


def test_the_figure_of_a_curve_has_keys_of_its_own():
    study = read(drawn("quantity: dissipated, connections: [mesh], log: true"))
    assert study.drawing == {"quantity": "dissipated", "connections": ["mesh"], "log": True}


LINEAR = """\
slipstick: 1
model:
  coordinates: {x: {inertia: 2 kg}}
  connections: {spring: {deflection: x, law: linear, stiffness: 8 N/mm, damping: 20 N s/m}}
  loads: [{on: x, cosine: {amplitude: 12 N, order: 1}}]
"""


def test_a_linear_model_has_the_response_of_the_textbook(folder):
    """|x| = F / |k - m w^2 + i c w|, at the frequencies of the study and at those of an orbit to begin from."""
    first = read(LINEAR + "periodic: {frequency: 9 Hz}\n").run()
    first.save(folder / "orbit.nc")
    study = read(LINEAR + "frequency_response: {at: [8 Hz, 10 Hz, 12 Hz], start: orbit.nc}\n")
    study.check()
    response = study.run()
    omega = 2.0 * np.pi * np.array([8.0, 10.0, 12.0])
    expected = 12.0 / np.abs(8000.0 - 2.0 * omega**2 + 20.0j * omega)
    np.testing.assert_allclose(response.data.amplitude.sel(coordinate="x"), expected, rtol=1e-9)
    assert first.amplitude["x"] == pytest.approx(12.0 / abs(8000.0 - 2.0 * ss.hz(9) ** 2 + 20.0j * ss.hz(9)), rel=1e-9)
    assert response.names.units.frequency == "Hz"


@pytest.mark.parametrize(
    ("model", "keys", "words"),
    [
        (
            LINEAR,
            "between: [10 Hz, 12 Hz]",
            "start must lie between 10 Hz and 12 Hz, got an orbit at 9 Hz; widen between:",
        ),
        (
            LINEAR.replace("x", "y"),
            "between: [8 Hz, 12 Hz]",
            "start is an orbit of another model: its coordinates are x",
        ),
    ],
)
def test_an_orbit_that_cannot_be_begun_from_is_refused_by_its_line(model, keys, words, folder):
    read(LINEAR + "periodic: {frequency: 9 Hz}\n").run().save(folder / "orbit.nc")
    study = read(f"{model}frequency_response:\n  {keys}\n  start: orbit.nc\n")
    for ask in (study.check, study.run):
        with pytest.raises(ss.FileError, match=rf"study.yaml:8: frequency_response.start: {words}"):
            ask()
