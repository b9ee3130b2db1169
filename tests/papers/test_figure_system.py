"""The system that a figure is of: it opens with every number of the figure, or says which it has not."""

from __future__ import annotations

import pytest

import slipstick as ss
from slipstick.papers import NAMES, entries, entry
from slipstick.papers.entry import figure_system_keywords, unsupported_parameters
from slipstick.papers.gear import rattle, simplifications
from slipstick.papers.tensioner import belt_responses, tension_responses
from slipstick.papers.torsional.load_responses import ORDER_PARAMETERS

OPENING = [(one.paper, one.label) for name in NAMES for one in entries(name) if one.system is not None]
WITHOUT = {("tensioner", label): ("rate", "exponent") for label in ("16", "17", "18", "19", "20")}  # of the other law
WITHOUT |= {("clutch", label): ("kappa",) for label in ("8", "table 2")}  # of the solver


def text_of(model, folder):
    """All that a model is."""
    path = folder / "model.yaml"
    model.save(path)
    return path.read_text(encoding="utf-8")


def opened(paper, label, **changed):
    return getattr(ss.systems, paper)(**figure_system_keywords(entry(paper, label), changed))


@pytest.mark.parametrize(("paper", "label"), OPENING)
def test_every_number_of_a_figure_arrives_in_its_system_or_is_named_as_left_out(paper, label, tmp_path):
    one = entry(paper, label)
    printed = text_of(opened(paper, label), tmp_path)
    lost = []
    for knob in one.knobs:
        turned = 0.9 * knob.value + 0.1 * (knob.high if knob.value < knob.high else knob.low)
        if text_of(opened(paper, label, **{knob.name: turned}), tmp_path) == printed:
            lost.append(knob.name)
    assert tuple(lost) == unsupported_parameters(one) == WITHOUT.get((paper, label), ())


@pytest.mark.parametrize(
    ("paper", "label", "own"),
    [
        ("tensioner", "17", lambda: belt_responses.model("masing")),
        (
            "tensioner",
            "21b",
            lambda: ss.systems.tensioner("modified-dahl", amplitude=float(tension_responses.LARGEST_MEASURED_FORCE)),
        ),
        ("gear", "levels", simplifications.primary_train),
        ("torsional", "3", lambda: ss.systems.torsional(**{one.name: one.value for one in ORDER_PARAMETERS}, order=1)),
        ("clutch", "8", lambda: ss.systems.clutch("paper")),
    ],
)
def test_what_opens_is_the_model_that_the_figure_is_made_with(paper, label, own, tmp_path):
    assert text_of(opened(paper, label), tmp_path) == text_of(own(), tmp_path)


def test_the_loaded_train_opens_as_the_one_that_is_then_simplified(tmp_path):
    train = opened("gear", "rattle", mean=2.0)
    own = rattle.loaded_train(rattle.AMPLITUDES[1], mean=2.0)
    assert text_of(simplifications.simplified_train(train, 2).model, tmp_path) == text_of(own, tmp_path)


@pytest.mark.parametrize(
    ("paper", "label"),
    [("gear", "1"), ("gear", "3"), ("gear", "7"), ("gear", "8"), ("tensioner", "1"), ("tensioner", "2"),
     ("tensioner", "5"), ("torsional", "2"), ("clutch", "4"), ("fibre", "4"), ("fibre", "11"), ("fibre", "mount-push")],
)  # fmt: skip
def test_a_figure_of_a_law_alone_or_of_another_load_opens_no_system(paper, label):
    assert figure_system_keywords(entry(paper, label), {}) is None
