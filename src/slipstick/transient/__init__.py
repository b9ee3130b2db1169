"""Motion in time: one problem for all methods, one room for each.

simulate     the front door: checks what is asked, picks the method, runs it;  options: what every method is asked for
methods      what each method needs of a model, and which of them takes it
problem      a model made ready to be integrated;  forcing: its functions of time;  folded: its springs in the matrices
exact        piecewise-linear models, from event to event, to rounding
inclusion    scheme (A.7) of the tensioner paper, for friction and sliders
adaptive     error-controlled steps that land on reversals and corners, for laws with a memory
newmark, taylor    implicit steps as in the clutch paper;  implicit: what the two share
box          contacts that act together;  ending: how runs end before their end
recording    samples of a run;  energy: where its work went;  sensitivity: whether its error has an honest figure
kernels      compiled loops
"""
