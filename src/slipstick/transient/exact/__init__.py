"""The exact flow of piecewise-linear systems, from event to event.

Between events the motion is a sum of modes, or a Taylor series. Events are the first roots of guards; at an event the
next state of every unit follows from the derivatives of the guards. docs/exact.md has the numerics.

    method                           entry
    engine                           a problem prepared for the compiled flow, and its runs
    packed_model, records, compiled  the packed model, the records of the compiled functions, and these
    first_order_form                 z' = A z + B f for mass matrices that may be singular
    modal_tables, eigenpairs, classical
                                     table of modes of a state, and its eigenpairs
    flow                             compiled: from event to event
    modal_propagation, steady_response, recurrence
                                     compiled: segments as sums of modes, steady responses, equidistant times
    taylor_series, taylor_step       compiled: segments as Taylor series
    guards, corner_guards, driven_friction
                                     compiled: guards, also of corners and of friction with prescribed motion
    guard_roots, polynomial_roots, root_exclusion
                                     compiled: first roots of guards
    state_decision, resting_contacts, complementarity
                                     compiled: the next state; contacts at rest
    redundant_contacts, immobile_coordinates
                                     compiled: contacts that depend on each other; coordinates without freedom
    state_search, admissible_state   compiled: the next state where coordinates are massless
    flow_map, flow_sensitivity, massless_sensitivity
                                     compiled: map of states and its derivative
    state_changes, frequency_sensitivity
                                     compiled: perturbations of a state, and across events; derivative by frequency
    workspace, workspace_loop        repeated runs between states on memory that is kept
    bordered_newton                  compiled: Newton's method for an orbit on a plane across a curve
    sampling, trajectory             samples of a run; samples, events and certificate
    output_measures, outputs         means, extremes and harmonics of outputs
    works, certify                   works in closed form; error of a run
"""

from slipstick.transient.exact.method import run

__all__ = ["run"]
