"""``slipstick export``."""

from __future__ import annotations

import math
from pathlib import Path

import fmpy
import pytest
from models import slider

import slipstick as ss

WAVE = ss.Cosine(1.0, frequency=0.8)


def test_the_command_writes_an_fmu(called, tmp_path: Path) -> None:
    slider(WAVE).save(tmp_path / "slider.yaml")
    said = called({})("export", str(tmp_path / "slider.yaml"), "--fmu", "--fmi", "2")
    assert said.code == 0
    assert fmpy.read_model_description(str(tmp_path / "slider.fmu")).fmiVersion == "2.0"


@pytest.mark.parametrize(("given", "wanted"), [("0.7rad/s", 0.7), ("10Hz", 20.0 * math.pi)])
def test_the_command_takes_the_base_frequency(called, tmp_path: Path, given: str, wanted: float) -> None:
    slider(ss.Cosine(1.0, order=1)).save(tmp_path / "slider.yaml")
    said = called({})("export", str(tmp_path / "slider.yaml"), "--fmu", "--frequency", given)
    assert said.code == 0
    variables = {v.name: v for v in fmpy.read_model_description(str(tmp_path / "slider.fmu")).modelVariables}
    assert float(variables["frequency"].start) == pytest.approx(wanted, rel=1e-15)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--fmu"),
        (["--fmu", "--frequency", "-1rad/s"], "frequency must be > 0"),
        (["--fmu", "--fmi", "4"], "fmi must be 2 or 3"),
        (["--fmu", "-o", "no/such/a.fmu"], "a.fmu"),
    ],
)
def test_the_command_refuses_in_one_line(called, tmp_path: Path, arguments: list[str], words: str) -> None:
    slider(WAVE).save(tmp_path / "slider.yaml")
    said = called({})("export", str(tmp_path / "slider.yaml"), *arguments)
    assert said.code == 2
    assert words in said.err
    assert len(said.err.strip().splitlines()) == 1
