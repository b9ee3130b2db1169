"""The linker finds what compiled functions call and read, in whichever module it is."""

from __future__ import annotations

import importlib
import sys

import pytest

from slipstick.native import CannotCompile, compile_functions
from slipstick.native.linker import Linked

TWO = 2.0


def half(x: float) -> float:
    return x / TWO


def quarter(x: float) -> float:
    return half(half(x))


def stub(x: float) -> float:
    raise NotImplementedError


def with_stub(x: float) -> float:
    return stub(x) + 1.0


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Two modules with functions and constants of one name."""
    (tmp_path / "linked_one.py").write_text("SIZE = 3.0\n\ndef scale(x: float) -> float:\n    return SIZE * x\n")
    (tmp_path / "linked_two.py").write_text(
        "import linked_one as other\nfrom linked_one import scale as first\nSIZE = 5.0\n\n"
        "def scale(x: float) -> float:\n    return SIZE * x\n\n"
        "def both(x: float) -> float:\n    return first(x) + scale(x) + 100.0 * other.SIZE + 1000.0 * other.scale(x)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("linked_one"), importlib.import_module("linked_two")
    for name in ("linked_one", "linked_two"):
        sys.modules.pop(name, None)


def test_functions_of_the_same_module_are_found():
    assert compile_functions(quarter)["quarter"].call(12.0) == quarter(12.0) == 3.0


def test_equal_names_of_different_modules_stay_apart(modules):
    both = modules[1].both
    assert compile_functions(both)["both"].call(2.0) == both(2.0) == 6.0 + 10.0 + 300.0 + 6000.0


def test_a_constant_that_changes_changes_the_digest(modules, monkeypatch):
    before = Linked([modules[1].both], {}).digest()
    monkeypatch.setattr(modules[0], "SIZE", 4.0)
    assert Linked([modules[1].both], {}).digest() != before


def test_a_function_takes_the_place_of_another():
    assert compile_functions(with_stub, replaced={stub: half})["with_stub"].call(4.0) == 3.0
    assert compile_functions(with_stub, replaced={stub: quarter})["with_stub"].call(4.0) == 2.0


def test_equal_entries_are_compiled_once():
    assert compile_functions(quarter, half) is compile_functions(quarter, half)


def untyped(x):
    return x


def test_an_argument_without_a_type_is_refused():
    with pytest.raises(CannotCompile, match="untyped: x must be a float, an int, a record or an array, not None"):
        compile_functions(untyped)


def test_two_entries_of_one_name_are_refused(modules):
    with pytest.raises(CannotCompile, match="two entries have one name"):
        compile_functions(modules[0].scale, modules[1].scale)
