"""Error-controlled integration: Dormand-Prince 5(4) that locates reversals and corners, with laws' memories.

method                   entry: checks and options
setup                    matrices, functions of time and elements of a problem
run                      one run of the compiled loop
period_run               repeated integration of one period, with its derivative by the start
trajectory, certify      samples and events of a run, and its certificate
records, tolerances      storage shared with the compiled loop; tolerances and limits
loop, dopri5, equations  compiled: the loop, one step, the right-hand side
step_output_loop         compiled: samples, events, records of steps
guards, variations       compiled: event location, and sensitivities
elastic_contacts, elastic_setup
                         compiled: contacts with a normal spring; their records at the start of a run
"""

from slipstick.transient.events.method import check, run

__all__ = ["check", "run"]
