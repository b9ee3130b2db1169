"""Compiled code on disk: read by the next process, never stale, never needed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from slipstick.native import compile_functions, engine, kept

TWICE = "def f(x):\n    return math.sin(x) * 2.0\n"
COUNTED = """
import sys
from slipstick.native import compile_functions, engine
compiled = []
inner = engine._code
engine._code = lambda *a: compiled.append(a) or inner(*a)
f = compile_functions({text!r}, "f", ("number",))
print(f.call(0.5), len(compiled))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path))
    return tmp_path / "native"


def compiled_in_a_process(folder, text=TWICE):
    """What f(0.5) is in a process of its own, and how often it compiled."""
    surroundings = {**os.environ, kept.VARIABLE: str(folder.parent)}
    script = COUNTED.format(text=text)
    told = subprocess.run([sys.executable, "-c", script], env=surroundings, capture_output=True, text=True, check=True)
    value, count = told.stdout.split()
    return float(value), int(count)


def test_the_next_process_reads_what_one_has_compiled(folder):
    first, second = compiled_in_a_process(folder), compiled_in_a_process(folder)
    assert (first[1], second[1]) == (1, 0)
    assert first[0] == second[0] == pytest.approx(2.0 * 0.479425538604203, rel=1e-15)


def test_another_text_is_other_code(folder):
    compiled_in_a_process(folder)
    assert compiled_in_a_process(folder, TWICE.replace("2.0", "3.0"))[1] == 1


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"no json\n", b"\x00\xff"], ids=repr)
def test_a_damaged_file_is_compiled_again(folder, damage):
    assert compile_functions(TWICE, "f", ("number",)).call(0.0) == 0.0
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for content in (damage, whole[:-1], whole[:-1] + b"?"):
        file.write_bytes(content)
        assert compile_functions(TWICE, "f", ("number",)).call(0.0) == 0.0
        assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_is_no_obstacle(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv(kept.VARIABLE, str(tmp_path / "file"))
    assert compile_functions(TWICE, "f", ("number",)).call(0.0) == 0.0


def test_with_an_empty_variable_nothing_is_kept(monkeypatch):
    monkeypatch.setenv(kept.VARIABLE, "")
    written = []
    monkeypatch.setattr(kept.tempfile, "NamedTemporaryFile", written.append)
    assert compile_functions(TWICE, "f", ("number",)).call(0.0) == 0.0
    assert not written


def test_another_processor_has_its_own_code(folder, monkeypatch):
    compile_functions(TWICE, "f", ("number",))
    monkeypatch.setattr(engine, "_surroundings", lambda: ("another",))
    compile_functions(TWICE, "f", ("number",))
    assert len(list(folder.iterdir())) == 2


def test_the_older_half_goes_where_there_are_too_many(folder, monkeypatch):
    monkeypatch.setattr(kept, "MOST", 4)
    folder.mkdir()
    for k in range(4):
        (folder / str(k)).write_text("old")
        os.utime(folder / str(k), (k, k))
    compile_functions(TWICE, "f", ("number",))
    left = {file.name for file in folder.iterdir()}
    assert len(left) == 3
    assert left > {"2", "3"}


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")
def test_a_folder_that_others_may_write_to_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.delenv(kept.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept.sys, "platform", "linux")
    folder = tmp_path / "slipstick" / "native"
    compile_functions(TWICE, "f", ("number",))
    assert len(list(folder.iterdir())) == 1
    folder.chmod(0o777)
    assert kept.read(next(folder.iterdir()).name) is None
