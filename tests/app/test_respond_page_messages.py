"""Messages of the library on the page Respond: the advice names actions of the page."""

import re

import pytest

import slipstick as ss
from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond import tasks
from slipstick.app.respond.page_messages import ADVICE_BY_ARGUMENT, RESPOND, with_page_messages
from slipstick.errors import PYTHON_CALLS, Advice, InvalidInput, Message, NotConverged
from slipstick.model.files.file_problems import FILE_KEYS

HARMONICS, RUN, RANGE = (ADVICE_BY_ARGUMENT[name] for name in ("harmonics", "method", "between"))
PYTHON = re.compile(r"`|\b[a-z_]+=(?=[\s,;.:)\[(\"'{]|$)|\b(?:m|ss|curve|run|orbit|fit|law|numpy)\.[a-z_]+|[a-z]\(\)")


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            Message("one graze is known only to lie within an interval", advice=[Advice("{special} has its width")]),
            "one graze is known only to lie within an interval",
        ),
        (
            Message("the curve turns back, near 3.5", advice=[Advice("{between} shows them all")]),
            f"the curve turns back, near 3.5; {RANGE}",
        ),
        (
            Message("energy is fed in", advice=[Advice("look for a connection with {along}, or the matrices")]),
            "energy is fed in; look for a connection with along:, or the matrices",
        ),
        (
            Message(
                "Newton stopped at m.x = 3", advice=[Advice("raise {harmonics}, or use {method}", method="shooting")]
            ),
            f"Newton stopped at m.x = 3; {HARMONICS}",
        ),
        (
            Message(
                "no orbit", advice=[Advice("use {method}", method="shooting"), Advice("take {method}", method="auto")]
            ),
            f"no orbit; {RUN}",
        ),
        ("4 of 9 orbits are 0.5 N m off. Take care", "4 of 9 orbits are 0.5 N m off. Take care"),
    ],
)
def test_the_problem_stays_and_the_way_out_is_one_of_the_page(message, shown):
    assert RESPOND.message(message) == shown


def test_no_call_of_python_is_offered_on_the_page_that_a_solver_may_name():
    of_solvers = PYTHON_CALLS.keys() - FILE_KEYS.keys() - OF_OTHER_FRONT_ENDS
    assert of_solvers <= ADVICE_BY_ARGUMENT.keys()


OF_OTHER_FRONT_ENDS = {"array_element", "sweep_part"}  # sweeps
OF_OTHER_FRONT_ENDS |= {
    "compare_laws",
    "remove_drift",
    "remove_offset",
    "scale",
    "scaled",
    "scale_one_loop",
    "sign",
    "swapped_columns",
    "times",
}


def test_an_error_keeps_its_value_and_an_interruption_passes():
    @with_page_messages
    def task(error):
        raise error

    refused = InvalidInput(
        "must be > 0", owner="Linear", subject="stiffness", value=-2.0, advice=[Advice("use {step}")]
    )
    with pytest.raises(InvalidInput) as phrased:
        task(refused)
    assert str(phrased.value) == f"Linear: stiffness must be > 0, got -2; {ADVICE_BY_ARGUMENT['step']}"
    assert phrased.value.value == -2.0
    with pytest.raises(NotConverged, match=r"^interrupted$"):
        task(NotConverged("interrupted", interrupted=True))


def test_a_model_without_a_load_is_told_of_in_the_words_of_its_file():
    spring = "{deflection: x, law: linear, stiffness: 1 N/m}"
    text = f"slipstick: 1\nname: m\ncoordinates: {{x: {{inertia: 1 kg}}}}\nconnections:\n  k: {spring}\n"
    with pytest.raises(ss.InvalidInput, match="has no periodic load") as refused:
        tasks.preview_curve(lambda *_: None, ModelChoice(system="", text=text), 0.5, 1.5, 3)
    assert not PYTHON.search(str(refused.value))
    assert "{on: x, cosine: {amplitude: 1 N, order: 1}} under loads:" in str(refused.value)
