"""The command line in a folder of its own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from slipstick.cli import main


@pytest.fixture
def called(tmp_path, monkeypatch, capsys):
    """Write files into the folder; what is returned calls the command and tells its exit code and what it printed."""

    def prepare(files):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "80")
        for name, text in files.items():
            (tmp_path / name).write_text(text)

        def run(*arguments):
            capsys.readouterr()
            with pytest.raises(SystemExit) as left:
                main(arguments)
            return SimpleNamespace(code=left.value.code, **dict(zip(("out", "err"), capsys.readouterr(), strict=True)))

        return run

    return prepare
