"""Object code into this process: found in the folder or compiled, mapped, called through ctypes.

The calling convention is numba's own, as `mqdiag.kernel.build` checks it at each compilation:
`int32 f(result*, exception**, arguments...)`. An array is passed as its meminfo and parent (null: the caller keeps
the array alive), size, item size, data, shape and strides; a named tuple is passed as its fields, one after the other.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable
from functools import cache
from importlib.util import source_hash
from itertools import chain
from typing import Any, NamedTuple

import msgspec
import numpy as np

from mqdiag.kernel import folder
from mqdiag.kernel.definition import (
    ADDRESS_BYTES,
    MAY_CALL,
    SCALARS,
    KernelFunction,
    TupleType,
    TypeCode,
    flat_types,
    flat_values,
    spelled,
    type_code,
)
from mqdiag.kernel.self_check import arguments, fault, self_check


class ObjectCode(NamedTuple):
    """A compiled kernel."""

    symbol: str
    """symbol of its function"""
    results: tuple[str, ...] | None
    """kinds of the numbers that it returns; None when it returns nothing"""
    code: bytes
    entry: int | None = None
    """where the function begins in `code`, which `link` has laid out; None where `code` is as LLVM made it"""
    inner: list[int] | None = None
    outer: dict[str, list[int]] | None = None
    """see `Linked`"""

    def to_bytes(self) -> bytes:
        """A file: a line with a checksum of the rest, a line of JSON with all but the code, then the code.

        The checksum tells that a file is damaged. It has 64 bits and no secret, so it does not stop anybody who
        plants a file on purpose: only `trusted` keeps such files out.
        """
        rest = msgspec.json.encode(self._replace(code=b"")) + b"\n" + self.code
        return _checksum(rest) + b"\n" + rest

    @classmethod
    def from_bytes(cls, data: bytes) -> ObjectCode | None:
        """Read such a file; None when it is damaged."""
        checksum, _, rest = data.partition(b"\n")
        if checksum != _checksum(rest):
            return None
        head, _, code = rest.partition(b"\n")
        try:
            kept = msgspec.json.decode(head, type=cls)._replace(code=code)
        except ValueError:
            return None
        return kept if kept._stays_inside() else None

    def _stays_inside(self) -> bool:
        """Whether its places are in the code, and it calls nothing else than a kernel may."""
        if self.entry is None:
            return not self.inner and not self.outer
        outer = self.outer or {}
        places = chain(self.inner or (), *outer.values())
        last = len(self.code) - ADDRESS_BYTES
        return (
            0 <= self.entry < len(self.code)
            and all(0 <= place <= last for place in places)
            and outer.keys() <= MAY_CALL
        )


def _checksum(data: bytes) -> bytes:
    return source_hash(data).hex().encode()


def load(kernel: KernelFunction, types: tuple[TypeCode, ...]) -> Callable[..., Any]:
    """The callable for arguments of these types; compiles it when this machine has not yet.

    Args:
        kernel: what is called.
        types: the arguments' types, as `type_code` gives them.

    Raises:
        RuntimeError: calls do not work in this process as they should.
        NotImplementedError: see `build`.
    """
    _check_calls()
    return _load(kernel, types)


@cache
def _check_calls() -> None:
    call = _load(self_check, tuple(map(type_code, arguments())))
    wrong = fault(call)
    if wrong is not None:
        raise RuntimeError(f"the self-check of compiled kernels failed: {wrong}")


def keep(kernel: KernelFunction, types: tuple[TypeCode, ...]) -> bool:
    """Compile a kernel if it is not kept yet, and tell whether it is kept now. The caller holds the lock.

    Raises:
        NotImplementedError: see `build`.
    """
    file_name = _file_name(kernel, types)
    if _kept(file_name) is None:
        _built(kernel, types, file_name)
    return _kept(file_name) is not None


def _load(kernel: KernelFunction, types: tuple[TypeCode, ...]) -> Callable[..., Any]:
    file_name = _file_name(kernel, types)
    code = _kept(file_name)
    if code is None:
        with folder.locked("lock"):
            code = _kept(file_name) or _built(kernel, types, file_name)
    return _callable(_name(kernel), types, code.results, _address(code))


def _built(kernel: KernelFunction, types: tuple[TypeCode, ...], file_name: str) -> ObjectCode:
    # The compiler comes with numba, half a second that a run with all kernels at hand never pays.
    from mqdiag.kernel.build import build

    code = _linked(ObjectCode(*build(kernel, types)))
    folder.write(file_name, code.to_bytes())
    return code


def _linked(code: ObjectCode) -> ObjectCode:
    """The same as one piece, where that is possible.

    Raises:
        NotImplementedError: it calls a function that this process does not have. LLVM's loader would end the process.
    """
    from mqdiag.kernel.link import link

    piece = link(code.code, code.symbol)
    if piece is None:
        return code
    others = sorted(piece.outer.keys() - MAY_CALL)
    missing = [name for name in others if not hasattr(_libc(), name)]
    if missing:
        raise NotImplementedError(f"{code.symbol} calls {', '.join(missing)}, which libc does not have")
    return code if others else code._replace(**piece._asdict())


def _name(kernel: KernelFunction) -> str:
    return f"{kernel.__module__}.{kernel.__name__}"


def _file_name(kernel: KernelFunction, types: tuple[TypeCode, ...]) -> str:
    name = _name(kernel)
    key = source_hash("\0".join((name, *map(spelled, types), _processor())).encode()).hex()
    return f"{name}-{key}.o"


def _callable(
    name: str, types: tuple[TypeCode, ...], results: tuple[str, ...] | None, address: int
) -> Callable[..., Any]:
    """A Python function around the machine code at an address."""
    leaves = list(flat_types(types))
    dimensions = [int(code.split(" ")[1]) if " " in code else None for code in leaves]
    signature: list[Any] = [ctypes.c_void_p, ctypes.c_void_p]
    for code, count in zip(leaves, dimensions, strict=True):
        if count is None:
            signature.append(SCALARS[code[1:]])
        else:
            signature += [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
            signature += [ctypes.c_int64] * (2 * count)
    function = ctypes.CFUNCTYPE(ctypes.c_int32, *signature)(address)
    shape = _result_type(results)
    names = [f"f{position}" for position in range(len(results or ()))]
    truths = [code == "b1" for code in results or ()]
    has_tuples = any(isinstance(code, TupleType) for code in types)

    def call(*arguments: Any) -> Any:
        flat: list[Any] = []
        for argument in flat_values(arguments) if has_tuples else arguments:
            if isinstance(argument, np.ndarray):
                data = argument.__array_interface__["data"][0]
                flat += (None, None, argument.size, argument.itemsize, data, *argument.shape, *argument.strides)
            else:
                flat.append(argument.item() if isinstance(argument, np.generic) else argument)
        result, failure = shape(), ctypes.c_void_p()
        status = function(ctypes.byref(result), ctypes.byref(failure), *flat)
        if status not in (0, _RETURNED_NONE):
            raise ArithmeticError(f"kernel {name} failed with status {status}")
        if results is None:
            return None
        numbers = [getattr(result, name) for name in names]
        numbers = [bool(value) if truth else value for value, truth in zip(numbers, truths, strict=True)]
        return numbers[0] if len(numbers) == 1 else tuple(numbers)

    return call


@cache
def _result_type(results: tuple[str, ...] | None) -> Any:
    """A C structure for the results of a kernel."""
    fields = [(f"f{position}", SCALARS[code]) for position, code in enumerate(results or ())]
    # Eight bytes more, for a kernel without a result writes there as well.
    return type("Result", (ctypes.Structure,), {"_fields_": [*fields, ("rest", ctypes.c_int64)]})


_RETURNED_NONE = -2
"""numba's status of a function whose result is optional and none"""


def _address(code: ObjectCode) -> int:
    """Where the function of a kernel is in memory."""
    return _address_by_llvm(code) if code.entry is None else _mapped(code) + code.entry


_pieces: list[mmap.mmap] = []
"""memory with code, which stays as long as the process"""


def _mapped(code: ObjectCode) -> int:
    """Put linked code into memory, where nobody can write to it from then on; its address."""
    piece = mmap.mmap(-1, len(code.code), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(piece))
    piece[:] = code.code
    # A view in which the eight bytes at any place can be picked: it overlaps itself.
    words: Any = np.ndarray((len(code.code) - ADDRESS_BYTES + 1,), "<u8", buffer=piece, strides=(1,))
    words[code.inner or []] += np.uint64(address)
    for name, places in (code.outer or {}).items():
        words[places] = _outside(name)
    if _libc().mprotect(ctypes.c_void_p(address), len(code.code), mmap.PROT_READ | mmap.PROT_EXEC):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "mprotect")
    _pieces.append(piece)
    return address


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


@cache
def _outside(name: str) -> int:
    """The address of a function that object code calls."""
    # Numba's reference counting, which arrays without meminfo never reach.
    function = getattr(_libc(), "abort" if name == "NRT_MemInfo_call_dtor" else name)
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@cache
def _engine() -> Any:
    """LLVM's loader of object code.

    Its start takes a tenth of a short run, so it loads only what `link` could not lay out.
    """
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.add_symbol("NRT_MemInfo_call_dtor", _outside("NRT_MemInfo_call_dtor"))
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


def _address_by_llvm(code: ObjectCode) -> int:
    from llvmlite import binding

    engine = _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code.code))
    engine.finalize_object()
    address: int = engine.get_function_address(code.symbol)
    if not address:
        raise RuntimeError(f"object code without {code.symbol}")
    return address


@cache
def _processor() -> str:
    """What tells processors apart: code made for one may not run on another that shares the folder.

    Where Linux names nothing of that, it is the name of the machine.
    """
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:
            first, _, _ = file.read(1 << 14).decode(errors="replace").partition("\n\n")
    except OSError:
        return os.uname().nodename
    told = "\n".join(line for line in first.splitlines() if line.startswith(_OF_PROCESSOR))
    return told or os.uname().nodename


_OF_PROCESSOR = (
    "vendor_id",
    "cpu family",
    "model",
    "flags",
    "CPU implementer",
    "CPU part",
    "Features",
    "features",
)
"""lines of Linux for one processor, of x86, ARM and s390x"""


def _kept(name: str) -> ObjectCode | None:
    """The object code in the first file of that name that is whole."""
    return next(filter(None, map(ObjectCode.from_bytes, folder.read(name))), None)
