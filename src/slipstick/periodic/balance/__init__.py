"""Harmonic balance: periodic responses as Fourier series.

loads       harmonics of loads and motions over the period
lines       connections whose laws are not linear, packed for the loops
compliance  the linear part, eliminated harmonic by harmonic
waves       samples of a period, and Fourier coefficients
follow      laws along the samples, with derivatives; its loops are compiled
balance     the equations, as a family of orbits
"""

from slipstick.periodic.balance.balance import Balance

__all__ = ["Balance"]
