"""What the page Respond is made of: knobs, choices, pictures."""

import csv
import inspect
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from models import one_mass

import slipstick as ss
from slipstick.app import task_worker
from slipstick.app.model_choice import SYSTEM_DESCRIPTIONS, ModelChoice
from slipstick.app.respond import coexisting_solutions, parameter_panel, tasks, transient_preview
from slipstick.app.respond.curve_notes import other_branches_note
from slipstick.app.respond.display_data import curve_display, run_display
from slipstick.app.respond.equivalent_code import curve_code
from slipstick.app.respond.kept_settings import KeptRun
from slipstick.app.respond.model_parameters import parameters_of, with_parameter
from slipstick.app.respond.page import with_display_value
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.response_figures import curve_figure, order_figure, time_figure
from slipstick.app.respond.run_up import RunUp
from slipstick.app.respond.setting_comparison import setting_differences
from slipstick.errors import Message


def say_nothing(words, share):
    """Nobody watches."""


@pytest.fixture
def duffing(tmp_path):
    m = ss.Model("duffing", frequency=1.0)
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.5), damping=0.1), name="spring")
    m.load(x, ss.Cosine(0.5, order=1))
    m.save(tmp_path / "m.yaml")
    return ModelChoice(system="", text=(tmp_path / "m.yaml").read_text(), name="m.yaml")


@pytest.mark.parametrize("system", SYSTEM_DESCRIPTIONS)
def test_every_knob_of_a_system_begins_at_the_number_of_the_paper(system):
    knobs = [knob for knob in parameters_of(ModelChoice(system)) if not knob.options]
    published = inspect.signature(getattr(ss.systems, system)).parameters
    for knob in knobs:
        key, _, place = knob.name.partition(".")
        if key in published:  # others go on to a law
            default = published[key].default
            assert knob.value == (default[int(place)] if place else default)
        if knob.value is not None:
            assert knob.low <= knob.value <= knob.high
            assert knob.value_at(knob.place(knob.value)) == pytest.approx(knob.value, rel=0.01, abs=1e-3 * knob.high)


@pytest.mark.filterwarnings("ignore:DryFriction. limit is negative")
@pytest.mark.parametrize(
    "choice", [*map(ModelChoice, SYSTEM_DESCRIPTIONS), ModelChoice("tensioner", {"law": "modified-dahl"})], ids=repr
)
def test_a_system_can_be_built_at_both_ends_of_every_knob(choice):
    for knob in parameters_of(choice):
        for place in (0.0, 1.0) if knob.value is not None else ():
            with_parameter(choice, knob.name, knob.value_at(place)).build()


def test_a_knob_of_a_text_ends_where_the_law_does(tmp_path):
    m = ss.Model("rig")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.ModifiedDahl(rate=1e3, exponent=0.4, upper=(1.0, 2.0), lower=(-1.0, 2.0)), name="wire")
    m.connect(x, ss.FibreShear(stiffness=9.0, limit=1.0, linear=5.0, cubic=2.0, overshoot=0.5, ratio=0.6), name="mat")
    m.save(tmp_path / "m.yaml")
    text = ModelChoice(system="", text=(tmp_path / "m.yaml").read_text())
    knobs = {knob.name: knob for knob in parameters_of(text)}
    assert knobs["mat.ratio"].high == 1.0  # r of the paper is a share
    assert 0.0 < knobs["wire.exponent"].low < 0.1
    for name in ("mat.ratio", "wire.exponent", "wire.rate"):
        for place in (0.0, 1.0):
            with_parameter(text, name, knobs[name].value_at(place)).build()


def test_a_knob_of_a_text_sets_the_number_of_that_name(duffing):
    knobs = {knob.name: knob for knob in parameters_of(duffing)}
    assert {"x.inertia", "spring.coefficients.3", "spring.damping", "forcing.amplitude"} <= knobs.keys()
    other = with_parameter(with_parameter(duffing, "spring.coefficients.3", 0.8), "x.inertia", 2.0)
    model = other.build()
    assert model.connections[0].law.coefficients == (0.0, 1.0, 0.0, 0.8)
    assert model.coordinates[0].inertia == 2.0
    assert with_parameter(other, "x.inertia", None).build().coordinates[0].inertia == 1.0


def test_a_number_in_a_list_of_a_system_is_set_alone():
    first, _, *others = inspect.signature(ss.systems.clutch).parameters["inertias"].default
    choice = with_parameter(ModelChoice("clutch"), "inertias.1", 0.5)
    assert choice.values["inertias"] == (first, 0.5, *others)


def test_another_law_takes_its_own_numbers():
    choice = with_parameter(ModelChoice("tensioner", {"limit": 100.0, "amplitude": 50.0}), "law", "modified-dahl")
    assert choice.values == {"amplitude": 50.0, "law": "modified-dahl"}


def test_the_damper_of_the_tensioner_follows_the_frequency():
    damping = [ModelChoice("tensioner").at(omega).connection("tensioner").law.damping for omega in (9.4, 94.0)]
    assert damping == pytest.approx([1.93e4, 1.93e3])  # (36c) at 9.4 rad/s, (31)


def test_unstable_parts_are_dashed_and_folds_are_marked(duffing):
    found = tasks.follow_curve(say_nothing, duffing, 0.5, 3.0, "rad/s", 1.0)
    traces = {each["name"]: each for each in curve_figure(found.display, "amplitude of x", (), False)["data"]}
    by_api = duffing.build().frequency_response(between=(0.5, 3.0))
    assert traces["unstable"]["line"]["dash"] == "dash"
    assert "dash" not in traces["stable"]["line"]
    folds = [each["frequency"] for each in by_api.special if each["kind"] == "fold"]
    assert len(folds) == 2
    assert traces["fold"]["x"] == pytest.approx(folds)
    assert traces["fold"]["text"] == ["fold", "fold"]
    peak = by_api.peak("x")
    assert traces["peak"]["text"] == [f"{peak.amplitude:.6g} SI at {peak.frequency:.6g} rad/s"]
    unstable = [k for k in traces["unstable"]["customdata"] if k is not None]
    orbit = tasks.orbit_at_point(say_nothing, found.data, unstable[len(unstable) // 2])
    assert max(math.hypot(*each) for each in orbit.display.multipliers) > 1.0
    assert dict(orbit.display.figures)["stability"].startswith("UNSTABLE")


def test_a_thorough_curve_shows_other_branches_as_further_lines(tmp_path):
    m = one_mass(
        {"shaft": ss.Linear(stiffness=0.2, damping=0.08), "mesh": ss.Freeplay(stiffness=1.0, half_gap=0.5)},
        ss.Cosine(0.2, order=1),
    )
    m.save(tmp_path / "gear.yaml")
    choice = ModelChoice("", text=(tmp_path / "gear.yaml").read_text())
    parts = []
    found = tasks.follow_curve(lambda _, part: parts.append(part), choice, 0.9, 1.2, "rad/s", 1.0, thorough=True)
    _, curve = pickle.loads(found.data)
    (other,) = curve.others
    traces = {each["name"]: each for each in curve_figure(found.display, "amplitude of x", (), False)["data"]}
    shown = [y for kind in ("stable", "unstable") for y in traces[f"other branch, {kind}"]["y"] if y is not None]
    amplitudes = [float(point.amplitude[0]) for point in other.points]
    assert (min(shown), max(shown)) == pytest.approx((min(amplitudes), max(amplitudes)))
    assert "customdata" not in traces["other branch, stable"]  # a click opens orbits of the first curve only
    assert f"reach {max(amplitudes):.6g}" in other_branches_note(found.display, "amplitude of x")
    assert any("other branches" in line for line in found.display.certificate.lines)
    assert parts == sorted(parts)
    code = curve_code(say_nothing, choice, found.ends, None, thorough=found.thorough)
    assert "thorough=True" in code.python
    assert "  thorough: true" in code.file_text


def test_bands_cover_the_whole_of_a_run():
    found = tasks.simulate_model(say_nothing, ModelChoice("torsional"), 0.8, 40.0, 500)
    bars = [each for each in time_figure(found.display)["data"] if each["type"] == "bar"]
    assert sum(sum(each["x"]) for each in bars) == pytest.approx(40.0)
    assert found.display.certificate.passed


def test_the_first_order_of_a_slow_run_up_is_the_linear_resonance():
    text = """\
slipstick: 1
name: rig
coordinates: {x: {inertia: 1}}
connections: {spring: {deflection: x, law: linear, stiffness: 4, damping: 1}}
loads: [{on: x, cosine: {amplitude: 1, order: 1}}]
"""
    run_up = RunUp(1.0, 3.0, 600.0, orders=(1.0,))
    found = tasks.simulate_model(say_nothing, ModelChoice("", text=text), run_up, 600.0, 6000)
    [line] = found.display.orders
    speed, amplitude = np.array(line.x), np.array(line.y)
    closed_form = 1.0 / np.hypot(4.0 - speed**2, speed)
    inside = speed > 1.1  # the initial transient has decayed
    np.testing.assert_allclose(amplitude[inside], closed_form[inside], rtol=0.02)
    assert (line.name, line.what, line.x_unit) == ("x", "order 1", "rad/s")
    figure = order_figure(found.display.orders, [KeptRun("A", "#000000", found.display)])
    assert [trace["name"] for trace in figure["data"]] == ["A, order 1", "order 1"]


def test_a_run_up_that_is_too_short_for_orders_says_so():
    found = tasks.simulate_model(say_nothing, ModelChoice(), RunUp(0.5, 1.5, 10.0), 10.0, 100)
    assert found.display.orders == []
    assert "revolutions, a window needs 4" in found.display.orders_note


def stopping_at(words):
    """Somebody who stops a task when it tells this, or more than half is done."""

    def report_progress(told, share):
        if told == words or (not words and told.endswith("%") and share > 0.5):
            raise KeyboardInterrupt

    return report_progress


@pytest.mark.parametrize(("system", "omega", "until"), [("torsional", 0.8, 4e5), ("fibre", 400.0, 20.0)])
def test_a_run_that_is_cancelled_keeps_the_same_motion_up_to_where_it_came(system, omega, until):
    choice = ModelChoice(system)
    found = tasks.simulate_model(stopping_at(""), choice, omega, until, 500)
    kept = pickle.loads(found.data)[1]
    reached = kept.stats.reached
    assert 0.5 * until < reached < until
    assert found.partial
    assert found.display.ended.startswith(f"cancelled at t = {reached:.6g} ")
    assert found.display.ended.endswith("; what was reached is shown")
    assert found.display.histories[0].x[-1] == pytest.approx(reached)
    assert found.display.certificate.verdict == "certificate passed"  # of this part
    integer = choice.at(omega).simulate(until, frequency=omega, samples=500).data["displacement"]
    same = kept.data["displacement"][:-1]  # the last is where it was stopped
    np.testing.assert_array_equal(same, integer[: same.shape[0]])


def test_a_run_whose_certificate_is_cancelled_is_there_without_one():
    found = tasks.simulate_model(stopping_at("its certificate"), ModelChoice("torsional"), 0.8, 40.0, 100)
    assert found.display.certificate.verdict == "certificate not computed"
    assert found.display.certificate.kind == "unknown"
    assert found.display.certificate.lines == (tasks.CERTIFICATE_CANCELLED_TEXT,)
    assert (found.partial, found.display.ended) == (False, "")


def test_a_part_of_a_run_whose_certificate_takes_long_says_how_to_have_one(monkeypatch):
    monkeypatch.setattr(tasks, "CERTIFICATE_TIME_LIMIT", 1e-3)
    monkeypatch.setattr(task_worker._Interruption, "interruptible", True)
    found = tasks.simulate_model(stopping_at(""), ModelChoice("fibre"), 400.0, 20.0, 500)
    assert found.display.certificate.verdict == "certificate not computed"
    reached = pickle.loads(found.data)[1].stats.reached
    assert f"run until {reached:.6g} s for one" in found.display.certificate.lines[0]


@pytest.fixture
def failed(monkeypatch):
    """The torsional system, whose runs end by themselves at half of their time."""
    choice = ModelChoice("torsional")
    with pytest.raises(ss.NotConverged) as stopped:
        choice.at(0.8).simulate(4e4, frequency=0.8, samples=100, progress=lambda share: stopping_at("")("%", share))
    part = stopped.value.partial
    part.stats.ended = why = "interrupted contacts of rail: the steps became too short"

    def fails(*_, **__):
        raise ss.NotConverged(why, part)

    monkeypatch.setattr(ss.Model, "simulate", fails)
    return choice


def test_a_run_that_failed_by_itself_was_not_cancelled_and_has_its_certificate(failed, monkeypatch):
    monkeypatch.setattr(tasks, "CERTIFICATE_TIME_LIMIT", 1e-6)
    monkeypatch.setattr(task_worker._Interruption, "interruptible", True)
    found = tasks.simulate_model(say_nothing, failed, 0.8, 4e4, 100)
    assert found.partial
    assert found.display.ended.startswith("ended at t = ")
    assert "(interrupted contacts of rail: the steps became too short)" in found.display.ended
    assert found.display.certificate.verdict == "certificate passed"


def test_a_cancelled_certificate_of_a_run_that_failed_is_not_said_to_take_long(failed):
    found = tasks.simulate_model(stopping_at("its certificate"), failed, 0.8, 4e4, 100)
    assert found.display.ended.startswith("ended at t = ")
    assert found.display.certificate.lines == (tasks.CERTIFICATE_CANCELLED_TEXT,)


def test_a_curve_that_nobody_cancelled_has_its_peaks_located_whatever_its_parts_are_called(duffing):
    curve = duffing.build().frequency_response(between=(0.9, 2.0))
    ended = "no orbit was found at interrupted.limit = 3"
    part = type(curve)(curve.findings, curve.model, replace(curve.stats, ended=ended), curve.names)
    part.origin = curve.origin
    shown, stopped = curve_display(duffing, part), curve_display(duffing, part, cancelled=True)
    peak = curve.peak("x")
    assert shown.peaks[0].at == pytest.approx(peak.frequency, abs=1e-3 * peak.frequency_error)
    assert shown.peaks[0].size == pytest.approx(peak.amplitude, rel=1e-9)
    assert stopped.peaks[0].size == max(curve.data["amplitude"].sel(coordinate="x"))  # who cancels does not wait
    assert shown.certificate.lines[0] == f"PARTIAL: {ended}"


def test_a_point_that_is_none_is_refused_in_one_line():
    found = tasks.preview_curve(say_nothing, ModelChoice("torsional"), 0.5, 1.5, 5)
    with pytest.raises(ss.InvalidInput, match="are 0 to 4, got 5; click one"):
        tasks.orbit_at_point(say_nothing, found.data, 5)


def test_a_curve_of_another_setting_is_not_compared_with():
    state, choice = RespondState(), ModelChoice("torsional")
    state.set_model(choice, tasks.describe_model(say_nothing, choice))
    state.curve = tasks.preview_curve(say_nothing, choice, 0.5, 1.5, 5)
    first, state.view = state.setting(), "over time"
    state.set_choice(with_parameter(choice, "mean", 0.2))
    assert not any("peak" in row[0] for row in setting_differences([first], state.setting()))


def test_the_orbits_of_a_curve_are_those_of_a_model_that_follows_the_frequency():
    found = tasks.preview_curve(say_nothing, ModelChoice("tensioner"), 60.0, 90.0, 3)
    by_api = ss.frequency_response(lambda w: ss.systems.tensioner(frequency=w), at=[60.0, 75.0, 90.0]).orbit(2)
    orbit = tasks.orbit_at_point(say_nothing, found.data, 2)
    sizes = sorted(math.hypot(*each) for each in orbit.display.multipliers)
    assert sizes == pytest.approx(sorted(abs(by_api.multipliers)), rel=1e-6, abs=1e-9)
    assert dict(orbit.display.figures)["events"] == str(len(by_api.events))


RIG = """
slipstick: 1
name: rig
frequency: 600 rpm
coordinates:
  slide: {inertia: 400 g}
  block: {inertia: 2 kg}
connections:
  mount: {deflection: slide, law: linear, stiffness: 25 N/mm, damping: 12 N s/m}
  stop: {deflection: slide - block, law: freeplay, stiffness: 30 N/mm, half_gap: 0.05 mm, damping: 40 N s/m}
  rail: {deflection: block, sum: [{law: jenkins, stiffness: 9 N/mm, limit: 1.5 N}, {law: linear, stiffness: 8 N/mm}]}
loads:
  - {on: slide, cosine: {amplitude: 0.02 kN, order: 1, phase: 30 deg}}
"""


@pytest.fixture
def rig():
    return ModelChoice(system="", text=RIG, name="rig.yaml")


def test_knobs_of_a_text_are_in_the_units_that_it_wrote(rig):
    knobs = {knob.name: (knob.value, knob.unit) for knob in parameters_of(rig)}
    assert knobs["slide.inertia"] == (400.0, "g")
    assert knobs["mount.stiffness"] == (25.0, "N/mm")
    assert knobs["stop.half_gap"] == (0.05, "mm")
    assert knobs["rail.0.limit"] == (1.5, "N")
    assert knobs["rail.1.stiffness"] == (8.0, "N/mm")
    assert knobs["forcing.amplitude"] == (0.02, "kN")
    assert knobs["forcing.phase"] == (30.0, "deg")


def test_a_knob_in_the_unit_of_its_text_sets_what_the_text_would_say(rig):
    def with_gap(text):
        return ModelChoice(system="", text=RIG.replace("0.05 mm", text)).build().connection("stop").law.half_gap

    knob = next(knob for knob in parameters_of(rig) if knob.name == "stop.half_gap")
    other = with_parameter(rig, "stop.half_gap", knob.in_si(0.07))
    assert other.build().connection("stop").law.half_gap == with_gap("0.07 mm")
    assert next(knob.value for knob in parameters_of(other) if knob.name == "stop.half_gap") == 0.07
    assert knob.in_si(knob.usual) == with_gap("0.05 mm")


def test_a_table_of_a_curve_is_in_the_units_of_the_page(rig):
    at = [ss.rpm(500.0), ss.rpm(700.0)]
    found = tasks.preview_curve(say_nothing, rig, *at, 2)
    head, *rows = csv.reader(tasks.result_file_bytes(say_nothing, found.data, "csv").decode().splitlines())
    by_api = rig.build().frequency_response(at=at).data
    table = {name: [row[i] for row in rows] for i, name in enumerate(head)}
    assert [float(cell) for cell in table["frequency [rpm]"]] == pytest.approx([500.0, 700.0])
    amplitude = 1e3 * by_api["amplitude"].sel(coordinate="block").values
    assert [float(cell) for cell in table["amplitude of block [mm]"]] == pytest.approx(amplitude)
    assert found.display.panels["amplitude of block"].y == pytest.approx(amplitude)
    assert "range of force of rail [N]" in head
    assert not any("rad" in name for name in head)


def test_an_energy_is_in_the_unit_of_the_area_of_its_loop(rig):
    at = [ss.rpm(500.0), ss.rpm(700.0)]
    found = tasks.preview_curve(say_nothing, rig, *at, 2)
    line = found.display.panels["dissipated in a period of rail"]
    loop = next(own for own in tasks.orbit_at_point(say_nothing, found.data, 1).display.loops if own.name == "rail")
    assert (loop.unit, loop.x_unit, line.unit) == ("N", "mm", "N mm")
    u, f = np.array(loop.x), np.array(loop.y)
    assert line.y[1] == pytest.approx(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(u)), rel=1e-4)
    by_api = rig.build().frequency_response(at=at).data["dissipated"].sel(connection="rail").values  # [J]
    assert line.y == pytest.approx(1e3 * by_api)
    assert "dissipated in a period of rail [N mm]" in tasks.result_file_bytes(say_nothing, found.data, "csv").decode()


def test_an_energy_of_what_turns_is_in_joules():
    panels = transient_preview.add_preview_point(say_nothing, ModelChoice("gear"), 8.0, b"", (8.0, 9.0)).display.panels
    forces, energies = (
        {line.name: line.unit for line in panels.values() if line.what == what}
        for what in ("range of force", "dissipated in a period")
    )
    turning = [name for name, unit in forces.items() if unit == "N m"]
    assert turning
    assert {energies[name] for name in turning} == {"J"}


def test_a_table_of_a_run_is_in_the_units_of_the_page(rig):
    found = tasks.simulate_model(say_nothing, rig, None, 0.3, 7)
    head, *rows = csv.reader(tasks.result_file_bytes(say_nothing, found.data, "csv").decode().splitlines())
    run = rig.build().simulate(0.3, samples=7)
    motion = [float(row[head.index("displacement of slide [mm]")]) for row in rows]
    assert motion == pytest.approx(1e3 * run.data["displacement"].sel(coordinate="slide").values)
    assert {"time [s]", "velocity of block [mm/s]", "deflection of stop [mm]", "force of rail [N]"} <= set(head)


def test_a_first_look_grows_point_by_point_and_says_that_it_is_a_part():
    choice, kept = ModelChoice("gear"), b""
    for count, omega in enumerate([8.0, 8.5, 8.25], start=1):
        found = transient_preview.add_preview_point(say_nothing, choice, omega, kept, (8.0, 9.0))
        assert found.display.certificate.lines[0].startswith(f"PARTIAL: {count} of 33 frequencies")
        assert found.display.certificate.kind == "unknown"
        kept = found.data
    assert found.display.frequency == [8.0, 8.25, 8.5]
    size = found.display.panels["amplitude of psi"].y[0]
    run = choice.build().simulate(33 * math.tau / 8.0, frequency=8.0, samples=13201)
    last = run.data["displacement"].sel(coordinate="psi").values[-401:]
    assert size == pytest.approx(math.degrees(0.5 * (last.max() - last.min())), rel=1e-3)
    shown = tasks.orbit_at_point(say_nothing, kept, 2).display
    assert shown.histories[0].x[-1] == pytest.approx(transient_preview.PERIODS_SHOWN * math.tau / 8.5)
    assert shown.certificate.passed


def test_a_look_goes_up_and_down_through_the_whole_range():
    at = transient_preview.preview_frequencies(4.0, 12.0)
    assert at[:2] == [4.0, 4.5]
    assert (min(at), max(at)) == (4.0, 12.0)
    assert sorted(at) == pytest.approx([4.0 + 0.25 * k for k in range(33)])


def test_the_clutch_is_looked_at_within_seconds():
    found = transient_preview.add_preview_point(say_nothing, ModelChoice("clutch"), 190.0, b"", (48.0, 190.0))
    run = pickle.loads(tasks.orbit_at_point(say_nothing, found.data, 0).data)[1]
    assert run.stats.method == "newmark"  # an explicit one takes a million steps for the bearings
    assert run.stats.steps < 200_000


def test_a_stop_while_a_curve_is_looked_at_keeps_the_points_there_are(duffing, monkeypatch):
    curve = duffing.build().frequency_response(at=[0.9, 1.0, 1.1])
    part = type(curve)(curve.findings, curve.model, replace(curve.stats, ended="interrupted"), curve.names)

    def stopped(*_, **__):
        raise ss.NotConverged("interrupted", part, interrupted=True)

    monkeypatch.setattr(ModelChoice, "response", stopped)
    found = tasks.follow_curve(say_nothing, duffing, 0.9, 1.1, "rad/s", 1.0)
    assert len(found.display.frequency) == 3
    assert found.display.certificate.lines[0] == "PARTIAL: cancelled"


def test_other_motions_at_a_frequency_are_those_of_the_other_branches(duffing):
    shown = tasks.follow_curve(say_nothing, duffing, 0.5, 3.0, "rad/s", 1.0).display
    folds = sorted(shown.frequency[k] for kind, k in shown.special if kind == "fold")
    middle = 0.5 * (folds[0] + folds[1])
    point = coexisting_solutions.nearest_point(shown, middle)
    found = coexisting_solutions.points_at_same_frequency(shown, point)
    assert found[0] == point
    assert len(found) == 3
    sizes = [shown.panels["amplitude of x"].y[k] for k in found]
    kinds = [coexisting_solutions.point_label(shown, k, "amplitude of x").rpartition(", ")[2] for k in found]
    assert sorted(zip(sizes, kinds, strict=True))[1][1] == "unstable"
    assert kinds.count("stable") == 2
    assert kinds[0] == "stable"  # of several it is shown first
    assert (
        len(
            coexisting_solutions.points_at_same_frequency(
                shown, coexisting_solutions.nearest_point(shown, 0.5 * (folds[1] + 3.0))
            )
        )
        == 1
    )
    for k in found:  # each leads to the same ones
        assert len(coexisting_solutions.points_at_same_frequency(shown, k)) == 3


def test_a_point_of_a_coarse_curve_is_found_on_its_own_branch_of_the_followed_one(duffing):
    coarse = tasks.preview_curve(say_nothing, duffing, 0.5, 3.0, 60).display
    integer = tasks.follow_curve(say_nothing, duffing, 0.5, 3.0, "rad/s", 1.0).display
    low, high = sorted(integer.frequency[k] for kind, k in integer.special if kind == "fold")
    size, sizes = coarse.panels["amplitude of x"].y, integer.panels["amplitude of x"].y
    elsewhere = 0
    for point, at in enumerate(coarse.frequency):
        if not low + 0.05 < at < high - 0.05:  # there is one motion, or it is about to turn
            continue
        by_frequency = min(range(len(sizes)), key=lambda k: abs(integer.frequency[k] - at))
        branch = min(
            coexisting_solutions.points_at_same_frequency(integer, by_frequency),
            key=lambda k: abs(sizes[k] - size[point]),
        )
        assert abs(coexisting_solutions.matching_point(coarse, point, integer) - branch) <= 1
        elsewhere += branch != by_frequency
    assert elsewhere  # by its frequency alone it would be on another one


def test_of_points_that_were_only_visited_no_others_are_known(duffing):
    shown = tasks.preview_curve(say_nothing, duffing, 0.5, 3.0, 9).display
    assert coexisting_solutions.points_at_same_frequency(shown, 4) == [4]


def test_a_refused_parameter_is_shown_in_its_unit(rig):
    knobs = {knob.name: knob for knob in parameters_of(rig)}
    line = Message("must be >= 0", owner="Freeplay", subject="half_gap", value=-0.005)
    assert with_display_value(line, knobs["stop.half_gap"], -5.0) == "Freeplay: half_gap must be >= 0, got -5 mm"
    assert with_display_value(line, knobs["rail.0.limit"], -5.0) == line  # it is not the value of that knob
    assert with_display_value("no orbit was found", knobs["stop.half_gap"], 5.0) == "no orbit was found"


def test_a_power_in_the_units_of_others_has_no_knob():
    text = """slipstick: 1
name: joint
frequency: 10 Hz
coordinates: {x: {inertia: 2 t, displacement: 0 mm}}
connections:
  j: {deflection: x, law: bouc-wen, stiffness: 40 kN/mm, ratio: 0.1, beta: 2 1/mm, gamma: 1 1/mm}
  d: {deflection: x, law: dahl, stiffness: 1 kN/mm, limit: 3 kN, exponent: 2}
loads:
  - {on: x, cosine: {amplitude: 10 kN, order: 1}}
"""
    names = [knob.name for knob in parameters_of(ModelChoice(system="", text=text, name="joint.yaml"))]
    assert "j.beta" in names
    assert "j.exponent" not in names
    assert "d.exponent" in names  # its numbers are in the same units whatever it is


def test_a_peak_between_points_is_said_to_be_one():
    model = ss.Model("light", frequency=1.0)
    x = model.coordinate("x", inertia=1.0)
    model.connect(x, ss.Linear(stiffness=1.0, damping=1e-3))
    model.load(x, ss.Cosine(1.0, order=1))
    choice = ModelChoice(system="", text="", name="light")
    few = curve_display(choice, model.frequency_response(at=np.linspace(0.5, 1.53, 40)))
    assert few.peaks[0].sharp
    broad = curve_display(choice, model.frequency_response(at=np.linspace(0.9995, 1.0005, 40)))
    assert not broad.peaks[0].sharp
    assert broad.peaks[0].size == pytest.approx(1e3, rel=1e-3)  # F/(c w)


def test_the_peak_of_a_full_curve_is_located_between_its_points():
    """A damped oscillator: the largest amplitude is F/(2 zeta sqrt(1 - zeta^2)) at sqrt(1 - 2 zeta^2)."""
    zeta, model = 0.05, ss.Model("linear", frequency=1.0)
    x = model.coordinate("x", inertia=1.0)
    model.connect(x, ss.Linear(stiffness=1.0, damping=2.0 * zeta))
    model.load(x, ss.Cosine(1.0, order=1))
    choice = ModelChoice(system="", text="", name="linear")
    size, at = 0.5 / (zeta * math.sqrt(1.0 - zeta**2)), math.sqrt(1.0 - 2.0 * zeta**2)
    [peak] = curve_display(choice, model.frequency_response(at=np.linspace(0.5, 1.5, 120))).peaks
    assert (peak.size, peak.at) == (pytest.approx(size, rel=1e-9), pytest.approx(at, rel=1e-6))
    assert peak.size_text == f"{size:.6g}"
    [coarse] = curve_display(choice, model.frequency_response(at=np.linspace(0.5, 1.53, 20))).peaks
    assert coarse.size_text == f"about {coarse.size:.3g}"
    assert coarse.size < size


def test_bands_of_more_states_than_are_drawn_say_from_when_on(monkeypatch):
    monkeypatch.setattr("slipstick.app.respond.display_data.MAX_STATE_SPANS", 10)
    run = ss.systems.torsional(frequency=1.0).simulate(200.0)
    found = run_display(ModelChoice(system="torsional"), run)
    begin = found.bands["friction"][0][0]
    assert begin > 0.0
    assert f"friction from {begin:.6g}" in found.bands_note
    monkeypatch.undo()
    assert run_display(ModelChoice(system="torsional"), run).bands_note == ""


def test_a_field_has_room_for_its_number_and_the_knob_keeps_all_digits():
    assert parameter_panel.value_text(1.0343034e-06) == "1.0343e-06"
    assert parameter_panel.value_text(1234567.8) == "1234567.8"
    assert parameter_panel.value_text(None) == ""
