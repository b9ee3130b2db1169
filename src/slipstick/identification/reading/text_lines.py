"""The lines of a text file, packed or not, in the encodings of instruments; never more than can be held."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from typing import IO

from slipstick.errors import FileError

MAX_TEXT_BYTES = 128 * 1024 * 1024  # bytes of text, unpacked
MAX_LINES = 4_000_000
READ_CHUNK_BYTES = 1024 * 1024
MAX_JOINED_LINES = 20  # lines of one quoted field
FIELD_ENDS = ',;|\t "'  # a second quote within quotes stands for one
UTF16_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")  # at the begin of UTF-16


def read_lines(file: str, given: bytes | None = None) -> list[str]:
    """All lines of a file, unpacked and decoded.   given : what is in it, where it came without a file to open."""
    content = _file_bytes(file, given)
    ends = content.count(b"\n") + content.count(b"\r")
    if ends > MAX_LINES:
        raise FileError(
            file, None, "", f"has {ends} lines, the limit is {MAX_LINES}; keep every tenth sample, or one loop"
        )
    text = _decode(file, content).replace("\N{MINUS SIGN}", "-")  # as word processors and some programs write it
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")  # splitlines would break at form feeds too
    lines = lines[:-1] if not lines[-1] else lines
    return _join_quoted_lines(lines) if '"' in text else lines


def _join_quoted_lines(lines: list[str]) -> list[str]:
    """Lines whose quoted fields have line breaks in one piece, with empty lines behind them to keep the numbers."""
    found, i = list(lines), 0
    while i < len(lines):
        end, quoted = i, _ends_quoted(lines[i])
        while quoted and end + 1 < min(i + MAX_JOINED_LINES, len(lines)):
            end += 1
            quoted = _ends_quoted(lines[end], quoted)
        if end > i and not quoted:
            found[i : end + 1] = ["\n".join(lines[i : end + 1]), *[""] * (end - i)]
            i = end
        i += 1
    return found


def _ends_quoted(line: str, quoted: bool = False) -> bool:
    """True if a line ends within quotes, which open at the begin of a field only; quoted : it begins so."""
    before = ","
    for sign in line if '"' in line else "":
        if sign == '"' and (quoted or before in FIELD_ENDS):
            quoted = not quoted
        before = sign
    return quoted


def _file_bytes(file: str, given: bytes | None) -> bytes:
    """What is in a file, once what is too large is refused unread, or with no more unpacked than the limit."""
    try:
        if given is None and not stat.S_ISREG(os.stat(file).st_mode):  # a pipe might never end
            raise FileError(file, None, "", f"is {_kind_of(file)}, not a file; write the table to a file and name that")
        with open(file, "rb") if given is None else io.BytesIO(given) as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            if not packed and raw.seek(0, os.SEEK_END) > MAX_TEXT_BYTES:
                raise _too_large(file)
            raw.seek(0)
            if not packed:
                return _read_bounded(file, raw)
            with gzip.open(raw, "rb") as unpacked:
                return _read_bounded(file, unpacked)  # type: ignore[arg-type]
    except FileNotFoundError:
        raise FileError(file, None, "", "there is no such file; check the name and the folder") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise FileError(file, None, "", f"cannot be unpacked, it is damaged or cut short: {problem}") from None
    except (OSError, ValueError) as problem:  # a name with a NUL in it is a ValueError
        if isinstance(problem, FileError):
            raise
        words = getattr(problem, "strerror", None) or problem
        raise FileError(file, None, "", f"cannot be read: {words}") from None


def _kind_of(path: str) -> str:
    """What a path leads to that is no file."""
    mode = os.stat(path).st_mode
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((words for is_kind, words in kinds if is_kind(mode)), "a device")


def _read_bounded(file: str, stream: IO[bytes]) -> bytes:
    parts: list[bytes] = []
    size = 0
    while chunk := stream.read(READ_CHUNK_BYTES):
        if not parts and _is_binary(chunk):
            raise FileError(file, None, "", "is no text; export it as CSV")
        parts.append(chunk)
        size += len(chunk)
        if size > MAX_TEXT_BYTES:
            raise _too_large(file)
    return b"".join(parts)


def _too_large(file: str) -> FileError:
    words = f"has more than {MAX_TEXT_BYTES // 1024**2} MB of text, the limit; keep every tenth sample, or one loop"
    return FileError(file, None, "", words)


def _is_binary(begin: bytes) -> bool:
    """True for zeros among the first bytes that are not those of UTF-16."""
    return b"\x00" in begin[:4096] and not begin.startswith(UTF16_BYTE_ORDER_MARKS) and not _utf16_without_mark(begin)


def _utf16_without_mark(begin: bytes) -> str:
    """The kind of UTF-16 that has no mark: every other byte of plain numbers is zero; nothing where it is not."""
    few = begin[:4096]
    low, high = few[0::2], few[1::2]
    if len(few) > 8 and low.count(0) == 0 and high.count(0) > 0.9 * len(high):
        return "utf-16-le"
    if len(few) > 8 and high.count(0) == 0 and low.count(0) > 0.9 * len(low):
        return "utf-16-be"
    return ""


def _decode(file: str, content: bytes) -> str:
    wide = (
        "utf-16"
        if content.startswith(UTF16_BYTE_ORDER_MARKS)
        else _utf16_without_mark(content)
        if b"\x00" in content[:4096]
        else ""
    )
    if wide:
        try:
            return content.decode(wide)
        except UnicodeDecodeError:
            raise FileError(file, None, "", "is not text that can be read (UTF-16, cut short or damaged)") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")  # µ and ° of older instruments
