"""Good files with random damage: a valid model or a FileError, nothing else, and in time."""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invalid_files import GOOD

from slipstick.errors import FileError
from slipstick.model.files import read_model
from slipstick.model.system import System
from slipstick.units.parser import unit_by_name

RICH = """\
slipstick: 1
name: "everything"
frequency: 73.15 rad/s
coordinates:
  u1: {inertia: 73.84 kg}
  phi: {inertia: 2 kg m^2, displacement: 0.2 deg, velocity: 10 rpm}
  belt: {motion: {ramp: 0.1 m/s, sine: {amplitude: 1 mm, frequency: 3 Hz}}}
connections:
  belt:
    deflection: (u1 - belt)/2
    along: u1
    law: masing
    stiffness: 4.84e5
    limit: 100 N
  joint:
    deflection: u1 - 0.05*phi
    sum:
      - {law: dahl, stiffness: 3 N/mm, limit: 1 N, scaled: {deflection: 2, force: 0.5}}
      - law: polynomial
        coefficients: [0, 1e3]
        modulated: {cosine: {amplitude: 0.1, order: 1}, constant: 1}
  rubber:
    deflection: u1
    law: dynamic-hysteresis
    stiffness: 3 MPa
    limit: 20 kPa
    virgin: printed
    scaled: {deflection: 5 1/m, force: 3 cm^2}
  bearing:
    deflection: phi
    law: dry-friction
    limit: {fourier: {mean: 3 N m, cos: [1 N m], order: 2}}
loads:
  - {on: u1, cosine: {amplitude: 122.1 N, order: 1, phase: 0.4 rad}}
  - on: u1 - belt
    signal:
      times: [0, 10 ms, 1]
      values: [0, 3 N, 3]
"""

TOKENS = [
    "", " ", "  ", "\n", "\t", ":", ": ", "- ", "[", "]", "{", "}", ",", "#", "&a ", "*a", "!", "!!int ", "|", ">", "%",
    "@", "'", '"', "\\", "~", "null", "true", ".nan", ".inf", "1e999", "-1", "0", "1e-400", "9" * 400, "N/mm", "deg",
    "kg", "Hz", "x", "u1", "phi", "law: linear", "sum:", "---", "...", "<<: ", "\x00", "\x85", "\ufeff", "\u2028", "é",
    "\U0001f600", "\u202e", "e3", "**", "/0", "(", ")", "stiffness: 3", "slipstick: 1\n",
]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A good file after one to four changes to its characters, words or lines."""
    text = draw(st.sampled_from([GOOD, RICH]))
    for _ in range(draw(st.integers(1, 4))):
        text = draw(st.sampled_from([characters, words, lines]))(draw, text)
    return text


def characters(draw: st.DrawFn, text: str) -> str:
    """Delete, repeat, swap or insert characters."""
    at = draw(st.integers(0, len(text)))
    to = min(len(text), at + draw(st.integers(0, 6)))
    match draw(st.sampled_from(["delete", "repeat", "swap", "insert", "unicode"])):
        case "delete":
            return text[:at] + text[to:]
        case "repeat":
            return text[:to] + text[at:to] * draw(st.integers(1, 40)) + text[to:]
        case "swap":
            return text[:at] + text[at:to][::-1] + text[to:]
        case "insert":
            return text[:at] + draw(st.sampled_from(TOKENS)) + text[to:]
    return text[:at] + draw(st.text(max_size=5)) + text[at:]


def words(draw: st.DrawFn, text: str) -> str:
    """Replace a word by a token, another word of the file, or a number."""
    parts = text.split(" ")
    i = draw(st.integers(0, len(parts) - 1))
    number = st.floats().map(repr) | st.integers().map(str)
    parts[i] = draw(st.sampled_from(TOKENS) | st.sampled_from(parts) | number)
    return " ".join(parts)


def lines(draw: st.DrawFn, text: str) -> str:
    """Delete, repeat, move or indent a line."""
    rows = text.splitlines(keepends=True) or [""]
    i, j = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(rows) - 1))
    match draw(st.sampled_from(["delete", "repeat", "swap", "indent"])):
        case "delete":
            del rows[i]
        case "repeat":
            rows.insert(j, rows[i])
        case "swap":
            rows[i], rows[j] = rows[j], rows[i]
        case _:
            rows[i] = " " * draw(st.integers(0, 6)) + rows[i].lstrip()
    return "".join(rows)


def outcome(path: Path) -> str:
    """Read a file; whatever is neither a model nor a `FileError` in one line fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a limit that is negative for a part of its period is allowed
        try:
            assert isinstance(read_model(path), System)
        except FileError as error:
            message = str(error)
            assert message.isprintable()
            assert "please report" not in message  # the guard against the unexpected was needed
            assert len(message) < 500
            return "refused"
    return "read"


@pytest.fixture(scope="module")
def file() -> Path:  # type: ignore[misc]
    unit_by_name("mm")  # pint is loaded now, not within the time of the first example
    with TemporaryDirectory() as folder:
        yield Path(folder) / "model.yaml"


@given(text=damaged())
@settings(max_examples=800, suppress_health_check=list(HealthCheck), derandomize=True)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(text: str, file: Path) -> None:
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    outcome(file)


@pytest.mark.long
@given(text=damaged())
@settings(max_examples=20_000, suppress_health_check=list(HealthCheck), derandomize=False)
def test_twenty_thousand_other_damaged_files_are_read_or_refused(text: str, file: Path) -> None:
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    outcome(file)


@given(data=st.binary(max_size=200))
@settings(max_examples=200, suppress_health_check=list(HealthCheck))
def test_random_bytes_are_refused(data: bytes, file: Path) -> None:
    file.write_bytes(data)
    assert outcome(file) == "refused"


def test_the_damage_leaves_some_files_readable_and_spoils_most(file: Path) -> None:
    found = []

    @given(text=damaged())
    @settings(max_examples=200, database=None, suppress_health_check=list(HealthCheck))
    def collect(text: str) -> None:
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        found.append(outcome(file))

    collect()
    assert found.count("read") >= 10
    assert found.count("refused") >= 60


def test_the_undamaged_files_are_read(file: Path) -> None:
    for text in (GOOD, RICH):
        file.write_text(text)
        assert outcome(file) == "read"
