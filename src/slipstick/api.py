"""The user's Model: the plain data of `slipstick.model`, with the verbs on it."""

from __future__ import annotations

from slipstick.model.system import System


class Model(System):
    """Coordinates, connections and loads; see `coordinate`, `connect`, `load`."""
