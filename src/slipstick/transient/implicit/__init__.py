"""Implicit steps of Newmark's family: what the methods newmark and taylor share.

places       where things stand in the plan of a compiled run
layout       a problem laid out in arrays
step_loop    the steps; record_loop: what is kept of them
newton, newton_loop, elimination_loop    a step solved by Newton's method
taylor_loop, series_loop, taylor_places  a step solved by series
scheme       the numbers of a step;  linear_part: what of its equation is linear
stepper      the way through a run
choice       the length of the steps;  run: the run that was asked for, within a tolerance
trajectory   a run with its samples;  certify: its error
"""
