"""Preprocessing: from a raw loop to one that is ready for a fit.

prepared_loop        a loop ready for a fit, with notes on each step
reversals            reversals and cycles of a noisy deflection
noise_level          noise of the force, from the data alone
smoothing, local_polynomial
                     smooths the deflection before it drives a law
signal_conditioning  removes drift, offset, inertia and lag; averages and resamples
sensor_faults        outliers and clipped samples
record_kind          monotone tests, ring-downs and unrelated channels
declipping           restores a clipped periodic deflection
loop_geometry        mean branches, tips, slopes, widths and area
cycle_figures        energy, period, stiffness and damping of a cycle
amplitude_levels     amplitudes of loops, and the backbone
value_groups         groups of nearly equal values
imposed_path         the path that drives a law along a loop
"""
