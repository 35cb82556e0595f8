"""Copies of a bench as it stands: what many tests begin with is brought about once.

    @copied(Cycle)
    def in_motion(**changes): return BenchOnRack(**changes).moving()

`copy.deepcopy` copies all of a bench but its functions: a closure would go on speaking to the bench
that it was made for. Here closures are copied together with what they close over.
"""

import copy
import copyreg
import struct
import threading
from collections.abc import Callable
from functools import wraps
from types import CellType, FunctionType
from typing import Any, ParamSpec, TypeVar

import numpy as np
from pure_build import COMPILED

T = TypeVar("T")
P = ParamSpec("P")
Memo = dict[int, Any]

for _lock in (threading.Lock, threading.RLock):  # in a bench of one thread nobody holds one
    copyreg.pickle(type(_lock()), lambda _, make=_lock: (make, ()))
copyreg.pickle(struct.Struct, lambda layout: (struct.Struct, (layout.format,)))


def _copy_cell(cell: CellType, memo: Memo) -> CellType:
    new = memo[id(cell)] = CellType()
    new.cell_contents = copy.deepcopy(cell.cell_contents, memo)
    return new


def _copy_function(function: FunctionType, memo: Memo) -> FunctionType:
    if not function.__closure__:
        return function
    cells = tuple(copy.deepcopy(cell, memo) for cell in function.__closure__)
    if (known := memo.get(id(function))) is not None:  # it closes over itself
        return known
    new = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
    )
    new.__kwdefaults__ = function.__kwdefaults__
    return new


def _copy_view(view: memoryview, memo: Memo) -> memoryview:
    """One that begins where its memory begins."""
    first, begin = (np.frombuffer(one, np.uint8).ctypes.data for one in (view, view.obj))
    assert first == begin
    whole = memoryview(copy.deepcopy(view.obj, memo))
    return whole[: view.nbytes].cast(view.format)  # pyright: ignore[reportArgumentType, reportCallIssue]


def copy_of(bench: T, *constant: type) -> T:
    """A bench like this one, which shares nothing with it that changes.

    Args:
        bench: what is copied; it stays as it is.
        constant: types whose values never change, which need no copies.
    """
    dispatch: dict[type, Any] = copy._deepcopy_dispatch  # pyright: ignore[reportAttributeAccessIssue]
    before = dict(dispatch)
    dispatch |= dict.fromkeys(constant, dispatch[int])
    dispatch |= {FunctionType: _copy_function, CellType: _copy_cell, memoryview: _copy_view}
    try:
        return copy.deepcopy(bench)
    finally:
        dispatch.clear()
        dispatch.update(before)


def copied(*constant: type) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorator: a function that makes a bench makes it once, and each caller gets a copy.

    The first call must come before a test has patched anything that the bench is made of: from a
    fixture of the session or the module. Arguments are told apart by their `repr`.

    A compiled program cannot be copied: each caller gets a bench that was made for it.

    Args:
        constant: as for `copy_of`.
    """

    def decorate(make: Callable[P, T]) -> Callable[P, T]:
        if COMPILED:
            return make
        originals: dict[str, T] = {}

        @wraps(make)
        def copies(*args: P.args, **kwargs: P.kwargs) -> T:
            key = repr((args, kwargs))
            if key not in originals:
                originals[key] = make(*args, **kwargs)
            return copy_of(originals[key], *constant)

        return copies

    return decorate
