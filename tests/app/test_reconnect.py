"""Pages of an earlier start: both sides prove that they know the key, and nobody else gets in."""

import asyncio
import hashlib
import hmac
import json
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from slipstick.app.reconnect import MAX_PENDING_NONCES, PATH, Reconnect, users_key
from slipstick.app.request_guard import RequestGuard

KEY = "ab" * 32
HOST = "127.0.0.1:8470"
NONCE = "0123456789abcdef" * 2


def proof(role, server, key=KEY, host=HOST, page=NONCE):
    """As the page computes it."""
    return hmac.new(key.encode(), f"{role} {host} {page} {server}".encode(), hashlib.sha256).hexdigest()


def ask(guard, query, **headers):
    """Status, headers and body of a request without token and cookie."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b""}

    given = {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {"type": "http", "method": "GET", "path": PATH, "raw_path": PATH.encode(), "query_string": query.encode(),
             "headers": [(name.encode(), value.encode()) for name, value in given.items()]}  # fmt: skip
    with ThreadPoolExecutor(1) as thread:  # the browser of other tests has an event loop in this one
        thread.submit(asyncio.run, guard(scope, receive, send)).result()
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]


@pytest.fixture
def guard():
    async def inside(_scope, _receive, _send):
        raise AssertionError("a request came in without a token")

    return RequestGuard(inside, hosts=frozenset({HOST}), token="secret", largest=10, reconnect=Reconnect(KEY))


def challenge(guard):
    status, headers, body = ask(guard, f"page={NONCE}")
    assert status == 200
    assert b"set-cookie" not in headers
    assert KEY.encode() not in body
    return json.loads(body)


def test_the_server_proves_itself_and_a_page_that_does_gets_the_cookie_once(guard):
    told = challenge(guard)
    assert told["proof"] == proof("server", told["server"])
    query = f"page={NONCE}&server={told['server']}&proof={proof('page', told['server'])}"
    status, headers, _ = ask(guard, query)
    assert status == 200
    assert headers[b"set-cookie"].startswith(b"slipstick-8470=")
    assert ask(guard, query)[0] == 403  # heard by somebody else


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "cd" * 32},
        {"role": "server"},  # the server's own proof, sent back
        {"host": "127.0.0.1:8471"},  # relayed from another port
        {"page": "f" * 32},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_wrong_proof_gets_nothing(guard, wrong):
    server = challenge(guard)["server"]
    own = proof(**{"role": "page", "server": server, **wrong})
    status, headers, _ = ask(guard, f"page={NONCE}&server={server}&proof={own}")
    assert status == 403
    assert b"set-cookie" not in headers


@pytest.mark.parametrize("query", ["", "page=short", f"page={NONCE}%00", f"proof={'0' * 64}", "page=é"])
def test_other_queries_are_refused(guard, query):
    assert ask(guard, query)[0] in (400, 403)


def test_other_pages_and_other_names_are_refused(guard):
    query = f"page={NONCE}"
    assert ask(guard, query, sec_fetch_site="cross-site")[0] == 403
    assert ask(guard, query, origin="http://evil.example")[0] == 403
    assert ask(guard, query, host="evil.example:8470")[0] == 403


def test_only_the_latest_challenges_are_kept():
    server = Reconnect(KEY)
    first = server.challenge(HOST, NONCE)["server"]
    for _ in range(MAX_PENDING_NONCES):
        server.challenge(HOST, NONCE)
    assert not server.accepts(HOST, {"page": NONCE, "server": first, "proof": proof("page", first)})


def test_the_key_is_kept_for_this_user_alone(tmp_path):
    key = users_key(tmp_path / "state")
    (file,) = (tmp_path / "state").iterdir()
    assert users_key(tmp_path / "state") == key
    assert file.stat().st_mode & 0o077 == 0
    os.chmod(file, 0o644)  # others may have read it
    assert users_key(tmp_path / "state") != key
    file.write_text("guessable")
    assert len(users_key(tmp_path / "state")) == 64
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    assert len(users_key(blocked)) == 64
