"""Models that came from elsewhere, without a folder: read as files are, but nothing they name is opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from invalid_files import BAD, GOOD, Bad

from slipstick.model.files import examine, examine_alone
from slipstick.model.files.text_file import MAX_FILE_BYTES

NAMED = {
    "matrices": "slipstick: 1\nmatrices: beam.npz\n",
    "a load": "slipstick: 1\ncoordinates: {x: {inertia: 1}}\nloads: [{on: x, signal: {file: beam.npz}}]\n",
    "a motion": "slipstick: 1\ncoordinates: {x: {motion: {signal: {file: beam.npz}}}}\n",
    "a limit": "slipstick: 1\ncoordinates: {x: {inertia: 1}}\n"
    "connections: {rub: {deflection: x, law: dry-friction, limit: {signal: {file: beam.npz}}}}\n",
    "a modulation": "slipstick: 1\ncoordinates: {x: {inertia: 1}}\n"
    "connections: {c: {deflection: x, law: linear, stiffness: 1, modulated: {signal: {file: beam.npz}}}}\n",
}


def test_a_model_without_other_files_is_what_its_file_is(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    assert examine_alone(GOOD.encode(), "good.yaml").model == examine(tmp_path / "good.yaml").model


@pytest.mark.parametrize("what", NAMED)
def test_no_file_is_opened_even_where_it_is_there(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    eye, times = np.eye(2), [0.0, 1.0]
    np.savez(tmp_path / "beam.npz", mass=eye, stiffness=eye, times=times, values=times)
    monkeypatch.chdir(tmp_path)
    report = examine_alone(NAMED[what].encode(), "model.yaml")
    assert report.model is None
    assert "none is opened from here" in str(report.problems[0])
    assert report.problems[0].line is not None


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_what_is_wrong_in_a_file_is_wrong_without_one(bad: Bad, tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    data = bad.content.encode() if isinstance(bad.content, str) else bad.content
    path.write_bytes(data)
    told = [(problem.line, problem.path) for problem in examine(path).problems]
    assert [(problem.line, problem.path) for problem in examine_alone(data, "model.yaml").problems] == told


def test_a_text_that_is_too_long_is_not_parsed() -> None:
    report = examine_alone(b"x" * (MAX_FILE_BYTES + 1), "model.yaml")
    assert str(report.problems[0]).startswith(
        f"model.yaml: has {MAX_FILE_BYTES + 1} bytes, the limit is {MAX_FILE_BYTES};"
    )
