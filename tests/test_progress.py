"""One bar takes the progress of every function, in a terminal and in a notebook, and stays silent elsewhere."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from models import slider
from rich.console import Console

import slipstick as ss
from slipstick.progress import progress_state
from slipstick.sweeps.status import Status


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100)


@pytest.mark.parametrize(
    ("progress", "words", "share"),
    [
        ((0.25,), "", 0.25),
        ((np.float64(0.25),), "", 0.25),
        (("linear", 0.5), "linear", 0.5),
        (("begins", 0), "begins", 0.0),
        ((3, 12), "3 of 12", 0.25),
        ((0, 0), "0 of 0", 0.0),
        ((37, 1.5), "37 points, the last at 1.5", None),
        ((Status(total=8, done=3, failed=1, running=2, waiting=2),), "4 of 8, 1 failed", 0.5),
    ],
)
def test_every_form_of_progress_has_words_and_a_share(progress: Any, words: str, share: float | None) -> None:
    assert progress_state(*progress) == (words, share)


def test_a_run_and_a_curve_draw_a_bar_in_a_terminal() -> None:
    m = slider(ss.Cosine(1.0, order=1))
    screen = terminal()
    with ss.progress_bar("a [red] title", screen) as progress:
        m.simulate(until=20.0, frequency=1.0, method="newmark", step=1e-3, progress=progress)
        m.frequency_response(between=(0.8, 1.2), progress=progress)
    drawn = screen.file.getvalue()
    assert "a [red] title" in drawn
    assert "points, the last at" in drawn


def test_a_log_file_gets_no_bar() -> None:
    screen = Console(file=io.StringIO(), force_terminal=False)
    with ss.progress_bar("run", screen) as progress:
        progress(0.5)
    assert screen.file.getvalue().strip() == ""
