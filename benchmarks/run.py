"""Speed, as ratios to a peer in the same run. `make bench` prints every table; name tables to run only those."""

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
}


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise SystemExit(f"no table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    for name in names or TABLES:
        TABLES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
