"""Arrays beside a model: read without trust."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slipstick.errors import FileError
from slipstick.model.files import read_model
from slipstick.model.system import System, dense

EYE = np.eye(2)


def model(folder: Path, text: str = "matrices: beam.npz\n") -> System:
    (folder / "model.yaml").write_text("slipstick: 1\n" + text)
    return read_model(folder / "model.yaml")


def refused(folder: Path, *words: str, text: str = "matrices: beam.npz\n") -> None:
    with pytest.raises(FileError) as caught:
        model(folder, text)
    message = str(caught.value)
    assert message.startswith(f"{folder / 'model.yaml'}:2: ")
    assert message.isprintable()
    for word in words:
        assert word in message


def test_matrices_bring_their_coordinates(tmp_path: Path) -> None:
    np.savez(tmp_path / "beam.npz", mass=EYE, stiffness=2 * EYE, names=["a", "b"])
    system = model(
        tmp_path, "matrices: beam.npz\nconnections: {tip: {deflection: b, law: linear, stiffness: 1 N/mm}}\n"
    )
    assert [c.name for c in system.coordinates] == ["a", "b"]
    assert system.matrices is not None
    assert np.array_equal(dense(system.matrices.stiffness), 2 * EYE)
    assert np.array_equal(dense(system.matrices.damping), 0 * EYE)


def test_matrices_without_names_get_q1_q2(tmp_path: Path) -> None:
    np.savez(tmp_path / "beam.npz", mass=EYE, stiffness=EYE)
    assert [c.name for c in model(tmp_path).coordinates] == ["q1", "q2"]


def test_a_coordinate_of_the_matrices_may_have_a_start(tmp_path: Path) -> None:
    np.savez(tmp_path / "beam.npz", mass=EYE, stiffness=EYE, names=["a", "b"])
    system = model(tmp_path, "matrices: beam.npz\ncoordinates: {tip: {inertia: 1}, b: {displacement: 1 mm}}\n")
    assert [(c.name, c.displacement) for c in system.coordinates] == [("a", 0.0), ("b", 1e-3), ("tip", 0.0)]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"stiffness": EYE}, ("no mass", "numpy.savez")),
        ({"mass": EYE}, ("no stiffness",)),
        ({"mass": EYE, "stiffness": np.eye(3)}, ("3 by 3", "2 by 2")),
        ({"mass": EYE[0], "stiffness": EYE}, ("square",)),
        ({"mass": EYE * np.nan, "stiffness": EYE}, ("finite",)),
        ({"mass": -EYE, "stiffness": EYE}, ("positive semi-definite",)),
        ({"mass": EYE * 1j, "stiffness": EYE}, ("real numbers", "complex128")),
        ({"mass": np.array([["a"]]), "stiffness": EYE}, ("numbers",)),
        ({"mass": EYE, "stiffness": EYE, "names": ["a"]}, ("names", "1 for 2")),
        ({"mass": EYE, "stiffness": EYE, "names": ["a", "a"]}, ("appears twice",)),
        ({"mass": EYE, "stiffness": EYE, "names": ["a", "b c"]}, ("letters, digits", "'b c'")),
        ({"mass": np.array([None]), "stiffness": EYE}, ("real numbers", "object")),
        ({"mass_values": EYE[0], "stiffness": EYE}, ("mass_rows", "all three")),
        (
            {"mass_values": [1.0], "mass_rows": [5], "mass_columns": [0], "names": ["a", "b"], "stiffness": EYE},
            ("sparse",),
        ),
        ({"mass_values": [1.0], "mass_rows": [0], "mass_columns": [0], "stiffness": EYE}, ("sparse", "size")),
        ({f"a{i}": EYE for i in range(60)}, ("60 arrays", "50")),
    ],
)
def test_matrices_that_make_no_model_are_refused(
    tmp_path: Path, arrays: dict[str, Any], words: tuple[str, ...]
) -> None:
    np.savez(tmp_path / "beam.npz", **arrays)
    refused(tmp_path, "matrices", "beam.npz", *words)


def archive(folder: Path, members: dict[str, bytes], packed: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(folder / "beam.npz", "w", packed) as file:
        for name, data in members.items():
            file.writestr(name, data)


def array_bytes(array: Any) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array))
    return stream.getvalue()


def test_a_header_that_promises_too_much_is_refused_before_memory_is_asked_for(tmp_path: Path) -> None:
    stream = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 10**9)}
    np.lib.format.write_array_header_1_0(stream, header)  # type: ignore[arg-type]
    archive(tmp_path, {"mass.npy": stream.getvalue() + b"12345678"})
    refused(tmp_path, "beam.npz", "mass", "damaged", "header")


def test_an_archive_that_unpacks_to_more_than_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slipstick.model.files.npz_arrays.MAX_ARRAY_BYTES", 100_000)
    archive(tmp_path, {"mass.npy": array_bytes(np.zeros((200, 200)))}, zipfile.ZIP_DEFLATED)
    assert (tmp_path / "beam.npz").stat().st_size < 2_000
    refused(tmp_path, "unpacks to more than the limit")


@pytest.mark.parametrize(
    "data", [b"", b"PK", b"no archive", array_bytes(EYE), b"PK\x05\x06" + b"\0" * 18, b"PK\x03\x04" + b"\xff" * 50]
)
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "beam.npz").write_bytes(data)
    refused(tmp_path, "beam.npz")


def test_a_damaged_member_is_refused(tmp_path: Path) -> None:
    archive(tmp_path, {"mass.npy": b"not an array"})
    refused(tmp_path, "beam.npz", "cannot be read as .npz")


@pytest.mark.parametrize(
    "name",
    ["../beam.npz", "/beam.npz", "a/beam.npz", "..\\beam.npz", "C:beam.npz", ".npz", "~.npz", "be\tam.npz", "beam.npy"],
)
def test_only_a_name_in_the_same_folder_is_followed(tmp_path: Path, name: str) -> None:
    refused(tmp_path, "same folder", text=f"matrices: '{name}'\n")


def test_a_folder_or_a_missing_file_beside_the_model(tmp_path: Path) -> None:
    refused(tmp_path, "beam.npz", "no such file")
    (tmp_path / "beam.npz").mkdir()
    refused(tmp_path, "beam.npz", "is a folder")


def test_unreadable_matrices_do_not_make_connections_look_bad(tmp_path: Path) -> None:
    text = "matrices: beam.npz\nconnections: {tip: {deflection: b, law: linear, stiffness: 1}}\n"
    refused(tmp_path, "matrices", text=text)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"times": [0.0]}, ("no values",)),
        ({"times": [0.0], "values": [[1.0]]}, ("list of numbers",)),
        ({"times": [0.0], "values": ["a"]}, ("list of numbers",)),
        ({"times": [1.0, 0.0], "values": [0.0, 0.0]}, ("must not decrease",)),
        ({"times": [0.0], "values": [np.inf]}, ("finite",)),
    ],
)
def test_samples_that_make_no_signal_are_refused(
    tmp_path: Path, arrays: dict[str, Any], words: tuple[str, ...]
) -> None:
    np.savez(tmp_path / "gust.npz", **arrays)
    text = "coordinates: {x: {motion: {signal: {file: gust.npz}}}}\n"
    refused(tmp_path, "coordinates.x.motion.signal.file", *words, text=text)


@pytest.mark.parametrize("name", ["3", ".", "../quake.csv", "/etc/passwd", "quake.txt"])
def test_a_signal_is_in_an_npz_or_csv_file_of_the_same_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "m.yaml").write_text(f"slipstick: 1\ncoordinates: {{x: {{motion: {{signal: {{file: '{name}'}}}}}}}}\n")
    with pytest.raises(
        FileError, match=r"must be the name of an \.npz or \.csv file in the same folder, such as quake\.csv"
    ):
        read_model(tmp_path / "m.yaml")
