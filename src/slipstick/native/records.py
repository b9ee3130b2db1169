"""Records: storage with named fields that Python and compiled code share.

A record is one block of 8-byte slots, a slot a field, followed by its sections:

    class Run(NativeRecord):
        time: float             # a number
        events: int             # 64 bits
        started: bool
        masses: Array           # address of an array elsewhere
        elements: Rows[Element] # address of an array of records
        state: Section          # numbers within the record's own block

Python reads and writes ``run.time``, and so does compiled code, whose functions get the record as an argument. Sections
lie behind the slots, each slot holding the distance from the block's begin. A block whose fields are numbers and
sections can therefore be copied as a whole, in Python and in compiled code.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, is_array_type

Section = Annotated[NDArray[np.float64], "section"]

R = TypeVar("R", bound="NativeRecord")

_NUMBERS, _INTEGERS = ctypes.c_double * 1, np.dtype(np.int64)


class Rows(Generic[R]):
    """Records of one kind, contiguous in memory.   numbers : (count, slots)."""

    def __init__(self, record: type[R], count: int) -> None:
        self.record, self.numbers = record, np.zeros((count, len(record.fields)))
        self._items: dict[int, R] = {}  # they hold the arrays that rows refer to

    def __getitem__(self, index: int) -> R:
        if index not in self._items:
            self._items[index] = self.record.over(self.numbers[index])
        return self._items[index]

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class RowsOf:
    """The type of a field of rows."""

    record: type[NativeRecord]


class _MadeOnce:
    """A value that is made when it is first read; after that it is an attribute like any other."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self.make, self.name, self.__doc__ = make, make.__name__, make.__doc__

    def __get__(self, owner: Any, _: Any = None) -> Any:
        if owner is None:
            return self
        value = owner.__dict__[self.name] = self.make(owner)
        return value


class NativeRecord:
    """Base of all records; see the module. Fields that are not given are zero."""

    fields: ClassVar[Mapping[str, Any]] = {}  # types of the fields as the compiler has them, by name
    _sections: ClassVar[Mapping[str, int]] = {}  # slots of the sections
    _kept: Mapping[str, Any] = {}  # what lies at addresses
    _structure: ClassVar[Any] = None  # the type of `slots`

    def __init_subclass__(cls) -> None:
        own = inspect.get_annotations(cls)
        hints = get_type_hints(cls, include_extras=True)
        cls.fields = {**cls.fields, **{name: _type_of(hints[name]) for name in own if not name.startswith("_")}}
        cls._structure = None
        following = None  # the section behind the current one
        for slot, (name, kind) in reversed([*enumerate(cls.fields.items())]):
            field = _descriptor(kind)(name, slot, following)
            setattr(cls, name, field)
            following = slot if kind == "section" else following
        cls._sections = {name: slot for slot, (name, kind) in enumerate(cls.fields.items()) if kind == "section"}

    def __init__(self, sections: Mapping[str, int] | None = None, /, **values: Any) -> None:
        """sections : the length of each section, by name."""
        sections = sections or {}
        if self._sections.keys() != sections.keys():
            wanted = [*self._sections]
            raise TypeError(f"{type(self).__name__} has the sections {wanted}, lengths are given for {[*sections]}")
        begins, end = [], len(self.fields)
        for name in self._sections:
            begins.append(end)
            end += sections[name]
        self.block = np.zeros(end)
        if begins:
            self._whole[[*self._sections.values()]] = begins
        for name, value in values.items():
            if name not in self.fields:
                raise TypeError(f"{type(self).__name__} has no field {name}")
            setattr(self, name, value)

    @classmethod
    def over(cls, block: Array) -> Self:
        """The record that lies in a block of numbers, which is shared."""
        new = cls.__new__(cls)
        new.block = block
        return new

    @_MadeOnce
    def _whole(self) -> Any:
        """The block as integers."""
        return self.block.view(_INTEGERS)

    @_MadeOnce
    def pointer(self) -> Any:
        """For calls of compiled functions; it keeps the block, but not the arrays elsewhere."""
        return _NUMBERS.from_buffer(self.block.data)

    @_MadeOnce
    def slots(self) -> Any:
        """Numbers, integers and flags by name, for records that stay: read and written without a call of Python."""
        return self._structure_type().from_buffer(self.block.data)

    @classmethod
    def _structure_type(cls) -> Any:
        if cls._structure is None:
            fields: list[tuple[str, Any]] = []
            for name, kind in cls.fields.items():
                if kind == "flag":  # the lowest byte, and the rest of its slot
                    fields += [(name, ctypes.c_bool), (f"_{name}_rest", ctypes.c_char * 7)]
                else:
                    fields.append((name, ctypes.c_double if kind == "number" else ctypes.c_int64))
            cls._structure = type(f"{cls.__name__}Slots", (ctypes.Structure,), {"_fields_": fields})
        return cls._structure

    def copy(self) -> Self:
        """A record of its own with the same content; arrays elsewhere are shared."""
        new = type(self).over(self.block.copy())
        new._kept = self._kept
        return new

    def holding(self, values: Mapping[str, Any], **sections: Array) -> Self:
        """A copy with other numbers, and other content of the sections."""
        new = self.over(np.concatenate([self.block[: len(self.fields)], *(sections[name] for name in self._sections)]))
        begin = len(self.fields)
        for name, slot in self._sections.items():
            new._whole[slot] = begin
            begin += sections[name].size
        new._kept = self._kept
        for name, value in values.items():
            setattr(new, name, value)
        return new

    @property
    def address(self) -> int:
        return int(self.block.ctypes.data)

    @classmethod
    def layout(cls) -> str:
        """The fields in words, also those of records that it refers to: machine code depends on them."""
        seen: dict[type[NativeRecord], str] = {}

        def note(record: type[NativeRecord]) -> None:
            if record not in seen:
                seen[record] = ""
                seen[record] = f"{record.__qualname__}({', '.join(f'{n}:{word(k)}' for n, k in record.fields.items())})"

        def word(kind: Any) -> str:
            inner = kind.record if isinstance(kind, RowsOf) else kind
            if isinstance(inner, str):
                return inner
            note(inner)
            return f"{'rows of ' if isinstance(kind, RowsOf) else ''}{inner.__qualname__}"

        note(cls)
        return "; ".join(seen.values())


_PLAIN = {float: "number", int: "integer", bool: "flag"}


def _type_of(hint: Any) -> Any:
    """The compiler's type of a field from its annotation."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) is Annotated and get_args(hint)[1] == "section":
        return "section"
    if is_array_type(hint):
        return "pointer"
    if get_origin(hint) is Rows:
        return RowsOf(get_args(hint)[0])
    if isinstance(hint, type) and issubclass(hint, NativeRecord):
        return hint
    raise TypeError(f"a field of a record cannot be {hint}")


class _Field:
    """Access to a field from Python.   following : the slot of the next section, if there is one."""

    def __init__(self, name: str, slot: int, following: int | None) -> None:
        self.name, self.slot, self.following = name, slot, following

    def __get__(self, owner: Any, _: Any = None) -> Any:
        return self if owner is None else owner.block.item(self.slot)

    def __set__(self, owner: Any, value: Any) -> None:
        owner.block[self.slot] = value


class _Integer(_Field):
    def __get__(self, owner: Any, _: Any = None) -> Any:
        return self if owner is None else owner._whole.item(self.slot)

    def __set__(self, owner: Any, value: Any) -> None:
        owner._whole[self.slot] = value


class _Flag(_Integer):
    def __get__(self, owner: Any, _: Any = None) -> Any:
        return self if owner is None else owner._whole.item(self.slot) != 0


class _Address(_Field):
    """What lies at an address: an array, a record, rows of records. It is kept as long as the record."""

    def __get__(self, owner: Any, _: Any = None) -> Any:
        return self if owner is None else owner._kept.get(self.name)

    def __set__(self, owner: Any, value: Any) -> None:
        if value is None:
            owner._whole[self.slot] = 0
        elif isinstance(value, NativeRecord):
            owner._whole[self.slot] = value.address
        else:
            numbers = value.numbers if isinstance(value, Rows) else value
            if numbers.dtype != np.float64 or not numbers.flags.c_contiguous:
                raise TypeError(f"{self.name} must be an array of floats without gaps")
            owner._whole[self.slot] = numbers.ctypes.data
        owner._kept = {**owner._kept, self.name: value}


class _Section(_Field):
    def __get__(self, owner: Any, _: Any = None) -> Any:
        if owner is None:
            return self
        end = None if self.following is None else owner._whole.item(self.following)
        return owner.block[owner._whole.item(self.slot) : end]

    def __set__(self, owner: Any, value: Any) -> None:
        self.__get__(owner)[:] = value


def _descriptor(kind: Any) -> type[_Field]:
    plain = {"number": _Field, "integer": _Integer, "flag": _Flag, "section": _Section}
    return plain.get(kind, _Address) if isinstance(kind, str) else _Address
