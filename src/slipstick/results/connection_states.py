"""States of connections whose law has several parts: the states of the parts, in their order.

"contact+ slip-"    a staged spring in contact, parallel to slipping friction
"slip+*3 stick*2"   five sliders, the first three slip
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray


def join_states(words: Sequence[str]) -> str:
    """Join the states of parts; empty states are dropped, and repeated ones counted."""
    groups = ((word, len(list(same))) for word, same in groupby(word for word in words if word))
    return " ".join(word if count == 1 else f"{word}*{count}" for word, count in groups)


def split_states(state: str) -> tuple[str, ...]:
    """Inverse of `join_states`."""
    words = (word.partition("*") for word in state.split())
    return tuple(name for name, _, count in words for _ in range(int(count) if count.isdigit() else 1))


def join_state_columns(columns: Sequence[NDArray[np.str_]]) -> NDArray[np.str_]:
    """(k,) joined states of several parts, (k,) each."""
    if len(columns) == 1:
        return columns[0]
    codes, words = zip(*(_encode_words(column) for column in columns), strict=True)
    rows, which = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    named = [join_states([str(own[k]) for own, k in zip(words, row, strict=True)]) for row in rows]
    return np.asarray(np.array(named, dtype=np.str_)[which.ravel()])


def _encode_words(column: NDArray[np.str_]) -> tuple[NDArray[np.intp], NDArray[np.str_]]:
    words, codes = np.unique(column, return_inverse=True)
    return codes, words
