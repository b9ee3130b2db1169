"""The kinds of studies, by the name of their section."""

from __future__ import annotations

from slipstick.study.transient import TRANSIENT

KINDS = {kind.name: kind for kind in (TRANSIENT,)}
