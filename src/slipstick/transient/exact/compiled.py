"""The functions of the exact flow, compiled together on first use."""

from __future__ import annotations

from functools import cache

from slipstick.native import Native, compile_functions
from slipstick.transient.exact.bordered_newton import solve_bordered
from slipstick.transient.exact.flow import advance
from slipstick.transient.exact.flow_map import flow_derivative, put_state, read_state
from slipstick.transient.exact.flow_sensitivity import vary_run
from slipstick.transient.exact.output_measures import measure_outputs
from slipstick.transient.exact.parameter_sensitivity import segment_ends, vary_by_parameters
from slipstick.transient.exact.sampling import begin_run, sample_run, segment_panels
from slipstick.transient.exact.steady_response import tune_table, tune_tables
from slipstick.transient.exact.workspace_loop import run_state

_ENTRIES = (
    advance, read_state, begin_run, run_state, solve_bordered, flow_derivative, measure_outputs,
    segment_panels, put_state, sample_run, tune_tables, tune_table,
    vary_run,
)  # fmt: skip


@cache
def kernel(name: str) -> Native:
    """An entry of the compiled flow."""
    return compile_functions(*_ENTRIES)[name]


@cache
def sensitivity_kernel(name: str) -> Native:
    """An entry of the derivatives by parameters, compiled apart: few runs need them."""
    return compile_functions(segment_ends, vary_by_parameters)[name]
