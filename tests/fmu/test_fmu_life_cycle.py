"""The life of an instance: states taken and restored, reset, several at once, and errors as messages."""

from __future__ import annotations

import ctypes
import re
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmu.conftest import walk
from models import one_mass, slider

import slipstick as ss
from slipstick.fmu.shared_library import shared_library, this_platform, zig_compiler

WAVE = ss.Cosine(1.0, frequency=0.8)
NAMES = ["x.displacement", "x.velocity", "slider.force"]


@pytest.fixture
def running(fmu):
    found = fmu(slider(WAVE))
    found.begin()
    return found


def test_a_restored_state_gives_the_same_bits_again(running) -> None:
    times = np.linspace(3.0, 9.0, 25)
    running.step(3.0)
    state = running.slave.getFMUState()
    first = walk(running, times, NAMES)
    running.slave.setFMUState(state)
    again = walk(running, times, NAMES)
    running.slave.freeFMUState(state)
    for name in NAMES:
        np.testing.assert_array_equal(first[name], again[name])


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_state_travels_as_bytes_to_another_instance(fmu, fmi: int) -> None:
    one = fmu(slider(WAVE), fmi=fmi)
    one.begin()
    one.step(3.0)
    other = fmu(None)
    other.begin()
    state = one.slave.getFMUState()
    content = one.slave.serializeFMUState(state)
    other.slave.setFMUState(other.slave.deserializeFMUState(content))
    other.time = 3.0
    for each in (one, other):
        each.step(4.0)
    assert one.get(*NAMES) == other.get(*NAMES)


def test_reset_begins_anew(running) -> None:
    times = np.linspace(0.0, 5.0, 21)
    first = walk(running, times, NAMES)
    running.slave.reset()
    running.begin()
    for name, values in walk(running, times, NAMES).items():
        np.testing.assert_array_equal(values, first[name])


def test_instances_do_not_disturb_each_other(fmu) -> None:
    one = fmu(slider(WAVE))
    other = fmu(None)
    one.begin()
    other.begin(**{"slider.limit": 0.9})
    for _ in range(10):
        one.step(0.5)
        other.step(0.25)
    for each, limit in ((one, 0.5), (other, 0.9)):
        data = slider(WAVE, limit=limit).simulate(until=each.time, samples=0).data
        assert each.get("x.displacement")[0] == pytest.approx(float(data["displacement"][-1, 0]), rel=1e-11)


def test_steps_that_cannot_be_made_are_errors_with_a_message(running) -> None:
    for begin, length, words in [
        (1.0, 0.5, "the step begins at t = 1 s, but the model is at t = 0 s"),
        (0.0, 0.0, "the step must be > 0 s, got 0 s"),
        (0.0, -1.0, "the step must be > 0 s"),
    ]:
        with pytest.raises(Exception, match="status 3"):
            running.slave.doStep(begin, length)
        assert words in running.messages[-1]
    running.step(1.0)  # the instance can go on


def test_a_motion_without_bound_ends_with_a_reason(fmu) -> None:
    m = ss.Model("negative damper")
    x = m.coordinate("x", inertia=1.0, velocity=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=-50.0), name="damper")
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=1e-3), name="gap")
    running = fmu(m)
    running.begin()
    with pytest.raises(Exception, match="status 3"):
        running.step(100.0)
    assert "the motion grows without bound" in running.messages[-1]


def test_calls_out_of_order_are_refused(fmu) -> None:
    running = fmu(slider(WAVE))
    with pytest.raises(Exception, match="status 3"):
        running.slave.doStep(0.0, 1.0)
    assert "not initialized" in running.messages[-1]
    running.begin()
    running.slave.terminate()
    with pytest.raises(Exception, match="status 3"):
        running.slave.doStep(0.0, 1.0)
    assert "terminated" in running.messages[-1]


def test_the_token_of_another_model_is_refused(fmu) -> None:
    running = fmu(slider(WAVE))
    running.slave.guid = "{another}"
    seen: list[str] = []
    with pytest.raises(Exception, match="instantiate"):
        running.slave.instantiate(logMessage=lambda _e, _s, _c, message: seen.append(message.decode()))
    assert "not that of this model" in seen[0]
    running.slave.guid = running.description.guid
    running.slave.instantiate()  # for the end of the test


@pytest.mark.parametrize("fmi", [2, 3])
def test_every_function_of_the_standard_is_there(tmp_path: Path, fmi: int) -> None:
    """FMPy carries the headers of the standard."""
    header = Path(fmpy.__file__).with_name("c-code") / f"fmi{fmi}Functions.h"
    text = header.read_text(encoding="utf-8")
    if fmi == 2:  # without the part on model exchange, which this FMU does not have
        text = (
            text[: text.index("Enter and exit the different modes")]
            + text[text.rindex("Functions for FMI2 for Co-S") :]
        )
    names = re.findall(rf"FMI{fmi}_Export\s+\w+\s+(fmi{fmi}\w+);", text)
    library = tmp_path / "fmu.so"
    library.write_bytes(shared_library(this_platform()))
    code = ctypes.CDLL(str(library))
    assert len(names) > 30
    assert [name for name in names if not hasattr(code, name)] == []


@pytest.mark.long
def test_the_library_of_ziglang_gives_the_same_bits(fmu, monkeypatch: pytest.MonkeyPatch) -> None:
    times, found = np.linspace(0.0, 5.0, 21), []
    for compiler in (None, zig_compiler):
        if compiler is not None:
            monkeypatch.setattr("slipstick.fmu.shared_library.compiler", compiler)
        running = fmu(slider(WAVE))
        running.begin()
        found.append(walk(running, times, NAMES))
    for name in NAMES:
        np.testing.assert_array_equal(found[0][name], found[1][name])


@pytest.mark.long
def test_an_fmu_for_several_platforms_has_a_library_for_each(tmp_path: Path) -> None:
    """The library for Windows ran under Wine 8 as the one for Linux does, see decision 106; here its format is read."""
    platforms = ["linux-x86_64", "linux-aarch64", "windows-x86_64"]
    path = slider(WAVE).export_fmu(tmp_path / "a.fmu", platforms=platforms)
    with zipfile.ZipFile(path) as archive:
        found = {name.split("/")[1]: archive.read(name) for name in archive.namelist() if name.startswith("binaries")}
    assert found.keys() == {"x86_64-linux", "aarch64-linux", "x86_64-windows"}
    assert found["x86_64-windows"].startswith(b"MZ")
    elf = {name: int.from_bytes(found[name][18:20], "little") for name in ("x86_64-linux", "aarch64-linux")}
    assert elf == {"x86_64-linux": 62, "aarch64-linux": 183}  # machines in the header of ELF
    assert all(name in content for content in found.values() for name in (b"fmi3DoStep", b"fmi2DoStep"))


def test_an_fmu_holds_description_library_and_numbers(tmp_path: Path) -> None:
    with zipfile.ZipFile(slider(WAVE).export_fmu(tmp_path / "a.fmu")) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {"modelDescription.xml", "binaries", "resources"}


@pytest.mark.parametrize("fmi", [2, 3])
def test_variables_have_the_units_of_the_model(fmu, fmi: int) -> None:
    running = fmu(ss.systems.tensioner(), fmi=fmi)
    wanted = {"load.u1": "N", "u1.velocity": "m/s", "belt.force": "N", "u1.inertia": "kg", "frequency": "rad/s"}
    assert {name: running.variables[name].unit for name in wanted} == wanted


def test_a_model_that_does_not_say_its_kind_has_no_units(fmu) -> None:
    assert fmu(slider(WAVE)).variables["load.x"].unit is None


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_host_may_compute_communication_points_with_rounding(fmu, fmi: int) -> None:
    """i h and the sum of steps differ by roundings of t, which exceed 1e-9 of a short step after a while."""
    running = fmu(slider(WAVE), fmi=fmi)
    running.begin(start=100.0)
    step = 1e-5
    for i in range(2000):
        running.slave.doStep(100.0 + i * step, step)
    with pytest.raises(Exception, match="status 3"):
        running.slave.doStep(100.0 + 2000 * step + 1e-9, step)


def test_times_in_messages_have_all_digits(running) -> None:
    running.step(1.0)
    with pytest.raises(Exception, match="status 3"):
        running.slave.doStep(1.0 + 1e-11, 1e-3)
    assert "begins at t = 1.00000000001" in running.messages[-1]


@pytest.mark.parametrize("fmi", [2, 3])
def test_outputs_follow_values_set_in_initialization_mode(fmu, fmi: int) -> None:
    model = one_mass({"spring": ss.Linear(stiffness=3.0)}, WAVE, displacement=0.2)
    running = fmu(model, fmi=fmi)
    if fmi == 2:
        running.slave.setupExperiment(startTime=0.0)
    running.slave.enterInitializationMode()
    assert running.get("x.displacement", "spring.force") == pytest.approx([0.2, 0.6], rel=1e-12)
    running.set({"x.start_displacement": 0.5})
    assert running.get("x.displacement", "spring.force") == pytest.approx([0.5, 1.5], rel=1e-12)
    running.set({"spring.stiffness": 4.0})
    assert running.get("x.displacement", "spring.force") == pytest.approx([0.5, 2.0], rel=1e-12)
    running.slave.exitInitializationMode()
    assert running.get("x.displacement", "spring.force") == pytest.approx([0.5, 2.0], rel=1e-12)


def test_reset_of_version_2_starts_at_zero_without_a_start_time(fmu) -> None:
    running = fmu(slider(WAVE), fmi=2)
    running.begin(start=5.0)
    running.step(1.0)
    running.slave.reset()
    running.slave.enterInitializationMode()
    running.slave.exitInitializationMode()
    assert running.get("time") == [0.0]
    running.slave.doStep(0.0, 0.5)


@pytest.mark.parametrize("fmi", [2, 3])
def test_debug_logging_reports_steps_while_it_is_on(fmu, fmi: int) -> None:
    running = fmu(slider(WAVE), fmi=fmi)
    running.begin()
    running.step(0.5)
    running.slave.setDebugLogging(True, ["logStatusError"])
    running.step(0.5)
    assert running.messages == []
    running.slave.setDebugLogging(True, [])
    running.step(0.5)
    assert len(running.messages) == 1
    running.slave.setDebugLogging(False, ["logSteps"])
    running.step(0.5)
    assert len(running.messages) == 1


def test_a_rigid_contact_without_a_state_is_an_error_with_its_reason(fmu) -> None:
    """N accelerates the tip into the floor: compliances 1 + 0.3^2 / 0.1 - 0.7 * 0.3 / 0.1 < 0."""
    m = ss.Model("rod")
    x, y = m.coordinate("x", inertia=0.1, velocity=-1.0), m.coordinate("y", inertia=1.0, velocity=-0.3)
    m.load(y, ss.Constant(-1.0))
    m.connect((x, -y + 0.3 * x), ss.CoulombContact(friction=0.7), name="tip")
    running = fmu(m)
    with pytest.raises(Exception, match="status 3"):
        running.begin()
    assert "Painleve" in running.messages[-1]
