"""Reconnects open pages to a new start of the server on the same address, which has another token.

Page and server prove to each other that they know a key, which only this user can read on disk. The key itself is never
sent: another program that listens on the address meanwhile learns nothing that it could use later.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from slipstick.app.project.autosave import users_state_folder

PATH = "/reconnect"
KEY_PATTERN = re.compile(r"[0-9a-f]{64}")
NONCE_PATTERN = re.compile(r"[0-9a-f]{32}")
MAX_PENDING_NONCES = 100  # of pages that have not answered yet; the oldest is dropped

# replaces NiceGUI's message about a lost connection. The socket reconnects by itself to a server that still runs; a
# page in which something was typed meanwhile asks before it is loaded again
SCRIPT = """
<script type="module">
const box = document.getElementById("popup"), [first, second] = box.querySelectorAll("span");
const say = (title, html) => { first.textContent = title; second.innerHTML = html; };
box.setAttribute("role", "alert");
say("slipstick does not answer: it has probably ended.",
  "Start it again with <code>slipstick app</code> in a terminal: this page then reconnects by itself, and offers your "
  + "work as it was saved last. What you typed since is still here; copy what you need.");
const text = new TextEncoder(), hex = (bytes) => [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
const prove = async (role, page, server) => {
  const kind = {name: "HMAC", hash: "SHA-256"};
  const key = await crypto.subtle.importKey("raw", text.encode("%(key)s"), kind, false, ["sign"]);
  const words = [role, location.host, page, server].join(" ");
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(words))));
};
const ask = async (query) => (await fetch("%(path)s?" + new URLSearchParams(query))).json();
let typed = false, pending = false;
const isGone = () => box.ariaHidden === "false";
addEventListener("input", () => { typed ||= isGone(); }, true);
const reconnect = async (page, server) => {
  say("slipstick was started again.", "Reconnecting ...");
  await ask({page, server, proof: await prove("page", page, server)});
  location.reload();
};
const look = async () => {
  const page = hex(crypto.getRandomValues(new Uint8Array(16))), answer = await ask({page});
  if (answer.start === "%(start)s" || answer.proof !== await prove("server", page, answer.server)) return;
  if (!typed) return reconnect(page, answer.server);
  say("slipstick was started again.", "Copy what you typed since it ended, then <button>reconnect</button>");
  await new Promise((resolve) => { second.querySelector("button").onclick = resolve; });
  typed = false;
};
setInterval(async () => {
  if (pending || !isGone()) return;
  pending = true;
  await look().catch(() => {});
  pending = false;
}, 1000);
</script>
"""


class Reconnect:
    """The server's side.   key : shared with the pages of earlier starts.   start : identifies this one."""

    def __init__(self, key: str) -> None:
        self._key, self.start = key, secrets.token_hex(16)
        self._nonces: deque[str] = deque(maxlen=MAX_PENDING_NONCES)

    @property
    def script(self) -> str:
        """The page's side, for pages that were opened with the token."""
        return SCRIPT % {"key": self._key, "path": PATH, "start": self.start}

    def challenge(self, host: str, page: str) -> dict[str, str] | None:
        """The server's proof for the nonce of a page, and a nonce of its own; None for another kind of nonce."""
        if not NONCE_PATTERN.fullmatch(page):
            return None
        server = secrets.token_hex(16)
        self._nonces.append(server)
        return {"start": self.start, "server": server, "proof": self.prove("server", host, page, server)}

    def accepts(self, host: str, query: Mapping[str, str]) -> bool:
        """True if a page proves that it knows the key; each nonce counts once."""
        page, server = query.get("page", ""), query.get("server", "")
        if server not in self._nonces:
            return False
        self._nonces.remove(server)
        return hmac.compare_digest(self.prove("page", host, page, server).encode(), query.get("proof", "").encode())

    def prove(self, role: str, host: str, page: str, server: str) -> str:
        """The proof of the page or of the server: HMAC of role, host and both nonces."""
        return hmac.new(self._key.encode(), " ".join((role, host, page, server)).encode(), "sha256").hexdigest()


def users_key(folder: Path | None = None) -> str:
    """The key of this user, made at the first start; where it cannot be kept, one for this start alone."""
    path = (folder or users_state_folder() / "slipstick") / "reconnect-key"
    with suppress(OSError, UnicodeDecodeError):
        about = path.lstat()
        private = os.name == "nt" or (about.st_uid == os.getuid() and not about.st_mode & 0o077)
        if path.is_file() and not path.is_symlink() and private:
            key = path.read_text("ascii").strip()
            if KEY_PATTERN.fullmatch(key):
                return key
    key = secrets.token_hex(32)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(key)
    return key
