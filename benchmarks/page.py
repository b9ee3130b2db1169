"""How soon the page is there, and how soon it answers when a knob is turned; in the browser that its tests drive."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "app"))

STARTS, TURNS = 5, 15
READY, ANSWER = 4.0, 300.0  # s, ms: budgets


def table() -> None:
    from app_browser import CHROMIUM, OPTIONS, Server, opening
    from playwright.sync_api import sync_playwright

    console = Console()
    console.print("[bold]the page[/bold]")
    if not CHROMIUM:
        console.print("there is no Chromium to look with\n")
        return
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        ready = []
        for _ in range(STARTS):
            began = time.perf_counter()
            server = Server(Path(folder))
            with opening(server, browser) as open_page:
                open_page("/identify")
                ready.append(time.perf_counter() - began)
            server.stop()
        console.print(f"command to a page in the browser, s   {_spread(ready, '.2f')}  (budget {READY:g})")
        server = Server(Path(folder))
        with opening(server, browser) as open_page:
            for name, knob, values in (("torsional", "mean", (0.4, 0.5)), ("tensioner", "amplitude", (100.0, 130.0))):
                took = _turns(open_page("/model"), name, knob, values)
                console.print(
                    f"{name}: a knob answers, ms{' ' * (14 - len(name))} {_spread(took, '.0f')}  (budget {ANSWER:g})"
                )
        server.stop()
        browser.close()
    console.print()


def _turns(page: Any, system: str, knob: str, values: tuple[float, float]) -> list[float]:
    from test_respond import choose, knob_time, settled

    choose(page, system, knob)
    settled(page)
    first, last = values
    turned = [first + (last - first) * (k + 1) / (TURNS + 1) for k in range(TURNS)]
    found = []
    for value in turned:
        found.append(knob_time(page, knob, f"{value:.6g}"))
        settled(page)  # somebody looks before they turn on
    return found


def _spread(values: list[float], how: str) -> str:
    return f"median {median(values):{how}}, from {min(values):{how}} to {max(values):{how}}"
