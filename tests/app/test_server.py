"""How `slipstick app` begins and ends: soon, in one line where it cannot, and with all its processes."""

from __future__ import annotations

import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from app_browser import READY, SLOW, Server, opening, own_environment
from hostile_requests import Hostile, answer
from pace import until

ENDS = {"Ctrl-C": signal.SIGINT, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP, "killed": signal.SIGKILL}
HEAVY = ("scipy", "numba", "xarray", "pandas", "matplotlib", "sympy", "pint")


def refused(*options: str, **environment: str) -> str:
    """What `slipstick app` says where it cannot begin; it has ended with 2 then."""
    done = subprocess.run(
        [sys.executable, "-m", "slipstick", "app", "--no-browser", *options],
        capture_output=True,
        text=True,
        timeout=READY,
        env={**own_environment(), **environment},
    )
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


def test_a_port_that_is_taken_is_refused_in_one_line():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = refused("--port", str(port))
    assert said.count("\n") == 1
    assert f"port {port} cannot be opened" in said
    assert "--port" in said


def test_a_port_that_is_none_is_refused_in_one_line():
    said = refused("--port", "70000")
    assert said.count("\n") == 1
    assert "port must be between 0 and 65535, got 70000" in said


def test_without_the_extra_the_way_to_it_is_told(tmp_path):
    (tmp_path / "nicegui.py").write_text("raise ImportError('not here')\n")
    said = refused("--port", "0", PYTHONPATH=str(tmp_path))
    assert said.count("\n") == 1
    assert 'pip install "slipstick[app]"' in said


def test_what_is_served_needs_nothing_heavy_in_the_process_of_the_server():
    """Imports are what a start waits for; the processes behind it have the heavy ones."""
    code = f"import sys, slipstick.app.pages; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=READY, check=True)
    assert done.stdout.strip() == "[]"


def run_for_hours(page):
    """Begin what takes long, on the page Respond."""
    page.get_by_role("button", name="over time").click()
    page.get_by_label("until").fill("2e9")
    page.get_by_role("button", name="run", exact=True).click()
    page.get_by_role("button", name="cancel").wait_for()


@pytest.mark.parametrize("how", ENDS)
def test_it_opens_a_browser_without_its_token_and_ends_with_all_its_processes_and_files(how, tmp_path, chromium):
    """Others can see the words that a browser is started with. The file that is opened leads to the page, and only its
    owner can read it. It ends in the middle of work, too.
    """
    seen, starter = tmp_path / "seen", tmp_path / "browser"
    starter.write_text(f'#!/bin/sh\necho "$@" > {seen}.part && mv {seen}.part {seen}\n')
    starter.chmod(0o755)
    server = Server(tmp_path, browser=str(starter), processes=2)
    until(seen.exists)
    words = seen.read_text().strip()
    file = Path(url2pathname(urlsplit(words).path))
    assert server.token not in words
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    page = chromium.new_page()
    page.set_default_timeout(SLOW)
    page.goto(words)
    page.wait_for_url(f"http://127.0.0.1:{server.port}/start")
    page.goto(f"http://127.0.0.1:{server.port}/respond")
    run_for_hours(page)
    mine = set(descendants(server.process.pid))
    assert len(mine) >= 2
    page.close()
    server.process.send_signal(ENDS[how])
    end = time.monotonic() + READY
    while server.process.poll() is None and time.monotonic() < end:
        mine |= set(descendants(server.process.pid))  # none that begins now may stay either
        time.sleep(0.005)
    printed, _ = server.process.communicate(timeout=READY)
    if how != "killed":
        left = server.log.read_text() if server.log.exists() else ""
        assert (server.process.returncode, printed, left) == (0, "", "")
        assert not file.exists()
    file.unlink(missing_ok=True)
    server.log.unlink(missing_ok=True)
    until(lambda: not any(is_running(pid) for pid in mine))


def test_a_session_of_an_earlier_start_is_told_in_the_log_and_not_on_the_terminal(tmp_path):
    """A browser that was open before asks again with what it was called then."""
    server = Server(tmp_path)
    old = "/_nicegui_ws/socket.io/?EIO=4&transport=polling&sid=of-an-earlier-start"
    status, _ = answer(server.port, Hostile(server.port, server.token).request(old), soon=READY)
    told = server.log.read_text()
    assert status == 400
    assert "Invalid session of-an-earlier-start" in told
    assert server.stop() == ""


def test_two_pages_on_one_machine_do_not_log_each_other_out(tmp_path, chromium, open_page):
    """Cookies do not know ports; those of two servers have two names."""
    page, second = open_page("/model"), Server(tmp_path)
    try:
        with opening(second, chromium) as open_second:
            open_second("/model", context=page.context).close()
            page.reload()
            page.wait_for_selector("section b:text-is('torsional')")
    finally:
        second.stop()


def test_when_it_has_ended_the_page_says_so_and_what_was_typed_stays(tmp_path, chromium):
    server = Server(tmp_path)
    page = chromium.new_page()
    page.set_default_timeout(SLOW)
    page.goto(server.at("/model"))
    page.wait_for_selector("section b:text-is('torsional')")
    assert not page.locator("#popup").is_visible()
    page.get_by_label("damping ratio").fill("0.07")
    server.stop()
    page.get_by_role("alert").get_by_text("it has probably ended").wait_for()
    assert "Start it again with slipstick app in a terminal" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("damping ratio").input_value() == "0.07"
    page.close()


def descendants(pid: int) -> list[int]:
    """Processes that a process began, and those that they did."""
    found = []
    for child in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it has just ended
            for one in child.read_text().split():
                found += [int(one), *descendants(int(one))]
    return found


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
