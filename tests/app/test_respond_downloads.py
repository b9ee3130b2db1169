"""What files and pictures of the page Respond carry, and what colour a certificate has."""

import csv
import io
import re
from dataclasses import replace

import pytest
from PIL import Image
from test_respond_components import duffing as duffing  # fixtures
from test_respond_components import rig as rig
from test_respond_components import say_nothing

import slipstick as ss
from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond import tasks, transient_preview
from slipstick.app.respond.display_data import CertificateText, curve_display
from slipstick.app.respond.kept_settings import KeptCurve, KeptSetting
from slipstick.app.respond.model_parameters import with_parameter
from slipstick.app.respond.response_figures import curve_figure
from slipstick.app.respond.run_up import RunUp
from slipstick.app.respond.setting_comparison import setting_differences
from slipstick.app.respond.settings_text import changed_settings_text


def carried(kept, kind):
    """The settings that a file of a result carries."""
    content = tasks.result_file_bytes(say_nothing, kept, kind)
    if kind == "csv":
        head, first, second, *_ = csv.reader(content.decode().splitlines())
        assert (head[-1], second[-1]) == ("settings", "")
        return first[-1]
    if kind == "svg":
        return re.search(r"<dc:description>(.*?)</dc:description>", content.decode())[1]
    return Image.open(io.BytesIO(content)).text["Description"]


@pytest.mark.parametrize("kind", ["csv", "png", "svg"])
def test_files_of_curves_orbits_and_runs_carry_the_settings_that_they_are_of(kind, rig):
    """In the words and units of the knobs as they were when it was computed."""
    choice = with_parameter(rig, "mount.stiffness", 40e3)
    numbers = ("rig (rig.yaml); slide.inertia = 400 g; ", "; mount.stiffness = 40 N/mm; ", "; rail.0.limit = 1.5 N; ")
    curve = tasks.preview_curve(say_nothing, choice, ss.rpm(500.0), ss.rpm(700.0), 3)
    run_up = RunUp(ss.rpm(500.0), ss.rpm(700.0), 0.1)
    results = {
        curve.data: "; from 500 to 700 rpm",
        tasks.orbit_at_point(say_nothing, curve.data, 1).data: "; base frequency = 600 rpm",
        tasks.simulate_model(say_nothing, choice, ss.rpm(650.0), 0.2, 9).data: "; base frequency = 650 rpm",
        tasks.simulate_model(say_nothing, choice, run_up, 0.2, 9).data: "; speed from 500 to 700 rpm over 0.1 s",
    }
    for kept, last in results.items():
        told = carried(kept, kind)
        assert all(words in told for words in numbers)
        assert told.endswith(last)


def test_data_for_python_carry_the_model_with_its_numbers_and_the_range(rig, tmp_path):
    choice = with_parameter(rig, "mount.stiffness", 40e3)
    curve = tasks.preview_curve(say_nothing, choice, ss.rpm(500.0), ss.rpm(700.0), 3)
    (tmp_path / "curve.nc").write_bytes(tasks.result_file_bytes(say_nothing, curve.data, "nc"))
    read = ss.open(tmp_path / "curve.nc")
    connections = {own.name: own.law for own in read.model.connections}
    assert connections["mount"].stiffness == 40e3
    assert (read.stats.begin, read.stats.end) == (ss.rpm(500.0), ss.rpm(700.0))


def test_a_caveat_goes_into_tables_pictures_and_comparisons(duffing):
    found = tasks.preview_curve(say_nothing, duffing, 0.6, 0.9, 4)
    caveat = "3 of 4 points not known"
    table = tasks.result_file_bytes(say_nothing, found.data, "csv", "", caveat)
    head, first, second, *_ = csv.reader(table.decode().splitlines())
    assert [row[head.index("certificate")] for row in (first, second)] == [caveat, ""]
    picture = tasks.result_file_bytes(say_nothing, found.data, "svg", "", caveat)
    assert caveat in re.sub(r"\s+", " ", picture.decode())
    doubted = replace(found, display=replace(found.display, certificate=CertificateText(caveat, "unknown")))
    now, other = (KeptSetting([], own) for own in (found, doubted))
    assert ("certificate of the curve", "", "passed", "unknown") in setting_differences([now], other)
    assert not any("certificate" in row[0] for row in setting_differences([now], now))


def test_a_look_at_a_system_carries_its_settings_and_so_does_a_motion_of_it():
    choice = with_parameter(ModelChoice("gear"), "amplitude", 2.5)
    found = transient_preview.add_preview_point(say_nothing, choice, 8.0, b"", (8.0, 9.0))
    found = transient_preview.add_preview_point(say_nothing, choice, 8.5, found.data, (8.0, 9.0))
    told = carried(found.data, "csv")
    assert "; amplitude = 2.5 N m; " in told
    assert told.endswith("; from 8 to 9 rad/s")
    assert carried(tasks.orbit_at_point(say_nothing, found.data, 1).data, "csv").endswith(
        "; base frequency = 8.5 rad/s"
    )


def test_a_caption_has_the_numbers_that_were_changed(rig):
    choice = with_parameter(rig, "mount.stiffness", 40e3)
    curve = choice.build().frequency_response(at=[ss.rpm(500.0), ss.rpm(700.0)])
    told = changed_settings_text(choice, curve)
    assert told == ("rig (rig.yaml)", "mount.stiffness = 40 N/mm", "from 500 to 700 rpm")


@pytest.mark.parametrize(
    ("stable", "ended", "cancelled", "kind"),
    [
        ([True] * 4, "", False, "passed"),
        ([True, True, True, False], "", False, "passed"),
        ([True, None, None, None], "", False, "unknown"),
        ([True] * 4, "interrupted at 1.2 rad/s", True, "unknown"),
        ([True] * 4, "no orbit was found at 1.2 rad/s", False, "failed"),
    ],
)
def test_the_certificate_of_a_curve_is_green_only_where_all_of_it_is_known(duffing, stable, ended, cancelled, kind):
    curve = duffing.build().frequency_response(at=[0.6, 0.7, 0.8, 0.9])
    points = tuple(replace(each, stable=own) for each, own in zip(curve.points, stable, strict=True))
    part = type(curve)(curve.findings._replace(points=points), curve.model, replace(curve.stats, ended=ended))
    word = curve_display(duffing, part, cancelled).certificate
    assert word.kind == kind
    if None in stable:
        assert word.verdict.startswith("3 of 4 points not known: error <= ")


def test_a_curve_whose_errors_are_as_large_as_its_motion_has_failed(duffing):
    curve = duffing.build().frequency_response(at=[0.6, 0.7, 0.8, 0.9])
    points = tuple(replace(each, error=9.0) for each in curve.points)
    part = type(curve)(curve.findings._replace(points=points), curve.model, curve.stats)
    assert curve_display(duffing, part).certificate.kind == "failed"


def test_a_quick_curve_is_not_drawn_through_its_jump_at_a_fold(duffing):
    """Neither by itself nor as a kept setting; the fold of the upper branch is that of the followed curve."""
    shown = tasks.preview_curve(say_nothing, duffing, 0.5, 3.0, 60).display
    traced = tasks.follow_curve(say_nothing, duffing, 0.5, 3.0, "rad/s", 1.0).display
    fold = max(traced.frequency[k] for kind, k in traced.special if kind == "fold")
    traces = {
        each["name"]: each
        for each in curve_figure(shown, "amplitude of x", [KeptCurve("A", "#000000", shown)], False)["data"]
    }
    assert traces["stable"]["mode"] == "markers"
    assert traces["stable"]["x"] == shown.frequency
    for trace in (traces["through what is stable"], traces["A"]):
        (gap,) = [k for k, x in enumerate(trace["x"]) if x is None]
        assert trace["x"][gap - 1] < fold
        assert trace["y"][gap - 1] > 5.0 * trace["y"][gap + 1]
