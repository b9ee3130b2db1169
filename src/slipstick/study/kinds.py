"""The kinds of studies, by the name of their section."""

from __future__ import annotations

from slipstick.study.frequency_response import FREQUENCY_RESPONSE
from slipstick.study.periodic import PERIODIC
from slipstick.study.transient import TRANSIENT

KINDS = {kind.name: kind for kind in (TRANSIENT, FREQUENCY_RESPONSE, PERIODIC)}
