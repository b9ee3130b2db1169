"""Scheme (A.7) of the tensioner paper: implicit in the graphs of friction and sliders, explicit in everything else.

    (U+ - U)/h + A(U+) contains f(t, U),      so      U+ = (1 + h A)^-1 (U + h f(t, U))                 (A.7), (A.9)

It is of first order (A.10), and stiff dampers or springs limit the step. ``scheme="theta"`` is implicit in springs,
dampers and sliders too, and has no step limit. docs/inclusion.md has the numerics.

    method               entry: options, step and run
    setup                matrices of the loop
    step_choice          the largest stable step
    run                  one run of the compiled loop
    loop, records        the compiled loop and its storage
    trajectory, certify  samples and events of a run, and its certificate
"""

from slipstick.transient.inclusion.method import check, run

__all__ = ["check", "run"]
