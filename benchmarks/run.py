"""Speed, as ratios to a peer in the same run. `make bench` prints every table; name tables to run only those."""

from __future__ import annotations

import sys

import laws
import startup

TABLES = {"laws": laws.table, "startup": startup.table}


def main(names: list[str]) -> None:
    for name in names or list(TABLES):
        TABLES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
