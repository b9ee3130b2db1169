"""What the library says to who writes Python, in the words of the page Respond."""

import ast
import re
from pathlib import Path

import pytest

import slipstick
import slipstick as ss
from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond import tasks
from slipstick.app.respond.page_messages import ADVICE_BY_ARGUMENT, ADVICE_VERBS, advice_on_page, cancellation_text
from slipstick.study.file_messages import file_message

HARMONICS, WATCH = ADVICE_BY_ARGUMENT["harmonics"], ADVICE_BY_ARGUMENT["method"]
ROOMS = ("periodic", "transient", "results")  # what computes and keeps the answers of the page
PYTHON = re.compile(r"`|\b[a-z_]+=(?=[\s,;.:)\[(\"'{]|$)|\b(?:m|ss|curve|run|orbit|fit|law|numpy)\.[a-z_]+|[a-z]\(\)")
# of laws of one's own, which no file can have; of what the page does not ask for: other branches, modes, fits, starts,
# another parameter, files of other kinds; and what has words for files beside it
ELSEWHERE = ("update()", "start()", "curve.special, got", "amplitudes=[", "fit.", "run.certificate computes")
ELSEWHERE += ("as m.periodic gives one", "followed by m.frequency_response", "m.load(", "or write a table: ")


def sentences():
    """Every sentence in those rooms, with an x for what is filled in, and where it is from."""
    for room in ROOMS:
        for file in sorted((Path(slipstick.__file__).parent / room).rglob("*.py")):
            for text in _texts(ast.parse(file.read_text(encoding="utf-8"))):
                if " " in text:
                    yield text, file.stem


def messages():
    """Those that speak Python."""
    for text, place in sentences():
        if PYTHON.search(text) and not any(own in text for own in ELSEWHERE):
            yield pytest.param(text, id=f"{place}: {text[:60]}")


def _texts(tree):
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [each.value if isinstance(each, ast.Constant) else "x" for each in node.values]
            yield "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented | inside:
            yield node.value


@pytest.mark.parametrize("text", list(messages()))
def test_nothing_that_the_library_may_say_speaks_python_on_the_page(text):
    assert not PYTHON.search(advice_on_page(text)), advice_on_page(text)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "one graze is known only to lie within an interval (of stop): no orbit was found in it, as where a contact "
            "chatters; curve.special has its width. The rest of the curve is not concerned",
            "one graze is known only to lie within an interval (of stop): no orbit was found in it, as where a contact "
            "chatters. The rest of the curve is not concerned",
        ),
        (
            "between 3 and 4 the curve turns back, near 3.5: there is more than one orbit there, and a sweep jumps; "
            "between= shows them all",
            "between 3 and 4 the curve turns back, near 3.5: there is more than one orbit there, and a sweep jumps; "
            "follow the curve, or change its range",
        ),
        ("look for a connection with along=, or the matrices", "look for a connection with along:, or the matrices"),
        ("Newton stopped at m.x = 3; raise harmonics=", f"Newton stopped at m.x = 3; {HARMONICS}"),
        (
            'no orbit at run.limit = 2; fit.rate is 0: use method="shooting"',
            f"no orbit at run.limit = 2; fit.rate is 0: {WATCH}",
        ),
        ('the graze of m.stop; method="shooting" is exact; it ended', f"the graze of m.stop; {WATCH}; it ended"),
        ("the mount interrupted: by a stop", "the mount interrupted: by a stop"),
        ("4 of 9 orbits are 0.5 N m off. Take care", "4 of 9 orbits are 0.5 N m off. Take care"),
    ],
)
def test_what_is_so_stays_and_the_way_out_is_one_of_the_page(said, shown):
    assert advice_on_page(said) == shown


def test_what_a_message_says_first_is_always_told():
    for text, _ in sentences():
        first = re.split("[;:.?] ", text)[0]
        if first.partition(" ")[0] not in ADVICE_VERBS.split("|"):
            assert advice_on_page(text).startswith(file_message(first).strip()), text


def test_what_was_cancelled_is_called_so_and_no_name_is_changed():
    assert cancellation_text("PARTIAL: interrupted") == "PARTIAL: cancelled"
    assert cancellation_text("it failed at interrupted.x; interrupted") == "it failed at interrupted.x; cancelled"


def test_a_model_without_a_load_is_told_of_in_the_words_of_its_file():
    spring = "{deflection: x, law: linear, stiffness: 1 N/m}"
    text = f"slipstick: 1\nname: m\ncoordinates: {{x: {{inertia: 1 kg}}}}\nconnections:\n  k: {spring}\n"
    with pytest.raises(ss.InvalidInput, match="has no periodic load") as refused:
        tasks.preview_curve(lambda *_: None, ModelChoice(system="", text=text), 0.5, 1.5, 3)
    assert not PYTHON.search(str(refused.value))
