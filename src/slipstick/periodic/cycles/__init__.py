"""Self-excited motion: limit cycles, whose period is an unknown.

self_excitation.py   problems in which nothing varies in time by itself
cycle_guess.py       a first period, from a run or an orbit
cycle_family.py      a family of forced orbits with its frequency as an unknown, and a phase condition
limit_cycle.py       one limit cycle
"""
