"""Harmonic balance: periodic responses as Fourier series.

What there is:

    loads       harmonics of loads and motions over the period
    lines       connections whose laws are not linear, packed for the loops
    compliance  the linear part, eliminated harmonic by harmonic
    waves       samples of a period, and Fourier coefficients
    follow      laws along the samples, with derivatives; its loops are compiled
    balance     the equations, as a family of orbits over frequency; over: over any parameter
    solve       one orbit, and what is tried where Newton fails
    motion, accuracy, stability, point: what is known of an orbit
"""

from slipstick.periodic.balance.balance import Balance
from slipstick.periodic.balance.over import BalanceOver

__all__ = ["Balance", "BalanceOver"]
