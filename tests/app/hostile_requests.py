"""Requests that nobody may send, as bytes: what a foreign page, another user or a broken program would try."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import product

CLOSED = 0  # in the place of a status: the server ended the connection without a word
SOON, LONG = 1.0, 120.0  # [s] until an answer begins, and ends
UPLOAD = "/_nicegui/client/0b5f/upload/4"
PAGES = ("/", "/papers", "/identify")
PLACES = (*PAGES, UPLOAD, "/_nicegui/x/components/y.js", "/_nicegui_ws/socket.io/?EIO=4&transport=polling")
TRAVERSALS = (
    "../../../etc/passwd", "..%2f..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%252f..%252fetc%252fpasswd", "%252e%252e%252fetc%252fpasswd", "..%5c..%5cetc%5cpasswd", "..\\..\\etc\\passwd",
    "....//....//etc/passwd", "..;/..;/etc/passwd", "%c0%ae%c0%ae/etc/passwd", "..%c0%af..%c0%afetc/passwd",
    "%00/etc/passwd", "etc/passwd%00.js", "/etc/passwd", "%2fetc%2fpasswd", "file:///etc/passwd", "~/.ssh/id_rsa",
    "C:%5cWindows%5cwin.ini", "./.././../etc/passwd", "proc/self/environ", "..%u2215etc/passwd", "canary.txt",
)  # fmt: skip


class Hostile:
    """All of them against one server.   port, token : its own, since many are refused with the right token too."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.host, self.token = port, f"127.0.0.1:{port}", token
        self.cookie = ""
        _, taken = answer(port, self.request(f"/papers?token={token}", known=False), soon=LONG)
        self.cookie = taken.split(b"set-cookie: ")[1].split(b";")[0].decode()

    def request(
        self, path: str = "/", *lines: str, method: str = "GET", host: str | None = "", known: bool = True
    ) -> bytes:
        """One request; without a body.   known : with the cookie of the page."""
        own = [] if host is None else [f"Host: {host or self.host}"]
        own += [f"Cookie: {self.cookie}"] if known else []
        own += [] if "Upgrade: websocket" in lines else ["Connection: close"]
        text = "\r\n".join([f"{method} {path} HTTP/1.1", *own, *lines, "", ""])
        return text.encode("latin-1")

    def all(self) -> Iterator[bytes]:
        yield from self.foreign_hosts()
        yield from self.foreign_origins()
        yield from self.without_token()
        yield from self.out_of_place()
        yield from self.other_methods()
        yield from self.sockets()
        yield from self.bodies()
        yield from self.malformed()

    def foreign_hosts(self) -> Iterator[bytes]:
        p = self.port
        names = (
            "evil.example", f"evil.example:{p}", "127.0.0.1", "localhost", f"localhost:{p + 1}", f"0.0.0.0:{p}",
            f"[::1]:{p}", f"127.0.0.1:{p}.evil.example", f"127.0.0.1:{p}@evil.example", f"evil.example@127.0.0.1:{p}",
            f"2130706433:{p}", f"127.1:{p}", f"127.0.0.1.:{p}", f"127.0.0.2:{p}", f"127.0.0.1:{p}:{p}", "*",
            f"localhost.evil.example:{p}", f"127.0.0.1:{p}/", f"127.0.0.1:0{p}", f"127.0.0.1:{p}, evil.example",
        )  # fmt: skip
        for name, path in product(names, PLACES[:5]):
            yield self.request(path, host=name)
        for path in PAGES:
            yield self.request(path, host=None)
            yield self.request(path, f"Host: {self.host}")
            yield self.request(path, "Host: evil.example")

    def foreign_origins(self) -> Iterator[bytes]:
        origins = (
            "http://evil.example", "https://evil.example", "null", f"https://{self.host}", f"http://{self.host}.evil.example",
            "http://127.0.0.1", "http://localhost", f"http://127.0.0.1:{self.port + 1}", f"http://{self.host}/",
            "file://", "chrome-extension://abc", f"http://{self.host} http://evil.example", "",
        )  # fmt: skip
        for origin, path in product(origins, PLACES):
            yield self.request(path, f"Origin: {origin}", method="POST" if path == UPLOAD else "GET")
        for site, path in product(("cross-site", "same-site", "nonsense"), PAGES):
            yield self.request(path, f"Sec-Fetch-Site: {site}")

    def without_token(self) -> Iterator[bytes]:
        name, _, secret = self.cookie.partition("=")
        for path in PAGES:  # neither is good in the place of the other
            yield self.request(f"{path}?token={secret}", known=False)
            yield self.request(path, f"Cookie: {name}={self.token}", known=False)
            yield self.request(f"{path}?token={self.token}x", "Sec-Fetch-Site: cross-site", known=False)
            yield self.request(f"{path}?token={self.token}", "Origin: http://evil.example")
        token = self.token
        shown = ("", "?token=", f"?token={token[:-1]}", f"?token={token}x", f"?token={token}&token={token}",
                 f"?Token={token}", "?token=%00", f"?token[]={token}")  # fmt: skip
        for query, path in product(shown, ("/", "/papers", "/model", UPLOAD, "/_nicegui/x/components/y.js")):
            yield self.request(path + query, known=False)
        others = (f"{name}=", f"{name}=wrong", f"slipstick={secret}", f"slipstick-{self.port + 1}={secret}",
                  f"{name.upper()}={secret}", f"{name}={secret} x", f'{name}="{secret}"', f"x={secret}",
                  f"{name}{secret}", f"{name}=={secret}", "session=abc; id=1", f"{name}=\xff\xfe")  # fmt: skip
        for cookie, path in product(others, PLACES):
            yield self.request(path, f"Cookie: {cookie}", known=False)
        for one in (token, secret):
            yield self.request("/papers", f"Authorization: Bearer {one}", known=False)
        yield self.request(f"/papers?token={token}", method="POST", known=False)

    def out_of_place(self) -> Iterator[bytes]:
        before = ("/", "/_nicegui/3.0/static/", "/_nicegui/3.0/components/", "/_nicegui/3.0/resources/x/", "/papers/")
        for prefix, path in product(before, TRAVERSALS):
            yield self.request(prefix + path)
        yield self.request("/" + "a" * 5000)
        yield self.request("/?" + "a=b&" * 2000)

    def other_methods(self) -> Iterator[bytes]:
        for method, path in product(
            ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "BREW", "HEAD2"), PAGES
        ):
            yield self.request(path, method=method)

    def sockets(self) -> Iterator[bytes]:
        upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")  # fmt: skip
        link = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        for path in (link, "/_nicegui_ws/", "/", f"{link}&token=wrong", f"{link}&client_id=1&tab_id=2"):
            yield self.request(path, *upgrade, known=False)
            yield self.request(path, *upgrade, "Origin: http://evil.example")
            yield self.request(path, *upgrade, host="evil.example")

    def bodies(self) -> Iterator[bytes]:
        for length in ("99999999999", "1" + "0" * 30, "-1", "abc", "1e9", "0x10", "12, 13", "\xb2"):
            yield self.request(UPLOAD, f"Content-Length: {length}", method="POST")
            yield self.request("/papers", f"Content-Length: {length}", method="POST", known=False)
        yield self.request(UPLOAD, "Content-Length: 5", "Content-Length: 6", method="POST")
        yield self.request(UPLOAD, "Transfer-Encoding: chunked", method="POST") + b"zz\r\n"
        yield self.request(UPLOAD, "Transfer-Encoding: chunked", "Content-Length: 4", method="POST") + b"-1\r\nx\r\n"
        yield self.request(UPLOAD, "Transfer-Encoding: gzip", method="POST") + b"0\r\n\r\n"

    def malformed(self) -> Iterator[bytes]:
        good = self.request("/papers")
        yield from (
            b"\r\n\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00",
            b"GET\r\n\r\n",
            b"GET /papers\r\n\r\n",
            b"\0" * 64,
        )
        yield from (
            b"GET /papers HTTP/9.9\r\n\r\n",
            b"GET  /papers HTTP/1.1\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        )
        yield good.replace(b"GET", b"G\0T")
        yield good.replace(b"\r\nHost", b"\r\n Host")
        yield good.replace(b"Host:", b"Host")
        yield good.replace(b"Host:", b"Host :")
        yield good.replace(b"/papers", b"/pa\x00pers")
        yield good.replace(b"/papers", b"/pa\x01pers")
        yield good.replace(b"/papers", "/päpers\xff".encode("latin-1"))
        yield good.replace(b"/papers", b"http://evil.example/papers")
        yield good.replace(b"/papers", b"*")
        for odd in (b"X: a\0b", b"X\xff: 1", b"X: a\rb", b": empty", b"X Y: 1", b"X: \x7f\x01", b"(): 1"):
            yield good[:-2] + odd + b"\r\n\r\n"
        for kilobytes in (64, 100, 300):
            yield good[:-2] + b"X: " + b"a" * 1024 * kilobytes + b"\r\n\r\n"
        yield good[:-2] + b"".join(b"X%d: 1\r\n" % i for i in range(20_000)) + b"\r\n"


def answer(port: int, request: bytes, soon: float = SOON) -> tuple[int, bytes]:
    """Status and whole answer; `CLOSED` where there was none.

    What is not finished, as much of this is, has no answer: after a while nothing more is sent, which ends it.
    """
    taken = b""
    with socket.create_connection(("127.0.0.1", port), timeout=soon) as link, suppress(ConnectionError):
        link.sendall(request)
        try:
            taken = link.recv(65_536)
        except TimeoutError:
            link.shutdown(socket.SHUT_WR)
        link.settimeout(LONG)
        with suppress(TimeoutError):
            while piece := link.recv(65_536):
                taken += piece
    head = taken.split(b" ", 2)
    return (int(head[1]) if taken.startswith(b"HTTP/1") else CLOSED), taken
