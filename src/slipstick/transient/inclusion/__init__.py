"""Scheme (A.7) of the tensioner paper: implicit in the graphs of friction and sliders, explicit in all else.

    (U+ - U)/h + A(U+) contains f(t, U),      so      U+ = (1 + h A)^-1 (U + h f(t, U))                 (A.7), (A.9)

First order (A.10), and with a limit on the step where dampers or springs are stiff. ``scheme="theta"`` is implicit in
springs, dampers and sliders too: no such limit. docs/inclusion.md has the numerics.
"""

from slipstick.transient.inclusion.method import check, run

__all__ = ["check", "run"]
