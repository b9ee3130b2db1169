"""``slipstick reduce``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reduction.gear_trains import numbers, train

import slipstick as ss
from slipstick.cli.reduce_command import expand_list_options


def test_the_reduced_model_is_written_and_can_be_read(called, tmp_path: Path) -> None:
    file = tmp_path / "train.yaml"
    train(numbers(0.01)).save(file)
    said = called({})(
        "reduce", str(file), "--massless", "delta", "gamma", "--frictionless", "delta,gamma", "--compare", "1"
    )
    assert said.code == 0
    assert "series (gamma, psi-gamma, output)" in said.out
    assert "largest difference from the reduced model" in said.out
    reduced = ss.open(tmp_path / "train-reduced.yaml")
    assert reduced.connection("psi-phi").law.stiffness == pytest.approx(1.0 / (1 / 100 + 1 / 400 + 4 / 300))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name what is negligible"),
        (["--massless", "delt"], 'did you mean "delta"'),
        (["--rigid", "mesh"], "rigid stop with a gap"),
        (["--no-gap", "bearing psi"], "no spring with a gap"),
    ],
)
def test_what_cannot_be_reduced_is_one_line(called, tmp_path: Path, arguments: list[str], words: str) -> None:
    file = tmp_path / "train.yaml"
    train(numbers(0.01)).save(file)
    said = called({})("reduce", str(file), *arguments)
    assert said.code == 2
    assert words in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert not (tmp_path / "train-reduced.yaml").exists()


TRAIN = """
slipstick: 1
name: train
coordinates:
  motor: {inertia: 0.02 kg m^2, displacement: 3 deg}
  gear: {inertia: 40 kg mm^2, displacement: 2 deg}
  load: {inertia: 0.3 kg m^2}
connections:
  shaft: {deflection: motor - gear, law: freeplay, stiffness: 8 N m/deg, half_gap: 0.3 deg}
  mesh: {deflection: gear + 2.5*load, law: linear, stiffness: 15 N m/deg}
  hold: {deflection: load, law: linear, stiffness: 4 N m/deg, damping: 0.6 N m s/rad}
  bearing: {deflection: gear, law: dry-friction, limit: 20 N mm, damping: 0.002 N m s/rad}
"""
NAMED = ("--massless", "gear", "--frictionless", "gear")


def test_the_reduced_file_says_where_it_comes_from_and_keeps_its_units(called, tmp_path: Path) -> None:
    said = called({"train.yaml": TRAIN})("reduce", "train.yaml", *NAMED, "--compare", "10ms")
    assert said.code == 0
    assert "up to 0.01 s" in said.out
    assert "deg         deg" in said.out
    text = (tmp_path / "train-reduced.yaml").read_text()
    assert text.startswith("# train.yaml, reduced by slipstick: massless gear; frictionless gear.")
    assert "#   k_motorload = 1/(1/k_mesh + 1/k_shaft)" in text
    assert "4 N m/deg" in text
    assert ss.open(tmp_path / "train-reduced.yaml").units.coordinates == {"motor": "deg", "load": "deg"}


def test_a_start_of_what_goes_is_said_to_be_left_out(called) -> None:
    said = called({"train.yaml": TRAIN})("reduce", "train.yaml", *NAMED)
    assert "Its start (displacement 2 deg) is left out: its springs determine its position" in said.out
    said = called({"train.yaml": TRAIN.replace(", displacement: 2 deg", "")})("reduce", "train.yaml", *NAMED)
    assert "is left out" not in said.out


def test_a_study_and_a_wrong_time_are_reported(called) -> None:
    run = called({"train.yaml": TRAIN, "study.yaml": "slipstick: 1\nmodel: train.yaml\ntransient: {until: 1 s}\n"})
    assert "is a study, not a model" in run("reduce", "study.yaml", *NAMED).err
    assert "must be in units like s, got 5kg" in run("reduce", "train.yaml", *NAMED, "--compare", "5kg").err
    assert "see slipstick reduce --help" in run("reduce", "train.yaml").err


def test_a_short_option_ends_a_list_and_names_the_file(called, tmp_path: Path) -> None:
    file = tmp_path / "train.yaml"
    train(numbers(0.01)).save(file)
    said = called({})(
        "reduce",
        str(file),
        "--frictionless",
        "delta",
        "gamma",
        "--massless",
        "delta",
        "gamma",
        "-o",
        str(tmp_path / "small.yaml"),
    )
    assert said.code == 0
    assert len(ss.open(tmp_path / "small.yaml").coordinates) == 2


def test_the_model_itself_is_not_written_over(called, tmp_path: Path) -> None:
    file = tmp_path / "train.yaml"
    train(numbers(0.01)).save(file)
    before = file.read_text()
    said = called({})("reduce", str(file), "--no-gap", "mesh", "--out", str(tmp_path / "." / "train.yaml"))
    assert said.code == 2
    assert "would overwrite the model; name another file" in said.err
    assert file.read_text() == before


def test_a_coordinate_called_as_a_file_here_is_still_a_coordinate(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "delta").write_text("")
    monkeypatch.chdir(tmp_path)
    assert expand_list_options(["--massless", "gamma", "delta"], {"--massless"}) == [
        "--massless",
        "gamma",
        "--massless",
        "delta",
    ]


def test_words_after_a_list_option_belong_to_it_until_a_file_or_an_option() -> None:
    lists = {"--massless", "--rigid"}
    assert expand_list_options(["a.yaml", "--massless", "x", "y", "--out", "b.yaml"], lists) == [
        "a.yaml", "--massless", "x", "--massless", "y", "--out", "b.yaml",
    ]  # fmt: skip
    assert expand_list_options(["--massless=x,y", "--rigid", "m", "a.yaml"], lists) == [
        "--massless", "x", "--massless", "y", "--rigid", "m", "a.yaml",
    ]  # fmt: skip
    assert expand_list_options(["--massless", "x", "-o", "b.yaml", "--", "--massless"], lists) == [
        "--massless", "x", "-o", "b.yaml", "--", "--massless",
    ]  # fmt: skip


def test_check_says_that_inertias_of_a_condensed_model_are_in_its_matrices(called, tmp_path: Path) -> None:
    chain = 2.0 * np.eye(6) - np.eye(6, k=1) - np.eye(6, k=-1)
    large = ss.Model.from_matrices(np.eye(6), None, chain)
    large.condense(keep=["q6"], modes=2).save(tmp_path / "small.yaml")
    said = called({})("check", "small.yaml")
    assert said.code == 0
    assert said.out.count("in the matrices") == 3
    assert "0 kg" not in said.out


def test_a_start_velocity_of_what_becomes_first_order_is_said_to_have_no_effect(called) -> None:
    model = TRAIN.replace("displacement: 2 deg}", "velocity: 4 deg/s}")
    said = called({"train.yaml": model})("reduce", "train.yaml", "--massless", "gear")
    assert "Its start (velocity 4 deg/s) has no effect: its friction determines its rate" in said.out
