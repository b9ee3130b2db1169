"""Many runs: what is computed (plan, task), what is known (ledger), and who computes (a pool here, or Dask)."""

SUFFIXES = (".sqlite", ".sqlite3", ".db")  # what a ledger is called
