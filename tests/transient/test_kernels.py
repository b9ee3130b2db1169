"""What is compiled together."""

from __future__ import annotations

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
