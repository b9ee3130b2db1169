"""Parameter sweeps: many runs in parallel, recorded in a ledger so that they can resume.

plan, plan_columns             the points of a sweep
sweep_run                      entry: `sweep`
point_task                     the computation at a point
driver                         submits batches and records results
backend, process_pool, dask_cluster
                               where points are computed: local processes or Dask
point_worker                   the loop that computes points in a worker process
time_limit                     time limit of a point
point_outcome, result_figures  outcome of a point, and figures by name
ledger, journal, ledger_repair  the SQLite ledger, its copy with a lock, and repair
fingerprint, digests           detects a changed study
orbit_bytes, point_arrays      orbits and long arrays of points
ledger_dataset, status         the table of results, and progress
"""

SUFFIXES = (".sqlite", ".sqlite3", ".db")  # of ledgers
