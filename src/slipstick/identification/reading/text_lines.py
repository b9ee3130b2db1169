"""Lines of a text file, compressed or not, in the encodings of instruments, up to a size limit."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import zlib
from typing import IO

from slipstick.errors import FileError, InvalidInput, short_repr

MAX_TEXT_BYTES = 128 * 1024 * 1024  # uncompressed
MAX_LINES = 4_000_000
READ_CHUNK_BYTES = 1024 * 1024
MAX_JOINED_LINES = 20  # of one quoted field
FIELD_ENDS = ',;|\t "'  # a doubled quote is a literal quote
MIN_CYRILLIC_RUN = 3  # bytes above 127 in a row, on average
UTF16_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_lines(file: str, given: bytes | None = None, encoding: str | None = None) -> list[str]:
    """All lines of a file, decompressed and decoded.   given : its bytes, if it was uploaded.

    encoding : of the text, such as "cp1251"; by default UTF-8, UTF-16, GB 2312, Windows Cyrillic or Latin-1.
    """
    content = _file_bytes(file, given)
    ends = content.count(b"\n") + content.count(b"\r")
    if ends > MAX_LINES:
        raise FileError(
            file, None, "", f"has {ends} lines, the limit is {MAX_LINES}; keep every tenth sample, or one loop"
        )
    text = _decode(file, content, encoding).replace("\N{MINUS SIGN}", "-")  # as word processors write it
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")  # splitlines also splits at form feeds
    lines = lines[:-1] if not lines[-1] else lines
    return _join_quoted_lines(lines) if '"' in text else lines


def _join_quoted_lines(lines: list[str]) -> list[str]:
    """Join lines of quoted fields with line breaks; empty lines after them keep the line numbers."""
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
    """True if a line ends within quotes, which open only at the start of a field.   quoted : so does its start."""
    before = ","
    for sign in line if '"' in line else "":
        if sign == '"' and (quoted or before in FIELD_ENDS):
            quoted = not quoted
        before = sign
    return quoted


def _file_bytes(file: str, given: bytes | None) -> bytes:
    """Bytes of a file; larger ones are refused before reading, or after decompressing up to the limit."""
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
    """Kind of a path that is not a regular file, in words."""
    mode = os.stat(path).st_mode
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((words for is_kind, words in kinds if is_kind(mode)), "a device")


def _read_bounded(file: str, stream: IO[bytes]) -> bytes:
    parts: list[bytes] = []
    size = 0
    while chunk := stream.read(READ_CHUNK_BYTES):
        if not parts and _is_binary(chunk):
            raise FileError(file, None, "", "is not text; export it as CSV")
        parts.append(chunk)
        size += len(chunk)
        if size > MAX_TEXT_BYTES:
            raise _too_large(file)
    return b"".join(parts)


def _too_large(file: str) -> FileError:
    words = f"has more than {MAX_TEXT_BYTES // 1024**2} MB of text, the limit; keep every tenth sample, or one loop"
    return FileError(file, None, "", words)


def _is_binary(begin: bytes) -> bool:
    """True for zero bytes at the start that are not UTF-16."""
    return b"\x00" in begin[:4096] and not begin.startswith(UTF16_BYTE_ORDER_MARKS) and not _utf16_without_mark(begin)


def _utf16_without_mark(begin: bytes) -> str:
    """Encoding of UTF-16 without a byte order mark, where every other byte is zero; empty if it is not."""
    few = begin[:4096]
    low, high = few[0::2], few[1::2]
    if len(few) > 8 and low.count(0) == 0 and high.count(0) > 0.9 * len(high):
        return "utf-16-le"
    if len(few) > 8 and high.count(0) == 0 and low.count(0) > 0.9 * len(low):
        return "utf-16-be"
    return ""


def _decode(file: str, content: bytes, encoding: str | None) -> str:
    wide = (
        "utf-16"
        if content.startswith(UTF16_BYTE_ORDER_MARKS)
        else _utf16_without_mark(content)
        if b"\x00" in content[:4096]
        else ""
    )
    if encoding or wide:
        try:
            return content.decode(encoding or wide)
        except LookupError:
            raise unknown_encoding(encoding) from None
        except UnicodeDecodeError:
            kind = encoding or "UTF-16, cut short or damaged"
            raise FileError(file, None, "", f"is not text that can be read ({kind})") from None
    for guess in ("utf-8-sig", *_likely_encodings(content)):
        try:
            return content.decode(guess)
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1")  # µ and ° of older instruments


def unknown_encoding(encoding: str | None) -> InvalidInput:
    """The error for a name that is no encoding."""
    words = f"{short_repr(encoding)} is not a known encoding; use one such as utf-8, gb18030 or cp1251"
    return InvalidInput(words, subject="encoding")


def _likely_encodings(content: bytes) -> tuple[str, ...]:
    """Encodings of text that is not UTF-8, from its runs of bytes above 127.

    Chinese letters (GB 2312) are pairs of bytes from 161 on, Cyrillic ones make long runs; Latin letters stand alone.
    """
    runs = re.findall(rb"[\x80-\xff]+", content[:READ_CHUNK_BYTES])
    if runs and all(len(run) % 2 == 0 and min(run) >= 0xA1 for run in runs):
        return ("gb2312",)
    if runs and sum(map(len, runs)) >= MIN_CYRILLIC_RUN * len(runs):
        return ("cp1251",)
    return ()
