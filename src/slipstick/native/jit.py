"""From LLVM code to a function that can be called."""

from __future__ import annotations

import ast
import ctypes
import ctypes.util
import threading
from collections.abc import Mapping, MutableSequence, Sequence
from functools import cache
from inspect import getfullargspec
from typing import Any, get_origin, get_type_hints

import llvmlite
from llvmlite import binding

from slipstick.arrays import is_array_type
from slipstick.native import object_cache
from slipstick.native.expressions import MATH
from slipstick.native.linker import Function, Linked
from slipstick.native.statements import Module
from slipstick.native.types import CannotCompile, Type, is_record


class Native:
    """A compiled function: its address for loops, and a call from Python."""

    def __init__(self, engine: Any, name: str, arguments: Sequence[Type], result: Type) -> None:
        self.address = int(engine.get_function_address(name))
        types = [_CTYPES[a] if a in ("number", "integer") else ctypes.POINTER(ctypes.c_double) for a in arguments]
        shape: Any = ctypes.CFUNCTYPE(_CTYPES[result] if result else None, *types)
        self.call = shape(self.address)
        self.engine = self.call.engine = engine  # keeps the code alive for holders of the call alone


_CTYPES: dict[Any, Any] = {"number": ctypes.c_double, "integer": ctypes.c_int64}


def compile_text(text: str, entry: str, arguments: Sequence[Type], unbounded: bool = False) -> Native:
    """Compile the function ``entry`` of a module's text; lists arrive as pointers to doubles.

    unbounded : integers are Python's, see `slipstick.native.types`.
    """
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    return _compiled(text, functions, {entry: arguments}, unbounded)[entry]


def compile_functions(
    *entries: Function, replaced: Mapping[Any, Any] | None = None, vectorized: bool = False
) -> dict[str, Native]:
    """Compile functions with all they call, by name; once in a process. Annotations say what arguments are.

    vectorized : loops over numbers side by side take several at a time, with the same bits; the rest gains nothing.
    replaced : functions that take the place of others wherever these are called, and records that take the place of
        others as arguments of the entries.
    """
    key = (entries, tuple((replaced or {}).items()), vectorized)
    with _lock:
        if key not in _done:
            linked = Linked(entries, replaced or {})
            types = {function.__name__: _argument_types(function, replaced or {}) for function in entries}
            _done[key] = _compiled(linked.digest(), linked, types, False, vectorized)
        return _done[key]


def compile_object(*entries: Function, triple: str, cpu: str) -> bytes:
    """An object file with these functions for a target, to link into a shared library; nothing is kept in the cache.

    triple, cpu : as LLVM names them.
    """
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    target = binding.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=cpu, features="", opt=2, reloc="pic", codemodel="default")
    types = {function.__name__: _argument_types(function, {}) for function in entries}
    return _code(Linked(entries, {}), types, machine, False, False).object_file


_lock = threading.Lock()
_done: dict[Any, dict[str, Native]] = {}


def _argument_types(function: Function, replaced: Mapping[Any, Any]) -> tuple[Type, ...]:
    hints = {name: replaced.get(hint, hint) for name, hint in get_type_hints(function).items()}
    return tuple(_argument_type(function, name, hints.get(name)) for name in getfullargspec(function).args)


def _argument_type(function: Function, name: str, hint: Any) -> Type:
    if hint is float or hint is int:
        return "number" if hint is float else "integer"
    if is_record(hint):
        return hint
    if is_array_type(hint) or get_origin(hint) in (Sequence, MutableSequence):
        return "list"
    raise CannotCompile(f"{function.__qualname__}: {name} must be a float, an int, a record or an array, not {hint}")


def _compiled(
    text: str,
    functions: Mapping[str, ast.FunctionDef],
    entries: Mapping[str, Sequence[Type]],
    unbounded: bool,
    vectorized: bool = False,
) -> dict[str, Native]:
    """Read the entries from the cache, or compile them together.   text : all that the code depends on."""
    given = repr([unbounded, vectorized, *((entry, [_word(kind) for kind in own]) for entry, own in entries.items())])
    name = object_cache.name_of(text, given, *_surroundings())
    code = object_cache.read(name, entries)
    if code is None:
        code = _code(functions, entries, _machine(), unbounded, vectorized)
        object_cache.write(name, code)
    engine = _engine(code.object_file)
    return {entry: Native(engine, entry, entries[entry], result) for entry, result in code.results.items()}


def _word(kind: Type) -> str:
    return kind.layout() if is_record(kind) else str(kind)


@cache
def _surroundings() -> tuple[str, ...]:
    """The versions that the code depends on: LLVM and the processor."""
    processor = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten(), binding.get_process_triple()
    return (llvmlite.__version__, repr(binding.llvm_version_info), *processor)


@cache
def _target() -> Any:
    """The target machine of this processor, with the functions of libm registered by name."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    library = ctypes.CDLL(ctypes.util.find_library("m") or ctypes.util.find_library("ucrtbase"))
    for name in MATH:
        binding.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    return binding.Target.from_default_triple()


def _machine() -> Any:
    features = binding.get_host_cpu_features().flatten()
    return _target().create_target_machine(cpu=binding.get_host_cpu_name(), features=features, opt=2)


def _code(
    functions: Mapping[str, ast.FunctionDef],
    entries: Mapping[str, Sequence[Type]],
    machine: Any,
    unbounded: bool,
    vectorized: bool,
) -> object_cache.Code:
    """Machine code of the entries and all they call, for a target machine."""
    whole = Module(functions, unbounded)
    results = {name: whole.entry(name, tuple(arguments)) for name, arguments in entries.items()}
    module = binding.parse_assembly(str(whole.module))
    module.triple = machine.triple
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=2)
    options.loop_unrolling = options.slp_vectorization = False  # branchy scalar code
    options.loop_vectorization = vectorized
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    builder.close()
    return object_cache.Code(results, machine.emit_object(module))


def _engine(object_file: bytes) -> Any:
    # one machine for each engine: the engine takes it over and frees it in the end
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(object_file))
    engine.finalize_object()
    return engine
