"""Two thousand damaged tables: each is read with everything skipped counted, or refused in one line."""

from __future__ import annotations

import gzip
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest

import slipstick as ss
from slipstick.identification.reading import text_lines
from slipstick.identification.reading.text_lines import MAX_TEXT_BYTES, READ_CHUNK_BYTES

T = np.arange(60) / 100.0
U = np.sin(2.0 * np.pi * 3.0 * T)
F = np.tanh(3.0 * U) + 0.3 * np.cos(2.0 * np.pi * 3.0 * T)
ROWS = [f"{t:.4f},{u:.6f},{f:.6f}" for t, u, f in zip(T, U, F, strict=True)]
GOOD = "t [s],u [mm],F [N]\n" + "\n".join(ROWS) + "\n"
COUNT = 2000
SEPARATED = "write numbers without separators of thousands"
THOUSANDS = {  # numbers as some write them, and what is said of a line with one
    "1,234.5": "has 4 fields, lines before have 3",
    "1.234,5": "has 4 fields, lines before have 3",
    '"1,234.5"': f"column \"u\": must be a number, got '1,234.5'; {SEPARATED}",
    "1'234.5": f'column "u": must be a number, got "1\'234.5"; {SEPARATED}',
    "1 234.5": f"column \"u\": must be a number, got '1 234.5'; {SEPARATED}",
}
STAMPS = ("2024-05-01 12:00:00.%02d", "01.05.2024 12:00:%02d", "12:00:%02d", "5/1/2024 1:00:%02d")

Damage = Callable[[random.Random, str], bytes]


def plain(change: Callable[[random.Random, list[str]], list[str]]) -> Damage:
    """A damage to lines."""
    return lambda rng, text: "\n".join(change(rng, text.split("\n"))).encode()


def flipped(rng: random.Random, text: str) -> bytes:
    content = bytearray(text.encode())
    for _ in range(rng.randint(1, 5)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)


def inserted(rng: random.Random, text: str) -> bytes:
    pieces = (
        b",",
        b";",
        b"\n",
        b"nan",
        b"1e999",
        b"\x00",
        b"\xff",
        b'"',
        b"#",
        b"-",
        b"e",
        b"\t",
        b"xx",
        b"[",
        b"\x0c",
    )
    content = text.encode()
    for _ in range(rng.randint(1, 4)):
        p = rng.randrange(len(content))
        content = content[:p] + rng.choice(pieces) + content[p:]
    return content


def cut(rng: random.Random, lines: list[str]) -> list[str]:
    i = rng.randrange(len(lines))
    return [*lines[:i], lines[i][: rng.randint(0, 12)], *lines[i + 1 : rng.randint(i, len(lines))]]


def repeated(rng: random.Random, lines: list[str]) -> list[str]:
    i = rng.randrange(1, len(lines))
    return lines[:i] + lines[i : i + rng.randint(1, 30)] + lines[i:]


def shuffled(rng: random.Random, lines: list[str]) -> list[str]:
    order = rng.sample(range(3), 3)
    return [",".join(np.array(line.split(","))[order]) if line.count(",") == 2 else line for line in lines]


def mixed(rng: random.Random, lines: list[str]) -> list[str]:
    return [line.replace(",", rng.choice(";\t, |")) if rng.random() < 0.2 else line for line in lines]


def commas(rng: random.Random, lines: list[str]) -> list[str]:
    own = [line.replace(",", ";").replace(".", ",") for line in lines]
    return own if rng.random() < 0.5 else [f'"{line}"'.replace(";", '","') for line in own]


def thousands(rng: random.Random, lines: list[str]) -> list[str]:
    i = rng.randrange(1, len(lines))
    return [*lines[:i], f"0.1,{rng.choice(list(THOUSANDS))},2.0", *lines[i + 1 :]]


def footer(rng: random.Random, lines: list[str]) -> list[str]:
    return [*lines, rng.choice(("end of data", "maximum,1.0,2.0", "# ok", "operator: 7", ",,", "---"))]


def blocks(rng: random.Random, lines: list[str]) -> list[str]:
    i = rng.randrange(2, len(lines) - 1)
    return [*lines[:i], *rng.choice(([""], ["", ""], [lines[0]], ["", lines[0]])), *lines[i:]]


def dated(rng: random.Random, lines: list[str]) -> list[str]:
    return stamped(rng.choice(STAMPS), lines)


def stamped(stamp: str, lines: list[str]) -> list[str]:
    return [lines[0], *(f"{stamp % (k % 60)},{line.partition(',')[2]}" for k, line in enumerate(lines[1:]) if line)]


def written_otherwise(rng: random.Random, lines: list[str]) -> list[str]:
    change: Callable[[str], str] = rng.choice(
        [lambda x: x.replace("0.", ".") + "D+00", lambda x: f'"{x}"'.replace(",", '","'), lambda x: x + ",", str.upper]
    )
    return [lines[0], *(change(line) if line else line for line in lines[1:])]


def headed(rng: random.Random, lines: list[str]) -> list[str]:
    above = rng.choice(("sep=;", "sep=,", "rig 7", "a,b", "0.0,abc,1.0", "s,mm,N", "time;way;force", "\ufefft,u"))
    return [above, *lines] if rng.random() < 0.6 else [lines[0], above, *lines[1:]]


def long(rng: random.Random, lines: list[str]) -> list[str]:
    i = rng.randrange(len(lines))
    filling = rng.choice((" " * 150_000, "1" * 90_000, "," * 5_000, "u [" * 30_000, "(" * 90_000))
    return [*lines[:i], lines[i] + filling, *lines[i + 1 :]]


def encoded(rng: random.Random, text: str) -> bytes:
    kind = rng.choice(("utf-16", "utf-16-le", "utf-16-be", "latin-1", "utf-8-sig", "utf-32", "cp500"))
    content = text.replace("mm", "µm").encode(kind)
    return content[: rng.randint(1, len(content))] if rng.random() < 0.3 else content


def ended(rng: random.Random, text: str) -> bytes:
    return text.replace("\n", rng.choice(("\r\n", "\r", "\n\r", "\n\n", "\x0b", "\u2028"))).encode()


def packed(rng: random.Random, text: str) -> bytes:
    content = bytearray(gzip.compress(text.encode()))
    if rng.random() < 0.5:
        return bytes(content[: rng.randrange(3, len(content))])
    content[rng.randrange(2, len(content))] ^= 1 << rng.randrange(8)
    return bytes(content)


DAMAGE: dict[str, Damage] = {
    "flipped": flipped, "inserted": inserted, "encoded": encoded, "ended": ended, "packed": packed,
    **{own.__name__: plain(own) for own in (
        cut, repeated, shuffled, mixed, commas, thousands, footer, blocks, dated, written_otherwise, headed, long
    )},
}  # fmt: skip


def lines_told(loops: list[ss.Loop]) -> int:
    """Lines that were read or counted as skipped, without empty ones."""
    told = sum(len(loop) for loop in loops)
    for words in loops[0].notes:
        if "skipped" in words:
            told += sum(int(n) for n in re.findall(r"(\d+) (?:comment|repeated header|line)", words))
    return told


def read(path: Path) -> tuple[list[ss.Loop], str]:
    """Loops, or what was said instead of them."""
    try:
        return ss.Loop.read_many(path), ""
    except ss.InvalidInput as refusal:
        return [], str(refusal)


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_refused_in_one_line_or_counted(kind: str, tmp_path: Path) -> None:
    rng = random.Random(kind)
    path = tmp_path / "m.csv"
    for _ in range(-(-COUNT // len(DAMAGE))):
        content = DAMAGE[kind](rng, GOOD)
        path.write_bytes(content)
        loops, said = read(path)
        assert "\n" not in said
        assert len(said) < 500
        if loops and kind in ("cut", "repeated", "mixed", "footer", "commas", "thousands", "written_otherwise"):
            busy = [line for line in content.decode().split("\n") if line.strip()]
            assert lines_told(loops) >= len(busy) - 1, content  # the header is the only one not counted


@pytest.mark.parametrize(("wrong", "words"), THOUSANDS.items())
def test_separators_of_thousands_are_refused_on_their_line(wrong: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    lines = GOOD.split("\n")
    path.write_text("\n".join([*lines[:30], f"0.1,{wrong},2.0", *lines[31:]]))
    with pytest.raises(ss.InvalidInput, match=rf"m\.csv:31: {re.escape(words)}"):
        ss.Loop.read_csv(path)


@pytest.mark.parametrize("stamp", STAMPS)
def test_clock_times_that_stand_still_are_refused_with_the_way_out(stamp: str, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("\n".join(stamped(stamp, [line for line in GOOD.split("\n") for _ in range(2)][1:])))
    with pytest.raises(ss.InvalidInput, match=r"m\.csv:\d+: time must increase, .*; .* rate="):
        ss.Loop.read_csv(path)


class Counting:
    """A file that counts the bytes that are read from it."""

    def __init__(self, file: IO[bytes], read: list[int]) -> None:
        self.file, self.counts = file, read

    def read(self, size: int = -1) -> bytes:
        found = self.file.read(size)
        self.counts.append(len(found))
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> Counting:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


def test_a_gigabyte_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.write(GOOD.encode())
        file.truncate(2**30)
    counts: list[int] = []
    monkeypatch.setattr(text_lines, "open", lambda *given: Counting(open(*given), counts), raising=False)  # noqa: SIM115
    with pytest.raises(ss.InvalidInput, match="has more than 128 MB of text, the limit") as refusal:
        ss.Loop.read_csv(path)
    assert "\n" not in str(refusal.value)
    assert sum(counts) == 2  # what tells if it is packed


@pytest.mark.parametrize("filling", [b"\n", b"1,2,3\n", b" "], ids=["lines", "rows", "blanks"])
def test_a_small_file_that_unpacks_to_a_large_one_is_refused(
    filling: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(GOOD.encode())
        piece = filling * (2**22 // len(filling))
        for _ in range(MAX_TEXT_BYTES // len(piece) + 2):
            file.write(piece)
    assert path.stat().st_size < 2**22
    counts: list[int] = []
    unpacked = gzip.open
    monkeypatch.setattr(text_lines.gzip, "open", lambda *given: Counting(unpacked(*given), counts))
    with pytest.raises(ss.InvalidInput, match="has more than 128 MB of text, the limit"):
        ss.Loop.read_csv(path)
    assert sum(counts) <= MAX_TEXT_BYTES + READ_CHUNK_BYTES


def test_a_pipe_or_a_device_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    """Opening a pipe that nobody writes to would wait for ever."""
    pipe = tmp_path / "rig.csv"
    os.mkfifo(pipe)
    with pytest.raises(ss.FileError, match=r"rig\.csv: is a pipe, not a file; write the table to a file"):
        ss.Loop.read_csv(pipe)
    with pytest.raises(ss.FileError, match="is a device, not a file"):
        ss.Loop.read_csv("/dev/zero")
    with pytest.raises(ss.FileError, match="is a folder, not a file"):
        ss.Loop.read_csv(tmp_path)
