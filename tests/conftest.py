"""What the whole suite shares."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from hypothesis import settings

from slipstick.errors import SlipstickError

# the same examples on every machine, and no clock: a slow machine is not a failure
settings.register_profile("slipstick", deadline=None, derandomize=True)
settings.load_profile("slipstick")

# ten thousand collected tests are no garbage: looking through them again and again took a third of the collection
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whole files go to one process, with `--dist loadgroup`."""
    if config.getoption("dist") != "loadgroup":
        return None
    from file_scheduling import FileScheduling

    return FileScheduling(config, log)


Refused = Callable[..., AbstractContextManager[None]]


@pytest.fixture
def refused() -> Refused:
    """``with refused("half_gap must be >= 0"):`` the block raises, in one line, with these words in it."""

    @contextmanager
    def check(*words: str, error: type[Exception] = SlipstickError) -> Iterator[None]:
        with pytest.raises(error) as caught:
            yield
        message = str(caught.value)
        assert "\n" not in message
        assert len(message) < 300
        for word in words:
            assert word in message

    return check


@pytest.fixture(autouse=True)
def figures_are_closed():
    """Figures that a test leaves open are not counted against those of the next."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
