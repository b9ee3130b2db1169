"""Models as plain data, and what follows from them without solving in time.

system                        coordinates, connections, loads and matrices
linear_forms                  linear forms of coordinates
kind_inference                translation or rotation, by coordinate and connection
elements                      gear pairs, shafts, bearings, friction blocks
assembly                      matrices of a system
given_matrices, matrix_files  matrices from elsewhere: checks, and reading from files
system_copy                   changed copies of a system
named_parameter, named_parameter_unit
                              a parameter by its name, such as "bearing.limit", and its unit
symbol_values                 models with SymPy symbols as numbers
equations, connection_equations, equation_printing
                              equations of motion in SymPy, and how they are printed
friction_at_rest              equations with all cases of stick and slip
equilibrium, equilibrium_solver, statics
                              static equilibrium, its solver and its forces
modes, modal_algebra, quadratic_eigenproblem
                              linear modes, and their algebra
negative_damping              dampers that add energy
craig_bampton, interior, condensation_record, automatic_condensation
                              Craig-Bampton condensation of large linear parts
tolerances                    tolerances with their reasons
files                         model files
"""
