"""What a system is built with if nothing is given."""

from __future__ import annotations

import pytest

import slipstick as ss
from slipstick.papers import NAMES
from slipstick.systems.keyword_defaults import BUILDERS, keyword_defaults


def test_there_is_a_builder_for_every_paper():
    assert tuple(BUILDERS) == NAMES
    assert all(getattr(ss.systems, name) is builder for name, builder in BUILDERS.items())


@pytest.mark.parametrize(("system", "law"), [*((name, None) for name in NAMES), ("tensioner", "modified-dahl")])
def test_a_system_given_all_its_defaults_is_the_system_given_none(system, law, tmp_path):
    plain = BUILDERS[system](**({} if law is None else {"law": law}))
    plain.save(tmp_path / "plain.yaml")
    BUILDERS[system](**keyword_defaults(system, law)).save(tmp_path / "given.yaml")
    assert (tmp_path / "given.yaml").read_text() == (tmp_path / "plain.yaml").read_text()


def test_numbers_of_a_law_are_those_of_the_law_that_is_asked_for():
    masing, dahl = keyword_defaults("tensioner"), keyword_defaults("tensioner", "modified-dahl")
    assert masing["law"] == "masing"
    assert dahl["law"] == "modified-dahl"
    assert masing["limit"] == ss.systems.tensioner().connection("tensioner").law.limit
    assert dahl["rate"] == ss.systems.tensioner("modified-dahl").connection("tensioner").law.rate
    assert "limit" not in dahl
    assert "rate" not in masing
    assert keyword_defaults("fibre")["linear"] == pytest.approx(6.16e6)  # (38)


@pytest.mark.parametrize("system", NAMES)
def test_an_unknown_keyword_is_reported_with_those_that_are_known(system):
    build, known = BUILDERS[system], keyword_defaults(system)
    with pytest.raises(TypeError, match=rf'{system} has no parameter "qqqq" \(known: ') as refused:
        build(qqqq=1.0)
    assert isinstance(refused.value, ss.errors.InvalidInput)
    assert all(name in str(refused.value) for name in known)
    name = next(iter(known))
    with pytest.raises(TypeError, match=rf'{system} has no parameter "{name[:-1]}" \(did you mean "{name}"\?\)'):
        build(**{name[:-1]: 1.0})


def test_keywords_of_a_law_are_those_of_the_law_that_is_asked_for():
    with pytest.raises(TypeError, match='tensioner has no parameter "limit"'):
        ss.systems.tensioner("modified-dahl", limit=1.0)
    with pytest.raises(ss.errors.InvalidInput, match="a law of your own has its parameters; leave out limit"):
        ss.systems.tensioner(ss.Linear(stiffness=1.0), limit=1.0)
    with pytest.raises(ss.errors.InvalidInput, match='law must be "masing"'):
        ss.systems.tensioner("masin", limit=1.0)
    with pytest.raises(ss.errors.InvalidInput, match='law must be "masing"'):
        ss.systems.tensioner(["masing"])
