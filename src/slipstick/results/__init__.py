"""Result types: data, summaries and files; no solver is here.

run, events, trajectory           a simulated motion, its events, and what a method provides
orbit, curve                      a periodic orbit, and a response curve with its peaks
curve_points, curve_interpolation, curve_refinement, curve_text
                                  points of a curve, lines through them, further points, words
branch_result, local_extremes     what curves and modes share; extremes of a sequence
equilibrium_curve                 equilibria over a parameter
nonlinear_mode, mode_points       a nonlinear mode and its points
response_band                     a band of responses
equilibrium, modes                static equilibrium and linear modes
fit, ranking, trend               identified laws
tolerances                        limits and tolerances, with reasons
comparison                        a model beside its reduced one
sweep, sweep_units, sweep_files   the table of a sweep, its units and files
certificate, result_notes         error of a result, and notes
connection_states                 states of composite connections
result_files, netcdf_encoding, atomic_write
                                  netCDF files of results
fit_encoding, fit_group_encoding  fits, rankings and trends in files
"""
