"""Simulation in time: one problem for all methods, and a package or module for each method.

simulate                   entry: checks the request, chooses a method and runs it
run_request                the options of every method
methods                    what each method needs of a law, and the choice
problem                    a system made ready for integration
forcing                    functions of time
folded_matrices            springs and dampers folded into the matrices
exact                      piecewise-linear models, event by event, to rounding
inclusion                  scheme (A.7) of the tensioner paper
events                     error-controlled steps that end at events; friction beside any law
newmark, taylor            implicit steps, as in the clutch paper
implicit                   what newmark and taylor share
loop_kernels, law_tangents  compiled laws; stiffness and damping of laws by state
limit_sides                side of a limit at which a slider or contact is
box_complementarity        contacts that act together
accurate_products          matrix products without cancellation error
recorded_samples           samples and events from recorded steps
energy                     energy balance of a run
law_validity               warnings about laws outside their valid range
sensitivity                detects motions that amplify small changes
truncation                 error of condensed models
early_end                  partial results of interrupted runs
"""
