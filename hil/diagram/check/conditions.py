"""Sub-diagrams that run on a condition: the hidden blocks for it, and for resets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from hil.diagram.check.flat import Endpoint, FlatBlock, FlatWire
from hil.diagram.file.model import OUT, Diagram, DrawnBlock
from hil.diagram.library.kind import BlockKind, Parameters
from hil.diagram.library.registry import hidden, kinds

ENABLE: Final = "enable"
TRIGGER: Final = "trigger"


@dataclass(slots=True)
class HiddenBlocks:
    """Hidden blocks, which are not drawn, among the others of a flat diagram."""

    blocks: dict[str, FlatBlock]
    """Blocks of the diagram, to which the hidden ones are added."""
    wires: list[FlatWire]
    """Wires of the diagram, to which those of hidden blocks are added."""
    restarts: dict[str, str] = field(default_factory=dict)
    """Path of a hidden block that resets states → path of the sub-diagram that has them."""

    def condition(
        self, path: str, block: DrawnBlock, around: Endpoint | None, rate: int, offset: int
    ) -> Endpoint:
        """Make a sub-diagram's condition; return the output that has it.

        Args:
            around: condition of what it is in; None if that always runs.
        """
        own = f"{path}@{ENABLE}"
        if block.run == "triggered":
            edge = f"{path}@{TRIGGER}"
            self._hide(edge, kinds()["Edge"], rate, offset, around,
                       {"edge": "rising", "initial": False})  # fmt: skip
            self._drive((own, "u1"), (edge, "y"))
        self._hide(own, kinds()["And"], rate, offset, None)
        always = f"{path}@true"
        if around is None:
            self._hide(always, kinds()["ConstantBoolean"], 1, 0, None, {"value": True})
        self._drive((own, "u2"), around or (always, "y"))
        if block.states == "reset":
            restart = f"{path}@restart"
            self._hide(restart, hidden()["Restart"], rate, offset, None)
            self._drive((restart, ENABLE), (own, "y"))
            self.restarts[restart] = path
        return own, "y"

    def reset_outputs(
        self, path: str, drawn: Diagram, rate: int, offset: int, enable: Endpoint
    ) -> None:
        """Put a sub-diagram's outputs to 0 while it does not run."""
        for name, block in sorted(drawn.blocks.items()):
            if block.kind == OUT:
                own = f"{path}@{name}"
                self._hide(own, hidden()["EnabledOutput"], rate, offset, None)
                self._drive((own, ENABLE), enable)
                self._drive((own, "u"), (f"{path}/{name}", "y"))

    def _hide(self, path: str, kind: BlockKind, rate: int, offset: int, enable: Endpoint | None,
              parameters: Parameters | None = None) -> None:  # fmt: skip
        values = {} if parameters is None else parameters
        self.blocks[path] = FlatBlock(
            path, kind, values, kind.ports_of(values), rate, offset, enable
        )

    def _drive(self, target: Endpoint, source: Endpoint) -> None:
        words = f"{target[0]}.{target[1]} = {source[0]}.{source[1]}"
        self.wires.append(FlatWire(target, source, words))
