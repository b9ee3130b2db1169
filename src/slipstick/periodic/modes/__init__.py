"""Nonlinear modes: frequency and damping over amplitude, by harmonic balance (see docs/nonlinear-modes.md).

nonlinear_mode            entry: which mode, over which amplitudes
autonomous_system         the model without time-dependent parts
mode_family               the equations, as a family over log amplitude
decaying_harmonic         forces of a motion that decays
pair_slopes               slopes of laws with several deflections
bordered_elimination      the linear part, with a bordered first harmonic
single_dampers            single dampers in a damping matrix
neutral_means             mean positions that no force holds
equivalent_linearisation  equivalent stiffness and damping by amplitude
amplitude_continuation    from one amplitude to the next
mode_point                a motion as results store it
accuracy                  error of frequency and damping
truncation                error of condensed models
"""
