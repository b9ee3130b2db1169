"""Whoever is not the user of this page is refused, whatever he sends; and the page goes on."""

from __future__ import annotations

import asyncio
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from hostile_requests import CLOSED, LONG, UPLOAD, Hostile, answer

from slipstick.app.page_frame import MAX_PENDING_PAGES
from slipstick.app.pending_connections import MAX_PENDING, PendingConnections
from slipstick.app.request_guard import RequestGuard

MEGABYTE = 1_000_000


class Peak:
    """The most memory that a process has from here on.   grown : [MB] above what it had."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak begins anew
        self.begin = self._told("VmRSS")

    @property
    def grown(self) -> float:
        return self._told("VmHWM") - self.begin

    def _told(self, name: str) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(name)) / 1024.0


def test_what_a_user_asks_for_is_answered(server):
    """So that refusals below are not of everything."""
    known = Hostile(server.port, server.token)
    assert answer(server.port, known.request("/papers"), soon=LONG)[0] == 200  # it may still be starting
    own = f"Origin: http://127.0.0.1:{server.port}"
    assert answer(server.port, known.request("/papers", own), soon=LONG)[0] == 200
    status, taken = answer(server.port, known.request(f"/papers?token={server.token}&a=b", known=False), soon=LONG)
    assert status == 303
    assert b"\r\nlocation: /papers?a=b\r\n" in taken
    assert b"HttpOnly; SameSite=Strict" in taken
    assert server.token.encode() not in taken
    assert b"x-frame-options: DENY" in taken


def test_the_token_leaves_the_address_whoever_shows_it_and_wherever_he_comes_from(server):
    known = Hostile(server.port, server.token)
    for token in (server.token, "of-an-earlier-start"):  # of somebody with the cookie
        status, taken = answer(server.port, known.request(f"/papers?token={token}"), soon=LONG)
        assert status == 303
        assert b"\r\nlocation: /papers\r\n" in taken
    elsewhere = known.request(f"/papers?token={server.token}&a=b", "Sec-Fetch-Site: cross-site", known=False)
    status, taken = answer(server.port, elsewhere, soon=LONG)
    assert status == 200
    assert b'content="0; url=/papers?a=b"' in taken
    assert b"set-cookie: " in taken
    assert server.token.encode() not in taken


def test_hostile_requests_are_all_refused_and_the_page_goes_on(server, open_page):
    secret = server.folder / "canary.txt"
    secret.write_text("a bird in a coal mine")
    peak = Peak(server.process.pid)
    wrong, count = [], 0
    for request in Hostile(server.port, server.token).all():
        count += 1
        status, taken = answer(server.port, request)
        if not (status == CLOSED or 400 <= status < 500) or b"root:" in taken or b"coal mine" in taken:
            wrong.append((status, request[:200]))
    assert wrong == []
    assert count >= 500
    assert peak.grown < 50.0
    page = open_page("/papers")
    page.get_by_text("Gear train (").wait_for()
    assert "Traceback" not in server.log.read_text()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("told", ["Content-Length: 99000000", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("path", ["/papers", UPLOAD])
def test_a_flood_is_not_kept_in_memory(server, path, told, known):
    """150 MB are offered to a server that takes 100; a length below that is told of what then never ends."""
    peak = Peak(server.process.pid)
    head = Hostile(server.port, server.token).request(path, told, "Content-Type: text/csv", method="POST", known=known)
    piece = b"1,2\n" * 250_000
    chunk = b"%x\r\n%s\r\n" % (len(piece), piece) if "chunked" in told else piece
    assert offered(server.port, head, chunk, 150 * MEGABYTE) in (CLOSED, 400, 403, 404, 405, 413)
    assert peak.grown < 60.0


def test_a_file_that_never_ends_is_not_taken_where_files_are(server, open_page):
    """With everything that the page itself would show, to the place where its own files go."""
    page = open_page("/identify")
    box = page.locator("input[type=file]").first
    with page.expect_request(lambda request: request.method == "POST" and "upload" in request.url) as sent:
        box.set_input_files({"name": "a.csv", "mimeType": "text/csv", "buffer": b"u,F\n0,0\n1,1\n"})
    path = sent.value.url.split(f":{server.port}")[1]
    known = Hostile(server.port, server.token)
    form = "Content-Type: multipart/form-data; boundary=b"
    head = known.request(path, "Transfer-Encoding: chunked", form, method="POST")
    start = b'--b\r\nContent-Disposition: form-data; name="f"; filename="../../x.csv"\r\n\r\n'
    piece = b"1,2\n" * 250_000
    peak = Peak(server.process.pid)
    first = b"%x\r\n%s\r\n" % (len(start), start)
    assert offered(server.port, head + first, b"%x\r\n%s\r\n" % (len(piece), piece), 150 * MEGABYTE) in (CLOSED, 413)
    assert peak.grown < 60.0


def offered(port: int, head: bytes, piece: bytes, most: int) -> int:
    """The status of the answer to a flood; it ends when the server does not want more."""
    taken = b""
    with socket.create_connection(("127.0.0.1", port), timeout=2.0) as link:
        with suppress(ConnectionError, TimeoutError):
            link.sendall(head)
            for _ in range(most // len(piece)):
                link.sendall(piece)
        with suppress(ConnectionError, TimeoutError):
            taken = link.recv(65_536)
    return int(taken.split(b" ", 2)[1]) if taken.startswith(b"HTTP/1") else CLOSED


def test_a_head_that_never_ends_is_not_kept_in_memory(server):
    peak = Peak(server.process.pid)
    head = Hostile(server.port, server.token).request("/papers", known=False)[:-2]
    assert offered(server.port, head + b"X: ", b"a" * MEGABYTE, 100 * MEGABYTE) in (CLOSED, 400, 431)
    assert offered(server.port, head, b"X: a\r\n" * 150_000, 100 * MEGABYTE) in (CLOSED, 400, 431)
    assert peak.grown < 30.0


@pytest.mark.parametrize("known", [True, False])
def test_a_head_beyond_what_is_said_is_refused_in_one_line_though_it_comes_at_once(server, known):
    own = Hostile(server.port, server.token)
    long = own.request("/papers", f"X: {'a' * 100_000}", known=known)
    many = own.request("/papers", *(f"X{k}: {'a' * 90}" for k in range(1000)), known=known)
    for request in (long, many):
        status, taken = answer(server.port, request, soon=LONG)
        body = taken.partition(b"\r\n\r\n")[2].decode()
        assert status == 431
        assert body.startswith("the head of a request may have at most 64 kB, got ")
        assert body.count("\n") == 1
    within = own.request("/papers", f"X: {'a' * 60_000}")
    assert answer(server.port, within, soon=LONG)[0] == 200


def test_other_addresses_of_this_machine_do_not_lead_here(server):
    """It listens on 127.0.0.1 alone: not on every address, not on IPv6."""
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in {*others, "127.0.0.2"} - {"127.0.0.1"}:
        with pytest.raises(OSError):
            socket.create_connection((address, server.port), timeout=1.0)
    with pytest.raises(OSError):
        socket.create_connection(("::1", server.port), timeout=1.0)


def test_nothing_of_the_page_may_be_shown_or_fetched_elsewhere(server):
    _, taken = answer(server.port, Hostile(server.port, server.token).request("/papers"), soon=LONG)
    head = taken.split(b"\r\n\r\n")[0].lower()
    for line in (b"x-frame-options: deny", b"x-content-type-options: nosniff", b"referrer-policy: no-referrer"):
        assert line in head
    assert b"frame-ancestors 'none'" in head
    assert b"access-control-allow-origin" not in head
    assert server.token.encode() not in taken


def test_whoever_connects_and_says_nothing_does_not_lock_the_owner_out(server, open_page):
    known = Hostile(server.port, server.token)
    silent = []
    try:
        for _ in range(600):
            silent.append(socket.create_connection(("127.0.0.1", server.port), timeout=LONG))
            time.sleep(0.003)  # a machine that is not taken at once tries again after a whole second
        for link in silent[::3]:  # some begin to speak, and never end
            with suppress(ConnectionError):
                link.sendall(b"GET /papers HTTP/1.1\r\nHost: ")
        assert answer(server.port, known.request("/papers"), soon=LONG)[0] == 200
        page = open_page("/papers")
        page.get_by_text("Gear train (").wait_for()
        assert sum(is_open(link) for link in silent) <= MAX_PENDING
    finally:
        for link in silent:
            link.close()


def is_open(link: socket.socket) -> bool:
    link.setblocking(False)
    try:
        return bool(link.recv(1))
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


@pytest.mark.parametrize(
    ("kind", "words", "is_fault"),
    [
        ("http.disconnect", "No response returned.", False),
        ("http.request", "No response returned.", False),  # who goes is not always told of
        ("http.request", "out of paper", True),
    ],
)
def test_who_goes_before_the_answer_is_no_fault_and_others_are(kind, words, is_fault):
    """A browser that leaves a page half loaded; what is inside then complains that there was no response."""

    async def inside(_scope, receive, _send):
        await receive()
        raise RuntimeError(words)

    async def receive():
        return {"type": kind, "body": b""}

    async def send(message):
        raise AssertionError(message)

    guard = RequestGuard(inside, hosts=frozenset({"127.0.0.1:1"}), token="secret", largest=10)
    cookie = f"{guard.cookie}={guard._secret}".encode()
    headers = [(b"host", b"127.0.0.1:1"), (b"cookie", cookie)]
    scope = {"type": "http", "method": "GET", "path": "/papers", "headers": headers, "client": ("127.0.0.1", 9)}
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(asyncio.run, guard(scope, receive, send))
        assert (asked.exception() is not None) == is_fault


class Link:
    """A connection that is only ended."""

    ended = False

    def abort(self):
        self.ended = True


def test_pending_connections_end_the_oldest_first_or_at_their_timeout_and_known_ones_stay():
    async def story():
        pending, links = PendingConnections(limit=2, timeout=0.05), [Link() for _ in range(4)]
        pending.add(("127.0.0.1", 1), links[0])
        pending.remove(("127.0.0.1", 1))  # it has shown the token
        for port in (2, 3, 4):
            pending.add(("127.0.0.1", port), links[port - 1])
        told = [[link.ended for link in links], len(pending)]
        await asyncio.sleep(0.2)
        return [*told, [link.ended for link in links], len(pending)]

    with ThreadPoolExecutor(1) as thread:  # here a browser may have a loop of its own
        found = thread.submit(asyncio.run, story()).result()
    assert found == [[False, True, False, False], 2, [False, True, True, True], 0]


def test_pages_that_are_fetched_and_never_linked_are_given_up(server):
    known = Hostile(server.port, server.token)
    for _ in range(2 * MAX_PENDING_PAGES):  # as many pages wait as may, and what is read once stays
        assert answer(server.port, known.request("/papers"), soon=LONG)[0] == 200

    def growth() -> float:
        """[MB] by 200 pages; all of them would take 26."""
        peak = Peak(server.process.pid)
        for _ in range(200):
            assert answer(server.port, known.request("/papers"), soon=LONG)[0] == 200
        return peak.grown

    assert any(growth() < 8.0 for _ in range(3))  # garbage waits for its collection; what is kept grows every time
