"""Blocks of other distributions: a `BlockKind` each, under the entry points `hil.blocks`.

Its equations are two Python functions that numba compiles when a diagram has such a block; the
kernel, which is not compiled again, calls them by their address. The interpreter calls them as they
are. A file of a diagram names the kind and holds nothing of it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Any, Final

from hil.config.errors import ConfigError
from hil.config.offers import Offer, offers
from hil.diagram.library.kind import BlockFunction, BlockKind, BlockSetting, Parameters, PortKind

GROUP: Final = "hil.blocks"
"""Entry points whose objects are `BlockKind` values; each bears the kind's name."""
ARGUMENTS: Final = ("u", "y", "x", "p", "H")


def installed_blocks(own: Mapping[str, BlockKind]) -> tuple[Offer, ...]:
    """All blocks of other distributions by name; those that cannot be used say why."""
    return offers(GROUP, _not_a_block, own=own)


def _not_a_block(entry: EntryPoint, kind: object) -> str:
    """Why an entry point's object is no kind of block that can be called; empty if it is."""
    if not isinstance(kind, BlockKind):
        return f"{entry.value} is a {type(kind).__name__}, no BlockKind"
    if kind.name != entry.name:
        return f"{entry.value} is called {kind.name!r}, the entry point {entry.name!r}"
    if kind.functions is None or kind.drawn is not None:
        return f"{entry.value} has no functions: what writes outputs, and what writes next states"
    for function in kind.functions:
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        if names != ARGUMENTS:
            text = ", ".join(names)
            return f"{entry.value}: {function.__name__}({text}): {', '.join(ARGUMENTS)} are needed"
    example = {one.name: kind.example.parameters.get(one.name, one.default)
               for one in kind.parameters}  # fmt: skip
    return _shapeless((*kind.ports_of(example).inputs, *kind.ports_of(example).outputs))


def _shapeless(ports: tuple[PortKind, ...]) -> str:
    """Why ports cannot be handed to a function: it must know their sizes beforehand."""
    for port in ports:
        if isinstance(port.shape, str):
            return f"port {port.name} has no shape of its own; () is a scalar"
    return ""


def _sizes(ports: tuple[PortKind, ...]) -> list[int]:
    """Numbers of each port."""
    return [math.prod(port.shape) for port in ports if not isinstance(port.shape, str)]


def numbers_of(kind: BlockKind, parameters: Parameters, setting: BlockSetting) -> list[float]:
    """What the kernel needs to call a block: sizes, its period, parameters, room for its inputs.

    Raises:
        ConfigError: If a port has no shape with these parameters.
    """
    ports, own = kind.ports_of(parameters), kind.numbers_of(parameters, setting)
    if fault := _shapeless((*ports.inputs, *ports.outputs)):
        raise ConfigError("hil.blocks", [f"{setting.path}: {kind.name}: {fault}"])
    inputs, states = _sizes(ports.inputs), kind.initial_of(parameters, setting)
    counts = [len(inputs), *inputs, sum(_sizes(ports.outputs)), len(states), len(own)]
    return [*map(float, counts), setting.period_s, *own, *(0.0 for _ in range(sum(inputs)))]


def addresses(kind: BlockKind) -> tuple[int, int]:
    """Where its two compiled functions stand; 0 for one that it does not have.

    Raises:
        ConfigError: If one cannot be compiled.
    """
    found = [0, 0]
    for number, function in enumerate(kind.functions or ()):
        try:
            found[number] = _compiled(function).address
        except Exception as error:  # whatever numba says of a foreign function
            why = str(error).strip().partition("\n")[0][:200] or type(error).__name__
            problem = f"{kind.name}: {function.__name__} cannot be compiled: {why}"
            raise ConfigError("hil.blocks", [problem]) from None
    return found[0], found[1]


@functools.cache
def _compiled(function: BlockFunction) -> Any:
    """A function as the kernel calls it; it is kept as long as the process lives."""
    import numba
    from numba import cfunc, njit, types

    carray: Any = numba.carray  # pyright: ignore[reportPrivateImportUsage]

    inner: Any = njit(error_model="numpy", boundscheck=True)(function)
    number, array = types.int64, types.CPointer(types.float64)
    signature = number(array, number, array, number, array, number, array, number,
                           types.float64)  # fmt: skip

    @cfunc(signature)
    def called(u: Any, nu: Any, y: Any, ny: Any, x: Any, nx: Any, p: Any, np: Any, H: Any) -> int:
        try:
            inner(carray(u, (nu,)), carray(y, (ny,)), carray(x, (nx,)), carray(p, (np,)), H)
        except Exception:  # numba knows no other; the block's outputs tell that it failed
            for n in range(ny):
                y[n] = math.nan
        return 0

    return called
