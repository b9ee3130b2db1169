"""Messages of results in files, with their advice."""

from __future__ import annotations

from typing import Any

from slipstick.errors import Advice, Message, Spelling

SPELLING_KEY, OPEN_KEY = "spelling", "open value"  # no argument of any function has such a name
EncodedMessage = list[Any]  # its statement, its owner, and its advice: plain sentences, or text and values


def encode_message(text: str) -> EncodedMessage:
    """A message as JSON holds it."""
    message = Message.of(text)
    ways = [
        way if isinstance(way, str) else [way.text, _encode_value(dict(way.values))] for way in message.parts.advice
    ]
    return [message.with_owner("").statement, message.parts.owner, ways]


def decode_message(held: EncodedMessage) -> Message:
    """The message again; files of older versions have a wording for commands in the place of the advice."""
    statement, owner, ways = held
    each = ways if isinstance(ways, list) else []
    advice = [way if isinstance(way, str) else Advice(way[0], **_decode_value(way[1])) for way in each]
    return Message(statement, owner=owner, advice=advice)


def _encode_value(value: Any) -> Any:
    """A value of an advice for JSON, which has no named tuples."""
    if value is ...:  # for the reader to fill in
        return {OPEN_KEY: True}
    if isinstance(value, Spelling):
        return {SPELLING_KEY: list(value)}
    return {key: _encode_value(each) for key, each in value.items()} if isinstance(value, dict) else value


def _decode_value(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if OPEN_KEY in value:
        return ...
    if SPELLING_KEY in value:
        return Spelling(*value[SPELLING_KEY])
    return {key: _decode_value(each) for key, each in value.items()}
