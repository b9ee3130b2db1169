"""Speed, as ratios to a peer in the same run.

run.py                  tables beside peers, then their ratios beside those kept, losses first
run.py all              every table
run.py tensioner block  some tables
run.py --keep           keeps the ratios for later runs, at each release
"""

from __future__ import annotations

import sys

import adaptive_shooting
import beams
import contacts
import curve_data
import friction
import harmonic_balance
import identify
import large_frames
import laws
import page
import reduction
import shooting
import startup
import sweeps
import transient
import units
from ratios import keep_ratios, print_ratios
from timing import RATIOS

TABLES = {
    "laws": laws.table,
    "startup": startup.table,
    "identify": identify.table,
    "reduce": reduction.table,
    "page": page.table,
    **sweeps.TABLES,
    **transient.TABLES,
    **friction.TABLES,
    **harmonic_balance.TABLES,
    **beams.TABLES,
    **contacts.TABLES,
    **curve_data.TABLES,
    **large_frames.TABLES,
    **shooting.TABLES,
    **adaptive_shooting.TABLES,
    **units.TABLES,
}


# with the programs that slipstick is compared with; all together take some minutes
PEER_TABLES = ("tensioner", "block", "events", "run-up", "friction", "harmonic-balance")


def main(words: list[str]) -> None:
    names = [word for word in words if word != "--keep"]
    names = list(TABLES) if names == ["all"] else names
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise SystemExit(f"no table {', '.join(unknown)}; there are all, {', '.join(TABLES)}")
    for name in names or PEER_TABLES:
        TABLES[name]()
    if RATIOS:
        print_ratios(RATIOS)
    if "--keep" in words:
        keep_ratios(RATIOS)


if __name__ == "__main__":
    main(sys.argv[1:])
