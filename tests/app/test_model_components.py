"""What the page Model is made of, without a browser."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from dataclasses import replace
from typing import Any, cast

import pytest

import slipstick as ss
from slipstick.app.file_names import plain_name
from slipstick.app.model import equation_html
from slipstick.app.model.law_descriptions import law_name_text
from slipstick.app.model.page import DisplayedModel
from slipstick.app.model.page_state import ModelDraft
from slipstick.app.model.reduction_panel import ReductionPanel
from slipstick.app.model.single_law_model import model_from_law
from slipstick.app.model.system_cards import SYSTEM_NAMES, make_picture, system_picture
from slipstick.app.model.system_fields import SystemField, system_fields
from slipstick.app.model.tasks import examine_model, neglect_options, save_model
from slipstick.app.model.text_reader import model_from_text
from slipstick.app.model_choice import SYSTEM_DESCRIPTIONS, ModelChoice, SelectedModel
from slipstick.errors import FileError, InvalidInput, SlipstickError
from slipstick.laws import LAWS as LAW_NAMES
from slipstick.laws.parameters import spec_of
from slipstick.systems.keyword_defaults import BUILDERS
from slipstick.units.dimensions import unit_name

TEXT = "slipstick: 1\ncoordinates: {x: {inertia: 2 kg}}\n"


def silent(_words: str, _share: float) -> None:
    pass


def test_every_published_system_can_be_chosen() -> None:
    assert set(SYSTEM_DESCRIPTIONS) == set(BUILDERS)


@pytest.mark.parametrize("system", SYSTEM_DESCRIPTIONS)
def test_the_picture_of_a_system_is_drawn_from_its_model(system: str) -> None:
    model = getattr(ss.systems, system)()
    picture = system_picture(system)
    assert SYSTEM_NAMES[system]
    assert picture.count("<rect") == len(model.coordinates)
    loaded = {name for load in model.loads for name in load.form.terms}
    loads = re.findall(r'class="load" d="([^"]*)"', picture)
    assert [own.count("M") for own in loads] == ([2 * len(loaded)] if loaded else [])
    assert "<text" not in picture
    assert picture == make_picture(model), "run: python scripts/make_system_cards.py"


@pytest.mark.parametrize("system", SYSTEM_DESCRIPTIONS)
def test_fields_hold_what_the_paper_has(system: str) -> None:
    build = getattr(ss.systems, system)
    fields = system_fields(system, {})
    assert build(**{field.name: field.default for field in fields}) == build()
    read = {field.name: field.default if field.options else field.read(field.text(field.default)) for field in fields}
    assert build(**read) == build()


@pytest.mark.parametrize("system", SYSTEM_DESCRIPTIONS)
def test_every_keyword_that_is_a_number_has_a_field(system: str) -> None:
    known = {field.name for field in system_fields(system, {})}
    asked = inspect.signature(getattr(ss.systems, system)).parameters.values()
    assert {p.name for p in asked if isinstance(p.default, (int, float, tuple, str))} <= known


@pytest.mark.parametrize("system", [s for s in SYSTEM_DESCRIPTIONS if s != "torsional"])
def test_units_of_fields_are_those_that_the_system_is_documented_with(system: str) -> None:
    """Every unit that stands in a field stands in the words on its keyword, or is one of its law."""
    words = inspect.getdoc(getattr(ss.systems, system)) or ""
    units = {unit for group in re.findall(r"\[([^\]]+)\]", words) for unit in group.split(", ")} | {"1"}
    plain = {field.unit.replace("²", "^2") for field in system_fields(system, {}) if field.unit}
    if system == "tensioner":  # its law has them by its own dimensions
        law = ss.systems.tensioner().connection("tensioner").law
        units |= {unit_name(spec_of(own).dimension_of(law)) for own in dataclasses.fields(law)}
    assert plain <= units


@pytest.mark.parametrize("text", ["1,000", "nan", "1e999", "1_000", "five", "2 mm"])
def test_what_is_no_number_is_refused_in_a_field(text: str) -> None:
    with pytest.raises(InvalidInput, match="mass must be a number, got"):
        SystemField("mass", 1.0).read(text)


def test_several_numbers_stand_in_one_field() -> None:
    assert SystemField("masses", (1.0, 2.5), many=True).text((1.0, 2.5)) == "1, 2.5"
    assert SystemField("masses", (), many=True).read("1, 2.5e0 ,3") == (1.0, 2.5, 3.0)


def test_equations_are_written_with_indices_greek_letters_and_powers() -> None:
    line = "m_x*x'' + k_0_mesh*luz(theta1 - 2e-05*x, a)**2/eta**-3 = Sgn(x') & <b>"
    assert equation_html.equation_html(line) == (
        "<i>m</i><sub>x</sub>\u2009<i>x</i>\u2033 + <i>k</i><sub>0, mesh</sub>\u2009luz(<i>θ</i><sub>1</sub> \u2212 "
        "2\u2009·\u200910<sup>\u22125</sup>\u2009<i>x</i>, <i>a</i>)<sup>2</sup>/<i>η</i><sup>\u22123</sup> = "
        "Sgn(<i>x</i>\u2032) &amp; &lt;<i>b</i>&gt;"
    )


def test_cases_of_a_force_stand_below_each_other() -> None:
    found = equation_html.equation_html("f_mesh = max(0, u) if u > a; -u if u < -a; 0 otherwise")
    assert found.startswith("<i>f</i><sub>mesh</sub> = <span class='cases'><span>max(0, <i>u</i>) ")
    assert found.endswith("</span><span>0 <span class='word'>otherwise</span></span></span>")
    assert found.count("<span>") == 3


@pytest.mark.parametrize("system", SYSTEM_DESCRIPTIONS)
def test_no_word_of_an_equation_is_lost(system: str) -> None:
    for line in str(getattr(ss.systems, system)().equations()).splitlines():
        plain = re.sub(r"<[^>]+>", "", equation_html.equation_html(line))
        for name, letter in equation_html.GREEK.items():
            plain = plain.replace(letter, name)
        kept = re.compile(r"[^A-Za-z0-9(){}=+/]")
        assert kept.sub("", plain).lower() == kept.sub("", line).lower().replace("varepsilon", "epsilon")


def refusal(model: ss.Model, word: str, name: str) -> str:
    try:
        model.reduce(**{word: [name]})
    except SlipstickError as refused:
        return str(refused)
    return ""


def test_what_can_be_ticked_is_what_reduce_takes() -> None:
    """A limit may not exist; but a name is refused only where it has nothing that could be neglected."""
    model = ss.systems.gear()
    coordinates, connections = ([own.name for own in group] for group in (model.coordinates, model.connections))
    for word, names in neglect_options(model).items():
        every = coordinates if word in ("massless", "frictionless") else connections
        assert list(names) == [name for name in every if "leave it out of" not in refusal(model, word, name)]


def test_a_text_is_a_model_and_its_problems_have_lines() -> None:
    assert model_from_text(TEXT, "belt.yaml").coordinates[0].inertia == 2.0
    with pytest.raises(FileError, match=r"belt\.yaml:2: coordinates\.x\.inertia: must be >= 0"):
        model_from_text(TEXT.replace("2 kg", "-2 kg"), "C:\\models\\belt.yaml")
    overview = examine_model(silent, ModelChoice(system="", text=TEXT.replace("inertia", "intertia")))
    assert [problem.line for problem in overview.problems] == [2]


SIGNAL = (
    TEXT
    + """connections: {spring: {deflection: x, law: linear, stiffness: 3 N/m}}
loads: [{on: x, signal: {times: [0, 1, 2], values: [0, 1, 0]}}]
"""
)


@pytest.mark.parametrize(("old", "new"), [("[0, 1, 0]", "[0, 5, 0]"), ("3 N/m", "3.00000001 N/m"), ("2 kg", "3 kg")])
def test_another_model_is_told_from_the_one_before_also_where_words_on_it_are_the_same(old: str, new: str) -> None:
    first, other = (
        examine_model(silent, ModelChoice(system="", text=text)) for text in (SIGNAL, SIGNAL.replace(old, new))
    )
    assert (first.contents == other.contents) == (old != "2 kg")
    assert first.digest != other.digest


def test_a_comment_makes_no_other_model() -> None:
    text = SIGNAL.replace("slipstick: 1", "# my own words\nslipstick: 1  # and more")
    assert (
        examine_model(silent, ModelChoice(system="", text=text)).digest
        == examine_model(silent, ModelChoice(system="", text=SIGNAL)).digest
    )


def test_what_is_shown_stays_only_while_it_is_of_the_same_model() -> None:
    draft, chosen = ModelDraft(edits_text=True, text=SIGNAL), SelectedModel()
    overview, other = (
        examine_model(silent, ModelChoice(system="", text=text)) for text in (SIGNAL, SIGNAL.replace("0, 1,", "0, 5,"))
    )
    shown = DisplayedModel(overview, draft.file, chosen.choice.numbers, cast(ReductionPanel, Ticked()))
    assert shown.matches(replace(overview, picture=other.picture), draft, chosen)
    assert not shown.matches(other, draft, chosen)
    assert not shown.matches(replace(overview, remarks=("look at this",)), draft, chosen)


class Ticked:
    """A section whose ticks are still there."""

    def is_of(self, _draft: ModelDraft) -> bool:
        return True


def contents(text: str) -> Any:
    overview = examine_model(silent, ModelChoice(system="", text=text))
    assert not overview.problems
    return overview.contents


def test_laws_are_told_by_name_with_numbers_in_the_units_of_the_text() -> None:
    found = contents("""slipstick: 1
frequency: 10 Hz
coordinates: {x: {inertia: 400 g, displacement: 1 mm}, phi: {inertia: 0.2}, belt: {motion: {ramp: 0.1 m/s}}}
connections:
  guide: {deflection: x, law: modified-dahl, rate: 7e5, exponent: 0.37, upper: [2 N, 3 N/mm], lower: [-2, 3000]}
  shaft: {deflection: phi, sum: [{law: masing, stiffness: 4 N m/deg, limit: 2}, {law: linear, damping: 0.1}]}
  pad:
    deflection: x
    law: jenkins
    stiffness: 3e6
    limit: 1 kPa
    scaled: {deflection: 125 1/m, force: 12 cm^2}
  rub: {deflection: x, law: dry-friction, limit: {constant: 3 N, cosine: {amplitude: 0.123456789 N, order: 2}}}
loads:
  - {on: x, constant: 5 N}
  - {on: phi, sum: [{constant: 0}, {sine: {amplitude: 2, frequency: 3 Hz, phase: 30 deg}}]}
""")
    assert found.coordinates == (
        ("x", "400 g", "displacement 1 mm"),
        ("phi", "0.2 kg m²", "at rest"),
        ("belt", "", "moves: 0.1 m/s, times the time"),
    )
    guide, shaft, pad, rub = found.connections
    ((name, numbers),) = guide.laws
    assert (guide.name, guide.on, name) == ("guide", "x", "Modified Dahl")
    assert dict(numbers) == {
        "rate": "700000 N^0.63/m", "exponent": "0.37", "upper": "2 N, 3 N/mm", "lower": "-2 N, 3000 N/m",
    }  # fmt: skip
    assert [law.name for law in shaft.laws] == ["Masing", "Viscous damper"]
    assert dict(shaft.laws[0].numbers) == {"stiffness": "4 N m/deg", "limit": "2 N m"}
    assert dict(shaft.laws[1].numbers) == {"damping": "0.1 N m s/rad"}
    assert dict(pad.laws[0].numbers) == {
        "stiffness": "3e+06 Pa", "limit": "1 kPa", "deflection times": "125 1/m", "force times": "12 cm²",
    }  # fmt: skip
    assert dict(rub.laws[0].numbers) == {"limit": "3 N, constant; cosine of 0.123457 N at 2 times the base frequency"}
    assert found.loads == (("x", "5 N, constant"), ("phi", "sine of 2 N m at 3 Hz, phase 30 deg"))
    assert found.note == ""


def test_factors_of_a_sum_are_told_beside_those_of_its_laws() -> None:
    spring, beside = (
        contents("""slipstick: 1
coordinates: {x: {inertia: 1 kg, displacement: 1 mm}}
connections:
  both:
    deflection: x
    scaled: {force: 2, deflection: 5}
    modulated: {constant: 1, cosine: {amplitude: 0.1, order: 1}}
    sum:
      - {law: linear, stiffness: 7, scaled: {deflection: 3}, modulated: {constant: 4}}
      - {law: masing, stiffness: 7, limit: 2}
""")
        .connections[0]
        .laws
    )
    varying = "1, constant; cosine of 0.1 at the base frequency"
    assert dict(spring.numbers) == {
        "stiffness": "7", "deflection times": "3 times 5", "force times": "2",
        "all times": f"4, constant times {varying}",
    }  # fmt: skip
    assert dict(beside.numbers) == {
        "stiffness": "7", "limit": "2", "deflection times": "5", "force times": "2", "all times": varying,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("around", "own", "unit"),
    [
        ("{deflection: 2 1/m}", "{deflection: 3}", " Pa"),
        ("{deflection: 2}", "{deflection: 3 1/m}", " Pa"),
        ("{deflection: 2 1/m}", "", " Pa"),
        ("{deflection: 2 m/rad}", "{deflection: 3 1/m}", ""),  # from an angle to a strain, or back to an angle
    ],
)
def test_units_inside_of_two_factors_are_those_of_both(around: str, own: str, unit: str) -> None:
    scaled = f", scaled: {own}" if own else ""
    (law,) = (
        contents(f"""slipstick: 1
coordinates: {{x: {{inertia: 1}}}}
connections: {{pad: {{deflection: x, scaled: {around}, sum: [{{law: jenkins, stiffness: 7, limit: 2{scaled}}}]}}}}
""")
        .connections[0]
        .laws
    )
    assert dict(law.numbers)["limit"] == f"2{unit}"


def test_numbers_of_a_text_without_units_are_told_to_be_in_si() -> None:
    found = contents("slipstick: 1\ncoordinates: {x: {inertia: 2}}\n")
    assert found.coordinates == (("x", "2", "at rest"),)
    assert "numbers without a unit are in SI" in found.note


@pytest.mark.parametrize("system", SYSTEM_DESCRIPTIONS)
def test_nothing_of_a_published_system_is_told_in_python(system: str) -> None:
    found = examine_model(silent, ModelChoice(system)).contents
    words = " ".join(str(each) for each in (*found.coordinates, *found.loads))
    words += " ".join(f"{law.name} {dict(law.numbers)}" for one in found.connections for law in one.laws)
    assert not re.search(r"\w=|_|kg or|[A-Z][a-z]+[A-Z]", words)
    assert (" kg" in words) == (system != "torsional")


@pytest.mark.parametrize("name", LAW_NAMES)
def test_every_law_has_a_name_in_words(name: str) -> None:
    words = law_name_text(name, ("stiffness", "damping", "inner_ratio"))
    assert words[0].isupper()
    assert "-" not in re.sub("Bouc-Wen(-Baber-Noori)?|Bliman-Sorine|Four-parameter", "", words)


def test_a_published_system_opens_as_text_with_its_units() -> None:
    text = save_model(silent, ModelChoice("gear", {"resisting": 0.4}))["model.yaml"].decode()
    assert "inertia: 0.05 kg m^2" in text
    assert "stiffness: 40 N m/rad" in text
    assert "frequency: 8 rad/s" in text
    assert model_from_text(text, "gear.yaml") == ss.systems.gear(resisting=0.4)


def test_a_contact_is_shown_in_each_of_its_directions() -> None:
    text = (
        "slipstick: 1\ncoordinates:\n  x: {inertia: 1 kg}\n  z: {inertia: 1 kg}\nconnections:\n  pad:\n"
        "    deflection: {tangential: x, normal: z - x}\n    law: friction-contact\n"
        "    normal_stiffness: 60 N/mm\n    tangential_stiffness: 40 N/mm\n    friction: 0.3\n"
    )
    contents = examine_model(silent, ModelChoice(system="", text=text)).contents
    assert [(each.name, each.on) for each in contents.connections] == [("pad.tangential", "x"), ("pad.normal", "z - x")]
    assert all(("friction", "0.3") in each.laws[0].numbers for each in contents.connections)


def test_a_study_is_no_model_and_is_told_where_the_model_is() -> None:
    study = "slipstick: 1\nmodel: belt.yaml\nfrequency_response: {from: 1 Hz, to: 2 Hz}\n"
    (problem,) = examine_model(silent, ModelChoice(system="", text=study)).problems
    assert "this is a study, not a model: open the file named under model: in it" in problem.words


@pytest.mark.parametrize("text", ["[" * 3000, "a: &a [*a, *a]", "\ud800", "\0", "x" * 600_000, "- " * 5000, "? " * 500])
def test_hostile_texts_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(FileError) as caught:
        model_from_text(text, "model.yaml")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


def test_names_of_files_lose_folders_and_what_cannot_be_printed() -> None:
    assert plain_name("../../etc/passwd") == "passwd"
    assert plain_name("C:\\x\\be\nlt.yaml") == "belt.yaml"
    assert plain_name("") == "model.yaml"
    assert len(plain_name("x" * 500 + ".yaml")) <= 80


def test_a_model_that_was_chosen_elsewhere_is_taken_over_once() -> None:
    draft, chosen = ModelDraft(), ModelChoice(system="", text=TEXT, name="belt.yaml")
    draft.adopt(chosen)
    assert draft.choice == chosen
    draft.text = "half a"
    draft.adopt(replace(chosen, numbers={"x.inertia": 3.0}))  # knobs are no other text
    assert draft.text == "half a"
    draft.adopt(ModelChoice(system="gear", values={"amplitude": 3.0}))
    assert draft.choice == ModelChoice(system="gear", values={"amplitude": 3.0})


def test_a_text_that_is_replaced_can_be_brought_back_and_so_can_the_other() -> None:
    draft = ModelDraft()
    draft.write("mine", "belt.yaml")
    assert draft.former == ()
    draft.text = "mine, edited"
    draft.adopt(ModelChoice(system="", text="of a law", name="law.yaml"))
    draft.write("dropped", "dropped.yaml", "a mass was assumed")
    assert [(own.text, own.name) for own in draft.former] == [("of a law", "law.yaml"), ("mine, edited", "belt.yaml")]
    draft.restore_former(draft.former[1])
    assert (draft.text, draft.name, draft.assumptions) == ("mine, edited", "belt.yaml", "")
    assert [own.text for own in draft.former] == ["dropped", "of a law"]
    draft.restore_former(draft.former[0])
    assert draft.assumptions == "a mass was assumed"
    for k in range(10):
        draft.write(f"text {k}", "many.yaml")
    assert [own.text for own in draft.former] == ["text 8", "text 7", "text 6", "text 5"]


LAW = "# paste this under connections: of a model\n  identified:\n    deflection: u  # put your coordinates here\n"


@pytest.mark.parametrize(
    ("lines", "law", "amplitude", "mass"),
    [
        ("law: jenkins|stiffness: 1 N/mm|limit: 2 N", ss.Jenkins(stiffness=1e3, limit=2.0), "a loop of 8 mm", "kg\n"),
        (
            "law: freeplay|stiffness: 100|half_gap: 0.02",
            ss.Freeplay(stiffness=100.0, half_gap=0.02),
            "a loop of 0.05 m",
            "kg\n",
        ),
        ("law: linear|stiffness: 30 N m/rad", ss.Linear(stiffness=30.0), "a loop of 0.01 rad", "kg m^2"),
        ("law: linear|stiffness: 3 N m/deg", ss.Linear(stiffness=3.0 * 180.0 / math.pi), "of 0.57 deg", "kg m^2"),
        ("law: linear|stiffness: 30.0  # N m/rad, 95 %: 29 to 31", ss.Linear(stiffness=30.0), "of 0.01 rad", "kg m^2"),
    ],
)
def test_a_law_alone_becomes_a_model_that_says_what_was_assumed(
    lines: str, law: Any, amplitude: str, mass: str
) -> None:
    text = LAW + "".join(f"    {line}\n" for line in lines.split("|"))
    made = model_from_law(silent, text, "loop-fit.yaml")
    assert made is not None
    model = model_from_text(made.text, "loop-fit.yaml")
    assert model.connections[0].law == law
    assert amplitude in made.assumptions
    assert re.search(rf"inertia: \S+ {re.escape(mass)}", made.text)
    assert examine_model(silent, ModelChoice(system="", text=text)).is_law


def test_a_law_of_stresses_alone_gets_a_pad_and_is_told_so() -> None:
    lines = (
        "    law: jenkins\n    stiffness: 3e6\n    limit: 1e3\n    # scaled: {deflection: 125 1/m, force: 12 cm^2}\n"
    )
    made = model_from_law(silent, LAW + lines, "pad.yaml")
    assert made is not None
    assert "a pad 8 mm thick of 12 cm^2" in made.assumptions
    slipping = model_from_text(made.text, "pad.yaml").connections[0].law.trace([0.0, 1.0])[-1]
    assert slipping == pytest.approx(1e3 * 12e-4)


@pytest.mark.parametrize("text", [TEXT, "law: jenkins\n", LAW, LAW + "    law: jenkinz\n", "a: [1", "sum: 3\n"])
def test_what_is_no_law_alone_is_left_as_it_is(text: str) -> None:
    assert model_from_law(silent, text, "x.yaml") is None


def test_what_is_edited_and_not_yet_looked_at_is_what_respond_answers_for() -> None:
    draft, chosen = ModelDraft(), ModelChoice()
    assert draft.unchecked(chosen) is None  # nobody was on the page
    draft.adopt(chosen)
    assert draft.unchecked(chosen) is None
    draft.system = "gear"
    assert draft.unchecked(chosen) == ModelChoice("gear")
    assert draft.unchecked(ModelChoice("fibre")) is None  # chosen elsewhere since
    draft.refused = ModelChoice("gear")
    assert draft.unchecked(chosen) is None
    draft.write("  ", "empty.yaml")
    assert draft.unchecked(chosen) is None
