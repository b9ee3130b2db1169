"""Names and habits from elsewhere: what is meant here is said."""

from __future__ import annotations

import pytest

import slipstick as ss
from slipstick.errors import unit_hint
from slipstick.laws import LAWS
from slipstick.name_hints import did_you_mean

MODEL = ss.systems.torsional()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("coulomb", "dry-friction"),
        ("Coulomb friction", "dry-friction"),
        ("friction", "dry-friction"),
        ("gap", "freeplay"),
        ("backlash", "freeplay"),
        ("dead_zone", "freeplay"),
        ("spring", "linear"),
        ("damper", "linear"),
        ("slider", "jenkins"),
        ("boucwen", "bouc-wen"),
        ("Bouc_Wen", "bouc-wen"),
        ("maxwell-slip", "iwan"),
        ("bilinear", "masing"),
        ("wall", "contact"),
    ],
)
def test_laws_by_other_names(word, meant):
    assert f'did you mean "{meant}"' in did_you_mean(word, LAWS)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("coulomb", '"dry-friction" or "coulomb-contact"'),
        ("rigid contact", '"coulomb-contact" or "impact"'),
        ("wall", '"contact" or "impact"'),
    ],
)
def test_names_that_several_laws_have_elsewhere(word, meant):
    assert did_you_mean(word, LAWS) == f" (did you mean {meant}?)"


def test_the_coefficient_of_friction_is_found_by_its_symbol(refused):
    for law in (ss.CoulombContact, ss.FrictionContact):
        with refused('no parameter "mu" (did you mean "friction"?)'):
            law(mu=0.3)
    with refused('did you mean "limit"?'):
        ss.DryFriction(mu=0.3)


def test_a_synonym_is_offered_only_where_it_is_known():
    assert did_you_mean("gap", ["stiffness", "half_gap"]) == ' (did you mean "half_gap"?)'
    assert did_you_mean("coulomb", ["until"]) == " (known: until)"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"t_end": 5.0}, 'no argument "t_end" (did you mean "until"?)'),
        ({"t_final": 5.0}, 'did you mean "until"?'),
        ({"until": 5.0, "dt": 1e-3}, 'no option "dt" (did you mean "step" or "samples"?)'),
        ({"until": 5.0, "rtol": 1e-3}, 'did you mean "tolerance"?'),
        ({"until": 5.0, "solver": "exact"}, 'did you mean "method"?'),
        ({"until": "5 s"}, "until must be a number, got '5 s'; write a plain number in SI"),
        (
            {"until": 5.0, "step": "1 ms", "method": "newmark"},
            "step must be a number, got '1 ms'; write a plain number in SI",
        ),
    ],
)
def test_arguments_of_simulate_by_other_names(arguments, words, refused):
    with refused(words):
        ss.systems.tensioner().simulate(**arguments)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MODEL.frequency_response(omega=5.0), 'no argument "omega" (did you mean "between" or "at"?)'),
        (lambda: MODEL.frequency_response(between=(1.0, 2.0), n_harm=5), 'did you mean "harmonics"?'),
        (lambda: MODEL.periodic(omega=5.0), 'no argument "omega" (did you mean "frequency"?)'),
        (lambda: MODEL.equilibrium(at={}), "it takes no arguments"),
        (lambda: MODEL.simulate(until=1.0, frequency=1.0, method="ode45"), 'did you mean "events"?'),
        (lambda: ss.Model.from_matrices(mass_matrix=[[1.0]]), 'did you mean "mass"?'),
        (lambda: ss.Model.from_matrices([[1.0]], K=[[1.0]]), 'did you mean "stiffness"?'),
        (lambda: MODEL["theta"] ** 2, "a deflection is linear and has no powers"),
        (lambda: MODEL.connect(ss.Linear(stiffness=1.0), MODEL["theta"]), "write the deflection first"),
    ],
)
def test_arguments_by_other_names(call, words, refused):
    with refused(words):
        call()


def test_units_in_python_are_told_to_belong_to_files(refused):
    with refused("stiffness must be a number, got '5 N/mm'; write a plain number in SI"):
        ss.Freeplay(stiffness="5 N/mm", half_gap=1e-3)
    with refused("inertia must be a number, got '2 kg'; write a plain number in SI"):
        ss.Model("m").coordinate("x", inertia="2 kg")
    with refused("amplitude must be a number, got '5 N'; write a plain number in SI"):
        ss.Cosine("5 N", frequency=2.0)


@pytest.mark.parametrize("value", ["five", "", "mm", None, [5], b"5 mm"])
def test_other_values_get_no_hint_on_units(value):
    assert unit_hint(value) == ""


@pytest.mark.parametrize("value", ["5 mm", "5mm", "-.5e-3 N/mm", "1e3", " 12 deg "])
def test_quantities_get_one(value):
    assert unit_hint(value).startswith("; write a plain number in SI")


@pytest.mark.parametrize(("name", "meant"), [("Coulomb", "DryFriction"), ("Spring", "Linear"), ("Freplay", "Freeplay")])
def test_public_names_by_other_names(name, meant):
    with pytest.raises(AttributeError, match=f'did you mean "{meant}"'):
        getattr(ss, name)
    with pytest.raises(AttributeError, match=r"has no attribute 'qqqq'$"):
        ss.qqqq  # noqa: B018


class OnlyForce(ss.Law):
    stiffness: float

    def update(self, u, v, memory):
        return self.stiffness * u


class NoForce(ss.Law):
    stiffness: float


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (OnlyForce(stiffness=2.0), r"OnlyForce.update must return two things, the force and the memory, got 0.0"),
        (NoForce(stiffness=2.0), r"NoForce has no update\(u, v, memory\), which returns the force and the new memory"),
        (ss.Linear(stiffness=1.0) + NoForce(stiffness=2.0), "NoForce has no update"),
    ],
)
def test_a_law_of_ones_own_that_is_not_finished_is_refused_where_it_is_connected(law, words):
    m = ss.Model("m")
    with pytest.raises(ss.InvalidInput, match=f'connection "joint": {words}'):
        m.connect(m.coordinate("x", inertia=1.0), law, name="joint")


def test_dry_friction_with_a_method_that_cannot_is_told_how_it_can():
    m = ss.Model("m")
    m.connect(m.coordinate("x", inertia=1.0), ss.DryFriction(limit=1.0), name="guide")
    words = (
        'methods that take this model: exact, events, inclusion; or replace the friction of "guide" by law.regularised'
    )
    with pytest.raises(ss.MissingFace, match=words):
        m.simulate(until=1.0, method="newmark")


def test_a_step_that_is_far_too_small_is_told_the_smallest():
    m = ss.Model("m")
    m.connect(m.coordinate("x", inertia=1.0), ss.DryFriction(limit=1.0), name="guide")
    with pytest.raises(ss.InvalidInput, match=r"1e\+12 steps, at most 1e\+09; take a step of at least 1e-09 s"):
        m.simulate(until=1.0, method="inclusion", step=1e-12)
