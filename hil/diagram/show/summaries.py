"""What ``hil diagram …`` prints with ``--json``: one object each, its keys and their meaning."""

from __future__ import annotations

from typing import Any, TypedDict


class PortSummary(TypedDict):
    """A port, as it was found."""

    name: str
    """Of the port; of the block `In` or `Out` for a diagram's own."""
    type: str
    """real, boolean or integer."""
    shape: list[int]
    """Sizes; empty for a scalar."""
    unit: str
    """Unit; `any` if nothing says it."""
    frame: str
    """Axes of its numbers; empty if nothing says them."""


class EndpieceSummary(TypedDict):
    """A signal that a diagram may take, or a setpoint that it has to give."""

    name: str
    """Of the signal or setpoint; of the diagram's input or output, unless it is fed otherwise."""
    shape: list[int]
    """Sizes; empty for a scalar."""
    unit: str
    """As diagrams write it."""
    frame: str
    """Axes of its numbers; empty where they do not matter."""


class DiagramEndsSummary(TypedDict):
    """What a scenario offers to its diagram, and what it takes."""

    ok: bool
    """It takes diagrams."""
    path: str
    """The scenario."""
    signals: list[EndpieceSummary]
    """That inputs may take."""
    setpoints: list[EndpieceSummary]
    """That outputs give."""
    some: bool
    """Some of the setpoints will do; else each needs an output."""
    step_s: float | None
    """Of which the diagram's base period is a whole multiple [s]; null for any."""


class DiagramCheckSummary(TypedDict):
    """A diagram that can run."""

    ok: bool
    """It can run."""
    path: str
    """The file."""
    base_s: float
    """Base period [s]."""
    blocks: int
    """Those of sub-diagrams counted each time."""
    wires: int
    """Likewise."""
    inputs: list[PortSummary]
    """Of the diagram."""
    outputs: list[PortSummary]
    """Of the diagram."""
    cost_us: float
    """Computing a tick here, median [us]."""
    period_part: float
    """The same as a part of the base period."""


class CostSummary(TypedDict):
    """Times of single ticks."""

    ticks: int
    """How many were timed."""
    median_us: float
    """Half of them took less [us]."""
    p99_us: float
    """99 of 100 took no longer [us]."""
    p999_us: float
    """999 of 1000 took no longer [us]."""
    worst_us: float
    """The longest took so much [us]."""


class DiagramBenchSummary(TypedDict):
    """What a tick costs here."""

    ok: bool
    """999 of 1000 ticks are over within the base period."""
    path: str
    """The file."""
    blocks: int
    """Those of sub-diagrams counted each time."""
    base_s: float
    """Base period [s]."""
    kernel: CostSummary
    """By the compiled kernel, as in every run."""
    interpreter: None
    """Null: the interpreter in plain Python belongs to the tests, and is timed by `benchmarks`."""
    with_models: CostSummary | None
    """By the kernel, with the answers of its FMUs waited for; null without FMUs."""


class StopSummary(TypedDict):
    """Where a diagram stopped."""

    block: str
    """Path of the block that cannot go on."""
    tick: int
    """Base tick."""
    time_s: float
    """Since the start [s]."""


class DiagramRunSummary(TypedDict):
    """A diagram that was run alone."""

    ok: bool
    """It came to its end."""
    path: str
    """The file."""
    ticks: int
    """Computed."""
    time_s: float
    """Simulated [s]."""
    outputs: dict[str, list[float]]
    """Numbers of each output after the last tick, row after row."""
    stop: StopSummary | None
    """Why it ended early; null if it did not."""
    written: str
    """File with the outputs of every tick; empty if none was asked for."""
    recording: str
    """Of the run; empty if none was asked for."""


class OrderSummary(TypedDict):
    """A block's place in the order of computation."""

    block: str
    """Path."""
    kind: str
    """Of the block."""
    part: str
    """The output that is computed then; empty for all."""
    rate: int
    """Base ticks from one of its ticks to the next."""
    offset: int
    """Its first base tick."""
    condition: str
    """The block whose output must be true; empty if it always runs."""
    cost_us: float
    """In a tick in which it is computed, on this machine [us]."""


class FeedThroughSummary(TypedDict):
    """What an output of a diagram hangs on within the same tick."""

    output: str
    """Name."""
    inputs: list[str]
    """Names of inputs."""


class ExplainSummary(TypedDict):
    """How a diagram is computed."""

    ok: bool
    """It can run."""
    path: str
    """The file."""
    order: list[OrderSummary]
    """First to last."""
    feed_through: list[FeedThroughSummary]
    """Output by output."""


class ParameterSummary(TypedDict):
    """A parameter of a kind of block."""

    name: str
    """As in the file."""
    type: str
    """real, integer, boolean, text, unit, reals, matrix, value."""
    default: Any
    """null if it must be given."""
    low: float | None
    """Least value; null for none."""
    high: float | None
    """Greatest value; null for none."""
    above: float | None
    """A bound that must be exceeded; null for none."""
    unit: str
    """Of the value."""
    choices: list[str]
    """Of a text; empty if it is free."""
    about: str
    """What it is, where the name does not say it."""


class KindPortSummary(TypedDict):
    """A port of a kind of block, as in its example."""

    name: str
    """As in wires."""
    type: str
    """real, boolean, integer, or a variable that wires decide."""
    shape: str
    """Sizes, or a variable that wires decide."""
    unit: str
    """Unit, with variables that wires decide."""
    feed_through: list[str]
    """Of an output: the inputs of the same tick that it hangs on."""


class KindSummary(TypedDict):
    """A kind of block."""

    name: str
    """As in the file."""
    group: str
    """Of the library."""
    about: str
    """What it does."""
    equation: str
    """k is the block's tick, H its period."""
    parameters: list[ParameterSummary]
    """In order."""
    inputs: list[KindPortSummary]
    """As in the example."""
    outputs: list[KindPortSummary]
    """As in the example."""
    example: dict[str, Any]
    """Parameters and inputs with which it runs."""


class BlocksSummary(TypedDict):
    """Kinds of blocks."""

    ok: bool
    """Always."""
    kinds: list[KindSummary]
    """All, or the one that was asked for."""


class DrawSummary(TypedDict):
    """A picture of a diagram."""

    ok: bool
    """It was drawn."""
    path: str
    """The file."""
    inside: str
    """Path of the block whose inside was drawn; empty for the top."""
    blocks: int
    """On the picture."""
    wires: int
    """On the picture."""
    written: str
    """The picture."""
    fault: str
    """Why it cannot run, which leaves units out; empty if it can."""
