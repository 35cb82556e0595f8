"""A diagram whose loop is cut at a wire: an input stands at its end, at the same point."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.config.similar_names import nearest
from hil.diagram.check.diagram import SoundDiagram
from hil.diagram.check.flatten import Endpoint, FlatBlock
from hil.diagram.check.order import sort
from hil.diagram.file.model import IN
from hil.diagram.library.registry import faces
from hil.diagram.run.engine import Engine

Array = NDArray[np.float64]
OPENED: Final = "@opened"
"""Input that stands for an opened wire."""


def opened(sound: SoundDiagram, target: Endpoint) -> tuple[SoundDiagram, Endpoint]:
    """A diagram with a wire cut, an input `OPENED` at its end; and the output where it began.

    Raises:
        ConfigError: If there is no such wire, or it is no scalar.
    """
    flat, words = sound.flat, ".".join(target)
    if target not in flat.drivers:
        known = [".".join(end) for end in flat.drivers]
        problem = f"{words[:80]!r}: no wire ends there{nearest(words, known)} (write block.port)"
        raise ConfigError("--loop", [problem])
    source, found = flat.drivers[target], sound.types[target]
    if source not in sound.types or source[0] not in flat.blocks:
        raise ConfigError("--loop", [f"{words}: it comes from an input, so no loop goes over it"])
    if found.size != 1 or not found.is_real:
        raise ConfigError("--loop", [f"{words}: {found.size} numbers; a real scalar is needed"])
    kind, values = faces()[IN], {"unit": "", "shape": (), "type": "real", "frame": ""}
    face = FlatBlock(OPENED, kind, values, kind.ports_of(values), 1, 0)
    cut = replace(
        flat, faces={**flat.faces, OPENED: face}, drivers={**flat.drivers, target: (OPENED, "y")}
    )
    types = {**sound.types, (OPENED, "y"): found, (OPENED, "u"): found}
    return SoundDiagram(cut, types, tuple(sort(cut)[0])), source


def carried(engine: Engine, cut: Engine, source: Endpoint) -> None:
    """Put an engine of the opened diagram to the same point, its input to the wire's value."""
    before = engine.snapshot()
    engine.step()
    wire = engine.values[engine.table.ports[source]].copy()
    engine.restore(before)
    cut.tick = engine.tick
    cut.values[:] = in_places(engine.values, engine, cut)
    cut.set_input(OPENED, wire)


def in_places(numbers: Array, engine: Engine, cut: Engine) -> Array:
    """Numbers of an engine's values, in the places of the opened diagram."""
    found = cut.values.copy()
    for key, at in engine.table.ports.items():
        found[cut.table.ports[key]] = numbers[at]
    for path, at in engine.table.states.items():
        found[cut.table.states[path]] = numbers[at]
    return found
