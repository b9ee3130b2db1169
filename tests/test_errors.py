"""Errors are data; Python, study files, commands and pages phrase them, and none of them reads the phrases again."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest

import slipstick as ss
from slipstick.app.identify.page_messages import IDENTIFY
from slipstick.app.respond.page_messages import ADVICE_BY_ARGUMENT, RESPOND
from slipstick.errors import (
    LOW_HIGH,
    PYTHON,
    Advice,
    AnyOf,
    FileError,
    InvalidInput,
    Message,
    NotConverged,
    PhraseBook,
    SlipstickError,
    Spelling,
    quote_braces,
)
from slipstick.model.files.file_problems import FILE
from slipstick.study.command_messages import COMMAND

REFUSED = InvalidInput("must be > 0", owner="Freeplay", subject="stiffness", value=-2000.0, bound="> 0")
STALLED = NotConverged(
    "no orbit was found",
    owner="shooting",
    advice=[Advice("raise {harmonics}, or use {method}", method="harmonic-balance"), Advice("widen {between}")],
)
UNSTABLE = InvalidInput(
    'holds "damping"',
    owner="identify",
    subject="fixed",
    advice=[Advice("take it out of {fixed}", fixed={"damping": 0})],
)


@pytest.mark.parametrize(
    ("book", "lines"),
    [
        (
            PYTHON,
            (
                "Freeplay: stiffness must be > 0, got -2000",
                'shooting: no orbit was found; raise harmonics=, or use method="harmonic-balance"; widen between=',
                'identify: fixed holds "damping"; take it out of fixed={"damping": 0}',
            ),
        ),
        (
            FILE,
            (
                "Freeplay: stiffness must be > 0, got -2000",
                "shooting: no orbit was found; raise harmonics:, or use method: harmonic-balance; widen between:",
                'identify: fixed holds "damping"; take it out of fixed: {damping: 0}',
            ),
        ),
        (
            COMMAND,
            (
                "Freeplay: stiffness must be > 0, got -2000",
                "shooting: no orbit was found; raise harmonics:, or use method: harmonic-balance; widen between:",
                '--fixed holds "damping"; take it out of --fixed damping=0',
            ),
        ),
        (
            RESPOND,
            (
                "Freeplay: stiffness must be > 0, got -2000",
                f"shooting: no orbit was found; {ADVICE_BY_ARGUMENT['harmonics']}; {ADVICE_BY_ARGUMENT['between']}",
                'identify: fixed holds "damping"; take it out of fixed: {damping: 0}',
            ),
        ),
        (
            IDENTIFY,
            (
                "Freeplay: stiffness must be > 0, got -2000",
                "shooting: no orbit was found; raise harmonics:, or use method: harmonic-balance; widen between:",
                '"hold" holds "damping"; take it out of damping=0 under "hold"',
            ),
        ),
    ],
)
def test_every_front_end_has_its_own_words_for_the_same_error(book: PhraseBook, lines: tuple[str, ...]) -> None:
    assert tuple(book.message(error.message) for error in (REFUSED, STALLED, UNSTABLE)) == lines


def test_an_error_carries_what_it_is_about() -> None:
    with pytest.raises(InvalidInput) as refused:
        ss.Freeplay(stiffness=-2000.0, half_gap=1e-3)
    error = refused.value
    assert (error.problem, error.argument, error.value, error.bound) == ("must be >= 0", "stiffness", -2000.0, ">= 0")
    assert error.advice == ()
    assert str(error) == "Freeplay: stiffness must be >= 0, got -2000"


@pytest.mark.parametrize("error", [REFUSED, STALLED, FileError("m.yaml", 3, "x.y", "is bad", advice=STALLED.advice)])
def test_an_error_goes_to_another_process_with_its_data(error: SlipstickError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.message.parts == error.message.parts


def test_a_value_that_may_not_cross_to_another_process_stays_as_text() -> None:
    message = Message("must be a number", subject="stiffness", value=lambda: 0, got="a function")
    again = pickle.loads(pickle.dumps(message))
    assert again == message
    assert again.parts.value is None


@pytest.mark.parametrize(
    ("advice", "python", "file"),
    [
        (
            Advice("use {method}", method=AnyOf(("a", "b"))),
            'use method="a" or method="b"',
            "use method: a or method: b",
        ),
        (Advice("give {between}", between=LOW_HIGH), "give between=(low, high)", "give between: [low, high]"),
        (Advice("give {at}", at=[...]), "give at=[...]", "give at: [...]"),
        (Advice("from {at}", at=(Spelling("ss.hz(2)", "2 Hz"), 3.0)), "from at=(ss.hz(2), 3)", "from at: [2 Hz, 3]"),
        (
            Advice("by {regularised}", regularised="sqrt"),
            'by law.regularised("sqrt", rounding=..., width=...)',
            "by law: ",
        ),
        (Advice(f"look at {quote_braces('{a}')}"), "look at {a}", "look at {a}"),
    ],
)
def test_values_are_written_as_they_are_typed(advice: Advice, python: str, file: str) -> None:
    assert str(advice) == python
    assert FILE.advice(advice).startswith(file)


def test_a_message_around_another_keeps_the_advice_at_its_end() -> None:
    inner = Message("no orbit", advice=[Advice("raise {harmonics}")])
    assert inner.wrapped("the search (", ")") == "the search (no orbit); raise harmonics="
    assert Message.joined([inner, "interrupted", inner]) == "no orbit; interrupted; no orbit; raise harmonics="
    outer = REFUSED.message.wrapped("at 3 Hz: ")
    assert outer == "at 3 Hz: Freeplay: stiffness must be > 0, got -2000"
    assert (outer.parts.value, outer.parts.got) == (-2000.0, "-2000")


def test_advice_follows_a_question_without_a_semicolon() -> None:
    assert Message("which one?", advice=[Advice("give {of}")]) == "which one? give of="


# ---- front ends do not read what others have phrased

FRONT_ENDS = ("app", "cli", "study")
MESSAGE_ATTRIBUTES = {"notes", "warnings", "remarks", "reasons", "failures", "partial", "doubt", "ended", "trouble"}
MESSAGE_ATTRIBUTES |= {"message", "verdict"}
READING_METHODS = {
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "replace",
    "partition",
    "rpartition",
    "find",
}
READING_METHODS |= {"index", "rfind", "count"}
FOREIGN = {"request_guard.py"}  # an error of the web server has no other mark than its text


def _is_message(node: ast.AST, caught: set[str]) -> bool:
    """True for an expression that holds the text of an error or of a result: ``str(error)``, ``curve.doubt``."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in caught:
            return True
        if isinstance(each, ast.Attribute) and each.attr in MESSAGE_ATTRIBUTES:
            return True
    return False


def _caught_names(tree: ast.AST) -> set[str]:
    """Names of caught errors, and of loop variables and assignments that hold messages."""
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    for node in ast.walk(tree):
        if isinstance(node, ast.comprehension | ast.For) and _is_message(node.iter, names):
            names |= {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
        elif isinstance(node, ast.Assign) and _is_text_of(node.value, names):
            names |= {each.id for own in node.targets for each in ast.walk(own) if isinstance(each, ast.Name)}
    return names


def _is_text_of(node: ast.AST, names: set[str]) -> bool:
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str"
    return called and _is_message(node, names)


def readings_of_messages(source: str) -> list[int]:
    """Lines that search, split or match the text of an error or of a note of a result."""
    tree = ast.parse(source)
    names, found = _caught_names(tree), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            if of_re and any(_is_message(argument, names) for argument in node.args):
                found.append(node.lineno)
            if node.func.attr in READING_METHODS | {"sub", "search", "match", "fullmatch", "findall"}:
                subjects = [node.func.value, *node.args] if node.func.attr not in READING_METHODS else [node.func.value]
                if any(_is_message(subject, names) for subject in subjects):
                    found.append(node.lineno)
        elif isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            text = isinstance(node.left, ast.Constant | ast.JoinedStr)
            if text and any(_is_message(each, names) for each in node.comparators):
                found.append(node.lineno)
        elif isinstance(node, ast.Compare) and any(_is_text_of(each, names) for each in (node.left, *node.comparators)):
            found.append(node.lineno)
    return sorted(set(found))


@pytest.mark.parametrize(
    "source",
    [
        "try: f()\nexcept E as error:\n    x = re.sub('got', 'was', str(error))",
        "try: f()\nexcept E as error:\n    x = ', got ' in str(error)",
        "try: f()\nexcept E as error:\n    line = str(error)\n    x = line.startswith('no')",
        "try: f()\nexcept E as error:\n    x = PATTERN.search(str(error))",
        "x = [note for note in curve.notes if 'raise harmonics' in note]",
        "x = fit.doubt.replace('harmonics=', 'harmonics:')",
    ],
)
def test_the_reading_of_a_message_is_found(source: str) -> None:
    assert readings_of_messages(source)


@pytest.mark.parametrize("room", FRONT_ENDS)
def test_no_front_end_reads_the_text_of_a_message(room: str) -> None:
    found = {}
    for file in sorted((Path(ss.__file__).parent / room).rglob("*.py")):
        lines = readings_of_messages(file.read_text(encoding="utf-8"))
        if lines and file.name not in FOREIGN:
            found[str(file.relative_to(Path(ss.__file__).parent))] = lines
    assert not found


@pytest.mark.parametrize("file", ["app/respond/page_messages.py", "app/identify/page_messages.py"])
def test_a_phrase_book_has_no_regular_expression(file: str) -> None:
    tree = ast.parse((Path(ss.__file__).parent / file).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert "re" not in imported
