"""What cannot be exported is one line, by the model and by the machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from models import one_mass, slider

import slipstick as ss

WAVE = ss.Cosine(1.0, frequency=0.8)


def many_states() -> ss.Model:
    m = one_mass({f"s{k}": ss.Jenkins(stiffness=1.0, limit=0.1 * (k + 1)) for k in range(7)}, WAVE)
    m.connect(m.coordinate("y") - m["x"], ss.Linear(stiffness=1.0, damping=1.0), name="light")
    return m


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        (lambda: one_mass({"joint": ss.Dahl(stiffness=1.0, limit=0.5)}, WAVE), {}, "joint"),
        (many_states, {}, "more than 600 states"),
        (lambda: slider(ss.Cosine(1.0, order=1)), {}, "base frequency"),
        (lambda: slider(WAVE), {"fmi": 1}, "fmi must be 2 or 3, got 1"),
        (lambda: slider(WAVE), {"frequency": -1.0}, "frequency"),
        (lambda: slider(WAVE), {"platforms": ["amiga"]}, "windows-x86_64, got 'amiga'"),
        (lambda: slider(WAVE), {"platforms": []}, "at least one platform"),
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path: Path, refused, model, options, words: str) -> None:
    with refused(words):
        model().export_fmu(tmp_path / "a.fmu", **options)
    assert not (tmp_path / "a.fmu").exists()


def test_a_missing_compiler_is_refused_with_what_to_install(tmp_path: Path, refused, monkeypatch) -> None:
    monkeypatch.setattr("slipstick.fmu.shared_library.shutil.which", lambda _: None)
    monkeypatch.setattr("slipstick.fmu.shared_library.importlib.util.find_spec", lambda _: None)
    with refused("needs a C compiler", "slipstick[fmu]"):
        slider(WAVE).export_fmu(tmp_path / "a.fmu")


def test_a_compiler_that_fails_is_one_line(tmp_path: Path, refused, monkeypatch) -> None:
    monkeypatch.setattr("slipstick.fmu.shared_library.compiler", lambda _: ["false"])
    with refused("the C compiler false failed"):
        slider(WAVE).export_fmu(tmp_path / "a.fmu")
