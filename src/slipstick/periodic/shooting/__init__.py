"""Shooting: orbits as fixed points of the period map.

period_map                         what both period maps share
exact_map, adaptive_map            the period map and its derivative, by exact and adaptive flow
exact_family, adaptive_family      families of orbits over a parameter
symmetric_family                   orbits with half-period symmetry
newton                             Newton's method on the period map
compiled_corrector                 corrector on the exact flow in one compiled call
gauge_condition                    extra equations where the orbit is not unique
stick_band                         bands of orbits under permanent stick
memory_state                       memories of laws as part of the state
reversal_stack_orbits              validity and stability for laws with a reversal stack
initial_state                      start from an orbit of another method
exact_orbits, adaptive_orbits      orbits as results, with measures and certificates
adaptive_measures                  measures of adaptive orbits
quintic_interpolation, quintic_interpolation_loop
                                   integrals and extremes over steps; the compiled loop
"""
