"""How a diagram is computed: order, rates, and what each output hangs on within a tick."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress

from hil.diagram.analysis.cost import part_costs
from hil.diagram.check.diagram import SoundDiagram
from hil.diagram.check.flat import Endpoint
from hil.diagram.check.order import WHOLE
from hil.diagram.library.kind import BlockKind, ParameterKind, PortKind
from hil.diagram.library.registry import kinds
from hil.diagram.run.engine import Engine
from hil.diagram.run.fault import NonFiniteError
from hil.diagram.show.summaries import (
    FeedThroughSummary,
    KindPortSummary,
    KindSummary,
    OrderSummary,
    ParameterSummary,
    PortSummary,
)


def summarize_ports(sound: SoundDiagram, *, inputs: bool) -> list[PortSummary]:
    """The inputs or the outputs of a diagram."""
    rows = []
    for face in sound.flat.inputs() if inputs else sound.flat.outputs():
        found = sound.types[face.path, "y"]
        rows.append(
            PortSummary(
                name=face.path, type=found.type, shape=list(found.shape), unit=found.unit,
                frame=found.frame,
            )
        )  # fmt: skip
    return rows


def summarize_order(sound: SoundDiagram, now_s: Callable[[], float]) -> list[OrderSummary]:
    """Blocks in the order in which they are computed, and what each costs, its inputs 0.

    Args:
        now_s: a clock that does not stand still.
    """
    engine = Engine(sound, models=True)  # only its order and its costs are told
    with suppress(NonFiniteError):
        engine.step()
    costs, rows = part_costs(engine, now_s), list[OrderSummary]()
    for path, part in sound.order:
        block = sound.flat.blocks[path]
        rows.append(
            OrderSummary(
                block=path, kind=block.kind.name, rate=block.rate, offset=block.offset,
                part="" if part == WHOLE else block.ports.outputs[part].name,
                condition="" if block.enable is None else block.enable[0],
                cost_us=1e6 * costs.get((path, part), 0.0),
            )
        )  # fmt: skip
    return rows


def feed_through(sound: SoundDiagram) -> list[FeedThroughSummary]:
    """Inputs that each output of a diagram hangs on within the same tick."""
    flat = sound.flat
    top = {one.path for one in flat.inputs()}
    found = []
    for output in flat.outputs():
        waiting: list[Endpoint] = [flat.drivers[output.path, "u"]]
        seen, inputs = set(waiting), set()
        while waiting:
            path, port = waiting.pop()
            if path in top:
                inputs.add(path)
                continue
            block = flat.blocks[path]
            ends = [(path, i) for i, o in block.kind.direct_of(block.parameters) if o == port]
            sources = [flat.drivers[end] for end in ends if end in flat.drivers]
            sources += [block.enable] if block.enable else []
            waiting += [one for one in sources if one not in seen]
            seen.update(sources)
        found.append(FeedThroughSummary(output=output.path, inputs=sorted(inputs)))
    return found


def summarize_kind(kind: BlockKind) -> KindSummary:
    """A kind of block, with the ports of its example."""
    given = kind.example.parameters
    parameters = {one.name: given.get(one.name, one.default) for one in kind.parameters}
    ports, direct = kind.ports_of(parameters), kind.direct_of(parameters)

    def summarize_port(port: PortKind) -> KindPortSummary:
        return KindPortSummary(
            name=port.name, type=port.type, shape=shape_words(port), unit=port.unit,
            feed_through=sorted(i for i, o in direct if o == port.name),
        )  # fmt: skip

    return KindSummary(
        name=kind.name, group=kind.group, about=kind.about, equation=kind.equation,
        parameters=[
            ParameterSummary(
                name=one.name, type=one.type, default=one.default, low=_bound(one.low),
                high=_bound(one.high), above=_bound(one.above), unit=one.unit,
                choices=list(one.choices), about=_about(one),
            )
            for one in kind.parameters
        ],
        inputs=list(map(summarize_port, ports.inputs)),
        outputs=list(map(summarize_port, ports.outputs)),
        example={"parameters": dict(given), "inputs": dict(kind.example.inputs)},
    )  # fmt: skip


def _about(one: ParameterKind) -> str:
    """Words about a parameter, and whether it may be a list."""
    return "; ".join(filter(None, (one.about, "a list: one for each element" if one.each else "")))


def shape_words(port: PortKind) -> str:
    """Sizes of a port; its variable if wires decide them."""
    if isinstance(port.shape, str):
        return port.shape
    return " by ".join(map(str, port.shape)) or "scalar"


def _bound(value: float) -> float | None:
    return value if math.isfinite(value) else None


def all_kinds() -> list[KindSummary]:
    """Every kind of the library."""
    return [summarize_kind(kind) for kind in kinds().values()]
