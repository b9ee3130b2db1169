"""Frequencies are told in the unit that the author of the model thinks in."""

import pytest

import slipstick as ss
from slipstick.errors import Message
from slipstick.model.files.file_problems import FILE
from slipstick.periodic.continuation.family import Family
from slipstick.units.scales import frequency_scale

GEAR = """\
slipstick: 1
name: gear
frequency: 10 Hz
coordinates:
  x: {inertia: 1.2 kg}
connections:
  shaft: {deflection: x, law: linear, stiffness: 2 N/mm, damping: 8 N s/m}
  mesh: {deflection: x, law: freeplay, stiffness: 10 N/mm, half_gap: 0.0005}
loads:
  - {on: x, cosine: {amplitude: 2 N, order: 1}}
"""


@pytest.fixture
def gear(tmp_path):
    (tmp_path / "gear.yaml").write_text(GEAR)
    return ss.open(tmp_path / "gear.yaml")


def test_notes_on_folds_and_refusals_are_in_hertz(gear):
    (note,) = gear.frequency_response(at=[ss.hz(10), ss.hz(13), ss.hz(15)]).notes
    assert note.startswith("the curve turns back between 13 Hz and 15 Hz, near 14.4 Hz")
    orbit = gear.periodic(frequency=ss.hz(9))
    with pytest.raises(ss.InvalidInput, match=r"between 10 Hz and 12 Hz, got an orbit at 9 Hz"):
        gear.frequency_response(between=(ss.hz(10), ss.hz(12)), start=orbit)


def test_the_way_out_is_code_in_python_and_keys_in_files():
    class Followed(Family):
        shown = frequency_scale("Hz")

    message = Message("it turned back", advice=[Followed().other_end_advice(ss.hz(5), ss.hz(20))])
    assert "start there (between=(ss.hz(20), ss.hz(5)))" in message
    assert "start there (between: [20 Hz, 5 Hz])" in FILE.message(message)


def test_a_file_of_springs_in_newton_per_millimetre_shows_millimetres(gear):
    assert gear.units.coordinates == {"x": "mm"}


def test_frequencies_in_words_are_answered_with_the_call(gear):
    with pytest.raises(ss.InvalidInput, match=r"5 Hz is ss\.hz\(5\)"):
        gear.frequency_response(between=("5 Hz", "20 Hz"))


def test_harmonics_say_which_method_they_took_the_place_of(gear):
    curve = gear.frequency_response(at=[ss.hz(20)], harmonics=3)
    assert "without harmonics it would be shooting" in curve.notes[0]
