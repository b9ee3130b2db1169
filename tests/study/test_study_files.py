"""Study files: what is read is what was written, and everything wrong is one line with its place."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field as Described
from results.recorded_trajectories import trajectory
from study.invalid_studies import BAD, BROKEN, CURVED, GOOD, INLINE, MODEL, NO_BASE

import slipstick as ss
from slipstick.cli import main
from slipstick.errors import Advice, Message
from slipstick.model.files.file_problems import FILE
from slipstick.model.files.schema import FilePart, Number
from slipstick.study import examine_study, is_study, read_study
from slipstick.study.kind_registry import KINDS
from slipstick.study.study_kind import StudyKind, read_unitless

BY_NAME = {bad.name: bad for bad in BAD}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with model files, and no solver behind the front door."""
    monkeypatch.chdir(tmp_path)
    models = {"pair": MODEL, "curved": CURVED, "no-base": NO_BASE, "broken": BROKEN, "other-study": GOOD}
    for name, text in models.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / "folder.nc").mkdir()

    def run(problem, request, *, scheme="explicit", theta=0.5, order=8):
        made = trajectory(problem.system, request.times)
        made.options = {"scheme": scheme, "theta": theta, "order": order}
        return made

    for name in ("exact", "events", "inclusion", "newmark", "taylor"):
        monkeypatch.setitem(sys.modules, f"slipstick.transient.{name}", SimpleNamespace(run=run))
    return tmp_path


def written(folder, content):
    path = folder / "study.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return "study.yaml"


def test_there_are_many_ways_to_be_wrong():
    assert len(BY_NAME) == len(BAD) >= 40


@pytest.mark.parametrize("name", BY_NAME)
def test_a_bad_study_is_one_line_with_its_place_and_exit_code_2(name, folder, capsys):
    bad = BY_NAME[name]
    with pytest.raises(SystemExit) as left:
        main(["run", written(folder, bad.content)])
    said, told = capsys.readouterr()
    assert left.value.code == 2
    assert said == ""
    assert len(told.splitlines()) == 1, told
    place = bad.file if bad.line is None else f"{bad.file}:{bad.line}: "
    assert told.startswith(place), told
    for fragment in bad.fragments:
        assert fragment in told
    assert "Traceback" not in told
    assert sorted(p.name for p in folder.glob("*.nc")) == ["folder.nc"]


def test_a_file_that_is_not_there_is_one_line(capsys):
    with pytest.raises(SystemExit) as left:
        main(["run", "none.yaml"])
    assert left.value.code == 2
    assert capsys.readouterr().err == "none.yaml: there is no such file; check the name and the folder\n"


def test_all_problems_of_a_study_are_reported_in_the_order_of_lines(folder):
    text = GOOD.replace("200 ms", "200 mm").replace("samples: 50", "samples: 2.5").replace("first.nc", "first.csv")
    report = examine_study(folder / written(folder, text))
    assert [problem.line for problem in report.problems] == [5, 8, 10]
    assert report.study is None


# ---- good ones


def test_a_study_is_read_in_si(folder):
    study = read_study(folder / written(folder, GOOD))
    assert study.name == "first run"
    assert study.kind.name == "transient"
    assert study.settings == {"until": 0.2, "start": 0.0, "method": "auto", "samples": 50}
    assert study.data == folder / "first.nc"
    assert study.figure is None
    assert study.model == ss.open("pair.yaml")
    assert isinstance(study.model, ss.Model)


def test_defaults_stand_beside_the_study(folder):
    study = read_study(folder / written(folder, "slipstick: 1\nmodel: pair.yaml\ntransient: {until: 1}\n"))
    assert study.name == "study"
    assert study.data == folder / "study.nc"
    assert study.figure == folder / "study.png"
    assert study.settings == {"until": 1.0}


def test_every_key_reaches_the_solver(folder):
    keys = (
        "transient:\n  until: 2 min\n  start: 500 ms\n  frequency: 1800 rpm\n  method: newmark\n  step: 10 us\n"
        "  tolerance: 1e-8\n  samples: [1 s, 2000 ms, 3]\n  options: {scheme: theta, theta: 0.75, order: 12}\n"
    )
    (folder / "linear.yaml").write_text(MODEL.replace("law: dry-friction, limit: 3 N", "law: linear, stiffness: 1"))
    study = read_study(folder / written(folder, f"slipstick: 1\nmodel: linear.yaml\n{keys}"))
    assert study.settings == {
        "until": 120.0,
        "start": 0.5,
        "frequency": ss.rpm(1800),
        "method": "newmark",
        "step": pytest.approx(1e-5, rel=1e-15),
        "tolerance": 1e-8,
        "samples": [1.0, 2.0, 3.0],
        "scheme": "theta",
        "theta": 0.75,
        "order": 12,
    }
    run = study.run()
    assert run.samples.time.tolist() == [1.0, 2.0, 3.0]
    assert run.trajectory.options == {"scheme": "theta", "theta": 0.75, "order": 12}
    assert isinstance(run.trajectory.options["order"], int)


def test_a_model_may_stand_in_place(folder):
    study = read_study(folder / written(folder, INLINE))
    assert [c.name for c in study.model.connections] == ["mesh"]
    assert study.model.frequency == ss.hz(30)


def test_a_model_is_looked_for_beside_the_study_not_where_one_stands(folder, monkeypatch):
    (folder / "elsewhere").mkdir()
    written(folder, GOOD)
    monkeypatch.chdir(folder / "elsewhere")
    study = read_study(folder / "study.yaml")
    assert study.model.name == "pair"
    assert study.data == folder / "first.nc"


@pytest.mark.parametrize(
    ("text", "amplitude"),
    [("system: tensioner", 122.1), ("system: {name: tensioner, amplitude: 54, frequency: 10 Hz}", 54.0)],
)
def test_a_system_may_take_the_place_of_a_model(text, amplitude, folder):
    study = read_study(folder / written(folder, f"slipstick: 1\n{text}\ntransient: {{until: 1 s}}\n"))
    frequency = ss.hz(10) if "Hz" in text else 73.15
    assert study.model == ss.systems.tensioner(amplitude=amplitude, frequency=frequency)


def test_a_system_with_another_law(folder):
    text = "slipstick: 1\nsystem: {name: tensioner, law: modified-dahl}\ntransient: {until: 1 s}\n"
    study = read_study(folder / written(folder, text))
    assert isinstance(study.model.connection("tensioner").law, ss.ModifiedDahl)


def test_a_system_takes_lists_and_numbers_by_name(folder):
    given = "masses: [10, 1, 1, 0.5, 9], torque_amplitudes: [200, 50], torque_phases: [0, 0.5], width: {plate: 0.02}"
    text = f"slipstick: 1\nsystem: {{name: clutch, {given}}}\ntransient: {{until: 1 ms}}\n"
    study = read_study(folder / written(folder, text))
    assert study.model == ss.systems.clutch(
        masses=(10.0, 1.0, 1.0, 0.5, 9.0),
        torque_amplitudes=(200.0, 50.0),
        torque_phases=(0.0, 0.5),
        width={"plate": 0.02},
    )
    text = "slipstick: 1\nsystem: {name: tensioner, law: modified-dahl, upper: [900, 7e4]}\ntransient: {until: 1 ms}\n"
    study = read_study(folder / written(folder, text))
    assert study.model == ss.systems.tensioner("modified-dahl", upper=(900.0, 7e4))


def test_read_study_raises_the_first_problem(folder):
    with pytest.raises(ss.FileError, match=r"study.yaml:5: transient.until"):
        read_study(folder / written(folder, GOOD.replace("200 ms", "later")))


def test_studies_are_distinguished_from_models(folder):
    assert is_study(folder / written(folder, GOOD))
    assert is_study(folder / written(folder, INLINE))
    assert not is_study(folder / "pair.yaml")
    assert not is_study(folder / "none.yaml")


def test_a_run_of_a_study_is_the_run_of_its_model(folder):
    run = read_study(folder / written(folder, GOOD)).run()
    assert np.array_equal(run.samples.time, np.linspace(0.0, 0.2, 50))
    assert run.model == ss.open("pair.yaml")


# ---- damage

PIECES = [
    "",
    " ",
    "\n",
    ":",
    "-",
    "{",
    "}",
    "[",
    "]",
    "'",
    '"',
    "#",
    "\t",
    "0",
    "-1",
    "1e999",
    "s",
    "mm",
    "none",
    "&a",
    "*a",
    "é",
    "\0",
]


@st.composite
def damaged(draw):
    """A good study after some cuts and insertions."""
    text = draw(st.sampled_from([GOOD, INLINE]))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        gone = draw(st.integers(0, 6))
        text = text[:at] + draw(st.sampled_from(PIECES)) + text[at + gone :]
    return text


@given(text=damaged())
@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_a_damaged_study_is_read_or_refused_and_nothing_else(text, folder):
    report = examine_study(folder / written(folder, text))
    assert (report.study is None) == bool(report.problems)
    for problem in report.problems:
        assert "\n" not in str(problem)
        assert "please report" not in str(problem)


# ---- another kind of study


class Count(FilePart):
    to: Number = Described(description="the last number")


def test_another_kind_of_study_is_one_more_entry(folder, monkeypatch):
    def read(part, section):
        section.put("to", part.to, read_unitless)

    def run(model, settings, _):
        if settings["to"] > 9:
            raise ss.InvalidInput(f"to must be at most 9, got {settings['to']:g}").about("to")
        return model.name, settings

    count = StudyKind("count", "count", "counts up", "count: {to: 3}", Count, read, run)
    monkeypatch.setitem(KINDS, "count", count)
    text = "slipstick: 1\nmodel: pair.yaml\ncount:\n  to: 3\n"
    assert read_study(folder / written(folder, text)).run() == ("pair", {"to": 3.0})
    assert is_study("study.yaml")
    report = examine_study(folder / written(folder, text.replace("to: 3", "too: 3")))
    assert [problem.line for problem in report.problems] == [4]
    with pytest.raises(ss.FileError, match=r"study.yaml:4: count.to: to must be at most 9, got 12"):
        read_study(folder / written(folder, text.replace("to: 3", "to: 12"))).run()
    both = examine_study(folder / written(folder, text + "transient: {until: 1 s}\n"))
    assert "are both given" in str(both.problems[0])


# ---- check refuses what run refuses


@pytest.mark.parametrize("name", BY_NAME)
def test_check_refuses_what_run_refuses_in_the_same_words(name, folder, capsys):
    if not is_study(folder / written(folder, BY_NAME[name].content)):
        pytest.skip("a file that does not look like a study is checked as a model")
    told = []
    for command in ("run", "check"):
        with pytest.raises(SystemExit) as left:
            main([command, "study.yaml"])
        assert left.value.code == 2
        told.append(capsys.readouterr().err)
    assert told[0] == told[1]


# ---- what the figure shows


DRAWN = GOOD.replace("figure: none", "figure: first.png\n  plot: {quantity: force, connections: mesh, start: 50 ms}")


def test_a_study_says_what_its_figure_shows(folder, monkeypatch):
    study = read_study(folder / written(folder, DRAWN))
    assert study.drawing == {"quantity": "force", "connections": ["mesh"], "start": 0.05}
    asked = {}
    from slipstick.results.run import Run

    plain = Run.plot
    monkeypatch.setattr(Run, "plot", lambda self, **how: asked.update(how) or plain(self, **how))
    with pytest.raises(SystemExit) as left:
        main(["run", "study.yaml"])
    assert left.value.code == 0
    assert asked == study.drawing


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("quantity: force", "quantity: forces", 'output.plot.quantity: quantity must be .*did you mean "force"'),
        ("connections: mesh", "connections: [mash]", "output.plot.connections: no connection 'mash'.*mesh"),
        ("start: 50 ms", "start: 50 mm", "output.plot.start: .*50 mm"),
        ("start: 50 ms", "begin: 50 ms", 'output.plot.begin: unknown key.*did you mean "start"'),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_refused_by_its_line(old, new, words, folder):
    with pytest.raises(ss.FileError, match=rf"study.yaml:12: {words}"):
        read_study(folder / written(folder, DRAWN.replace(old, new)))


def test_a_parameter_is_not_blamed_because_its_name_stands_in_a_hint(folder):
    """The refusal of the law says "did you mean", which has "mean" in it."""
    system = "system:\n  name: tensioner\n  mean: 1\n  law: masin\n"
    report = examine_study(folder / written(folder, f"slipstick: 1\n{system}transient: {{until: 1 s}}\n"))
    assert [(problem.line, problem.path) for problem in report.problems] == [(5, "system.law")]


@pytest.mark.parametrize(
    ("advice", "words"),
    [
        (Advice("raise {harmonics}"), "raise harmonics:"),
        (Advice("begin nearer, with {start}, or elsewhere"), "begin nearer, with start:, or elsewhere"),
        (Advice("use {method}, or wait", method="harmonic-balance"), "use method: harmonic-balance, or wait"),
        (Advice("begin there ({between}), or not", between=(2, 1)), "begin there (between: [2, 1]), or not"),
        (Advice("give {at} for these", at=[...]), "give at: [...] for these"),
        (Advice("by {regularised}", regularised="sqrt"), "by law: sqrt-friction"),
    ],
)
def test_advice_names_the_keys_of_the_file(advice, words):
    assert FILE.message(Message("it failed", advice=[advice])) == f"it failed; {words}"


def test_a_plain_text_stays_as_it_is():
    assert FILE.message("a load of Cosine(40, order=1) stays") == "a load of Cosine(40, order=1) stays"
