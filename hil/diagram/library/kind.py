"""A kind of block as data: ports, parameters, feed-through, states, an example."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from hil.diagram.file.model import Diagram

PortType = str
"""``real``, ``boolean``, ``integer``, one of `COMPOSITE`, or a variable such as ``?t``."""
COMPOSITE: Final[Mapping[str, tuple[float, ...]]] = {
    "pose": (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    "wrench": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
}
"""Types of several numbers, and what they are before anything has made them: a pose is a rotation
row after row and a place [m], a wrench a force [N] and a torque [N m]."""
Parameters = Mapping[str, Any]
"""Checked values by name: numbers, texts, and tuples of numbers or of rows."""
ParameterType = Literal[
    "real", "integer", "boolean", "text", "unit", "file", "reals", "matrix", "value", "shape"
]
"""``value`` is a number or a list or matrix of them, ``shape`` a list of sizes, ``file`` a path."""
NUMBERS_MOST: Final = 10_000
"""Most numbers that a parameter, or a table of a file, may have."""
WORDS: Final = ("text", "unit", "file")
"""Types of parameters that are written as texts."""
RESERVED: Final = frozenset({"kind", "of", "rate", "offset", "note", "run", "states", "outputs"})
"""Keys of a block's line that no parameter may have."""


@dataclass(frozen=True, slots=True)
class PortKind:
    """A port of a kind of block."""

    name: str
    unit: str = "?a"
    """Unit, with variables of the block."""
    shape: str | tuple[int, ...] = "?s"
    """Sizes; a variable is found from the wires, and is a scalar if nothing else determines it."""
    type: PortType = "real"
    frame: str = "?f"
    """Axes of its numbers; a variable for those that have none of their own."""
    optional: bool = False
    """An input that is 0, or false, while nothing is connected."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Inputs and outputs of a block."""

    inputs: tuple[PortKind, ...]
    outputs: tuple[PortKind, ...]

    def input(self, name: str) -> PortKind | None:
        """Return the input of a name."""
        return next((one for one in self.inputs if one.name == name), None)

    def output(self, name: str) -> PortKind | None:
        """Return the output of a name."""
        return next((one for one in self.outputs if one.name == name), None)


@dataclass(frozen=True, slots=True)
class ParameterKind:
    """A parameter of a kind of block, in coherent units."""

    name: str
    type: ParameterType = "real"
    default: Any = None
    """Default value; None if it must be given."""
    low: float = -math.inf
    high: float = math.inf
    unit: str = "1"
    """Unit for the reader; in the block's own variables where it has some."""
    about: str = ""
    choices: tuple[str, ...] = ()
    """Choices of a text; empty if it is free."""
    above: float = -math.inf
    """A bound that must be exceeded."""
    each: bool = False
    """Whether a real one may be a list or rows of numbers, one for each element of the block."""


@dataclass(frozen=True, slots=True)
class BlockSetting:
    """Path, size, rate and seed with which a block runs, on which its numbers depend."""

    path: str
    size: int
    """Number of elements of the block, 1 for scalars."""
    period_s: float
    """Period of the block's own ticks [s]: rate times the base period."""
    base_s: float
    rate: int = 1
    seed: int = 0
    """Seed of the whole diagram."""
    type: PortType = "real"
    """Type of the elements."""


@dataclass(frozen=True, slots=True)
class Example:
    """Parameters and constant inputs with which a block alone runs."""

    parameters: Parameters = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)


BlockFunction = Callable[[Any, Any, Any, Any, float], None]
"""``f(u, y, x, p, H)``: inputs, outputs, states and numbers of a block, one after another, and its
period [s]; it writes what it computes."""

Pairs = frozenset[tuple[str, str]]
"""Feed-through: the output depends on the input of the same tick."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlockKind:
    """A kind of block; each is one object."""

    name: str
    group: str
    about: str
    equation: str
    """Difference equation: k is the block's tick, H its period [s], [k-1] the tick before."""
    ports: Ports | Callable[[Parameters], Ports]
    parameters: tuple[ParameterKind, ...] = ()
    direct: Pairs | Callable[[Parameters], Pairs] | None = None
    """Pairs with feed-through; None if every output depends on every input."""
    states: tuple[str, ...] | Callable[[Parameters, BlockSetting], int] = ()
    """Names for one element, or how many there are for the whole block."""
    initial: Callable[[Parameters, BlockSetting], Sequence[float]] | None = None
    """States of one element at the start, or of the whole block; else 0."""
    numbers: Callable[[Parameters, BlockSetting], Sequence[float]] | None = None
    """Numbers of the equation, in order; None for its numeric parameters as they are."""
    check: Callable[[Parameters], str] | None = None
    """Fault of parameters that fit one by one; empty if there is none."""
    size_port: str = ""
    """Name of the port whose shape gives the block's size; empty for the first output."""
    any_rate: bool = False
    """Whether its inputs may be of any rate."""
    constant: bool = False
    """Whether its output never changes, so that it may be wired to any rate."""
    drawn: Callable[[Parameters], Diagram] | None = None
    """Blocks that it represents; None if it is computed itself."""
    functions: tuple[BlockFunction] | tuple[BlockFunction, BlockFunction] | None = None
    """Functions of another distribution's block: for outputs, and then for next states."""
    example: Example = Example()

    def ports_of(self, parameters: Parameters) -> Ports:
        """Return the ports with these parameters."""
        ports = self.ports if isinstance(self.ports, Ports) else self.ports(parameters)
        shape = self.shape_of_each(parameters)
        return _of_shape(ports, shape) if shape else ports

    def direct_of(self, parameters: Parameters) -> Pairs:
        """Return the feed-through with these parameters."""
        if self.direct is None:
            ports = self.ports_of(parameters)
            return frozenset((i.name, o.name) for i in ports.inputs for o in ports.outputs)
        return self.direct if isinstance(self.direct, frozenset) else self.direct(parameters)

    def parameter(self, name: str) -> ParameterKind | None:
        """Return the parameter of a name."""
        return next((one for one in self.parameters if one.name == name), None)

    def shape_of_each(self, parameters: Parameters) -> tuple[int, ...]:
        """List sizes of parameters that have a number for each element; else empty."""
        values = (parameters.get(one.name) for one in self.parameters if one.each)
        return next((shape_of(one) for one in values if isinstance(one, tuple)), ())

    def elements(self, parameters: Parameters, size: int) -> list[Parameters]:
        """Return the parameters of each element, row after row."""
        if not self.shape_of_each(parameters):
            return [parameters] * size
        each = {
            one.name: flat(parameters[one.name]) for one in self.parameters
            if one.each and isinstance(parameters[one.name], tuple)
        }  # fmt: skip
        count = len(next(iter(each.values())))
        return [{**parameters, **{k: v[i] for k, v in each.items()}} for i in range(count)]

    def fault_of(self, parameters: Parameters) -> str:
        """Return the fault of parameters that fit one by one; empty if there is none."""
        shape = self.shape_of_each(parameters)
        for one in self.parameters:
            value = parameters[one.name]
            if one.each and isinstance(value, tuple) and shape_of(value) != shape:
                there, wanted = (" by ".join(map(str, each)) for each in (shape_of(value), shape))
                words = f"a number for all, or {wanted} as the others, are needed"
                return f"{one.name} has {there} numbers: {words}"
        if self.check is None:
            return ""
        faults = map(self.check, self.elements(parameters, 1))
        return next((one for one in faults if one), "")

    def numbers_of(self, parameters: Parameters, setting: BlockSetting) -> list[float]:
        """Compute the equation's numbers; of each element, if parameters have one for each."""
        if self.shape_of_each(parameters):
            parts = self.elements(parameters, setting.size)
            return [number for one in parts for number in self._numbers_of(one, setting)]
        return self._numbers_of(parameters, setting)

    def _numbers_of(self, parameters: Parameters, setting: BlockSetting) -> list[float]:
        if self.numbers is not None:
            return [float(one) for one in self.numbers(parameters, setting)]
        numeric = (one.name for one in self.parameters if one.type not in (*WORDS, "shape"))
        return [number for name in numeric for number in flat(parameters[name])]

    def initial_of(self, parameters: Parameters, setting: BlockSetting) -> list[float]:
        """Return the states at the start, element after element."""
        if callable(self.states):
            count = self.states(parameters, setting)
            given = [0.0] * count if self.initial is None else self.initial(parameters, setting)
            return [float(one) for one in given]
        if self.initial is not None and self.shape_of_each(parameters):
            alone = replace(setting, size=1)
            parts = self.elements(parameters, setting.size)
            return [float(x) for one in parts for x in self.initial(one, alone)]
        one = [0.0] * len(self.states)
        if self.initial is not None:
            one = [float(value) for value in self.initial(parameters, setting)]
        return one if len(one) > len(self.states) else one * setting.size


def each(*parameters: ParameterKind) -> tuple[ParameterKind, ...]:
    """Return the parameters that may have a number for each element."""
    return tuple(replace(one, each=True) for one in parameters)


def _of_shape(ports: Ports, shape: tuple[int, ...]) -> Ports:
    """Complete ports' sizes: those that were to be found from the wires have them."""
    inputs, outputs = (
        tuple(replace(one, shape=shape) if one.shape == "?s" else one for one in side)
        for side in (ports.inputs, ports.outputs)
    )
    return Ports(inputs, outputs)


def flat(value: Any) -> list[float]:
    """Return the numbers of a number, a list or a matrix, row after row."""
    if isinstance(value, tuple):
        return [number for one in value for number in flat(one)]
    return [float(value)]


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the sizes of a number, a list or a matrix."""
    if not isinstance(value, tuple):
        return ()
    return (len(value), *(shape_of(value[0]) if value else ()))


# Short forms for the library.


def one_in(unit: str = "?a", out: str = "?a", *, names: tuple[str, str] = ("u", "y")) -> Ports:
    """Return a real input and a real output of the same shape and frame."""
    return Ports((PortKind(names[0], unit),), (PortKind(names[1], out),))


def two_in(first: str = "?a", second: str = "?a", out: str = "?a") -> Ports:
    """Return two real inputs and an output of the same shape and frame."""
    return Ports((PortKind("u1", first), PortKind("u2", second)), (PortKind("y", out),))


def flag(name: str, *, shape: str | tuple[int, ...] = "?s", optional: bool = False) -> PortKind:
    """Return a boolean port."""
    return PortKind(name, "1", shape, "boolean", "?flag", optional)


def count(name: str) -> PortKind:
    """Return an integer port."""
    return PortKind(name, "1", "?s", "integer", "?count")


def pose(name: str = "pose", frame: str = "?f") -> PortKind:
    """Return a pose in some axes."""
    return PortKind(name, "1", (len(COMPOSITE["pose"]),), "pose", frame)


def wrench(name: str = "wrench", frame: str = "?f") -> PortKind:
    """Return a wrench in some axes."""
    return PortKind(name, "1", (len(COMPOSITE["wrench"]),), "wrench", frame)


def source(unit: str = "1", type: PortType = "real") -> Ports:
    """Return the ports of a source: no input, one scalar output."""
    return Ports((), (PortKind("y", unit, (), type),))


NO_PAIRS: Final[Pairs] = frozenset()
"""Feed-through of a block whose outputs depend on earlier ticks only."""
