"""Harmonic balance: periodic responses as Fourier series, with forces by alternating frequency and time (AFT).

harmonic_balance                 the equations, as a family of orbits over frequency
parametric_balance               the same over any parameter
orbit_solver                     one orbit: Newton's method, and fallbacks
law_homotopy, start_from_run, rest_state
                                 starts: from weaker laws, from a run, near an equilibrium
load_harmonics                   harmonics of loads and prescribed motions
nonlinear_connections, linear_split
                                 nonlinear connections, and their part that goes to the linear side
compliance                       the linear part, eliminated at each harmonic
fourier_series                   samples of a period and Fourier coefficients
aft_forces                       laws along the samples of a period
law_corners                      corners of laws without memory
orbit_batch, balance_points, balance_orbit
                                 evaluated orbits: a batch, points of a curve, one with its motion
motion_recovery, extremes        motion of all coordinates, and extreme values
accuracy                         error estimate
multipliers, linear_propagators  Floquet multipliers, and propagators of the linear part
compiled, compiled_equations     the compiled loops, and calls of them
records, multiplier_records, blas_routines
                                 storage of the loops; BLAS and LAPACK for them
aft_forces_loop, reversal_stack_loop, corners_loop
                                 compiled: laws along samples
fourier_loop                     compiled: fast transforms
derivative_rows_loop, harmonics_loop
                                 compiled: derivatives of forces
assembly_loop, matrix_loop       compiled: residual and Jacobian; matrix products
corrector_loop                   compiled: Newton on a plane across a curve
multipliers_loop, period_map_loop, period_step_loop, repeated_steps_loop
                                 compiled: effect of a period on small changes
switching_instants_loop, linear_propagators_loop
                                 compiled: switching instants, steps of the linear part
"""

from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.balance.parametric_balance import ParametricBalance

__all__ = ["HarmonicBalance", "ParametricBalance"]
