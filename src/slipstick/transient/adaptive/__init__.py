"""Error-controlled integration: Dormand-Prince 5(4) that lands on reversals and corners, memories intact.

method      the entry: checks, options           setup     a problem as arrays
journey     one run of the compiled loop          trajectory, certify   what is handed over
passage     a span gone through again and again, with the derivative by its start (for orbits)
places, equations, pair, switches, drive, variations   the loop itself, in the small language of `native`
"""

from slipstick.transient.adaptive.method import check, run

__all__ = ["check", "run"]
