"""Bad model files: one line that names the line, the thing and the way out; never another exception."""

from __future__ import annotations

import logging
import os
import time
import tracemalloc
from pathlib import Path

import pytest
from invalid_files import BAD, GOOD, Bad

from slipstick.errors import FileError
from slipstick.model.files import examine, read_model
from slipstick.model.system import System

PATIENCE = 60.0  # [s] of the processor; some of them take one


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "model.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(path: object, *words: str) -> FileError:
    """The error of a file, which is one line with these words in it."""
    with pytest.raises(FileError) as caught:
        read_model(path)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    assert message.isprintable()
    assert len(message) < 400
    for word in words:
        assert word in message
    return caught.value


def test_the_good_file_is_good(tmp_path: Path) -> None:
    report = examine(write(tmp_path, GOOD))
    assert report.problems == []
    assert report.warnings == []
    assert report.notes == []


def test_there_are_many_bad_files() -> None:
    assert len({bad.name for bad in BAD}) == len(BAD) >= 60


@pytest.mark.parametrize("bad", BAD, ids=[bad.name for bad in BAD])
def test_a_bad_file_is_refused_with_one_clear_line(bad: Bad, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path, bad.content)
    before = set(tmp_path.iterdir())
    with caplog.at_level(logging.DEBUG, logger="slipstick.model.files.model_reader"):
        error = refused(path, *bad.fragments)
    assert error.line == bad.line
    assert str(error).startswith(f"{path}:{bad.line}: " if bad.line else f"{path}: ")
    assert "pydantic" not in str(error)
    assert "http" not in str(error)
    assert caplog.records == []  # the guard against the unexpected was not needed
    assert set(tmp_path.iterdir()) == before


def test_all_problems_of_a_file_are_found_in_the_order_of_lines(tmp_path: Path) -> None:
    text = (
        GOOD.replace("2 kg", "-2 kg").replace("half_gap", "halfgap").replace("x - y", "x - z").replace("12 N", "12 s")
    )
    report = examine(write(tmp_path, text))
    found = [(p.line, p.path) for p in report.problems]
    assert found == [
        (5, "coordinates.x.inertia"),
        (12, "connections.mesh.halfgap"),
        (18, "loads[0].cosine.amplitude"),
    ]
    assert report.model is None


def test_a_bad_coordinate_does_not_make_its_connections_look_bad(tmp_path: Path) -> None:
    report = examine(write(tmp_path, GOOD.replace("inertia: 2 kg", "inertia: 2 parsnips")))
    assert [p.path for p in report.problems] == ["coordinates.x.inertia"]


def test_several_misspelt_keys_in_one_connection_are_all_found(tmp_path: Path) -> None:
    text = GOOD.replace("half_gap", "halfgap").replace("stiffness", "stifness")
    report = examine(write(tmp_path, text))
    assert [p.path for p in report.problems] == ["connections.mesh.stifness", "connections.mesh.halfgap"]


@pytest.mark.parametrize("text", [GOOD.replace("560 N/mm", ""), GOOD.replace("{inertia: 2 kg}", "")])
def test_one_mistake_is_reported_once(text: str, tmp_path: Path) -> None:
    assert len(examine(write(tmp_path, text)).problems) == 1


def test_problems_stop_at_fifty(tmp_path: Path) -> None:
    lines = "".join(f"  c{i}: {{deflection: q, law: lineer}}\n" for i in range(3000))
    report = examine(write(tmp_path, "slipstick: 1\ncoordinates: {x: {}}\nconnections:\n" + lines))
    assert len(report.problems) == 50


# ---- what is no file, or cannot be read


def test_a_missing_file(tmp_path: Path) -> None:
    refused(tmp_path / "no.yaml", "no.yaml", "no such file", "check the name")


def test_a_folder(tmp_path: Path) -> None:
    refused(tmp_path, "is a folder")


def test_a_file_below_a_file(tmp_path: Path) -> None:
    refused(write(tmp_path, GOOD) / "x.yaml", "a folder in this path is a file")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, GOOD)

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbidden)
    refused(path, "may not be read", "permissions")


def test_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, GOOD)

    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("builtins.open", broken)
    refused(path, "cannot be opened: input/output error")


def test_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to(tmp_path / "b.yaml")
    (tmp_path / "b.yaml").symlink_to(tmp_path / "a.yaml")
    refused(tmp_path / "a.yaml", "cannot be opened", "symbolic link")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_that_would_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    refused(tmp_path / "pipe.yaml", "not a regular file", "pipe")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no devices here")
def test_a_device_that_never_ends() -> None:
    refused("/dev/zero", "not a regular file")


def test_a_file_of_100_megabytes_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    with open(path, "wb") as stream:
        stream.truncate(100_000_000)
    tracemalloc.start()
    try:
        refused(path, "100000000 bytes", "limit is 500000")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000  # it was not read


def test_a_file_that_reports_no_size_but_has_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, GOOD)
    monkeypatch.setattr("slipstick.model.files.text_file.MAX_FILE_BYTES", 100)
    true_stat = os.stat

    def no_size(*args: object, **kwargs: object) -> os.stat_result:
        found = true_stat(*args, **kwargs)  # type: ignore[arg-type]
        return os.stat_result((*found[:6], 0, *found[7:10]))

    monkeypatch.setattr("os.stat", no_size)
    refused(path, "more than 100 bytes")


@pytest.mark.parametrize(
    "path", ["a\0b", "", "x" * 5000, 3, None, ["a"]], ids=["zero byte", "empty", "long", "number", "none", "list"]
)
def test_a_path_that_is_none(path: object) -> None:
    refused(path)


def test_a_path_with_a_line_break_stays_one_line(tmp_path: Path) -> None:
    refused(tmp_path / "a\nb.yaml", r"a\nb.yaml", "no such file")


# ---- time: no error may take long, whatever the file is made of


@pytest.mark.parametrize(
    "text",
    ["[" * 400_000, "{" * 400_000, "- " * 200_000, "? " * 200_000, "a: " * 100_000, "\n" * 400_000, "a: 'b\n" * 60_000,
     "a: |\n" + "  x\n" * 100_000, "# x\n" * 100_000, "%a\n" * 100_000, "---\n" * 100_000, "a: " + "x " * 200_000,
     "slipstick: 1\n" + "".join(f"k{i}: 1\n" for i in range(40_000)), "slipstick: 1\nname: " + "9" * 400_000,
     "slipstick: 1\nconnections:\n  a:\n    deflection: " + "x+" * 4000 + "\n    law: linear\n",
     ("[" * 1000 + "\n") * 400, '"' * 400_000, "!!a " * 100_000, "&a " * 100_000, ":" * 400_000],
    ids=["brackets", "braces", "dashes", "questions", "colons", "empty lines", "open quotes", "literal", "comments",
         "directives", "documents", "words", "keys", "digits", "long form", "bracket lines", "quotes", "tags",
         "anchors", "only colons"],
)  # fmt: skip
def test_no_error_takes_long(text: str, tmp_path: Path) -> None:
    """What grows with the square of the length of such a text would take hours."""
    path = write(tmp_path, text)
    began = time.process_time()  # of this process: others may keep the machine busy
    refused(path)
    assert time.process_time() - began < PATIENCE


# ---- the guard against what nobody thought of


def test_an_unexpected_exception_becomes_one_line_and_a_log_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a hole\nin the checks")

    monkeypatch.setattr("slipstick.model.files.model_reader.check_document", broken)
    with caplog.at_level(logging.DEBUG, logger="slipstick.model.files.model_reader"):
        refused(write(tmp_path, GOOD), "could not be read", "ZeroDivisionError", "please report")
    assert caplog.records[0].exc_info is not None


def test_a_law_that_warns_warns_with_the_line(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("limit: 3 N", "limit: {fourier: {mean: 1 N, cos: [3 N]}}"))
    with pytest.warns(UserWarning, match=r"model.yaml:13: connections.bearing: limit is negative for 39.2 %"):
        read_model(path)


def test_reading_makes_the_class_that_is_asked_for(tmp_path: Path) -> None:
    class Mine(System):
        pass

    assert type(read_model(write(tmp_path, GOOD), Mine)) is Mine
    assert type(read_model(write(tmp_path, GOOD))) is System


def test_of_a_misspelt_list_of_coordinates_nothing_follows(tmp_path: Path) -> None:
    report = examine(write(tmp_path, GOOD.replace("coordinates:", "coordinate:")))
    assert [problem.line for problem in report.problems] == [4]
    assert 'did you mean "coordinates"?' in str(report.problems[0])


@pytest.mark.parametrize("name", ["rig.csv", "rig.CSV", "rig.csv.gz", "rig.dat"])
def test_a_table_is_distinguished_from_a_model(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("u,f\n" + "1,2\n" * 20000)
    refused(tmp_path / name, "is a table, not a model", "ss.Loop.read_csv(")
