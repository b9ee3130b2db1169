"""Text of a file: only regular files of a sane size, in UTF-8, without control characters."""

from __future__ import annotations

import codecs
import os
import re
import stat
from typing import Any

from slipstick.errors import FileError, short_repr
from slipstick.model.files.file_problems import one_line

MAX_FILE_BYTES = 500_000  # bytes; a larger one takes seconds to parse. Long tables belong in an .npz beside the file
MAX_SHOWN_PATH = 300  # characters of a path in a message

# what YAML 1.2 allows, less the line breaks that only YAML counts as such
_CONTROL = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_MARKS = ((codecs.BOM_UTF32_LE, "UTF-32"), (codecs.BOM_UTF32_BE, "UTF-32"),
          (codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))  # fmt: skip


def shown_file_name(path: Any) -> str:
    """The path as text that fits on one line of a message."""
    try:
        text = os.fspath(path)
    except TypeError:
        raise FileError(short_repr(path), None, "", "a file name is text or a Path") from None
    name = one_line(os.fsdecode(text)) or "''"
    return name if len(name) <= MAX_SHOWN_PATH else f"{name[:20]}...{name[-100:]}"


def read_text(path: Any) -> str:
    """The text of a file, with line breaks as ``\\n``; every way in which that fails is a `FileError`."""
    return decode_text(
        shown_file_name(path), read_bytes(path, MAX_FILE_BYTES, "long tables belong in an .npz file beside it")
    )


def decode_text(name: str, data: bytes) -> str:
    """The same for the bytes of a file of that name."""
    text = _decoded(name, data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    bad = _CONTROL.search(text)
    if bad:
        line = text.count("\n", 0, bad.start()) + 1
        raise FileError(name, line, "", f"the character {bad.group()!a} is not allowed in a model file; remove it")
    return text


def read_bytes(path: Any, limit: int, way_out: str) -> bytes:
    """The bytes of a regular file of at most ``limit`` bytes."""
    name = shown_file_name(path)
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise FileError(name, None, "", "is a folder; name a file in it")
        if not stat.S_ISREG(status.st_mode):
            # a pipe or a device may block, or never end
            raise FileError(name, None, "", "is not a regular file (a pipe or a device); copy it into a file first")
        if status.st_size > limit:
            raise FileError(name, None, "", f"has {status.st_size} bytes, the limit is {limit}; {way_out}")
        with open(path, "rb") as stream:
            data = stream.read(limit + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(name, None, "", _reason(error)) from None
    if len(data) > limit:  # it grew, or lies in a file system that reports no size
        raise FileError(name, None, "", f"has more than {limit} bytes, which is the limit; {way_out}")
    return data


def _reason(error: OSError | ValueError) -> str:
    """Why a file could not be opened, and what to do."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file; check the name and the folder"
    if isinstance(error, NotADirectoryError):
        return "a folder in this path is a file; check the path"
    if isinstance(error, PermissionError):
        return "may not be read; check its permissions"
    words = getattr(error, "strerror", None) or str(error)
    return f"cannot be opened: {one_line(words).lower()}; check the path"


def _decoded(name: str, data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            raise FileError(name, 1, "", f"is written in {encoding}; save it as UTF-8")
    if b"\0" in data:
        zero = data.index(b"\0")
        line = data.count(b"\n", 0, zero) + 1
        raise FileError(name, line, "", "is not text: it holds a zero byte; a model file is YAML text in UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise FileError(name, line, "", f"is not UTF-8: byte 0x{byte:02x}; save it as UTF-8") from None
