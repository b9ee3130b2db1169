"""`Verdict`: the three states of a certificate on a page."""

from typing import Literal

Verdict = Literal["passed", "unknown", "failed"]
