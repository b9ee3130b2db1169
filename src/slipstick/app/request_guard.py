"""Checks of every request: host, origin and token.

The server listens on the loopback address alone. That keeps other machines out, but not other pages in the user's
browser nor other users of the machine: a foreign page may send requests (its Origin shows it), a foreign name may
resolve to this server (the Host shows it), and another user may try (the token is missing). The answer is one line.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from html import escape
from typing import Any
from urllib.parse import parse_qsl, quote, unquote_to_bytes, urlencode

from slipstick.app.reconnect import PATH as RECONNECT_PATH
from slipstick.app.reconnect import Reconnect

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

METHODS = ("GET", "HEAD", "POST")
NO_RESPONSE_TEXT = "No response returned."  # Starlette's error about a client that left before the response
FORM_OVERHEAD_BYTES = 65_536  # that a form adds around its files
MAX_HEAD_BYTES = 65_536  # of a request without its body
MAX_PATH_BYTES = 4_096  # of a path with its query
NO_TOKEN_TEXT = "This page belongs to slipstick. Open the address that `slipstick app` printed; it ends with a token."

# nothing is fetched from elsewhere, and no other page may embed this one
SECURITY_HEADERS = {
    "content-security-policy": "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; form-action 'self'; base-uri 'self'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class RequestRefused(Exception):
    """A request that is refused.   status, line : of the response."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status, self.line = status, line


class RequestGuard:
    """An ASGI application around another.

    hosts : names of this server: "127.0.0.1:8470", "localhost:8470".
    token : grants access; a page that was opened with it gets a cookie with another secret, and an address without it.
    largest : bytes of one request body.
    reconnect : lets pages of an earlier start in; without it they are refused.
    on_authenticated : called with the remote address of a connection that has shown the token or the secret.
    """

    def __init__(
        self,
        app: App,
        *,
        hosts: frozenset[str],
        token: str,
        largest: int,
        on_authenticated: Callable[[Any], None] = lambda _: None,
        reconnect: Reconnect | None = None,
    ) -> None:
        self.app, self._reconnect = app, reconnect
        self.hosts, self.token, self.largest, self.on_authenticated = hosts, token, largest, on_authenticated
        self._secret = secrets.token_urlsafe(24)
        self.cookie = f"slipstick-{min(hosts).rpartition(':')[2]}"  # cookies do not know ports: two servers, two names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        try:
            if self._reconnect is not None and (scope["type"], scope.get("path")) == ("http", RECONNECT_PATH):
                await self._answer_page_of_earlier_start(scope, send, self._reconnect)
                return
            redirect = self._check(scope)
        except RequestRefused as refusal:
            await _refuse(scope, send, refusal)
            return
        self.on_authenticated(scope.get("client"))
        if redirect is not None:
            await _redirect_with_cookie(send, redirect, self._own_cookie, _is_foreign(_headers(scope)))
            return
        await self._pass_on(scope, receive, send)

    @property
    def _own_cookie(self) -> str:
        return f"{self.cookie}={self._secret}; Path=/; HttpOnly; SameSite=Strict"

    async def _answer_page_of_earlier_start(self, scope: Scope, send: Send, reconnect: Reconnect) -> None:
        """Prove to a page that this is slipstick; a page that proves to be of an earlier start gets the cookie."""
        headers = self._check_head(scope)
        if _is_foreign(headers) or scope.get("method") != "GET":
            raise RequestRefused(403, NO_TOKEN_TEXT)
        host, query = headers["host"][0].lower(), dict(_query(scope))
        if "proof" in query:
            if not reconnect.accepts(host, query):
                raise RequestRefused(403, NO_TOKEN_TEXT)
            await _send_json(send, {}, self._own_cookie)
            return
        challenge = reconnect.challenge(host, query.get("page", ""))
        if challenge is None:
            raise RequestRefused(400, NO_TOKEN_TEXT)
        await _send_json(send, challenge)

    def _check(self, scope: Scope) -> str | None:
        """Refuse a request that is not allowed; the address to redirect to, if it came with the token."""
        headers = self._check_head(scope)
        redirect = self._check_token(scope, headers, scope.get("method", "GET"))
        if redirect is None and _is_foreign(headers):  # an address with the token may be linked from anywhere
            raise RequestRefused(403, "requests from another page are refused; open the printed address itself")
        return redirect

    def _check_head(self, scope: Scope) -> dict[str, list[str]]:
        """The headers of a request; refuse one that is malformed, or not for this server."""
        if scope["type"] not in ("http", "websocket"):
            raise RequestRefused(400, "only pages are served here")
        _check_head_size(scope)
        headers = _headers(scope)
        if any(_is_control_character(sign) for each in headers.values() for sign in "".join(each)):
            raise RequestRefused(400, "the head of the request has unreadable characters; reload the page")
        if len(headers.get("host", [])) != 1 or headers["host"][0].lower() not in self.hosts:
            raise RequestRefused(403, f"this page is called {min(self.hosts)}; open it under that name")
        if any(origin.lower() not in self._origins() for origin in headers.get("origin", [])):
            raise RequestRefused(403, "requests from another page are refused; open the printed address itself")
        method = scope.get("method", "GET")
        if method not in METHODS:
            raise RequestRefused(405, f"{method[:20]} is not served here; only GET, HEAD and POST are")
        _check_path(scope)
        self._check_length(headers)
        return headers

    def _origins(self) -> set[str]:
        return {f"http://{host}" for host in self.hosts}

    def _check_length(self, headers: dict[str, list[str]]) -> None:
        for length in headers.get("content-length", []):
            if not length.isdecimal() or len(length) > 18:
                raise RequestRefused(400, "content-length must be a number of bytes")
            if int(length) > self.largest + FORM_OVERHEAD_BYTES:
                raise RequestRefused(413, too_large_message(self.largest))

    def _check_token(self, scope: Scope, headers: dict[str, list[str]], method: str) -> str | None:
        authenticated = any(_same(value, self._secret) for value in _cookies(headers, self.cookie))
        query = _query(scope)
        tokens = [value for name, value in query if name == "token"]
        invited = len(tokens) == 1 and _same(tokens[0], self.token)
        if scope["type"] == "http" and method == "GET" and (invited or (authenticated and tokens)):
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            # one slash: a path with two would name another host
            path = "/" + quote(scope["path"].lstrip("/"), safe="/")
            return f"{path}?{rest}" if rest else path
        if not authenticated:
            raise RequestRefused(403, NO_TOKEN_TEXT)
        return None

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = 0
        begun = disconnected = False
        over: RequestRefused | None = None

        async def counted() -> MutableMapping[str, Any]:
            nonlocal received, over, disconnected
            message = await receive()
            disconnected = disconnected or message["type"] == "http.disconnect"
            if message["type"] == "http.request":  # the header may be missing or wrong
                received += len(message.get("body", b""))
                if received > self.largest + FORM_OVERHEAD_BYTES:
                    over = RequestRefused(413, too_large_message(self.largest))
                    raise over
            return message

        async def guarded(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            if over is not None and not begun:  # drop the response that inner layers make of the refusal
                return
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*message.get("headers", []), *_own_headers()]
            await send(message)

        try:
            await self.app(scope, counted, guarded)
        except Exception as error:
            # a client that left, as a browser does from a half loaded page, is no fault; an inner layer may already
            # have begun to respond that it is
            unanswered = isinstance(error, RuntimeError) and (
                (disconnected and not begun) or str(error) == NO_RESPONSE_TEXT
            )
            if over is None and not unanswered:
                raise
        if over is not None and not begun:
            await _refuse(scope, send, over)


def too_large_message(largest: int) -> str:
    """The message about a file that is too large."""
    return f"a file may have at most {largest / 1e6:.0f} MB here; send fewer cycles, or use slipstick identify"


def _check_head_size(scope: Scope) -> None:
    """Limit the size of a head: the server limits only heads that arrive in parts."""
    line = len(scope.get("raw_path") or scope["path"].encode()) + len(scope.get("query_string", b""))
    size = line + sum(len(name) + len(value) + 4 for name, value in scope.get("headers", []))
    if size > MAX_HEAD_BYTES:
        bound = f"the head of a request may have at most {MAX_HEAD_BYTES // 1024} kB, got {size / 1024:.0f} kB"
        raise RequestRefused(
            431, f"{bound}; if those are cookies, delete the ones of 127.0.0.1, or use a private window"
        )


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)


def _headers(scope: Scope) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in scope.get("headers", []):
        headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return headers


def _is_foreign(headers: dict[str, list[str]]) -> bool:
    """True if another page made this request."""
    return any(site not in ("same-origin", "none") for site in headers.get("sec-fetch-site", []))


def _same(value: str, secret: str) -> bool:
    return hmac.compare_digest(value.encode(), secret.encode())


def _is_control_character(sign: str) -> bool:
    """True for characters that no header may have."""
    return (ord(sign) < 32 and sign != "\t") or sign == "\x7f"


def _cookies(headers: dict[str, list[str]], wanted: str) -> list[str]:
    pairs = [pair.strip().partition("=") for line in headers.get("cookie", []) for pair in line.split(";")]
    return [value for name, _, value in pairs if name == wanted]


def _check_path(scope: Scope) -> None:
    raw = scope.get("raw_path") or scope["path"].encode()
    if len(raw) + len(scope.get("query_string", b"")) > MAX_PATH_BYTES and scope["type"] == "http":
        raise RequestRefused(414, "the address is too long")
    path = raw.partition(b"?")[0]
    if not path.startswith(b"/"):  # "http://...", as proxies get it
        raise RequestRefused(400, "there is no page at this address; open the printed address")
    for _ in range(3):  # an inner layer may unquote once more
        if b"\\" in path or b"\0" in path or b".." in path.split(b"/") or any(byte < 32 for byte in path):
            raise RequestRefused(400, "there is no page at this address; open the printed address")
        path = unquote_to_bytes(path)


async def _refuse(scope: Scope, send: Send, refusal: RequestRefused) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.line[:120]})
        return
    body = (refusal.line + "\n").encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    # the rest of the request is not read: the connection ends
    headers += [(b"connection", b"close"), *_own_headers()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope.get("method") == "HEAD" else body})


async def _send_json(send: Send, content: Mapping[str, str], cookie: str = "") -> None:
    body = json.dumps(content).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"cache-control", b"no-store"), (b"connection", b"close"), *_own_headers()]
    headers += [(b"set-cookie", cookie.encode())] if cookie else []
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _redirect_with_cookie(send: Send, path: str, cookie: str, foreign: bool) -> None:
    """Set the cookie and redirect to a path.

    foreign : another page made the request, such as the file that opens the browser. A browser follows a redirect
    status on behalf of that page, without the cookie, but a redirect inside our own page with it.
    """
    status, body, kind = 303, "", (b"location", path.encode())
    if foreign:
        status, body, kind = 200, redirect_page(path), (b"content-type", b"text/html; charset=utf-8")
    headers = [kind, (b"set-cookie", cookie.encode()), (b"cache-control", b"no-store"), *_own_headers()]
    headers += [(b"content-length", str(len(body.encode())).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})


def redirect_page(address: str) -> str:
    """A page that redirects to an address."""
    to = escape(address)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
        f'<meta http-equiv="refresh" content="0; url={to}"><title>slipstick</title></head>'
        f'<body><p><a href="{to}">slipstick</a></p></body></html>\n'
    )


def _own_headers() -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
