"""The log of the server stays small, and is nobody else's."""

import logging
import os

import pytest

from slipstick.app import log_file


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setattr(log_file, "MAX_LOG_BYTES", 10_000)
    handler = log_file.BoundedFile(tmp_path / "app.log")
    (tmp_path / "app.log").chmod(0o600)
    logger = logging.Logger("slipstick.app")
    logger.addHandler(handler)
    yield logger, tmp_path / "app.log"
    handler.close()


def test_the_log_keeps_the_last_lines_within_its_bound(log):
    logger, file = log
    sizes = []
    for k in range(2000):
        logger.warning("line %d: müde", k)
        sizes.append(file.stat().st_size)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert max(sizes) <= 10_000
    assert lines[0] == "(earlier lines were dropped)"
    numbers = [int(line.split()[1].rstrip(":")) for line in lines[1:]]
    assert numbers == list(range(numbers[0], 2000))
    assert len(numbers) > 100
    assert [each.name for each in file.parent.iterdir()] == ["app.log"]
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600


def test_a_line_with_half_a_character_is_logged(log, capsys):
    logger, file = log
    logger.warning("file \ud800.csv")
    assert file.read_text(encoding="utf-8") == "file \\ud800.csv\n"
    assert capsys.readouterr().err == ""


def test_a_line_longer_than_the_bound_is_cut(log):
    logger, file = log
    logger.warning("x" * 50_000)
    logger.warning("after it")
    assert file.stat().st_size <= 10_000
    assert file.read_text(encoding="utf-8").endswith("after it\n")
