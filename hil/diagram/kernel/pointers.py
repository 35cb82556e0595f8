"""Pointers in compiled code: into an array, and to functions of other distributions."""

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic
def start_of(typing_context: Any, array: Any) -> Any:
    """Pointer to the first entry of an array.

    Compiled functions that are given arrays count references to them at each call, a third of the
    time of a small block; pointers are plain numbers.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def call_at(
    typing_context: Any, address: Any, v: Any, u: Any, nu: Any, y: Any, ny: Any, x: Any, nx: Any,
    p: Any, count: Any, period: Any,
) -> Any:  # fmt: skip
    """Call a compiled function by its address, with places in the array and how many numbers."""
    pointer, whole = types.CPointer(types.float64), types.int64
    kinds = [pointer, whole] * 4 + [types.float64]
    called = types.ExternalFunctionPointer(types.int64(*kinds), None)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at, array, *places, h = arguments
        function = builder.inttoptr(at, context.get_value_type(called))
        given = [builder.gep(array, [one]) if n % 2 == 0 else one for n, one in enumerate(places)]
        return builder.call(function, [*given, h])

    return whole(whole, v, *(8 * [whole]), types.float64), generate
