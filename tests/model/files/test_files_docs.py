"""What docs/files.md and the starter say is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from file_strategies import PRESENT

from slipstick.laws import LAWS
from slipstick.laws.piecewise_linear import Freeplay
from slipstick.model.files import examine, npz_arrays, read_model, text_file, write_model, yaml_tree
from slipstick.model.files.model_builder import MAX_NAME_LENGTH
from slipstick.signals import rpm

TEXT = (Path(__file__).parents[3] / "docs" / "files.md").read_text()
EXAMPLE = re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.skipif(set(PRESENT) != set(LAWS), reason="some families of laws are not there yet")
def test_the_example_of_the_documentation_is_read_and_saved(tmp_path: Path) -> None:
    assert EXAMPLE is not None
    path = tmp_path / "model.yaml"
    path.write_text(EXAMPLE.group(1))
    report = examine(path)
    assert report.problems == []
    (note,) = report.notes
    assert "connections.tensioner.stiffness: has no unit and counts in SI" in note
    assert report.model is not None
    assert report.model.frequency == rpm(700)
    assert len(report.model.connections) == 8
    assert report.model.connection("pulley").law == Freeplay(stiffness=2e5, half_gap=1e-4)
    write_model(report.model, tmp_path / "copy.yaml")
    assert read_model(tmp_path / "copy.yaml") == report.model


def test_the_limits_of_the_documentation_are_those_of_the_code() -> None:
    lengths = f"{yaml_tree.MAX_TEXT_LENGTH:,}, {yaml_tree.MAX_KEY_LENGTH}, {MAX_NAME_LENGTH}"
    rows = [
        f"| size of the file | {text_file.MAX_FILE_BYTES:,} bytes |",
        f"| keys and values | {yaml_tree.MAX_VALUES:,} |",
        f"| levels of nesting | {yaml_tree.MAX_NESTING} |",
        f"| a value, a key, the name of the model | {lengths} characters |",
        f"| arrays beside the model | {npz_arrays.MAX_ARRAY_BYTES:,} bytes |",
    ]
    for row in rows:
        assert row in TEXT


def test_the_messages_of_the_documentation_are_those_of_the_code(tmp_path: Path) -> None:
    path = tmp_path / "gear.yaml"
    path.write_text(
        "slipstick: 1\ncoordinates:\n  x: {inertia: 1 kg}\n\n\nconnections:\n  mesh:\n    deflection: x\n\n"
        "    law: freeplay\n"
        "    stiffness: 1\n    halfgap: 1\n  bearing:\n    deflection: x\n    law: dry-friction\n    limit: -3 N\n"
    )
    found = [str(problem).replace(str(path), "gear.yaml") for problem in examine(path).problems]
    assert len(found) == 2
    for line in found:
        assert line in TEXT
