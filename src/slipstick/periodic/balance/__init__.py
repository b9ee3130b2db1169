"""Harmonic balance: periodic responses as Fourier series.

What there is:

    loads       harmonics of loads and motions over the period
    lines       connections whose laws are not linear, packed for the loops
    compliance  the linear part, eliminated harmonic by harmonic
    waves       samples of a period, and Fourier coefficients
    follow      laws along the samples, with derivatives; its loops are compiled
    balance     the equations, as a family of orbits over frequency; over: over any parameter
    compiled    all loops: laws along samples (follow, stack, rows, harmonics), equations (assemble), a step along a
                curve (newton), multipliers (stability); matrix and routines: BLAS and LAPACK for them
    solve       one orbit, and what is tried where Newton fails; from_run: a start from a run of the model
    gathered, motion, accuracy, stability, point: what is known of orbits, many at once; orbits: one with its motion
"""

from slipstick.periodic.balance.balance import Balance
from slipstick.periodic.balance.over import BalanceOver

__all__ = ["Balance", "BalanceOver"]
