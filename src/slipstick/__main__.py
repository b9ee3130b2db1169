"""``python -m slipstick`` is the command ``slipstick``."""

from __future__ import annotations

from slipstick.cli import main

main()
