"""From LLVM code to a function that can be called."""

from __future__ import annotations

import ast
import ctypes
import ctypes.util
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import llvmlite
from llvmlite import binding

from slipstick.native import kept
from slipstick.native.expressions import MATH
from slipstick.native.functions import Module
from slipstick.native.kinds import CannotCompile, Kind


class Native:
    """A compiled function: its address for loops, and a call from Python."""

    def __init__(self, engine: Any, name: str, arguments: Sequence[Kind], result: Kind) -> None:
        self.address = int(engine.get_function_address(name))
        types = [ctypes.POINTER(ctypes.c_double) if a == "list" else _CTYPES[a] for a in arguments]
        shape: Any = ctypes.CFUNCTYPE(_CTYPES[result] if result else None, *types)
        self.call = shape(self.address)
        self.engine = self.call.engine = engine  # the code lives as long as this: whoever has the call may not have us


_CTYPES: dict[Any, Any] = {"number": ctypes.c_double, "integer": ctypes.c_int64}


def compile_functions(text: str, entry: str, arguments: Sequence[Kind], unbounded: bool = False) -> Native:
    """Compile the function ``entry`` of a module's text; lists arrive as pointers to doubles.

    unbounded : integers are Python's, see `slipstick.native.kinds`.
    """
    return compile_entries(text, {entry: arguments}, unbounded)[entry]


def compile_entries(text: str, entries: Mapping[str, Sequence[Kind]], unbounded: bool = False) -> dict[str, Native]:
    """Compile several functions of one module's text, with what they share compiled once."""
    given = repr([unbounded, *((entry, tuple(own)) for entry, own in entries.items())])
    name = kept.name_of(text, given, *_surroundings())
    code = kept.read(name, entries)
    if code is None:
        code = _code(text, entries, unbounded)
        kept.write(name, code)
    engine = _engine(code.object_file)
    return {entry: Native(engine, entry, entries[entry], result) for entry, result in code.results.items()}


@cache
def _surroundings() -> tuple[str, ...]:
    """What the code depends on beside its text: LLVM and the processor."""
    processor = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten(), binding.get_process_triple()
    return (llvmlite.__version__, repr(binding.llvm_version_info), *processor)


@cache
def _target() -> Any:
    """The processor at hand, with the functions of libm made known by name."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    library = ctypes.CDLL(ctypes.util.find_library("m") or ctypes.util.find_library("ucrtbase"))
    for name in MATH:
        binding.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    return binding.Target.from_default_triple()


def _machine() -> Any:
    features = binding.get_host_cpu_features().flatten()
    return _target().create_target_machine(cpu=binding.get_host_cpu_name(), features=features, opt=2)


def _code(text: str, entries: Mapping[str, Sequence[Kind]], unbounded: bool) -> kept.Code:
    """Compile functions of a module's text."""
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    whole = Module(functions, unbounded)
    results = {name: whole.entry(name, tuple(arguments)) for name, arguments in entries.items()}
    machine = _machine()
    module = binding.parse_assembly(str(whole.module))
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=2)
    options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = False  # branchy scalar code
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    builder.close()
    return kept.Code(results, machine.emit_object(module))


def _engine(object_file: bytes) -> Any:
    # one machine for each engine: the engine takes it over and frees it in the end
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(object_file))
    engine.finalize_object()
    return engine


def view(values: Sequence[float], start: int, count: int | None = None) -> Any:
    """Part of a list, or all from a place on; known to the compiler, and in Python a copy."""
    return values[start : None if count is None else start + count]


def call_value(address: int, parameters: Any, u: float, v: float, memory: Any) -> float:
    """A law's kernel behind an address; known to the compiler only."""
    raise CannotCompile("call_value has a meaning only in compiled code")


def call_function(address: int, *arguments: Any) -> float:
    """A compiled function behind an address, of numbers and pointers; known to the compiler only."""
    raise CannotCompile("call_function has a meaning only in compiled code")


def numbers_at(address: int) -> Any:
    """The numbers that lie at an address; known to the compiler only."""
    raise CannotCompile("numbers_at has a meaning only in compiled code")
