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
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path: Path, refused, model, options, words: str) -> None:
    with refused(words):
        model().export_fmu(tmp_path / "a.fmu", **options)
    assert not (tmp_path / "a.fmu").exists()
