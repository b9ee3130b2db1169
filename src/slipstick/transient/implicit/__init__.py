"""Implicit steps of Newmark's family: the common part of the methods newmark and taylor.

records, layout                    storage shared with the compiled loops, and a problem in it
newmark_scheme                     coefficients of a step
step_matrix                        linear part of a step's equation
step_choice                        step length, given, chosen or refined to a tolerance
stepper                            a run, from break to break of the loads
newton_solver                      set-up of Newton's method for a step
trajectory, certify                samples of a run, and its error
march_loop, step_loop, step_output_loop
                                   compiled: the march, one step, its output
newton_loop, gauss_elimination_loop
                                   compiled: Newton's method
taylor_loop, homotopy_series_loop  compiled: the Taylor series of a step
"""
