"""`Note`: a sentence about a result, with wordings for Python and for the command line."""

from __future__ import annotations

from typing import Self


class Note(str):
    """A text in the words of Python.

    loop : what it is of, told before the rest; nothing where it is of all.   words : the rest.
    command : the same as words, for who types a command.
    """

    __slots__ = ("command", "loop", "words")
    loop: str
    words: str
    command: str

    def __new__(cls, words: str, loop: str = "", command: str = "") -> Self:
        own = super().__new__(cls, f"{loop}: {words}" if loop else words)
        own.loop, own.words, own.command = loop, words, command or words
        return own

    @property
    def parts(self) -> tuple[str, str, str]:
        """What makes it again: words, loop, command."""
        return self.words, self.loop, self.command
