"""Where the wires of one diagram end, by the paths of blocks, or why they end nowhere."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

from hil.config.similar_names import nearest
from hil.diagram.check.conditions import ENABLE, TRIGGER
from hil.diagram.check.flat import Endpoint, FlatBlock
from hil.diagram.file.model import Diagram
from hil.diagram.library.kind import PortKind, Ports


@dataclass(frozen=True, slots=True)
class WireEnds:
    """The ends of a diagram's wires."""

    drawn: Diagram
    prefix: str
    """Of the paths of its blocks."""
    instances: Mapping[str, Ports]
    """Ports of the blocks that stand for others, by their names."""
    there: Callable[[str], FlatBlock | None]
    """Finds the block of a path that stands for no others."""
    made: Container[str]
    """Paths of all blocks that are computed."""

    def end(self, text: str, *, inputs: bool) -> Endpoint | str | None:
        """One end of a wire; why it is nowhere, or None if that is told already.

        Args:
            text: of the end, ``block.port``.
        """
        name, dot, port = text.partition(".")
        if not dot or name not in self.drawn.blocks:
            near = nearest(name, self.drawn.blocks)
            return f"no block {name[:60]!r}{near} (a port is block.port)"
        ports = self.instances.get(name)
        if ports is None:
            block = self.there(self.prefix + name)
            if block is None:
                return None  # told already
            ports = block.ports
        there = [one.name for one in (ports.inputs if inputs else ports.outputs)]
        if port not in there:
            what = "input" if inputs else "output"
            phrase = f"it has {', '.join(there)}" if there else "it has none"
            return f"{name} has no {what} {port[:60]!r}{nearest(port, there)} ({phrase})"
        return self._found(name, port, inputs=inputs)

    def _found(self, name: str, port: str, *, inputs: bool) -> Endpoint:
        path = self.prefix + name
        if name not in self.instances:
            return path, port
        if port in (ENABLE, TRIGGER) and inputs and self.drawn.blocks[name].run != "always":
            return f"{path}@{port}", "u1" if port == ENABLE else "u"
        if inputs:
            return f"{path}/{port}", "u"
        own = f"{path}@{port}"
        return (own, "y") if own in self.made else (f"{path}/{port}", "y")

    def open_inputs(self, wired: Container[str]) -> Iterator[tuple[str, str]]:
        """Name and input of the blocks to which a wire is missing.

        Args:
            wired: ends ``block.port`` of those that there are.
        """
        for name in sorted(self.drawn.blocks):
            for port in self._inputs(name):
                if not port.optional and f"{name}.{port.name}" not in wired:
                    yield name, port.name

    def _inputs(self, name: str) -> tuple[PortKind, ...]:
        if (instance := self.instances.get(name)) is not None:
            return instance.inputs
        block = self.there(self.prefix + name)
        return () if block is None else block.ports.inputs
