"""Compiled code on disk: read by the next process, never stale, never needed."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from slipstick.native import compile_text, jit, object_cache

TWICE = "def f(x):\n    return math.sin(x) * 2.0\n"
COUNTED = """
import sys
from slipstick.native import compile_text, jit
compiled = []
inner = jit._code
jit._code = lambda *a: compiled.append(a) or inner(*a)
f = compile_text({text!r}, "f", ("number",))
print(f.call(0.5), len(compiled))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(object_cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(object_cache._Here, "room", 0)  # as in a process that begins
    return tmp_path / "native"


def at_a_half():
    """2 sin(0.5)."""
    return compile_text(TWICE, "f", ("number",)).call(0.5)


def compiled_in_a_process(folder, text=TWICE):
    """What f(0.5) is in a process of its own, and how often it compiled."""
    surroundings = {**os.environ, object_cache.VARIABLE: str(folder.parent)}
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
    assert compile_text(TWICE, "f", ("number",)).call(0.0) == 0.0
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for content in (damage, whole[:-1], whole[:-1] + b"?"):
        file.write_bytes(content)
        assert compile_text(TWICE, "f", ("number",)).call(0.0) == 0.0
        assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_is_no_obstacle(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv(object_cache.VARIABLE, str(tmp_path / "file"))
    assert compile_text(TWICE, "f", ("number",)).call(0.0) == 0.0


def test_with_an_empty_variable_nothing_is_kept(monkeypatch):
    monkeypatch.setenv(object_cache.VARIABLE, "")
    written = []
    monkeypatch.setattr(object_cache.tempfile, "mkstemp", written.append)
    assert compile_text(TWICE, "f", ("number",)).call(0.0) == 0.0
    assert not written


def test_another_processor_has_its_own_code(folder, monkeypatch):
    compile_text(TWICE, "f", ("number",))
    monkeypatch.setattr(jit, "_surroundings", lambda: ("another",))
    compile_text(TWICE, "f", ("number",))
    assert len(list(folder.iterdir())) == 2


def test_a_call_keeps_its_code_alive(folder):
    """In a process of its own: a call into code that has been freed ends it."""
    script = f"""
import gc
from slipstick.native import compile_text
calls = [compile_text({TWICE!r}, "f", ("number",)).call for _ in range(50)]
gc.collect()
print(sum(call(0.5) for call in calls))
"""
    surroundings = {**os.environ, object_cache.VARIABLE: str(folder.parent)}
    told = subprocess.run([sys.executable, "-c", script], env=surroundings, capture_output=True, text=True)
    assert told.returncode == 0
    assert float(told.stdout) == pytest.approx(50 * 2.0 * 0.479425538604203, rel=1e-14)


@pytest.mark.parametrize(
    "results",
    [{"f": "integer"}, {"f": None}, {"g": "number"}, {}, {"f": "number", "g": "number"}, {"f": "word"}, ["f"], None],
    ids=repr,
)
def test_a_head_that_was_changed_is_compiled_again(folder, results):
    assert at_a_half() == pytest.approx(0.958851077208406)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    head, _, code = whole.partition(b"\n")
    file.write_bytes(json.dumps({**json.loads(head), "results": results}).encode() + b"\n" + code)
    assert at_a_half() == pytest.approx(0.958851077208406)
    assert file.read_bytes() == whole


@pytest.mark.parametrize("results", [{"g": "number"}, {"f": "word"}, {"f": "integer"}], ids=repr)
def test_a_head_that_does_not_fit_is_not_taken_even_with_its_own_digest(folder, results):
    at_a_half()
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    code = object_cache.Code(results, whole.partition(b"\n")[2])
    object_cache.write(file.name, code)
    assert file.read_bytes() != whole
    assert at_a_half() == pytest.approx(0.958851077208406)
    assert file.read_bytes() == whole


def test_code_under_the_name_of_another_is_compiled_again(folder):
    """Two files that are whole, each under the name of the other."""
    texts = {"2.0": 0.958851077208406, "3.0": 1.438276615812609}
    for factor in texts:
        compile_text(TWICE.replace("2.0", factor), "f", ("number",))
    one, other = folder.iterdir()
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    for factor, value in texts.items():
        again = compile_text(TWICE.replace("2.0", factor), "f", ("number",))
        assert again.call(0.5) == pytest.approx(value)
    assert (one.read_bytes(), other.read_bytes()) == (first, second)


def test_another_version_has_its_own_code_also_without_the_text_of_the_compiler(monkeypatch):
    monkeypatch.setattr(object_cache, "_compiler", lambda: b"")
    mine = object_cache.name_of("text")
    monkeypatch.setattr(object_cache, "__version__", "another")
    assert object_cache.name_of("text") != mine


def test_a_write_that_fails_leaves_nothing(folder, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(object_cache.Path, "replace", full)
    assert at_a_half() == pytest.approx(0.958851077208406)
    assert list(folder.iterdir()) == []


def put(folder, count, size):
    """Files that were last used one second after the other, the first one first."""
    folder.mkdir(mode=0o700)
    for k in range(count):
        (folder / str(k)).write_bytes(bytes(size))
        os.utime(folder / str(k), (k, k))


def test_what_was_not_used_for_longest_goes_where_there_are_too_many_bytes(folder, monkeypatch):
    put(folder, 6, 100_000)
    monkeypatch.setattr(object_cache, "MOST", 500_000)
    at_a_half()
    left = {file.name for file in folder.iterdir()}
    assert left > {"4", "5"}
    assert not left & {"0", "1", "2", "3"}
    assert len(left) == 3


def test_the_folder_is_not_looked_at_by_every_write(folder, monkeypatch):
    looked = []
    monkeypatch.setattr(object_cache, "_prune", looked.append)
    for factor in range(5):
        compile_text(TWICE.replace("2.0", f"{factor}.5"), "f", ("number",))
    assert looked == [folder]
    assert len(list(folder.iterdir())) == 5


def test_what_is_read_counts_as_used(folder):
    at_a_half()
    (file,) = folder.iterdir()
    os.utime(file, (1, 1))
    at_a_half()
    assert file.stat().st_mtime > 1e9


def test_warm_compiles_whatever_has_been_kept(folder):
    script = """
from slipstick.native import jit
compiled = []
inner = jit._code
jit._code = lambda *a: compiled.append(a) or inner(*a)
from slipstick.laws import kernel_warmup as warm
job = warm.warmup_jobs()[0]
warm.warmup_jobs = lambda: [job]
warm.compile_all_kernels()
print(len(compiled))
"""
    surroundings = {**os.environ, object_cache.VARIABLE: str(folder.parent)}

    def compiled():
        done = subprocess.run(
            [sys.executable, "-c", script], env=surroundings, capture_output=True, text=True, check=True
        )
        return int(done.stdout)

    assert compiled() == compiled() == 1
    assert len(list(folder.iterdir())) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")
def test_a_folder_that_others_may_write_to_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.delenv(object_cache.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(object_cache.sys, "platform", "linux")
    folder = tmp_path / "slipstick" / "native"
    compile_text(TWICE, "f", ("number",))
    assert len(list(folder.iterdir())) == 1
    name = next(folder.iterdir()).name
    assert object_cache.read(name, ["f"]) is not None
    for open_to_others in (folder, folder.parent):
        before = open_to_others.stat().st_mode
        open_to_others.chmod(0o777)
        assert object_cache.read(name, ["f"]) is None
        open_to_others.chmod(before)
    assert object_cache.read(name, ["f"]) is not None


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")
@pytest.mark.parametrize("which", ["native", "."])
def test_nor_is_one_of_the_variable(folder, which, monkeypatch):
    at_a_half()
    (file,) = folder.iterdir()
    (folder.parent / which).chmod(0o777)
    assert object_cache.read(file.name, ["f"]) is None
    (folder.parent / which).chmod(0o700)
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    assert object_cache.read(file.name, ["f"]) is None


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")
def test_folders_are_made_for_their_owner_alone(tmp_path, monkeypatch):
    monkeypatch.setenv(object_cache.VARIABLE, str(tmp_path / "made"))
    at_a_half()
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("made", "made/native")] == [0o700, 0o700]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")
def test_a_file_that_is_not_a_plain_one_of_the_user_alone_is_compiled_again(folder, tmp_path, monkeypatch):
    at_a_half()
    (file,) = folder.iterdir()
    assert object_cache.read(file.name, ["f"]) is not None
    file.chmod(0o620)
    assert object_cache.read(file.name, ["f"]) is None
    file.chmod(0o600)
    own, opened = os.getuid(), os.fstat
    foreign = lambda handle: os.stat_result((*opened(handle)[:4], own + 1, *[0] * 5))  # noqa: E731
    monkeypatch.setattr(object_cache.os, "fstat", foreign)
    assert object_cache.read(file.name, ["f"]) is None
    monkeypatch.undo()
    monkeypatch.setenv(object_cache.VARIABLE, str(folder.parent))
    elsewhere = tmp_path / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert object_cache.read(file.name, ["f"]) is None
    file.unlink()
    os.mkfifo(file, 0o600)
    assert object_cache.read(file.name, ["f"]) is None


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")
@pytest.mark.parametrize(("mode", "trusted"), [(0o700, True), (0o1777, True), (0o777, False), (0o770, False)])
def test_folders_above_are_closed_to_others_or_sticky(tmp_path, monkeypatch, mode, trusted):
    above = tmp_path / "above"
    (above / "between").mkdir(parents=True)
    above.chmod(mode)
    monkeypatch.setenv(object_cache.VARIABLE, str(above / "between" / "cache"))
    at_a_half()
    assert (above / "between" / "cache" / "native").exists() == trusted
    assert (object_cache._folder() is not None) == trusted


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are others there")
def test_a_link_to_a_cache_leads_to_the_folder_that_is_checked(tmp_path, monkeypatch):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    monkeypatch.setenv(object_cache.VARIABLE, str(link))
    at_a_half()
    assert object_cache._folder() == real.resolve() / "native"
    (real / "native").rename(tmp_path / "moved")
    (real / "native").symlink_to(tmp_path / "moved")
    assert object_cache._folder() is None


def test_a_system_without_owners_and_links_keeps_code_too(folder, monkeypatch):
    monkeypatch.setattr(object_cache.sys, "platform", "win32")
    monkeypatch.delattr(object_cache.os, "getuid", raising=False)
    monkeypatch.setattr(object_cache, "NO_LINK", 0)
    at_a_half()
    (file,) = folder.iterdir()
    assert object_cache.read(file.name, ["f"]) is not None
