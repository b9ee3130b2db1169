"""Scalar measures of orbits and curves.

orbit_measures                 amplitude, rms, harmonics, force range, dissipation, stick
stick_share, stick_share_loop  share of the period in which sliders stick; its compiled loop
peaks                          peaks of a curve, solved for
energy_check                   notes where friction would add energy
"""
