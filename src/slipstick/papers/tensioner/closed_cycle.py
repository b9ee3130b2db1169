"""The closed cycle of the modified Dahl law: the force that it begins and ends with.

After a cycle the force is a function of the force before it, and one that draws together: f minus it rises, so that it
has one zero. A small loop, or a law that relaxes slowly, would need many cycles to come there.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from slipstick.errors import InvalidInput
from slipstick.laws.dahl import ModifiedDahl, line

RIG_CYCLES = 3  # of the rig
CLOSURE_LIMIT_REL = 1e-13  # of the force: what a loop that is closed may miss itself by
MAX_BRACKET_DOUBLINGS = 60  # times that the interval of forces is doubled at most


def on_closed_cycle(law: ModifiedDahl, begin: float, tips: tuple[float, float]) -> ModifiedDahl:
    """The law, begun on its closed cycle if it does not come to it in the cycles of the rig.

    begin, tips : [m] where the cycle begins, and between what it goes, the first tip first.
    """

    def after(force: float | None, cycles: int = 1) -> float:
        f = np.asarray(replace(law, start_force=force).trace(np.array([begin, *(cycles * tips), begin])))
        return float(f[-1])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever goes along the cycle is told, once
        last = after(law.start_force, RIG_CYCLES)
        if abs(last - after(law.start_force, RIG_CYCLES - 1)) <= CLOSURE_LIMIT_REL * abs(last):
            return law
        upper, lower = line(begin, law.upper), line(begin, law.lower)
        middle, reach = 0.5 * (upper + lower), abs(upper - lower)
        for _ in range(MAX_BRACKET_DOUBLINGS):
            low, high = middle - reach, middle + reach
            if low - after(low) < 0.0 < high - after(high):
                force = brentq(lambda f: f - after(f), low, high, xtol=1e-12)
                return replace(law, start_force=float(force))
            reach *= 2.0
    words = f"no closed loop was found with rate {law.rate:g} and exponent {law.exponent:g}"
    raise InvalidInput(f"tensioner, modified Dahl: {words}; raise the swing, the rate or the exponent").about("numbers")
