"""The functions of the exact flow, compiled together on first use."""

from __future__ import annotations

from functools import cache

from slipstick.native import Native, compile_functions
from slipstick.transient.exact.bordered_newton import solve_bordered
from slipstick.transient.exact.flow import advance
from slipstick.transient.exact.flow_map import flow_derivative, put_state, read_state
from slipstick.transient.exact.flow_sensitivity import vary_run
from slipstick.transient.exact.friction_scale import friction_displacement
from slipstick.transient.exact.output_measures import measure_outputs
from slipstick.transient.exact.periodic_newton import solve_periodic
from slipstick.transient.exact.sampling import begin_run, sample_run, segment_panels
from slipstick.transient.exact.steady_response import tune_table, tune_tables

_ENTRIES = (
    advance, read_state, begin_run, solve_bordered, solve_periodic, flow_derivative, measure_outputs,
    segment_panels, put_state, sample_run, tune_tables, tune_table,
    vary_run, friction_displacement,
)  # fmt: skip


@cache
def kernel(name: str) -> Native:
    """An entry of the compiled flow."""
    return compile_functions(*_ENTRIES)[name]
