"""Buses: wires that are bundled, followed from where each is taken out to where it was put in.

A bus is drawn and not computed: once every wire is followed, nothing of it is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from hil.config.similar_names import nearest
from hil.diagram.check.flat import Endpoint, FlatBlock, FlatWire
from hil.diagram.file.model import BUS_IN, BUS_OUT, IN

BUS: Final = "bus"
"""Name of the port that is one."""

ReportWire = Callable[[FlatWire, str], None]
"""Reports a fault of a wire."""


class Buses:
    """The wires of a diagram with its buses.

    Args:
        bundles: blocks `BusIn` and `BusOut` by path.
        faces: blocks `In` and `Out` by path.
        drawn: target of each wire → its source.
        report: of a wire that cannot be followed.
    """

    def __init__(self, bundles: Mapping[str, FlatBlock], faces: Mapping[str, FlatBlock],
                 drawn: Mapping[Endpoint, Endpoint], report: ReportWire) -> None:  # fmt: skip
        self._bundles, self._faces, self._drawn, self._report = bundles, faces, drawn, report

    def resolve_buses(self, wires: list[FlatWire]) -> Iterator[FlatWire]:
        """Resolve buses: wires that come out of one come from where they went in."""
        for wire in wires:
            into = self._bundles.get(wire.target[0])
            if into is not None:
                self._judge_input(wire, into)
                continue
            source = self._origin(wire)
            if source is None:
                continue
            if self._is_bus(source):
                self._judge_bus(wire)
            else:
                yield replace(wire, source=source)

    def _origin(self, wire: FlatWire) -> Endpoint | None:
        """Find the output from which a wire comes, buses undone; None and a report if unknown."""
        source, seen = wire.source, set[Endpoint]()
        while (block := self._bundles.get(source[0])) is not None and block.kind.name == BUS_OUT:
            if source in seen:
                self._report(wire, "wires in a circle through a bus, without a block between")
                return None
            seen.add(source)
            bus = self._bus_of((source[0], BUS), set())
            if bus is None:
                self._report(wire, f"{source[0]}: no bus is wired to it")
                return None
            known = [one.name for one in self._bundles[bus].ports.inputs]
            if source[1] not in known:
                text = f"the bus has no {source[1]}{nearest(source[1], known)}"
                self._report(wire, f"{text} (it has {', '.join(known)})")
                return None
            following = self._drawn.get((bus, source[1]))
            if following is None:
                return None  # reported at the input that nothing is wired to
            source = following
        return source

    def _bus_of(self, target: Endpoint, seen: set[Endpoint]) -> str | None:
        """Find the path of the `BusIn` of a wired input, through faces and other buses."""
        source = self._drawn.get(target)
        while source is not None and source not in seen:
            seen.add(source)
            path, port = source
            block = self._bundles.get(path)
            if block is not None and block.kind.name == BUS_IN:
                return path
            if block is not None:
                bus = self._bus_of((path, BUS), seen)
                source = None if bus is None else self._drawn.get((bus, port))
            elif path in self._faces and not self._from_outside(path):
                source = self._drawn.get((path, "u"))
            else:
                return None
        return None

    def _from_outside(self, path: str) -> bool:
        return "/" not in path and self._faces[path].kind.name == IN

    def _is_bus(self, source: Endpoint) -> bool:
        """Return whether an output, of no `BusOut`, is a bus."""
        if source[0] in self._bundles:
            return True
        return source[0] in self._faces and not self._from_outside(source[0]) and (
            self._bus_of((source[0], "u"), set()) is not None
        )  # fmt: skip

    def _judge_bus(self, wire: FlatWire) -> None:
        """A bus goes through the faces of sub-diagrams, and nowhere else."""
        path = wire.target[0]
        if path not in self._faces:
            self._report(wire, "a bus goes into a BusOut or through a sub-diagram's face alone")
        elif "/" not in path:
            self._report(wire, "a bus cannot leave the diagram: a BusOut takes its wires out")

    def _judge_input(self, wire: FlatWire, into: FlatBlock) -> None:
        """Check that the input of a `BusOut` is a bus."""
        if into.kind.name == BUS_OUT and self._bus_of(wire.target, set()) is None:
            self._report(wire, "is no bus: a BusIn bundles wires")
