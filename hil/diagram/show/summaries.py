"""JSON objects of ``hil diagram …`` with ``--json``: their keys and their meaning."""

from __future__ import annotations

from typing import Any, TypedDict


class PortSummary(TypedDict):
    """A port, as it was found."""

    name: str
    """Name of the port; of the block `In` or `Out` for a diagram's own."""
    type: str
    """real, boolean or integer."""
    shape: list[int]
    """Sizes; empty for a scalar."""
    unit: str
    """Unit; `any` if nothing determines it."""
    frame: str
    """Axes of its numbers; empty if nothing determines them."""


class EndpieceSummary(TypedDict):
    """A signal that a diagram may take, or a setpoint that it has to give."""

    name: str
    """Name of the signal or setpoint, which is that of the input or output unless fed otherwise."""
    shape: list[int]
    """Sizes; empty for a scalar."""
    unit: str
    """Unit in the form of diagrams."""
    frame: str
    """Axes of its numbers; empty where they do not matter."""


class DiagramEndsSummary(TypedDict):
    """Signals that a scenario offers to its diagram, and setpoints that it takes."""

    ok: bool
    """True: the scenario takes diagrams."""
    path: str
    """The scenario."""
    signals: list[EndpieceSummary]
    """Signals that inputs may take."""
    setpoints: list[EndpieceSummary]
    """Setpoints that outputs give."""
    some: bool
    """Whether some of the setpoints are enough; else each needs an output."""
    step_s: float | None
    """Step of which the diagram's base period is a whole multiple [s]; null for any."""


class DiagramCheckSummary(TypedDict):
    """A diagram that can run."""

    ok: bool
    """True: the diagram can run."""
    path: str
    """The file."""
    base_s: float
    """Base period [s]."""
    blocks: int
    """Number of blocks; those of sub-diagrams counted each time."""
    wires: int
    """Number of wires; those of sub-diagrams counted each time."""
    inputs: list[PortSummary]
    """Inputs of the diagram."""
    outputs: list[PortSummary]
    """Outputs of the diagram."""
    cost_us: float
    """Median time to compute a tick here [us]."""
    period_part: float
    """Median time to compute a tick, as a part of the base period."""


class CostSummary(TypedDict):
    """Times of single ticks."""

    ticks: int
    """Number of ticks that were timed."""
    median_us: float
    """Half of them took less [us]."""
    p99_us: float
    """99 of 100 took no longer [us]."""
    p999_us: float
    """999 of 1000 took no longer [us]."""
    worst_us: float
    """The longest took so much [us]."""


class DiagramBenchSummary(TypedDict):
    """Cost of a tick on this machine."""

    ok: bool
    """999 of 1000 ticks are over within the base period."""
    path: str
    """The file."""
    blocks: int
    """Number of blocks; those of sub-diagrams counted each time."""
    base_s: float
    """Base period [s]."""
    kernel: CostSummary
    """Times of the compiled kernel, as in every run."""
    interpreter: None
    """Null: the interpreter in plain Python belongs to the tests, and is timed by `benchmarks`."""
    with_models: CostSummary | None
    """Times of the kernel, with the answers of its FMUs waited for; null without FMUs."""


class StopSummary(TypedDict):
    """Place and time at which a diagram stopped."""

    block: str
    """Path of the block that cannot continue."""
    tick: int
    """Base tick."""
    time_s: float
    """Time since the start [s]."""


class DiagramRunSummary(TypedDict):
    """A diagram that was run alone."""

    ok: bool
    """True if it came to its end."""
    path: str
    """The file."""
    ticks: int
    """Number of ticks computed."""
    time_s: float
    """Simulated time [s]."""
    outputs: dict[str, list[float]]
    """Numbers of each output after the last tick, row after row."""
    stop: StopSummary | None
    """Reason for an early end; null if there was none."""
    written: str
    """File with the outputs of every tick; empty if none was asked for."""
    recording: str
    """Recording of the run; empty if none was asked for."""


class OrderSummary(TypedDict):
    """A block's place in the order of computation."""

    block: str
    """Path of the block."""
    kind: str
    """Kind of the block."""
    part: str
    """The output that is computed then; empty for all."""
    rate: int
    """Base ticks from one of its ticks to the next."""
    offset: int
    """First base tick of the block."""
    condition: str
    """The block whose output must be true; empty if it always runs."""
    cost_us: float
    """Time to compute it in a tick in which it is due, on this machine [us]."""


class FeedThroughSummary(TypedDict):
    """Inputs of the same tick on which an output of a diagram depends."""

    output: str
    """Name."""
    inputs: list[str]
    """Names of inputs."""


class ExplainSummary(TypedDict):
    """Order of computation and feed-through of a diagram."""

    ok: bool
    """True: the diagram can run."""
    path: str
    """The file."""
    order: list[OrderSummary]
    """First to last."""
    feed_through: list[FeedThroughSummary]
    """Output by output."""


class ParameterSummary(TypedDict):
    """A parameter of a kind of block."""

    name: str
    """Name of the parameter in the file."""
    type: str
    """real, integer, boolean, text, unit, reals, matrix, value."""
    default: Any
    """Default value; null if it must be given."""
    low: float | None
    """Least value; null for none."""
    high: float | None
    """Greatest value; null for none."""
    above: float | None
    """A bound that must be exceeded; null for none."""
    unit: str
    """Unit of the value."""
    choices: list[str]
    """Choices of a text; empty if it is free."""
    about: str
    """Meaning, where the name does not say it."""


class KindPortSummary(TypedDict):
    """A port of a kind of block, as in its example."""

    name: str
    """Name of the port in wires."""
    type: str
    """real, boolean, integer, or a variable that wires decide."""
    shape: str
    """Sizes, or a variable that wires decide."""
    unit: str
    """Unit, with variables that wires decide."""
    feed_through: list[str]
    """Inputs of the same tick on which an output depends."""


class KindSummary(TypedDict):
    """A kind of block."""

    name: str
    """Name of the kind in the file."""
    group: str
    """Group of the library."""
    about: str
    """Function of the block."""
    equation: str
    """Difference equation: k is the block's tick, H its period."""
    parameters: list[ParameterSummary]
    """Parameters, in order."""
    inputs: list[KindPortSummary]
    """Input ports of the example."""
    outputs: list[KindPortSummary]
    """Output ports of the example."""
    example: dict[str, Any]
    """Parameters and inputs with which it runs."""


class BlocksSummary(TypedDict):
    """Kinds of blocks."""

    ok: bool
    """True."""
    kinds: list[KindSummary]
    """All, or the one that was asked for."""


class DrawSummary(TypedDict):
    """A picture of a diagram."""

    ok: bool
    """True: the picture was drawn."""
    path: str
    """The file."""
    inside: str
    """Path of the block whose inside was drawn; empty for the top."""
    blocks: int
    """Number of blocks on the picture."""
    wires: int
    """Number of wires on the picture."""
    written: str
    """The picture."""
    fault: str
    """Fault that keeps it from running, which leaves units out; empty if there is none."""
