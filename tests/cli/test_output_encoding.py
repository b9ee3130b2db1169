"""Output that a device, a terminal or a font cannot take: one line, or a replacement; never a fault."""

from __future__ import annotations

import io
import os
import sys

import pytest
from study.invalid_studies import MODEL

from slipstick.cli import main


def leave(*arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    return left.value.code


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("check", "pair.yaml"), ("new", "belt")])
@pytest.mark.parametrize("errors_too", [False, True])
def test_a_full_device_is_reported_in_one_line(tmp_path, monkeypatch, capsys, arguments, errors_too):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair.yaml").write_text(MODEL)
    with open("/dev/full", "w") as full, open("/dev/full", "w", buffering=1) as other:  # as stderr is
        monkeypatch.setattr(sys, "stdout", full)
        if errors_too:
            monkeypatch.setattr(sys, "stderr", other)
        assert leave(*arguments) == 2
    told = capsys.readouterr().err
    expected = "slipstick: the output cannot be written: no space left on device; make room, or send it elsewhere\n"
    assert told == ("" if errors_too else expected)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_an_error_that_cannot_be_written_keeps_its_exit_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open("/dev/full", "w", buffering=1) as full:
        monkeypatch.setattr(sys, "stderr", full)
        assert leave("check", "nothing.yaml") == 2


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_letters_that_a_terminal_lacks_are_replaced(tmp_path, monkeypatch, errors):
    (tmp_path / "rig.yaml").write_text(MODEL.replace("name: pair", "name: Prüfstand α"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors=errors)
    monkeypatch.setattr(sys, "stdout", screen)
    assert leave("check", "rig.yaml") == 0
    assert b"rig.yaml: ok  Pr?fstand ?" in screen.buffer.getvalue()


def test_output_that_is_closed_is_no_fault(tmp_path, monkeypatch):
    (tmp_path / "pair.yaml").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdout", None)
    assert leave("check", "pair.yaml") == 0


@pytest.mark.filterwarnings("default")
def test_letters_that_a_font_lacks_are_warned_of_in_one_line_each(called):
    study = "slipstick: 1\nmodel: rig.yaml\ntransient: {until: 10 ms}\n"
    command = called({"rig.yaml": MODEL.replace("name: pair", "name: rig 试 $5_$"), "study.yaml": study})
    done = command("run", "study.yaml")
    assert done.code == 0
    assert all(line.startswith("warning: Glyph ") for line in done.err.splitlines())
    assert "written: study.png" in done.out
