"""Messages of results in files, with their advice."""

from __future__ import annotations

from typing import Any

from slipstick.errors import Advice, Message

EncodedMessage = list[Any]  # its statement, its owner, and its advice: plain sentences, or text and values


def encode_message(text: str) -> EncodedMessage:
    """A message as JSON holds it."""
    message = Message.of(text)
    ways = [way if isinstance(way, str) else [way.text, dict(way.values)] for way in message.parts.advice]
    return [message.with_owner("").statement, message.parts.owner, ways]


def decode_message(held: EncodedMessage) -> Message:
    """The message again; files of older versions have a wording for commands in the place of the advice."""
    statement, owner, ways = held
    advice = [way if isinstance(way, str) else Advice(way[0], **way[1]) for way in ways if isinstance(ways, list)]
    return Message(statement, owner=owner, advice=advice)
