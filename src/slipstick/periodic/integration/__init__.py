"""Frequency responses by integration in time.

frequency_sweep  sweeps up and down, each frequency until it settles
final_period     figures of the period after a run has settled
"""
