"""What is compiled together."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import pytest

from slipstick.transient.kernels import modules_loop


def module(name, text):
    """A module from text."""
    found = ModuleType(name)
    exec(text, found.__dict__)
    return found


def test_two_meanings_of_one_constant_are_refused():
    one, other = module("one", "LIMIT = 3\nSAME = 0.5"), module("other", "LIMIT = 4\nSAME = 0.5")
    with pytest.raises(ValueError, match=r"LIMIT is 3 in one and 4 in other.*give one of them another"):
        modules_loop((one, other), (), "anything", ("list",))


def test_what_is_compiled_with_other_modules_or_helpers_is_another_loop(tmp_path, monkeypatch):
    for name, text in {
        "twice": "def factor(x):\n    return 2.0 * x\n",
        "thrice": "def factor(x):\n    return 3.0 * x\n",
        "asks": "def entry(x):\n    return factor(x)\n",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    twice, thrice, asks = (import_module(name) for name in ("twice", "thrice", "asks"))
    loops = [modules_loop((first, asks), (), "entry", ("number",)) for first in (twice, thrice, twice)]
    assert [loop.call(1.0) for loop in loops] == [2.0, 3.0, 2.0]
    assert loops[0] is loops[2]
    by_helpers = [modules_loop((asks,), (first.factor,), "entry", ("number",)) for first in (twice, thrice)]
    assert [loop.call(1.0) for loop in by_helpers] == [2.0, 3.0]
