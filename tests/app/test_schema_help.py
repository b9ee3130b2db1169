"""Completions and hover texts of the model editor, from the schema of model files."""

from dataclasses import fields

import pytest

from slipstick.app.model.schema_help import completions_at, description_at
from slipstick.laws import LAWS, law_class
from slipstick.laws.parameters import spec_of

TEXT = """\
slipstick: 1
name: rig

coordinates:
  x:
    inertia: 2 kg
    |a
  y: {inertia: 1 kg, |b}

connections:
  mount:
    # the joint
    |c
    law: masing
    stiffness: 3 N/mm
    |d
  free:
    law: |e
  other:
    |f
  both:
    deflection: |g
    sum:
      - law: linear
        |h
      - |i
loads:
  - on: x
    |j
  - {on: x, cosine: {amplitude: 3 N, |k}}
  - {on: |l}
|m
"""


def at(mark):
    """A text without marks, and the line and column of one of them."""
    lines = TEXT.split("\n")
    line = next(k for k, own in enumerate(lines) if f"|{mark}" in own)
    column = lines[line].index(f"|{mark}")
    clean = [own if "|" not in own else own[: own.index("|")] + own[own.index("|") + 2 :] for own in lines]
    return "\n".join(clean), line, column


def labels(mark):
    return {own.label for own in completions_at(*at(mark))}


COORDINATE_KEYS = {"inertia", "displacement", "velocity", "motion", "kind"}


@pytest.mark.parametrize(
    ("mark", "offered", "others"),
    [
        ("a", COORDINATE_KEYS, {"law", "name"}),
        ("b", COORDINATE_KEYS, {"law", "name"}),
        ("c", {"law", "deflection", "limit", "parallel_stiffness"}, {"half_gap"}),
        ("d", {"limit", "damping", "preload", "modulated"}, {"half_gap", "inertia"}),
        ("f", {"law", "deflection"}, {"half_gap", "limit"}),
        ("h", {"stiffness", "damping"}, {"limit", "deflection"}),
        ("i", {"law"}, {"deflection", "inertia"}),
        ("j", {"on", "cosine", "constant", "signal"}, {"law"}),
        ("k", {"amplitude", "frequency", "order", "phase"}, {"on", "law"}),
        ("m", {"coordinates", "connections", "loads", "frequency"}, {"law", "on"}),
    ],
)
def test_keys_are_those_of_the_place(mark, offered, others):
    found = labels(mark)
    assert offered <= found
    assert not others & found


def test_values_are_laws_coordinates_and_words():
    assert {"masing", "jenkins", "bouc-wen", "freeplay"} <= labels("e") <= set(LAWS)
    assert labels("g") == labels("l") == {"x", "y"}
    text = "slipstick: 1\ncoordinates:\n  x:\n    kind: "
    assert {own.label for own in completions_at(text, 3, 10)} == {"translation", "rotation"}


@pytest.mark.parametrize("law", ["masing", "freeplay", "dahl", "bouc-wen"])
def test_every_parameter_of_a_law_is_offered_with_its_meaning(law):
    text = f"slipstick: 1\nconnections:\n  c:\n    law: {law}\n    "
    found = {own.label: own.detail for own in completions_at(text, 4, 4)}
    for own in fields(law_class(law)):
        if spec_of(own) is not None:
            assert found[own.name]


def test_a_key_says_what_it_means():
    text, line, _ = at("d")
    above = line - 1
    assert description_at(text, above, 8).startswith("spring of the slider")  # within "stiffness"
    assert "parallel spring" in description_at(text, above - 1, 5)  # of the law itself
    assert description_at(text, above, 16) == ""  # on its number
    assert description_at(text, 5, 5).startswith("kg for a displacement")


@pytest.mark.parametrize("text", ["", ":", "{[", "}", "- - -", "\t:", "a: {b: [c", "law: x\n  law: y\n :"])
def test_a_broken_text_is_no_trouble(text):
    for line in range(3):
        for column in (0, len(text)):
            assert isinstance(completions_at(text, line, column), list)
            assert isinstance(description_at(text, line, column), str)
