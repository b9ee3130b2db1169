"""Measured records: columns by name, units, triggers, changed copies, and files with mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

T = np.linspace(0.0, 1.0, 101)


def write(path, text):
    path.write_text(text)
    return path


def test_a_file_has_channels_loads_and_motions_by_name_in_si(tmp_path):
    rows = "\n".join(f"{t:.3f},{2 * t:.6f},{t * t:.6f},{5 * t:.6f},x" for t in T)
    file = write(tmp_path / "rig.csv", f"t [ms],acc1 [m/s^2],base [mm],hammer [kN],remark\n{rows}\n")
    record = ss.Record.read(file, columns={"x.acceleration": "acc1"}, loads={"x": "hammer"}, motions={"base": "base"})
    assert np.allclose(record.t, 1e-3 * T, atol=1e-9)
    assert np.allclose(record.channels["x.acceleration"], 2.0 * T, atol=1e-6)
    assert np.allclose(record.loads["x"], 5e3 * T, atol=1e-3)
    assert np.allclose(record.motions["base"], 1e-3 * T**2, atol=1e-9)


def test_without_columns_every_other_column_is_a_channel(tmp_path):
    rows = "\n".join(f"{t:.3f};{t:.3f};{1 - t:.3f}" for t in T)
    record = ss.Record.read(write(tmp_path / "rig.csv", f"time;a;b [V]\n{rows}\n"))
    assert list(record.channels) == ["a", "b"]
    assert any("unit V is not known" in note for note in record.notes)


def test_a_rate_replaces_the_times(tmp_path):
    file = write(tmp_path / "rig.txt", "\n".join(f"{x:.4f} {x * x:.4f}" for x in np.sin(9.0 * T)))
    record = ss.Record.read(file, columns={"x": 0}, rate="100 Hz")
    assert record.t[1] == pytest.approx(0.01)


def test_a_trigger_sets_time_zero():
    record = ss.Record(T, {"x": T}, loads={"x": np.where(T > 0.305, 10.0, 0.0)}).triggered("x", 5.0, before=0.05)
    assert record.t[0] == pytest.approx(-0.05)
    assert float(np.interp(0.0, record.t, record.loads["x"])) == 10.0


def test_a_straight_line_is_removed_and_loads_stay():
    record = ss.Record(T, {"x": np.sin(40.0 * T) + 3.0 + 2.0 * T}, loads={"x": 1.0 + T}).detrended()
    slope, level = np.polyfit(T, record.channels["x"], 1)
    assert abs(slope) < 1e-12
    assert abs(level) < 1e-12
    assert np.array_equal(record.loads["x"], 1.0 + T)


def test_a_lower_rate_keeps_slow_waves_and_removes_fast_ones():
    t = np.arange(4000) / 4000.0
    record = ss.Record(t, {"x": np.sin(60.0 * t) + np.sin(2.0 * np.pi * 1500.0 * t)}).resampled(400.0)
    inner = (record.t > 0.1) & (record.t < 0.9)
    assert np.allclose(record.channels["x"][inner], np.sin(60.0 * record.t[inner]), atol=0.02)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: ss.Record(T, {}), "channels must be given by name"),
        (lambda: ss.Record(T, {"x": T[:-1]}), "must have 101 samples"),
        (lambda: ss.Record(T[::-1], {"x": T}), "time must increase"),
        (lambda: ss.Record(T, {"x": np.where(T > 0.5, np.nan, T)}), "x must be finite"),
        (lambda: ss.Record(T, {"x": T}).part(start=2.0), "0 samples"),
        (lambda: ss.Record(T, {"x": T}).triggered("x", 5.0), "never exceeds the level"),
        (lambda: ss.Record(T, {"x": T}).resampled(2.0), "rate must give at least"),
    ],
)
def test_bad_records_are_refused_in_one_line(refused, build, words):
    with refused(words):
        build()


def test_files_without_a_time_or_with_unknown_columns_say_the_way_out(tmp_path, refused):
    file = write(tmp_path / "rig.csv", "a,b\n" + "\n".join(f"{np.sin(9 * t)},{np.cos(9 * t)}" for t in T))
    with refused("which column is the time?", "rate="):
        ss.Record.read(file)
    with refused('there is no column "acc"'):
        ss.Record.read(file, rate=100.0, columns={"x": "acc"})
    with refused("has no option"):
        ss.Record.read(file, rte=100.0)


def in_unit(path, unit):
    return write(path, f"time [s],a [{unit}]\n" + "\n".join(f"{t},{2.0 + t}" for t in T))


@pytest.mark.parametrize("unit", ["g", "G", "gn"])
def test_accelerations_in_g_are_not_masses(tmp_path, unit):
    """Standard gravity is 9.80665 m/s^2 by definition."""
    record = ss.Record.read(in_unit(tmp_path / "a.csv", unit), columns={"x.acceleration": "a"})
    assert record.channels["x.acceleration"][0] == pytest.approx(2.0 * 9.80665)
    assert any("9.80665" in note for note in record.notes)


@pytest.mark.parametrize(
    ("channel", "unit", "kind"),
    [
        ("x.acceleration", "mm", "an acceleration"),
        ("x.velocity", "mm/s^2", "a velocity"),
        ("x.displacement", "N", "a displacement"),
        ("joint.force", "kg", "a force"),
    ],
)
def test_units_of_another_quantity_are_refused(tmp_path, refused, channel, unit, kind):
    with refused(f"{channel} must have a unit of {kind}, got {unit}"):
        ss.Record.read(in_unit(tmp_path / "a.csv", unit), columns={channel: "a"})


@pytest.mark.parametrize(
    ("channel", "unit", "factor"),
    [("x.acceleration", "rad/s^2", 1.0), ("x.velocity", "rpm", np.pi / 30.0), ("joint.force", "kN m", 1e3)],
)
def test_units_of_rotation_are_read(tmp_path, channel, unit, factor):
    record = ss.Record.read(in_unit(tmp_path / "a.csv", unit), columns={channel: "a"})
    assert record.channels[channel][0] == pytest.approx(2.0 * factor)
