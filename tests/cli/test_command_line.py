"""The command line as a user meets it."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from pace import FOREGROUND

from slipstick import __version__
from slipstick.cli import main
from slipstick.laws import LAWS

TABLE = runpy.run_path(str(Path(__file__).parents[1] / "model" / "files" / "invalid_files.py"))
GOOD, BAD = TABLE["GOOD"], {bad.name: bad for bad in TABLE["BAD"]}

HEAVY = ["numba", "scipy", "pydantic", "sympy", "matplotlib", "pint", "xarray", "pandas", "ruamel.yaml", "numpy"]


class Done(NamedTuple):
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Done]


@pytest.fixture
def slipstick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command in this process, in an empty folder, 80 columns wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments: str) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert isinstance(left.value.code, int)
        return Done(left.value.code, *capsys.readouterr())

    return command


def python(code: str, folder: Path | None = None) -> Done:
    """Run code in a process of its own."""
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=600)
    return Done(run.returncode, run.stdout, run.stderr)


def refused(done: Done, *words: str) -> list[str]:
    """Exit code 2, nothing on stdout, and lines on stderr with these words; the lines."""
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    return done.stderr.splitlines()


# ---- help and version


def test_the_version(slipstick: Command) -> None:
    done = slipstick("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"slipstick {__version__}\n", "")


def test_the_help_lists_the_commands(slipstick: Command) -> None:
    done = slipstick("--help")
    assert done.returncode == 0
    for command in ("check", "identify", "new", "rank", "run", "warm"):
        assert f" {command} " in done.stdout


@pytest.mark.parametrize("command", ["check", "identify", "new", "rank", "run", "warm"])
def test_the_help_of_every_command_has_an_example(command: str, slipstick: Command) -> None:
    done = slipstick(command, "--help")
    assert done.returncode == 0
    assert f"Example: slipstick {command}" in done.stdout


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom slipstick.cli.error_handling import run_command_line\n"
        "assert run_command_line(['--help']) == 0\n"
        f"print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    )
    done = python(code)
    assert done.stderr == "[]\n"


def test_output_that_is_not_a_terminal_has_no_colour_codes(slipstick: Command) -> None:
    slipstick("new", "belt")
    for arguments in (["--help"], ["check", "belt.yaml"], ["check", "--help"]):
        assert "\x1b" not in slipstick(*arguments).stdout


# ---- check


def test_check_shows_what_is_in_a_model_within_80_columns(tmp_path: Path, slipstick: Command) -> None:
    (tmp_path / "pair.yaml").write_text(GOOD)
    done = slipstick("check", "pair.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    for words in (
        "pair.yaml: ok",
        "30 Hz",
        "1800 rpm",
        "x - y",
        "Freeplay(stiffness=560000, half_gap=0.0002)",
        "Cosine(12",
    ):
        assert words in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


@pytest.mark.parametrize(
    "name",
    ["empty file", "binary", "UTF-16", "too large", "tab as indentation", "alias bomb", "python tag", "two documents",
     "deep nesting", "misspelt parameter", "missing parameter", "key that appears twice", "nan", "huge exponent",
     "negative limit", "wrong unit", "unknown unit", "mixed kinds", "unknown law", "unknown coordinate",
     "python in a deflection", "deflection that cancels", "connection with a line break", "matrices elsewhere"],
)  # fmt: skip
def test_check_refuses_a_bad_file_with_its_line(name: str, tmp_path: Path, slipstick: Command) -> None:
    bad = BAD[name]
    content = bad.content.encode() if isinstance(bad.content, str) else bad.content
    (tmp_path / "model.yaml").write_bytes(content)
    done = slipstick("check", "model.yaml")
    lines = refused(done, *bad.fragments)
    assert lines[0].startswith(f"model.yaml:{bad.line}: " if bad.line else "model.yaml: ")
    assert [p.name for p in tmp_path.iterdir()] == ["model.yaml"]


def test_check_in_a_process_of_its_own_has_the_same_exit_code_and_lines(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(BAD["negative limit"].content)
    done = python("from slipstick.cli import main; main(['check', 'model.yaml'])", tmp_path)
    assert len(refused(done, "model.yaml:16: connections.bearing.limit: must be >= 0")) == 1


def test_the_package_as_a_module_is_the_command(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "slipstick", "--version"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout == f"slipstick {__version__}\n"


def test_check_lists_all_problems_one_a_line(tmp_path: Path, slipstick: Command) -> None:
    text = GOOD.replace("2 kg", "-2 kg").replace("half_gap", "halfgap").replace("12 N", "12 s")
    (tmp_path / "model.yaml").write_text(text)
    lines = refused(slipstick("check", "model.yaml"))
    assert [line.split(": ")[0] for line in lines] == ["model.yaml:5", "model.yaml:12", "model.yaml:18"]


def test_check_says_so_if_it_stopped_counting(tmp_path: Path, slipstick: Command) -> None:
    (tmp_path / "model.yaml").write_text(GOOD + "".join(f"key{i}: 1\n" for i in range(80)))
    lines = refused(slipstick("check", "model.yaml"))
    assert len(lines) == 51
    assert lines[-1] == "model.yaml: these are the first 50 problems; there may be more"


def test_check_goes_on_after_a_bad_file(tmp_path: Path, slipstick: Command) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    done = slipstick("check", "no.yaml", "good.yaml", ".")
    assert done.returncode == 2
    assert "good.yaml: ok" in done.stdout
    assert done.stderr.splitlines() == [
        "no.yaml: there is no such file; check the name and the folder",
        ".: is a folder; name a file in it",
    ]


def test_check_shows_warnings_and_notes(tmp_path: Path, slipstick: Command) -> None:
    text = GOOD.replace("limit: 3 N", "limit: {fourier: {mean: 1 N, cos: [3 N]}}").replace("frequency: 30 Hz\n", "")
    (tmp_path / "model.yaml").write_text(text)
    done = slipstick("check", "model.yaml")
    assert done.returncode == 0
    assert "warning: model.yaml:12: connections.bearing: limit is negative for 39.2 %" in done.stdout
    assert "note: model.yaml:17: loads[0]: has an order, but the model has no frequency" in done.stdout


def test_check_without_a_file_says_what_is_missing(slipstick: Command) -> None:
    refused(slipstick("check"), "name at least one file", "slipstick check --help")


def test_a_name_with_brackets_is_not_taken_for_markup(tmp_path: Path, slipstick: Command) -> None:
    (tmp_path / "m.yaml").write_text(GOOD.replace("name: pair", 'name: "[red]pair[/red]"'))
    assert "[red]pair[/red]" in slipstick("check", "m.yaml").stdout


def test_check_prints_the_schema(slipstick: Command) -> None:
    pytest.importorskip("slipstick.laws.lugre")
    done = slipstick("check", "--schema")
    schema = json.loads(done.stdout)
    laws = {rule["properties"].get("law", {}).get("const") for rule in schema["$defs"].values() if "properties" in rule}
    assert set(LAWS) - laws == {"generalised-dahl"}


# ---- new


def test_new_writes_a_model_that_passes_check_and_says_what_is_next(tmp_path: Path, slipstick: Command) -> None:
    done = slipstick("new", "belt")
    assert (done.returncode, done.stderr) == (0, "")
    assert "slipstick check belt.yaml" in done.stdout
    checked = slipstick("check", "belt.yaml")
    assert checked.returncode == 0
    assert "belt.yaml: ok" in checked.stdout
    assert "note" not in checked.stdout
    assert "# " in (tmp_path / "belt.yaml").read_text()


@pytest.mark.parametrize("name", ["null", "true", "my model", "1.5", "résumé", "a.b", "belt.yaml", "belt.YML"])
def test_new_takes_any_sensible_name(name: str, tmp_path: Path, slipstick: Command) -> None:
    assert slipstick("new", name).returncode == 0
    (path,) = tmp_path.iterdir()
    assert slipstick("check", path.name).returncode == 0


def test_new_does_not_overwrite(tmp_path: Path, slipstick: Command) -> None:
    (tmp_path / "belt.yaml").write_text("mine")
    lines = refused(slipstick("new", "belt"), "belt.yaml: exists and was not overwritten", "another name")
    assert len(lines) == 1
    assert (tmp_path / "belt.yaml").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["", " ", ".", "..", "/", ".hidden", "a\nb", "x" * 200, "no/such/folder/belt", "a\x1b[31mb", "-"]
)
def test_new_refuses_a_name_that_is_none(name: str, tmp_path: Path, slipstick: Command) -> None:
    assert len(refused(slipstick("new", name))) == 1
    assert list(tmp_path.iterdir()) == []


# ---- what goes wrong outside of files


@pytest.mark.parametrize("arguments", [["chek"], ["--nonsense"], ["check", "--nonsense"], ["new"], ["new", "a", "b"]])
def test_a_wrong_command_is_one_line_that_points_to_the_help(arguments: list[str], slipstick: Command) -> None:
    lines = refused(slipstick(*arguments), "--help")
    assert len(lines) == 1
    assert lines[0].startswith("slipstick: ")


FAULTY = """
import slipstick.cli.commands, slipstick.model.files
def broken(*arguments):
    raise {error}
slipstick.model.files.examine = broken
from slipstick.cli import main
main({arguments})
"""


def with_fault(error: str, *arguments: str) -> Done:
    return python(FAULTY.format(error=error, arguments=list(arguments)))


def test_a_fault_is_one_line_with_exit_code_70() -> None:
    done = with_fault("ZeroDivisionError('first\\nsecond')", "check", "x.yaml")
    assert done.returncode == 70
    assert done.stderr == "slipstick: ZeroDivisionError: first second: please report; details with --debug\n"


@pytest.mark.parametrize("arguments", [["--debug", "check", "x.yaml"], ["check", "x.yaml", "--debug"]])
def test_debug_shows_where_a_fault_came_from(arguments: list[str]) -> None:
    done = with_fault("ZeroDivisionError('oops')", *arguments)
    assert done.returncode == 70
    assert "Traceback" in done.stderr
    assert "in broken" in done.stderr


def test_bad_input_is_one_line_with_exit_code_2() -> None:
    done = with_fault("__import__('slipstick').InvalidInput('frequency must be > 0')", "check", "x.yaml")
    assert (done.returncode, done.stderr) == (2, "slipstick: frequency must be > 0\n")


def test_a_numerical_failure_is_one_line_with_exit_code_1() -> None:
    done = with_fault("__import__('slipstick').NotConverged('no orbit near 0.8 rad/s')", "check", "x.yaml")
    assert (done.returncode, done.stderr) == (1, "slipstick: no orbit near 0.8 rad/s\n")


def test_an_interrupt_is_one_line_with_exit_code_130() -> None:
    done = with_fault("KeyboardInterrupt", "check", "x.yaml")
    assert (done.returncode, done.stderr) == (130, "slipstick: interrupted\n")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_in_the_middle_is_one_line_with_exit_code_130() -> None:
    code = FAULTY.replace("raise {error}", "import time; print('now', flush=True); time.sleep(600)")
    code = FOREGROUND + code.format(arguments=["check", "x.yaml"])
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "now\n"
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=600)
    assert (run.returncode, said) == (130, "slipstick: interrupted\n")


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    code = "from slipstick.cli import main; main(['--help'])"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        run.stdout.close()
        assert run.stderr is not None
        said = run.stderr.read()
    assert run.returncode == 141
    assert said == ""


# ---- warm


def test_warm_says_how_long_it_took() -> None:
    pytest.importorskip("slipstick.laws.kernel_warmup")
    code = """
import slipstick.laws.kernel_warmup
def compile_all(progress=None):
    for i in range(3):
        progress(f"law {i}", i, 3)
    return 12.34
slipstick.laws.kernel_warmup.compile_all_kernels = compile_all
from slipstick.cli import main
main(["warm"])
"""
    done = python(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "every kernel compiles here (12.3 s)\n", "")


def test_help_is_quick() -> None:
    """Imports are what it waits for: 0.4 s without the heavy ones."""
    heavy = ("numpy", "scipy", "numba", "llvmlite", "sympy", "xarray", "pandas", "matplotlib", "pint", "nicegui")
    done = python(
        "import atexit, sys\n"
        f"atexit.register(lambda: print([name for name in {heavy} if name in sys.modules]))\n"
        "from slipstick.cli import main; main(['--help'])"
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "[]")
