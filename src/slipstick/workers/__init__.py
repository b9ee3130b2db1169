"""Worker processes, for sweeps, rankings and the page.

process  starts, links and stops a worker process; used by its parent
boot     first code of a worker process
packing  values as bytes, with functions and classes of scripts

A worker is a fresh interpreter that runs no main script. A script without a guard, a notebook and a prompt can
therefore start one. It connects to its parent, runs one function with that link, and ends with its parent.
"""
