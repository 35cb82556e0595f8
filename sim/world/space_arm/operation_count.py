"""Counting of operations: the shipped kernels run on numbers that count what is done with them.

The Python source of a compiled kernel is run with its own kernels, and the functions of `math`, in
place of the compiled ones, on arrays of numbers that add one to a tally whenever they are added,
multiplied or divided. So what is counted is the code that the simulation runs, and it computes the
same numbers. Comparisons, signs and copies are free; a sine and a cosine are one operation each,
whatever their polynomials cost.

The compiled kernels do eight lanes at once where an arm has six joints; the two idle ones are left
out here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from types import FunctionType, SimpleNamespace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.kernels.trigonometry import sine_cosine

ADDITIONS, MULTIPLICATIONS, DIVISIONS, ROOTS, TRIGONOMETRIC = range(5)
KINDS = 5


@dataclass(frozen=True, slots=True)
class Operations:
    """Number of operations, by kind."""

    additions: int
    """Number of additions and subtractions."""
    multiplications: int
    """Number of multiplications."""
    divisions: int
    """Number of divisions."""
    roots: int
    """Number of square roots and powers."""
    trigonometric: int
    """Number of sines and cosines."""

    @property
    def total(self) -> int:
        """Number of operations of all kinds."""
        return sum(getattr(self, field.name) for field in fields(self))

    def __add__(self, other: Self) -> "Operations":
        """Sum two counts, kind by kind."""
        mine, theirs = (
            [getattr(one, field.name) for field in fields(self)] for one in (self, other)
        )
        return Operations(*(a + b for a, b in zip(mine, theirs, strict=True)))


class OperationCounter:
    """A tally, with kernels and numbers that count on it."""

    def __init__(self) -> None:
        self._all = [0] * KINDS
        self._needed = [0] * KINDS
        self._number = _number_type(self._all, self._needed)
        self._math = self._counting_math()
        self._kernels: dict[Any, Callable[..., Any]] = {sine_cosine: self._sine_cosine}

    @property
    def operations(self) -> Operations:
        """Operations since the beginning."""
        return Operations(*self._all)

    @property
    def needed(self) -> Operations:
        """Those of them that change a number: no operand of a sum is 0, of a product 0, 1 or -1."""
        return Operations(*self._needed)

    def number(self, value: float) -> Any:
        """Return a number that counts."""
        return self._number(value)

    def array(self, values: Any) -> NDArray[Any]:
        """Return an array of numbers that count, of the shape of ``values``."""
        plain = np.asarray(values, dtype=np.float64)
        counting = np.empty(plain.shape, dtype=object)
        for place, value in np.ndenumerate(plain):
            counting[place] = self._number(value)
        return counting

    def tuple_of(self, values: Any) -> Any:
        """Return a named tuple with its arrays and floats as numbers that count."""
        return values._replace(
            **{
                name: self.array(value) if isinstance(value, np.ndarray) else self._number(value)
                for name, value in values._asdict().items()
                if isinstance(value, np.ndarray | float)
            }
        )

    def kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the Python source of a kernel, with all that it calls counting."""
        if function in self._kernels:
            return self._kernels[function]
        source: FunctionType = getattr(function, "py_func", function)  # pyright: ignore[reportAssignmentType]
        names = dict(source.__globals__)
        for name in source.__code__.co_names:
            used = names.get(name)
            if used is math:
                names[name] = self._math
            elif used is not None and _is_kernel(used):
                names[name] = self.kernel(used)
        counting = FunctionType(
            source.__code__, names, source.__name__, source.__defaults__, source.__closure__
        )
        self._kernels[function] = counting
        return counting

    def _sine_cosine(self, angle_rad: float) -> tuple[Any, Any]:
        """Compute sine and cosine as two operations."""
        for tally in (self._all, self._needed):
            tally[TRIGONOMETRIC] += 2
        plain: Callable[[float], tuple[float, float]] = getattr(sine_cosine, "py_func", sine_cosine)
        sine, cosine = plain(float(angle_rad))
        return self._number(sine), self._number(cosine)

    def _counting_math(self) -> SimpleNamespace:
        """Return `math` with the functions that the kernels call counting."""

        def sqrt(x: float) -> Any:
            for tally in (self._all, self._needed):
                tally[ROOTS] += 1
            return self._number(math.sqrt(x) if x >= 0.0 else math.nan)

        def copysign(x: float, y: float) -> Any:
            return self._number(math.copysign(x, y))

        return SimpleNamespace(sqrt=sqrt, copysign=copysign, inf=math.inf, pi=math.pi, nan=math.nan)


def _is_kernel(used: Any) -> bool:
    """Whether a global name of a kernel is another kernel."""
    return hasattr(used, "py_func") or (
        isinstance(used, FunctionType) and used.__module__.startswith(__package__ or "sim")
    )


def _quotient(a: float, b: float) -> float:
    """Divide as the compiled kernels do: by zero, too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(a) / np.float64(b)) if b == 0.0 else float(a) / float(b)


def _number_type(every: list[int], needed: list[int]) -> Callable[[float], Any]:
    """Make a type of numbers that count on two tallies."""

    def counted(kind: int, changes: bool, value: float) -> Any:
        every[kind] += 1
        if changes:
            needed[kind] += 1
        return Number(value)

    def added(a: float, b: float) -> Any:
        return counted(ADDITIONS, bool(a != 0.0 and b != 0.0), float(a) + float(b))

    def multiplied(a: float, b: float) -> Any:
        trivial = a in _TRIVIAL or b in _TRIVIAL
        return counted(MULTIPLICATIONS, not trivial, float(a) * float(b))

    def subtracted(a: float, b: float) -> Any:
        return counted(ADDITIONS, bool(a != 0.0 and b != 0.0), float(a) - float(b))

    def divided(a: float, b: float) -> Any:
        return counted(DIVISIONS, not (a == 0.0 or b in _TRIVIAL), _quotient(a, b))

    class Number(float):
        """A float that counts."""

        __slots__ = ()

        __add__ = __radd__ = added
        __mul__ = __rmul__ = multiplied
        __sub__ = subtracted
        __truediv__ = divided

        def __rsub__(self, other: float) -> Any:
            return subtracted(other, self)

        def __rtruediv__(self, other: float) -> Any:
            return divided(other, self)

        def __pow__(self, power: float, _: None = None) -> Any:
            return counted(ROOTS, True, float(self) ** float(power))

        def __neg__(self) -> Any:
            return Number(-float(self))

        def __abs__(self) -> Any:
            return Number(abs(float(self)))

    return Number


_TRIVIAL = frozenset((0.0, 1.0, -1.0))


def count(function: Callable[..., Any], *arguments: Any) -> tuple[Operations, Operations]:
    """Count the operations of one call of a kernel: all of them, and those that are needed.

    Args:
        function: a compiled kernel.
        *arguments: those of the kernel; what it writes into is lost.
    """
    counter = OperationCounter()
    counter.kernel(function)(*counting_arguments(counter, arguments))
    return counter.operations, counter.needed


def counting_arguments(counter: OperationCounter, arguments: Sequence[Any]) -> list[Any]:
    """Convert the arguments of a kernel to numbers that count; whole numbers stay."""
    converted: list[Any] = []
    for value in arguments:
        if isinstance(value, tuple):
            converted.append(counter.tuple_of(value))
        elif isinstance(value, np.ndarray) and value.dtype == np.float64:
            converted.append(counter.array(value))
        elif isinstance(value, float):
            converted.append(counter.number(value))
        else:
            converted.append(value)
    return converted
